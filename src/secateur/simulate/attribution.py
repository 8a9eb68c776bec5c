"""Where the money of a session went: each part's share of every bill that it was sent with, and how much was waste.

Rule: a token costs what its place cost, read from the cache, written to it or plain; the shares add up to the bill of
the session as it was. Waste follows from the recording alone, and its kinds overlap: a result can be a copy, and also
be carried on unused.
"""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from secateur.model import Part, Transcript
from secateur.simulate.bill import BillRow
from secateur.simulate.recall import Recall
from secateur.simulate.requests import Recording
from secateur.simulate.run import Run
from secateur.simulate.session_arrays import Floats

FIXED, ANSWERS = "system prompt and tools", "answers"
LARGE_TOKENS = 8_000  # a result above this is large: a tenth of what long sessions hold at all


class PartSpending(Struct, frozen=True):
    """The cost of one kind of part, or of one tool's calls and results."""

    kind: str
    tool: str  # "" where no tool has to do with it
    parts: int
    tokens: int  # each part once
    tokens_sent: int  # each part as often as it was sent
    dollars: float


class Leak(Struct, frozen=True):
    """Money that bought nothing. `what` is dead, cold, again, large, failed or tier."""

    what: str
    tool: str
    times: int  # parts, or requests
    tokens: int  # of these, each time
    dollars: float


class Spending(Struct, frozen=True):
    """One session. `spent` adds up to the bill."""

    spent: tuple[PartSpending, ...]
    leaks: tuple[Leak, ...]


def analyze_spending(recording: Recording, run: Run, recall: Recall, since: int = 0) -> Spending:
    """The shares of an unpruned run, counting only requests from number `since` on."""
    books = [_Book(one, recall.find_last_uses(number), since) for number, one in enumerate(recording.segments)]
    tally = _Tally(run.price.base.input / 1e6)
    before: tuple[BillRow, int] | None = None
    for turn, row in zip(run.turns, run.rows, strict=True):
        segment, rates = turn.request.segment, run.price.get_rates(row.prompt)
        scale = rates.input / run.price.base.input if run.price.base.input else 0.0
        write = rates.w_1h if run.caching.hour else rates.w
        if row.number < since:
            books[segment].pass_over(row, turn.request.answer)
            before = row, segment
            continue
        fixed = books[segment].enter(row, turn.request.answer, (rates.r * scale, write * scale, scale))
        tally.add((FIXED, ""), 0, turn.fixed_tokens, fixed)
        tally.add((ANSWERS, ""), 1, row.output, rates.o * scale * row.output, once=row.output)
        if row.cold and before and before[1] == segment:
            again = max(0, min(before[0].prompt, row.prompt) - row.read)
            tally.add_leak("cold", "", 1, again, max(0.0, write - rates.r) * scale * again)
        if scale > 1:
            tally.add_leak("tier", "", 1, row.prompt, (scale - 1) / scale * (row.units - row.called))
        before = row, segment
    if not since:
        tally.add_once(FIXED, max((one.fixed_tokens for one in recording.segments), default=0))
    for book in books:
        book.close(tally)
    return tally.build_spending()


class _Book:
    """The parts of one segment, and what each has cost so far, in units of plain input."""

    def __init__(self, segment: Transcript, dead: dict[str, int], since: int) -> None:
        self.since = since
        self.parts = [part for message in segment.messages for part in message.parts]
        self.kinds = [_name_kind(m.role, part) for m in segment.messages for part in m.parts]
        self.first = np.cumsum([0, *(len(message.parts) for message in segment.messages)])
        self.tokens = np.array([part.tokens for part in self.parts], dtype=np.float64)
        self.ends = segment.fixed_tokens + self.tokens.cumsum()
        self.fixed = float(segment.fixed_tokens)
        never = np.iinfo(np.int64).max
        result = [part.kind == "tool_result" for part in self.parts]
        self.last = np.array(
            [dead.get(part.key, -1) if one else never for part, one in zip(self.parts, result, strict=True)],
            dtype=np.int64,
        )
        self.seen = np.full(len(self.parts), never, dtype=np.int64)
        size = len(self.parts)
        self.cost, self.dead, self.times, self.idle = (np.zeros(size) for _ in range(4))

    def pass_over(self, row: BillRow, answer: int) -> None:
        """A prompt that is counted elsewhere."""
        spot = slice(0, int(self.first[answer]))
        self.seen[spot] = np.minimum(self.seen[spot], row.number)

    def enter(self, row: BillRow, answer: int, rates: tuple[float, float, float]) -> float:
        """Share out one prompt; what system prompt and tools cost of it."""
        held = int(self.first[answer])
        spot = slice(0, held)
        share = _compute_costs(self.ends[spot] - self.tokens[spot], self.ends[spot], row, rates)
        fixed = float(_compute_costs(np.zeros(1), np.array([self.fixed]), row, rates)[0])
        whole = float(share.sum()) + fixed
        paid = rates[0] * row.read + rates[1] * row.write + rates[2] * row.plain
        fit = paid / whole if whole else 0.0
        share *= fit
        self.cost[spot] += share
        self.times[spot] += 1
        self.seen[spot] = np.minimum(self.seen[spot], row.number)
        late = (row.number > self.last[spot]) & (row.number > self.seen[spot])
        self.dead[spot] += np.where(late, share, 0.0)
        self.idle[spot] += late
        return fixed * fit

    def close(self, tally: "_Tally") -> None:
        copies = _find_copies(self.parts)
        for at, part in enumerate(self.parts):
            times, cost = int(self.times[at]), float(self.cost[at])
            if not times:
                continue
            new = int(self.seen[at]) >= self.since
            tally.add((self.kinds[at], part.tool), new, part.tokens * times, cost, once=part.tokens * new)
            if part.kind != "tool_result":
                continue
            if self.idle[at]:
                tally.add_leak("dead", part.tool, 1, int(part.tokens * self.idle[at]), float(self.dead[at]))
            for what, holds in (
                ("again", at in copies),
                ("large", part.tokens > LARGE_TOKENS),
                ("failed", bool(part.is_error)),
            ):
                if holds:
                    tally.add_leak(what, part.tool, 1, part.tokens * times, cost)


class _Tally:
    """Sums by kind and tool, in dollars."""

    def __init__(self, per_unit: float) -> None:
        self._per_unit = per_unit
        self._spent: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0, 0.0])
        self._leaks: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])

    def add(self, name: tuple[str, str], parts: int, sent: float, units: float, once: float = 0) -> None:
        for at, more in enumerate((parts, once, sent, units * self._per_unit)):
            self._spent[name][at] += more

    def add_once(self, kind: str, tokens: int) -> None:
        self._spent[kind, ""][0:2] = [float(tokens > 0), tokens]

    def add_leak(self, what: str, tool: str, times: int, tokens: int, units: float) -> None:
        for at, more in enumerate((times, tokens, units * self._per_unit)):
            self._leaks[what, tool][at] += more

    def build_spending(self) -> Spending:
        spent = [PartSpending(*name, int(n[0]), int(n[1]), int(n[2]), n[3]) for name, n in self._spent.items()]
        leaks = [Leak(*name, int(n[0]), int(n[1]), n[2]) for name, n in self._leaks.items()]
        return Spending(tuple(sorted(spent, key=_rank_by_cost)), tuple(sorted(leaks, key=_rank_by_cost)))


def _rank_by_cost(one: PartSpending | Leak) -> float:
    return -one.dollars


def _compute_costs(starts: Floats, ends: Floats, row: BillRow, rates: tuple[float, float, float]) -> Floats:
    """The cost of tokens from each start to each end, by their place in the prompt."""
    read = np.clip(np.minimum(ends, row.read) - starts, 0, None)
    to = row.read + row.write
    written = np.clip(np.minimum(ends, to) - np.maximum(starts, row.read), 0, None)
    plain = (ends - starts) - read - written
    return np.asarray(rates[0] * read + rates[1] * written + rates[2] * plain)


def _find_copies(parts: Sequence[Part]) -> set[int]:
    """Results identical to an earlier one of the same tool."""
    seen: set[tuple[str, str]] = set()
    found: set[int] = set()
    for at, part in enumerate(parts):
        if part.kind == "tool_result" and part.text:
            if (part.tool, part.text) in seen:
                found.add(at)
            seen.add((part.tool, part.text))
    return found


def _name_kind(role: str, part: Part) -> str:
    return part.kind.replace("_", " ") if part.kind != "text" else f"{role} text"
