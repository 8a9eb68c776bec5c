"""A scan as values, and as what a person reads: formats, tools, policies, leaks, and what could not be read.

Rule: one screen; sums of what the surveys say, nothing new. What was assumed is said below the figures.
"""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from secateur.cli import leaks, tables
from secateur.cli.figures import cell, many, money, short
from secateur.cli.leaks import percent_of
from secateur.cli.standings import Line, drawn
from secateur.cli.terminal import harmless, one_line

if TYPE_CHECKING:
    from secateur.cli.surveyed import Survey

SCHEMA = "secateur.scan/1"
_LEAKS = "Where it leaks (kinds overlap: do not add them up)"
_TOOLS, _FILES = 10, 5  # rows that are shown


class Format(Struct, frozen=True, kw_only=True):
    """All sessions of one format."""

    format: str
    sessions: int
    requests: int
    tokens_sent: int
    dollars: float
    colds: int
    copies: int
    compactions: int


class Spend(Struct, frozen=True):
    """What one kind of part, or one tool, cost over all sessions."""

    kind: str
    tool: str
    parts: int
    tokens: int
    tokens_sent: int
    dollars: float


class Overview(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    folders: tuple[str, ...]
    files: int
    sessions: tuple[Any, ...]  # surveys
    formats: list[Format]
    spending: list[Spend]  # the dearest first; adds up to the bill
    lines: list[Line]  # by policy, over all sessions
    leaks: list[leaks.Told]
    unread: tuple[Any, ...]  # files that gave no session
    copies: int = 0  # sessions of which another recording holds every request

    def row(self, one: "Survey") -> dict[str, Any]:
        """A session as one flat row: its own figures, then the bill under each policy."""
        plain = {name: value for name, value in msgspec.structs.asdict(one).items() if name not in _NESTED}
        return plain | {f"dollars {line.policy}": line.dollars for line in one.lines}


_NESTED = ("spent", "leaks", "lines")


def by_format(sessions: Sequence["Survey"]) -> list[Format]:
    """The dearest first."""
    names = dict.fromkeys(one.format for one in sessions)
    found = [_format(name, [one for one in sessions if one.format == name]) for name in names]
    return sorted(found, key=lambda one: -one.dollars)


def by_tool(sessions: Sequence["Survey"]) -> list[Spend]:
    """The dearest first."""
    sums: dict[tuple[str, str], list[float]] = {}
    for one in (spent for session in sessions for spent in session.spent):
        row = sums.setdefault((one.kind, one.tool), [0, 0, 0, 0.0])
        for at, more in enumerate((one.parts, one.tokens, one.tokens_sent, one.dollars)):
            row[at] += more
    found = [Spend(*name, int(n[0]), int(n[1]), int(n[2]), n[3]) for name, n in sums.items()]
    return sorted(found, key=lambda one: -one.dollars)


def blocks(found: Overview) -> list[Any]:
    """What a person sees."""
    whole = sum(one.dollars for one in found.sessions)
    shown: list[Any] = [_heading(found, whole)]
    if found.sessions:
        shown += ["", _formats(found.formats), "", "Where the money went", "", _spent(found.spending, whole)]
        shown += ["", "What each policy would have made of it", "", drawn(found.lines), ""]
        shown += [_LEAKS if found.leaks else "No leak is worth telling."]
        shown += [f"{at}. {harmless(one.text)}" for at, one in enumerate(found.leaks, 1)]
    notes = _notes(found)
    return [*shown, "", *notes] if notes else shown


def _format(name: str, sessions: Sequence["Survey"]) -> Format:
    return Format(
        format=name,
        sessions=len(sessions),
        requests=sum(one.requests for one in sessions),
        tokens_sent=sum(one.tokens_sent for one in sessions),
        dollars=sum(one.dollars for one in sessions),
        colds=sum(one.colds for one in sessions),
        copies=sum(one.copies for one in sessions),
        compactions=sum(one.compactions for one in sessions),
    )


def _heading(found: Overview, whole: float) -> str:
    sent = sum(one.tokens_sent for one in found.sessions)
    requests = sum(one.requests for one in found.sessions)
    where = ", ".join(map(harmless, found.folders[:3])) + (" ..." if len(found.folders) > 3 else "")
    text = f"{where}: {many(found.files, 'file')}, {many(len(found.sessions), 'session')}, {many(requests, 'request')}"
    return f"{text}, {short(sent)} tokens sent, {money(whole)}" if found.sessions else text


def _formats(rows: Sequence[Format]) -> Any:
    head = ("format", ">sessions", ">requests", ">sent", ">bill", ">cold", ">copies", ">compacted")
    cells = [
        (
            one.format,
            f"{one.sessions:,}",
            f"{one.requests:,}",
            short(one.tokens_sent),
            cell(one.dollars),
            f"{one.colds:,}",
            f"{one.copies:,}",
            f"{one.compactions:,}",
        )
        for one in rows
    ]
    return tables.narrow(cells, head)


def _spent(rows: Sequence[Spend], whole: float) -> Any:
    head = ("what", ">parts", ">tokens", ">sent", ">bill", ">share")
    cells = [
        (
            one_line(f"{one.tool} {one.kind.removeprefix('tool ')}" if one.tool else one.kind, 32),
            f"{one.parts:,}",
            short(one.tokens),
            short(one.tokens_sent),
            cell(one.dollars),
            percent_of(one.dollars, whole),
        )
        for one in rows[:_TOOLS]
    ]
    rest = rows[_TOOLS:]
    if rest:
        dollars = sum(one.dollars for one in rest)
        cells.append((f"and {len(rest):,} more", "", "", "", cell(dollars), percent_of(dollars, whole)))
    return tables.narrow(cells, head)


def _notes(found: Overview) -> list[str]:
    """What was assumed, and what was not read."""
    assumed = Counter(one.assumed for one in found.sessions if one.assumed)
    notes = [f"assumed for {many(times, 'session')}: {harmless(what)}" for what, times in assumed.most_common(_FILES)]
    hours = sum(one.hour for one in found.sessions)
    notes += [f"{many(hours, 'session')} bought the cache's longer lifetime, by what is recorded"] if hours else []
    notes += _shared(found)
    broken = [one for one in found.unread if one.broken]
    other = len(found.unread) - len(broken)
    if other:
        notes.append(f"{many(other, 'file')} passed over: no session in them")
    if broken:
        notes.append(f"{many(len(broken), 'file')} could not be read:")
        notes += [f"  {_reason(one)}" for one in broken[:_FILES]]
        notes += [f"  and {len(broken) - _FILES:,} more (--json names all)"] if len(broken) > _FILES else []
    return notes


def _reason(one: Any) -> str:
    """Which file gave no session, and why."""
    why = one_line(one.why, len(one.path) + 160)
    return why if one.why.startswith(one.path) else f"{harmless(one.path)}: {why}"


def _shared(found: Overview) -> list[str]:
    """What several recordings hold."""
    begun = [one.shared for one in found.sessions if one.shared]
    said = [f"{many(found.copies, 'session')} left out: another recording holds all of it"] if found.copies else []
    if begun:
        where = "begins" if len(begun) == 1 else "begin"
        said.append(
            f"{many(len(begun), 'session')} {where} with what another recording holds: {many(sum(begun), 'request')}"
            " counted there alone"
        )
    return said
