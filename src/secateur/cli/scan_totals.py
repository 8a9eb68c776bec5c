"""Sums over all sessions of a scan: by format, by tool, and what was paid for nothing, in words.

Rule: waste is shown with its share of the whole cost, the tools behind it, and what helps. Kinds overlap and must not
be added up.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from secateur.cli.output.formatting import abbreviate, format_dollar_share, format_dollars, pluralize
from secateur.simulate.attribution import LARGE_TOKENS, Leak

if TYPE_CHECKING:
    from secateur.cli.scan_files import ScannedSession

_WORDS = {
    "dead": (
        "was spent on carrying {times} after the last call that referred to them{tools}",
        "pruning removes them when that pays",
    ),
    "cold": (
        "was spent on rewriting {tokens} tokens after pauses that outlasted the prompt cache, {times}",
        "prune in the pause; --cache-ttl shows what the other cache lifetime would cost",
    ),
    "again": ("was spent on {times} that repeat an earlier one{tools}", "deduplication keeps the newest"),
    "large": (
        f"was spent on {{times}} of more than {LARGE_TOKENS:,} tokens{{tools}}",
        "excerpt on arrival, or read less",
    ),
    "failed": ("was spent on {times} of failed calls{tools}", "resolved errors can be removed"),
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
    """The cost of one kind of part, or one tool, over all sessions."""

    kind: str
    tool: str
    parts: int
    tokens: int
    tokens_sent: int
    dollars: float


class WasteTotal(Struct, frozen=True):
    """One kind of waste over all sessions."""

    what: str
    dollars: float
    share: float  # of the whole bill
    times: int
    tokens: int
    tools: tuple[str, ...]  # the dearest first
    text: str


def sum_by_format(sessions: Sequence["ScannedSession"]) -> list[FormatTotal]:
    """Return totals by format, most expensive first."""
    names = dict.fromkeys(session.format for session in sessions)
    totals = [_sum_format(name, [session for session in sessions if session.format == name]) for name in names]
    return sorted(totals, key=lambda each: -each.dollars)


def sum_spending(sessions: Sequence["ScannedSession"]) -> list[SpendingTotal]:
    """Return totals by kind and tool, most expensive first."""
    sums: dict[tuple[str, str], list[float]] = {}
    for part in (spent for session in sessions for spent in session.spent):
        row = sums.setdefault((part.kind, part.tool), [0, 0, 0, 0.0])
        for at, more in enumerate((part.parts, part.tokens, part.tokens_sent, part.dollars)):
            row[at] += more
    totals = [SpendingTotal(*name, int(n[0]), int(n[1]), int(n[2]), n[3]) for name, n in sums.items()]
    return sorted(totals, key=lambda each: -each.dollars)


def sum_waste(leaks: Iterable[Leak], whole: float, most: int = 5) -> list[WasteTotal]:
    """Return the most expensive kinds of waste, none below a thousandth of the cost."""
    leaks_found = list(leaks)
    kinds = [_sum_kind(what, [leak for leak in leaks_found if leak.what == what], whole) for what in _WORDS]
    worth = [kind for kind in kinds if kind.dollars > whole / 1000]
    return sorted(worth, key=lambda each: -each.dollars)[:most]


def _sum_kind(what: str, leaks: list[Leak], whole: float) -> WasteTotal:
    dollars, times, tokens = sum(x.dollars for x in leaks), sum(x.times for x in leaks), sum(x.tokens for x in leaks)
    by_tool: dict[str, float] = defaultdict(float)
    for leak in leaks:
        by_tool[leak.tool] += leak.dollars
    tools = tuple(sorted(filter(None, by_tool), key=lambda name: -by_tool[name]))[:_TOOLS]
    sentence, helps = _WORDS[what]
    text = sentence.format(
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


def _sum_format(name: str, sessions: Sequence["ScannedSession"]) -> FormatTotal:
    return FormatTotal(
        format=name,
        sessions=len(sessions),
        requests=sum(session.requests for session in sessions),
        tokens_sent=sum(session.tokens_sent for session in sessions),
        dollars=sum(session.dollars for session in sessions),
        colds=sum(session.colds for session in sessions),
        copies=sum(session.copies for session in sessions),
        compactions=sum(session.compactions for session in sessions),
    )
