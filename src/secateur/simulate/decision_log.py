"""Why a policy edited when it did, and the result of each edit: immediate cost, savings since.

Rule: the sums are exact. What a request paid less than the unpruned one is divided among the active epochs, by the
tokens that each keeps out; what it paid for reading less of a live cache, and for a summary, is the cost of the epoch
opened with it. All savings less all costs are the difference of the two bills.
"""

import re
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from secateur.simulate.bill import BillRow
from secateur.simulate.run import Run
from secateur.stages.proposing import ARRIVAL

_NUMBER = re.compile(r"[\d][\d,.]*")


class DecisionEvent(Struct, frozen=True, kw_only=True):
    """One epoch. Costs and savings are in units: tokens of plain input that cost as much."""

    number: int  # of the request that it was opened for, from 0
    at_ms: int  # ms since 1970, as far as recorded
    reason: str  # in the policy's own words
    on_arrival: bool  # only what was new was shortened, before it was cached
    cold: bool  # the cache was gone anyway, or the history was another one for everyone
    freed: int  # tokens that left the prompt with it; negative where others came back
    lost: int  # tokens of a live cache that had to be written again for it
    cost: float  # what rewriting them cost more than reading, and the calls for a summary
    saved: float  # since, its own request included
    requests: int  # that went without what it freed, its own included


class Wait(Struct, frozen=True):
    """Requests for which a gate did nothing, for the same reason but for its numbers."""

    reason: str  # in the words of the last of them
    requests: int
    last: int  # number of that request


class DecisionLog(Struct, frozen=True):
    """All epochs of a run, and why there were no others."""

    events: tuple[DecisionEvent, ...]
    waits: tuple[Wait, ...]  # the most frequent first
    other: float  # units that differ from the unpruned bill and belong to no epoch (rounding, switches of the host)


def build_decision_log(run: Run, base: Run) -> DecisionLog:
    """The account of a policy's run compared with the same session unpruned."""
    book = _Book()
    rates, segment = run.price.base, -1
    write = rates.w_1h if run.caching.hour else rates.w
    for turn, row, full in zip(run.turns, run.rows, base.rows, strict=True):
        if turn.request.segment != segment:
            segment = turn.request.segment
            book.shares.clear()  # the host started over: removed parts are removed for everyone
        book.enter(row, full, max(0.0, write - rates.r))
    return DecisionLog(tuple(book.list_events()), tuple(_collect_waits(run.rows)), book.other)


class _Book:
    def __init__(self) -> None:
        self.opened: list[tuple[BillRow, bool, int, float]] = []  # with whether it was free, tokens freed, and cost
        self.saved: list[float] = []
        self.requests: list[int] = []
        self.shares: dict[int, int] = {}  # epoch → tokens that it keeps out
        self.other = 0.0

    def enter(self, row: BillRow, full: BillRow, dearer: float) -> None:
        out = full.prompt - row.prompt
        cost = 0.0
        if row.opened:
            freed = out - sum(self.shares.values())
            cost = dearer * max(0, row.lost - full.lost) + row.called
            self.shares[len(self.opened)] = freed
            cold = row.cold or 0 < row.lost <= full.lost
            self.opened.append((row, cold, freed, cost))
            self.saved.append(0.0)
            self.requests.append(0)
        gain = full.units - row.units + cost
        whole = sum(max(0, tokens) for tokens in self.shares.values())
        if not whole:
            self.other += gain
            return
        for epoch, tokens in self.shares.items():
            if tokens > 0:
                self.saved[epoch] += gain * tokens / whole
                self.requests[epoch] += 1

    def list_events(self) -> "list[DecisionEvent]":
        return [self._build_event(number) for number in range(len(self.opened))]

    def _build_event(self, number: int) -> DecisionEvent:
        row, cold, freed, cost = self.opened[number]
        return DecisionEvent(
            number=row.number,
            at_ms=row.at,
            reason=row.why,
            on_arrival=row.why.startswith(ARRIVAL),
            cold=cold,
            freed=freed,
            lost=row.lost,
            cost=cost,
            saved=self.saved[number],
            requests=self.requests[number],
        )


def _collect_waits(rows: Sequence[BillRow]) -> list[Wait]:
    counts: Counter[str] = Counter()
    last: dict[str, BillRow] = {}
    for row in rows:
        if not row.opened and row.why:
            kind = _NUMBER.sub("0", row.why)
            counts[kind] += 1
            last[kind] = row
    return [Wait(last[kind].why, count, last[kind].number) for kind, count in counts.most_common()]
