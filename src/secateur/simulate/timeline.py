"""What a policy did with a session from its first request to its last, in a few entries: edits, and waits between.

Rule: every request is in exactly one entry, in order. The edits with the largest effect have an entry each; smaller
ones belong to the wait in which they happened, with their sums. A wait is described by its most frequent reason.
"""

import re
from collections import Counter

from msgspec import Struct

from secateur.simulate.decision_log import DecisionEvent, DecisionLog
from secateur.simulate.run import Run

EDITS = "edits: "  # how the text of an edit begins
_NUMBER = re.compile(r"\d[\d,.]*")
_FREED = re.compile(r"^[\d,]+ tokens freed: |: [\d,]+ tokens freed$")  # shown in a column of its own


class TimelineEntry(Struct, frozen=True, kw_only=True):
    """Requests `first` to `last`, from 0. Costs and savings are in units: tokens of plain input that cost as much."""

    first: int
    last: int
    event: DecisionEvent | None  # the edit that it is about; None: a wait
    reason: str  # of the edit; or what most often held the policy back, "" where nothing was asked
    same: bool = False  # the reason of the wait before, but for its numbers
    asked: int = 0  # requests of a wait that had this reason
    small: int = 0  # edits of little weight in it
    arrivals: int = 0  # requests whose newest results were shortened before they were cached
    freed: int = 0  # tokens, by all of these
    cost: float = 0.0
    saved: float = 0.0


def build_timeline(run: Run, account: DecisionLog, most: int = 4) -> list[TimelineEntry]:
    """The timeline of a run; up to `most` edits have an entry each."""
    if not run.rows:
        return []
    edits = [event for event in account.events if not event.on_arrival]
    told = sorted(sorted(edits, key=lambda event: -abs(event.saved - event.cost))[:most], key=lambda one: one.number)
    begin, end = run.rows[0].number, run.rows[-1].number
    found: list[TimelineEntry] = []
    before = ""  # the kind of the wait before
    for event in told:
        if event.number > begin:
            found.append(_wait(run, account, (begin, event.number - 1), before))
            before = _normalize_reason(found[-1].reason)
        found.append(_edit(event))
        begin = event.number + 1
    if begin <= end:
        found.append(_wait(run, account, (begin, end), before))
    return found


def describe_entry(entry: TimelineEntry, policy: str) -> str:
    """An entry in words, without its figures."""
    why = _FREED.sub("", entry.reason.removeprefix(f"{policy}: ")).removesuffix(", in tokens of input")
    if entry.event is not None:
        return f"{EDITS}{why}"
    said = [_pluralize(entry.small, "smaller edit")] if entry.small else []
    if entry.arrivals:
        said.append(f"{_pluralize(entry.arrivals, 'time')} something new was shortened before it was cached")
    if entry.same:
        said.append("waits, for the same reason")
    elif why:
        said.append(f"waits: {why}")
    return "; ".join(said)


def _pluralize(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _edit(event: DecisionEvent) -> TimelineEntry:
    return TimelineEntry(
        first=event.number,
        last=event.number,
        event=event,
        reason=event.reason,
        freed=event.freed,
        cost=event.cost,
        saved=event.saved,
    )


def _wait(run: Run, account: DecisionLog, span: tuple[int, int], before: str) -> TimelineEntry:
    first, last = span
    gates = [row.why for row in run.rows if first <= row.number <= last and not row.opened and row.why]
    kinds = Counter(map(_normalize_reason, gates))
    kind, asked = kinds.most_common(1)[0] if kinds else ("", 0)
    inside = [event for event in account.events if first <= event.number <= last]
    return TimelineEntry(
        first=first,
        last=last,
        event=None,
        reason=next((why for why in reversed(gates) if _normalize_reason(why) == kind), ""),
        same=bool(kind) and kind == before,
        asked=asked,
        small=sum(not event.on_arrival for event in inside),
        arrivals=sum(event.on_arrival for event in inside),
        freed=sum(event.freed for event in inside),
        cost=sum(event.cost for event in inside),
        saved=sum(event.saved for event in inside),
    )


def _normalize_reason(why: str) -> str:
    return _NUMBER.sub("0", why)
