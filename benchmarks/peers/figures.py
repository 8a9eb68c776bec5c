"""The figures of one row: what a series of views cost, what it lost, and what would have been refused.

Rule: ours and theirs go through the same functions. Everything is held against the session as it was: bills as shares
of its bill, recall of what its calls named. Recall stands beside every bill.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from peers.sound import problems, refused

from secateur.pricing import CacheRules, Price
from secateur.simulate.bill import Bill, billed
from secateur.simulate.cache import Caching
from secateur.simulate.recall import Score, held, recall_of, refetch
from secateur.simulate.replay import Turn, unpruned
from secateur.simulate.requests import Recording
from secateur.simulate.run import paid

Plays = Mapping[float, Sequence[Turn]]  # by kappa: the views; the same ones where prices are not looked at


class Figures(Struct, frozen=True):
    """One row of one session. Bills and `adjusted` are shares of the unpruned bill, by kappa."""

    sent: int  # tokens of all prompts
    peak: int
    bills: dict[float, float]
    adjusted: dict[float, float]  # with every lost result fetched again, once for each request that missed it
    busts: int  # these and what follows at the first kappa
    hard: float
    intact: float
    invalid: int
    ms: float  # CPU time of one request, mean
    requests: int


class Match:
    """One session, ready to be played by anyone."""

    def __init__(self, recording: Recording, prices: Mapping[float, Price], rules: CacheRules) -> None:
        self.recording, self.prices = recording, prices
        self.caching = Caching(rules=rules)
        self.as_it_was = tuple(unpruned(recording))
        self.recall = recall_of(recording)
        self._known = [problems(turn.seen) for turn in self.as_it_was]
        self._units = {kappa: self._bill(kappa, self.as_it_was).units for kappa in prices}

    def figures(self, plays: Plays, ms: float) -> Figures:
        """The figures of a policy's views."""
        first = next(iter(plays))
        scores = {kappa: self._score(turns) for kappa, turns in plays.items()}
        bill = self._bill(first, plays[first])
        return Figures(
            sent=bill.sent,
            peak=bill.peak,
            bills={kappa: self._bill(kappa, turns).units / self._units[kappa] for kappa, turns in plays.items()},
            adjusted={kappa: self._adjusted(kappa, plays[kappa], score) for kappa, score in scores.items()},
            busts=bill.busts,
            hard=scores[first].hard,
            intact=scores[first].intact,
            invalid=refused(plays[first], self.as_it_was, self._known),
            ms=ms,
            requests=len(plays[first]),
        )

    def _bill(self, kappa: float, turns: Sequence[Turn]) -> Bill:
        price = self.prices[kappa]
        return billed(paid(turns, price, self.caching), price)

    def _score(self, turns: Sequence[Turn]) -> Score:
        pairs = zip(self.as_it_was, turns, strict=True)
        return self.recall.score(held((raw.seen, turn.seen) for raw, turn in pairs))

    def _adjusted(self, kappa: float, turns: Sequence[Turn], score: Score) -> float:
        price = self.prices[kappa]
        rows, rates = paid(turns, price, self.caching), price.base
        again = refetch(score.lost, [one.prompt for one in rows], r=rates.r, w=rates.w, o=rates.o)
        return (billed(rows, price).units + again) / self._units[kappa]
