"""The data of a plot, as plain tables: rows of charts and the text next to them.

Rule: figures are computed here and drawn elsewhere. Long sessions are thinned out to what a screen can show; the
requests of epochs stay.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from secateur.simulate.decision_log import DecisionLog, build_decision_log
from secateur.simulate.plots.layout import LAYERS, measure_layers
from secateur.simulate.timeline import build_timeline, describe_entry

if TYPE_CHECKING:
    from secateur.simulate.compare import Comparison, PolicyResult

_ENTRIES = 30  # edits with a line of their own
_POINTS = 500  # of one line: more than a screen can show
Rows = list[dict[str, Any]]


class Picture(Struct, frozen=True):
    """One session under several policies. `chosen` is the policy that is shown first."""

    title: str
    subtitle: str
    policies: tuple[str, ...]  # the unpruned one first, the lossless oracle last
    chosen: str
    context: Rows  # policy, request (from 1, as people count), and the tokens of each layer
    epochs: Rows  # policy, request, why, freed, cost, saved
    timeline: Rows  # policy, requests, freed, cost, saved, why: what it did from first to last
    bills: Rows  # policy, request, dollars so far
    standings: Rows  # policy, dollars, share of the unpruned bill, recall, ... : one row each
    words: tuple[str, ...] = ()  # sentences next to the charts


def build_picture(found: "Comparison", title: str, chosen: str = "", words: Sequence[str] = ()) -> Picture:
    """The picture of a comparison; `chosen` is the policy to highlight, by default the first."""
    names = tuple(one.name for one in found.all)
    first = found.standings[0].name if found.standings else found.base.name
    context: Rows = []
    epochs: Rows = []
    timeline: Rows = []
    for one in (found.base, *found.standings):
        why = build_decision_log(one.run, found.base.run)
        kept = _sample_rows(one)
        stacks = measure_layers(found.recording, one.run)
        context += [{"policy": one.name, "request": n + 1, **dict(zip(LAYERS, stacks[n], strict=True))} for n in kept]
        epochs += _list_epochs(one, why)
        timeline += _list_timeline(one, why)
    return Picture(
        title,
        _format_subtitle(found),
        names,
        chosen or first,
        context,
        epochs,
        timeline,
        [row for one in found.all for row in _bill(one)],
        [_build_standing(one, found.base) for one in found.all],
        tuple(words),
    )


def _sample_rows(one: "PolicyResult") -> list[int]:
    rows = one.run.rows
    step = -(-len(rows) // _POINTS) or 1
    ends = {0, len(rows) - 1} if rows else set()
    opened = {n for n, row in enumerate(rows) if row.opened} if step == 1 else set()
    return sorted(ends | opened | set(range(0, len(rows), step)))


def _list_epochs(one: "PolicyResult", told: DecisionLog) -> Rows:
    dollars = one.run.price.to_dollars
    return [
        {
            "policy": one.name,
            "request": event.number + 1,
            "why": event.reason,
            "kind": "on arrival" if event.on_arrival else "cold" if event.cold else "warm",
            "freed": event.freed,
            "cost": dollars(event.cost),
            "saved": dollars(event.saved),
        }
        for event in told.events
    ]


def _list_timeline(one: "PolicyResult", account: DecisionLog) -> Rows:
    dollars = one.run.price.to_dollars
    return [
        {
            "policy": one.name,
            "requests": f"{entry.first + 1:,}" + (f"–{entry.last + 1:,}" if entry.last > entry.first else ""),
            "edits": bool(entry.event is not None or entry.small or entry.arrivals),
            "heavy": entry.event is not None,
            "freed": entry.freed,
            "cost": dollars(entry.cost),
            "saved": dollars(entry.saved),
            "why": describe_entry(entry, one.name),
        }
        for entry in build_timeline(one.run, account, _ENTRIES)
    ]


def _bill(one: "PolicyResult") -> Rows:
    sums = list(accumulate(row.units for row in one.run.rows))
    return [
        {"policy": one.name, "request": n + 1, "dollars": one.run.price.to_dollars(sums[n])} for n in _sample_rows(one)
    ]


def _build_standing(one: "PolicyResult", base: "PolicyResult") -> dict[str, Any]:
    whole = base.run.bill.units or 1.0
    return {
        "policy": one.name,
        "dollars": one.run.bill.dollars,
        "share": one.run.bill.units / whole,
        "refetched": one.refetched / whole,
        "refetched dollars": one.run.price.to_dollars(one.refetched),
        "recall": one.score.hard,
        "soft": one.score.soft,
        "complete_requests": one.score.complete_requests,
        "sent": one.run.bill.sent,
        "peak": one.run.bill.peak,
        "cache_breaks": one.run.bill.cache_breaks,
        "epochs": one.run.bill.epochs,
        "vs_optimal": one.vs_optimal,
    }


def _format_subtitle(found: "Comparison") -> str:
    price = found.terms.price
    requests = len(found.recording.requests)
    return f"{requests:,} request{'' if requests == 1 else 's'} · {price.model} · prices: {price.source}"
