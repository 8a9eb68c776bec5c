"""The figures of one row: what a series of views cost, what it lost, and what would have been refused.

Rule: ours and theirs go through the same functions. Everything is checked against the session as it was: bills as
shares of its bill, recall of what its calls named. Recall is beside every bill.
"""

from collections.abc import Mapping, Sequence
from statistics import mean

from msgspec import Struct
from sound import problems, refused

from secateur.model import Message
from secateur.pricing import CacheRules, Price
from secateur.simulate.bill import BillRow, sum_bill
from secateur.simulate.cache import Caching
from secateur.simulate.recall import Score, compare_views, compute_refetch_cost, recall_of
from secateur.simulate.replay import ReplayedTurn, replay_unpruned
from secateur.simulate.requests import Recording
from secateur.simulate.run import bill_turns

Plays = Mapping[float, Sequence[ReplayedTurn]]  # by kappa: the views; the same ones where prices are not looked at


class Figures(Struct, frozen=True):
    """One row of one session. Bills and `adjusted` are shares of the unpruned bill, by kappa."""

    sent: int  # tokens of all prompts
    peak: int
    bills: dict[float, float]
    adjusted: dict[float, float]  # with every lost result fetched again, once for each request that missed it
    cache_breaks: int  # these and what follows at the first kappa
    hard: float
    complete_requests: float
    asked: float  # of what the user wrote, the share that is in the view word for word
    invalid: int
    ms: float  # CPU time of one request, mean
    requests: int


class Match:
    """One session, ready to be played by anyone."""

    def __init__(self, recording: Recording, prices: Mapping[float, Price], rules: CacheRules) -> None:
        self.recording, self.prices = recording, prices
        self.caching = Caching(rules=rules)
        self.as_it_was = tuple(replay_unpruned(recording))
        self.recall = recall_of(recording)
        self._known = [problems(turn.seen) for turn in self.as_it_was]
        self._units = {
            kappa: sum_bill(self._paid(kappa, self.as_it_was), price).units for kappa, price in prices.items()
        }

    def figures(self, plays: Plays, ms: float) -> Figures:
        """The figures of a policy's views."""
        first = next(iter(plays))
        scores = {id(turns): self._score(turns) for turns in {id(one): one for one in plays.values()}.values()}
        paid_for = {kappa: self._paid(kappa, turns) for kappa, turns in plays.items()}
        bills = {kappa: sum_bill(rows, self.prices[kappa]) for kappa, rows in paid_for.items()}
        again = {kappa: self._again(kappa, rows, scores[id(plays[kappa])]) for kappa, rows in paid_for.items()}
        score = scores[id(plays[first])]
        return Figures(
            sent=bills[first].sent,
            peak=bills[first].peak,
            bills={kappa: bill.units / self._units[kappa] for kappa, bill in bills.items()},
            adjusted={kappa: (bill.units + again[kappa]) / self._units[kappa] for kappa, bill in bills.items()},
            cache_breaks=bills[first].cache_breaks,
            hard=score.hard,
            complete_requests=score.complete_requests,
            asked=count_asked(plays[first], self.as_it_was),
            invalid=refused(plays[first], self.as_it_was, self._known),
            ms=ms,
            requests=len(plays[first]),
        )

    def _paid(self, kappa: float, turns: Sequence[ReplayedTurn]) -> tuple[BillRow, ...]:
        return bill_turns(turns, self.prices[kappa], self.caching)

    def _score(self, turns: Sequence[ReplayedTurn]) -> Score:
        pairs = zip(self.as_it_was, turns, strict=True)
        return self.recall.score(compare_views((raw.seen, turn.seen) for raw, turn in pairs))

    def _again(self, kappa: float, rows: Sequence[BillRow], score: Score) -> float:
        """What it would cost to fetch again what was lost."""
        rates = self.prices[kappa].base
        return compute_refetch_cost(score.lost, [one.prompt for one in rows], r=rates.r, w=rates.w, o=rates.o)


def count_asked(turns: Sequence[ReplayedTurn], as_it_was: Sequence[ReplayedTurn]) -> float:
    """Of the tokens that the user wrote, the share that is in a view as it was; mean over requests."""
    shares = []
    for turn, raw in zip(turns, as_it_was, strict=True):
        there = set(map(id, turn.seen))
        said = [(one, _tokens(one)) for one in raw.seen if one.role == "user" and one.origin == "user"]
        whole = sum(tokens for _, tokens in said)
        shares.append(sum(tokens for one, tokens in said if id(one) in there) / whole if whole else 1.0)
    return mean(shares) if shares else 1.0


def _tokens(message: Message) -> int:
    return sum(part.tokens for part in message.parts)
