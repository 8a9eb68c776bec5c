"""The requests of a session, told from its history and its plan: what each held, and what had been edited by then.

Rule: numbers only. Every answer of a model is one request, and the last is the one that is made now. A pause that the
cache does not outlive is told from the messages' times; where there are none, there was no pause, so that nothing
counts as saved that was not.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from secateur.bounds import index_of
from secateur.model import Message
from secateur.schedule.cached import Prefix, Prompt
from secateur.schedule.cuts import Cut, cuts
from secateur.schedule.ground import cold
from secateur.schedule.offer import Offer
from secateur.schedule.prefixes import Prefixes, pauses

_WRITTEN = ("harness", "synthetic")  # origins of what no model said


class Asked:
    """The requests of an offer's session."""

    def __init__(self, offer: Offer, prefixes: Prefixes) -> None:
        messages, budget, index = offer.seen.messages, offer.budget, index_of(offer.seen)
        said = [n for n in index.assistants if n and messages[n].origin not in _WRITTEN]
        self.sent = [*said, len(messages)]  # by request: how many messages it held
        self.cuts = cuts(offer, self.sent)
        self._tariff = tariff = budget.tariff
        self._turns = [_last(index.turns, n) if tariff.strips_reasoning else 0 for n in self.sent]
        self._added = {piece.request: piece.kept for piece in prefixes.pieces if piece.kept}
        self._spoke = index.turns[-1:]
        gone = set(pauses(offer))
        self._cold = [not place or n in gone for place, n in enumerate(self.sent)]
        self._cold[-1] = self._cold[-1] or bool(cold(budget))
        self._sum(messages, budget.used)
        spoken = [self._ends[n + 1] - self._ends[n] - self._thought[n + 1] + self._thought[n] for n in said]
        self.spoken = sum(
            spoken
        )  # tokens of all answers, reasoning aside: what of it is paid for is not recorded everywhere

    def _sum(self, messages: tuple[Message, ...], used: int) -> None:
        """Sums before each message, nothing being cut, and over all."""
        gains = dict.fromkeys(range(len(messages)), 0)
        for cut in self.cuts:
            gains[cut.message] += cut.gain
        own = [_own(one) for one in messages]
        self._ends = list(accumulate([one[0] + gains[n] for n, one in enumerate(own)], initial=0))
        self._blocks, self._thought, self._thoughts = (
            list(accumulate([one[place] for one in own], initial=0)) for place in (1, 2, 3)
        )
        self._fixed = max(0, used - self._ends[-1] + sum(gains.values()))

    def prompts(self, made: Sequence[Cut] = ()) -> Iterator[Prompt]:
        """All requests in order, with these cuts."""
        standing, place = _Standing(), 0
        for request in range(len(self.sent)):
            first = made[place] if place < len(made) and made[place].request == request else None
            while place < len(made) and made[place].request == request:
                standing.add(made[place])
                place += 1
            yield self._prompt(request, standing, first)

    def now(self, cut: Cut) -> Prompt:
        """The request that is made now, with one cut more."""
        last = len(self.sent) - 1
        standing = _Standing()
        for one in (*self.cuts, cut):
            standing.add(one)
        others = [one for one in self.cuts if one.request == last]
        return self._prompt(last, standing, min([cut, *others], key=lambda one: (one.message, one.before)))

    def _prompt(self, request: int, standing: "_Standing", first: Cut | None) -> Prompt:
        size, turn, tariff = self.sent[request], self._turns[request], self._tariff
        before = self.sent[request - 1] if request else 0
        last = self._block(size, turn)
        changed = first.message if first is not None and first.message < before else None
        inside = first.before if changed is not None and first is not None and tariff.anywhere else 0
        thought = self._stripped(request)
        if thought is not None and (changed is None or thought < changed):
            changed, inside = thought, 0
        added: list[int] = []
        if first is not None:
            at = min(first.message, before, self._turns[request - 1] if thought is not None else before)
            added = self._places(size, at, turn)
        marks = [(self._block(place, turn), self._upto(place, turn, standing)) for place in added]
        if self._fixed and len(added) + 1 < tariff.breakpoints:
            marks.append((0, self._fixed))
        answer = self._answer(request, standing) if tariff.positions == "answers" and changed is None else ()
        return Prompt(
            self._upto(size, turn, standing),
            last,
            self._since(size, turn, min(added, default=size)),
            None if changed is None else self._block(changed, turn) + 1,
            0 if changed is None else self._upto(changed, turn, standing) + inside,
            tuple(sorted(marks)),
            self._cold[request],
            answer,
        )

    def _places(self, size: int, at: int, turn: int) -> list[int]:
        """The messages before which an edited request leaves a prefix: where it changes, and what comes `ahead`."""
        wanted = [at] if self._block(at, turn) < self._block(size, turn) else []
        added = self._added.get(size) or (size, *(one + 1 for one in self._spoke if one >= at))
        places = [place for place in (*wanted, *added) if place and self._block(place, turn) >= 0]
        return places[: self._tariff.free]

    def _since(self, size: int, turn: int, marked: int) -> int:
        """The first block at which a prefix is found that is not marked there: from the first mark backwards, or as far
        as message ends are looked at."""
        tariff = self._tariff
        if tariff.positions == "messages" and tariff.look_back:
            return self._block(max(0, size - tariff.look_back + 1), turn)
        return self._block(marked, turn) - tariff.look_back if tariff.positions == "marks" else 0

    def _answer(self, request: int, standing: "_Standing") -> tuple[Prefix, ...]:
        """What the answer before left, where answers leave prefixes."""
        turn, size = self._turns[request], self.sent[request - 1] + 1
        return ((self._block(size, turn), self._upto(size, turn, standing)),) if request else ()

    def _stripped(self, request: int) -> int | None:
        """The first message whose reasoning left the prompt with this request."""
        turn, before = self._turns[request], self._turns[request - 1] if request else 0
        if self._thoughts[turn] <= self._thoughts[before]:
            return None
        return bisect_right(self._thoughts, self._thoughts[before]) - 1

    def _block(self, size: int, turn: int) -> int:
        """The last block of so many messages; system prompt and tools are one, if there are any."""
        return bool(self._fixed) + self._blocks[size] - self._thoughts[min(size, turn)] - 1

    def _upto(self, size: int, turn: int, standing: "_Standing") -> int:
        """Tokens of so many messages, with what stands before them all."""
        return self._fixed + self._ends[size] - self._thought[min(size, turn)] - standing.before(size)


class _Standing:
    """What had been cut by some request."""

    def __init__(self) -> None:
        self._messages: list[int] = []
        self._gains: list[int] = []

    def add(self, cut: Cut) -> None:
        place = bisect_right(self._messages, cut.message)
        self._messages.insert(place, cut.message)
        self._gains.insert(place, cut.gain)

    def before(self, message: int) -> int:
        """Tokens that came free before that message."""
        return sum(self._gains[: bisect_left(self._messages, message)])


def _own(message: Message) -> tuple[int, int, int, int]:
    """Tokens and blocks of a message, and of these reasoning's; a medium inside a result is no block of its own."""
    tokens = blocks = thought = thoughts = 0
    for part in message.parts:
        tokens += part.tokens
        blocks += not part.within
        if part.kind == "reasoning":
            thought += part.tokens
            thoughts += 1
    return tokens, blocks, thought, thoughts


def _last(places: tuple[int, ...], size: int) -> int:
    """The last of these places before `size`; 0 for none."""
    place = bisect_left(places, size)
    return places[place - 1] if place else 0
