"""The leaks of many sessions, in words: what was paid for nothing, the dearest first.

Rule: a leak is told with its share of the whole bill, the tools behind it, and what helps against it. Kinds overlap
and are not to be added up.
"""

from collections import defaultdict
from collections.abc import Iterable

from msgspec import Struct

from secateur.cli.figures import many, money, percent, short
from secateur.simulate.spending import LARGE_TOKENS, Leak

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


class Told(Struct, frozen=True):
    """One kind of leak over all sessions."""

    what: str
    dollars: float
    share: float  # of the whole bill
    times: int
    tokens: int
    tools: tuple[str, ...]  # the dearest first
    text: str


def told(found: Iterable[Leak], whole: float, most: int = 5) -> list[Told]:
    """The dearest kinds of leak; none below a thousandth of the bill."""
    every = list(found)
    kinds = [_told(what, [one for one in every if one.what == what], whole) for what in _WORDS]
    worth = [one for one in kinds if one.dollars > whole / 1000]
    return sorted(worth, key=lambda one: -one.dollars)[:most]


def _told(what: str, found: list[Leak], whole: float) -> Told:
    dollars, times, tokens = sum(x.dollars for x in found), sum(x.times for x in found), sum(x.tokens for x in found)
    by_tool: dict[str, float] = defaultdict(float)
    for one in found:
        by_tool[one.tool] += one.dollars
    tools = tuple(sorted(filter(None, by_tool), key=lambda name: -by_tool[name]))[:_TOOLS]
    said, helps = _WORDS[what]
    text = said.format(
        times=many(times, _THINGS.get(what, "result")),
        tokens=short(tokens),
        tools=f", most of it {_listed(tools)}" if tools else "",
    )
    return Told(
        what=what,
        dollars=dollars,
        share=dollars / whole if whole else 0.0,
        times=times,
        tokens=tokens,
        tools=tools,
        text=f"{money(dollars)} ({percent_of(dollars, whole)}) {text}: {helps}.",
    )


def percent_of(part: float, whole: float) -> str:
    """A share of dollars."""
    return percent(round(part * 1e6), round(whole * 1e6))


def _listed(tools: tuple[str, ...]) -> str:
    return " and ".join([", ".join(tools[:-1]), tools[-1]] if len(tools) > 1 else tools)
