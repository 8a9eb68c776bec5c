"""Older work becomes digests where that pays: when, and what comes of it.

Rule (ski rental, as the schedule `balance`): older work pays rent for as long as it is read from the cache again and
again. Once the rent has reached `beta` times what it would cost to write anew what a digest leaves and what stands
behind it, it is made; in the cold, and where that is written anew anyway, it costs nothing. It must free a multiple of
what it leaves, and keep the bill within the bound on regret; so a short session never gets there.
"""

from functools import cached_property

from secateur.compaction.outcome import Compacted, Refused
from secateur.compaction.settings import Digest
from secateur.compaction.shorten import shorten
from secateur.fitting.moment import Numbers
from secateur.fitting.older import Older, older
from secateur.fitting.toll import Toll, toll
from secateur.fitting.wish import NOTHING
from secateur.model import Replace
from secateur.schedule.ground import cold
from secateur.session import Session
from secateur.session.projection import tokens_of


def shortened(work: Session, numbers: Numbers, must: bool = False) -> tuple[Compacted, str] | None:
    """The digests that are due, and why; None where none are. With `must` the price is not asked."""
    settings, budget = numbers.settings.digest, numbers.budget
    if settings is None or budget is None:
        return None
    ground = _Ground(work, numbers, older(work, settings))
    if ground.older.tokens < settings.least_tokens or not (must or ground.may_pay(settings)):
        return None
    made = shorten(
        numbers.scene(work, NOTHING, False), numbers.settings, settings, (ground.older.first, ground.older.end)
    )
    if isinstance(made, Refused) or not _worth(made, settings):
        return None
    rent, penalty = ground.weighed(made)
    pays = rent >= settings.beta * penalty
    if not must and not (pays and ground.bears(settings, penalty - budget.tariff.r * _freed(made))):
        return None
    return made, _why(_freed(made), (rent, penalty), ground.cold, must)


class _Ground:
    """What digests of the older work would cost, and what reading it has cost."""

    def __init__(self, work: Session, numbers: Numbers, found: Older) -> None:
        assert numbers.budget is not None
        self.older, self.cold = found, cold(numbers.budget)
        self._work, self._numbers, self._tariff = work, numbers, numbers.budget.tariff
        self._end = 0 if self.cold else _cached(work)  # of what is cached
        self._tail = _between(work, found.end, self._end)
        self._dearer = max(0.0, self._tariff.w - self._tariff.r)

    @cached_property
    def _toll(self) -> Toll:
        return toll(self._work, self._tariff, self._numbers.fixed)

    def may_pay(self, settings: Digest) -> bool:
        """Whether they would pay, and be borne, if they took no room: asked before any is written."""
        least, rent = self._dearer * self._tail, self._tariff.r * self.older.asked
        return rent >= settings.beta * least and self.bears(settings, least - self._tariff.r * self.older.tokens)

    def bears(self, settings: Digest, more: float) -> bool:
        """Whether the bound on regret allows it; where it costs nothing, nobody asks."""
        return settings.max_regret is None or more <= 0 or self._toll.bears(more, settings.max_regret)

    def weighed(self, made: Compacted) -> tuple[float, float]:
        """The rent that was paid for what comes free, and what it costs at once."""
        older, tariff = self.older, self._tariff
        rent = tariff.r * older.asked * _freed(made) / max(1, older.tokens)
        if self._end <= older.first:
            return rent, 0.0
        stays = max(0, _between(self._work, older.first, min(older.end, self._end)) - made.tokens_before)
        written = made.tokens_after + stays + self._tail
        return rent, self._dearer * written + tariff.o * _bound(self._work, older.end)


def _freed(made: Compacted) -> int:
    return made.tokens_before - made.tokens_after


def _worth(made: Compacted, settings: Digest) -> bool:
    """Whether enough comes free, and a multiple of what is left."""
    return _freed(made) >= max(settings.least_tokens, settings.times * made.tokens_after)


def _cached(work: Session) -> int:
    """The message before which the cache ends: the newest answer, or the first that is edited for this request."""
    messages, epochs = work.document.transcript.messages, work.mine.epochs
    end = next((n for n in range(len(messages) - 1, -1, -1) if messages[n].role == "assistant"), 0)
    for epoch in reversed(epochs):
        if not messages or epoch.tip != messages[-1].key:
            break
        keys = {edit.key for edit in epoch.edits if not isinstance(edit, Replace)}
        end = min((end, *work.places.of(keys)))
    return end


def _between(work: Session, first: int, end: int) -> int:
    """Tokens of the view's messages [first, end) of the raw history."""
    return sum(tokens_of(one) for one in work.aligned[first:end])


def _bound(work: Session, first: int) -> int:
    """Tokens of reasoning behind a place that is void once something before it changes."""
    if not work.binds:
        return 0
    return sum(part.tokens for one in work.aligned[first:] for part in one.parts if part.bound)


def _why(freed: int, weighed: tuple[float, float], gone: str, must: bool) -> str:
    rent, penalty = weighed
    said = f"{freed:,} tokens of older work come free"
    if must:
        return f"{said}: the view is over its threshold"
    if not penalty:
        return f"{said}: {gone or 'what stands there is written anew in this request'}"
    return f"{said}: {rent:,.0f} were paid for reading them, {penalty:,.0f} it costs, in tokens of input"
