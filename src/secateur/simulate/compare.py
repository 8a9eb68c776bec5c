"""Policies side by side on one recorded session: what each would have sent, cost and lost, and how far from the best.

    found = compared(recording, ["balance", "opencode"], terms)
    found.standings[0].run.bill.dollars, found.standings[0].score.hard, found.standings[0].ratio

Rule: no figure stands alone. A bill comes with what was lost for it, and with what it would cost to have that again;
the session as it was stands first, the best schedules last. The agent is assumed to act as it did.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from secateur.policy import load
from secateur.pricing.tariffs import stated
from secateur.simulate.eligible import permitted
from secateur.simulate.foresight import Terms, foreseen, stretches, unreferenced
from secateur.simulate.oracle import oracle
from secateur.simulate.recall import Recall, Score, held, recall_of, refetch
from secateur.simulate.requests import Recording
from secateur.simulate.run import Run, simulate

UNPRUNED, LOSSLESS = "unpruned", "lossless oracle"


class Standing(Struct, frozen=True):
    """One policy on one session. Costs are in units: tokens of plain input that cost as much."""

    name: str
    run: Run
    score: Score
    refetched: float  # its bill, and what it would cost to have everything again that was lost and needed
    best: float | None = None  # the cheapest schedule of what this policy would let go (O1); None: not asked for

    @property
    def ratio(self) -> float | None:
        """Its bill over the best one with the same to let go; below 1 where it does what the oracle cannot."""
        return self.run.bill.units / self.best if self.best else None


class Comparison(Struct, frozen=True):
    """All of one session. `base` is the session as it was, `lossless` the cheapest without a lost reference (O4)."""

    recording: Recording
    terms: Terms
    base: Standing
    standings: tuple[Standing, ...]  # in the order in which the policies were given
    lossless: Standing
    recall: Recall  # what the session refers to

    @property
    def all(self) -> tuple[Standing, ...]:
        """All rows."""
        return (self.base, *self.standings, self.lossless)


def compared(
    recording: Recording,
    policies: Iterable[Any],
    terms: Terms,
    *,
    window: int | None = None,
    best: bool = True,
) -> Comparison:
    """Each policy on a recording. Without `best` the policies' own oracles are left out, which saves half the time.

    Raises ConfigError for a policy that cannot be loaded.
    """
    recall = recall_of(recording)
    price, caching = terms.price, terms.caching
    base = simulate(recording, None, price, caching=caching)
    found = []
    for policy in map(load, policies):
        run = simulate(recording, policy, price, caching=caching, window=window)
        tariff = stated(price, caching.rules, hour=caching.hour)
        own = permitted(recording, policy, window=window, tariff=tariff) if best else None
        units = sum(oracle(one.lot).cost for one in stretches(recording, own, terms)) if own is not None else None
        found.append(standing(policy.name, run, recording, recall, units))
    lossless = foreseen(recording, unreferenced(recording, recall), terms, LOSSLESS)
    least = standing(LOSSLESS, lossless.run, recording, recall, lossless.units)
    return Comparison(recording, terms, standing(UNPRUNED, base, recording, recall), tuple(found), least, recall)


def standing(name: str, run: Run, recording: Recording, recall: Recall, best: float | None = None) -> Standing:
    """A run with what it lost."""
    score = recall.score(_held(recording, run)) if recording.requests else recall.score(())
    prompts: Sequence[int] = [row.prompt for row in run.rows]
    rates = run.price.base
    again = refetch(score.lost, prompts, r=rates.r, w=rates.w, o=rates.o)
    return Standing(name, run, score, run.bill.units + again, best)


def _held(recording: Recording, run: Run) -> Any:
    return held((recording.context(turn.request), turn.seen) for turn in run.turns)
