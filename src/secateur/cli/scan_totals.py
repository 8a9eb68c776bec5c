"""Sums over all sessions of a scan: by format, by tool, and what was paid for nothing, in words.

Rule: a leak is told with its share of the whole bill, the tools behind it, and what helps against it. Kinds overlap
and are not to be added up.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from secateur.cli.output.formatting import abbreviate, format_dollar_share, format_dollars, pluralize
from secateur.simulate.spending import LARGE_TOKENS, Leak

if TYPE_CHECKING:
    from secateur.cli.scan_files import ScannedSession

_WORDS = {
    "dead": (
        "was spent on carrying {times} after the last call that referred to them{tools}",
        "pruning takes them out when that pays",
    ),
    "cold": (
        "was spent on writing {tokens} tokens again after pauses that outlasted the prompt cache, {times}",
        "prune in the pause; --hour and --no-hour show what the cache's other lifetime would do",
    ),
    "again": ("was spent on {times} that said what an earlier one had said{tools}", "deduplication keeps the newest"),
    "large": (
        f"was spent on {{times}} of more than {LARGE_TOKENS:,} tokens{{tools}}",
        "excerpts at birth, or narrower reads",
    ),
    "failed": ("was spent on {times} of calls that had failed{tools}", "resolved errors may go"),
    "tier": ("was the surcharge on {times} above a price tier", "stay below the tier"),
}
_THINGS = {"cold": "request", "tier": "request"}
_TOOLS = 3


class FormatTotal(Struct, frozen=True, kw_only=True):
    """All sessions of one format."""

    format: str
    sessions: int
    requests: int
    tokens_sent: int
    dollars: float
    colds: int
    copies: int
    compactions: int


class SpendingTotal(Struct, frozen=True):
    """What one kind of part, or one tool, cost over all sessions."""

    kind: str
    tool: str
    parts: int
    tokens: int
    tokens_sent: int
    dollars: float


class WasteTotal(Struct, frozen=True):
    """One kind of leak over all sessions."""

    what: str
    dollars: float
    share: float  # of the whole bill
    times: int
    tokens: int
    tools: tuple[str, ...]  # the dearest first
    text: str


def total_by_format(sessions: Sequence["ScannedSession"]) -> list[FormatTotal]:
    """The dearest first."""
    names = dict.fromkeys(one.format for one in sessions)
    found = [_total_format(name, [one for one in sessions if one.format == name]) for name in names]
    return sorted(found, key=lambda one: -one.dollars)


def total_spending(sessions: Sequence["ScannedSession"]) -> list[SpendingTotal]:
    """The dearest first."""
    sums: dict[tuple[str, str], list[float]] = {}
    for one in (spent for session in sessions for spent in session.spent):
        row = sums.setdefault((one.kind, one.tool), [0, 0, 0, 0.0])
        for at, more in enumerate((one.parts, one.tokens, one.tokens_sent, one.dollars)):
            row[at] += more
    found = [SpendingTotal(*name, int(n[0]), int(n[1]), int(n[2]), n[3]) for name, n in sums.items()]
    return sorted(found, key=lambda one: -one.dollars)


def total_waste(found: Iterable[Leak], whole: float, most: int = 5) -> list[WasteTotal]:
    """The dearest kinds of leak; none below a thousandth of the bill."""
    every = list(found)
    kinds = [_total_kind(what, [one for one in every if one.what == what], whole) for what in _WORDS]
    worth = [one for one in kinds if one.dollars > whole / 1000]
    return sorted(worth, key=lambda one: -one.dollars)[:most]


def _total_kind(what: str, found: list[Leak], whole: float) -> WasteTotal:
    dollars, times, tokens = sum(x.dollars for x in found), sum(x.times for x in found), sum(x.tokens for x in found)
    by_tool: dict[str, float] = defaultdict(float)
    for one in found:
        by_tool[one.tool] += one.dollars
    tools = tuple(sorted(filter(None, by_tool), key=lambda name: -by_tool[name]))[:_TOOLS]
    said, helps = _WORDS[what]
    text = said.format(
        times=pluralize(times, _THINGS.get(what, "result")),
        tokens=abbreviate(tokens),
        tools=f", most of it {_join_names(tools)}" if tools else "",
    )
    return WasteTotal(
        what=what,
        dollars=dollars,
        share=dollars / whole if whole else 0.0,
        times=times,
        tokens=tokens,
        tools=tools,
        text=f"{format_dollars(dollars)} ({format_dollar_share(dollars, whole)}) {text}: {helps}.",
    )


def _join_names(tools: tuple[str, ...]) -> str:
    return " and ".join([", ".join(tools[:-1]), tools[-1]] if len(tools) > 1 else tools)


def _total_format(name: str, sessions: Sequence["ScannedSession"]) -> FormatTotal:
    return FormatTotal(
        format=name,
        sessions=len(sessions),
        requests=sum(one.requests for one in sessions),
        tokens_sent=sum(one.tokens_sent for one in sessions),
        dollars=sum(one.dollars for one in sessions),
        colds=sum(one.colds for one in sessions),
        copies=sum(one.copies for one in sessions),
        compactions=sum(one.compactions for one in sessions),
    )
