"""Tables for people: what left and what stays, by tool, by turn, part by part.

Rule: every table is legible at 80 columns without colour; what must not be cut (numbers) never is, texts give way.
Figures come ready from the anatomy and the receipt; nothing is computed here but sums of rows.
"""

from collections.abc import Sequence
from typing import Any

from secateur.api import Violation
from secateur.cli.anatomy import Place, Share, Tool, Twice
from secateur.cli.figures import percent, tokens
from secateur.cli.others import Other
from secateur.cli.paid import signed
from secateur.cli.problems import Problem
from secateur.cli.terminal import one_line
from secateur.cli.toll import Row
from secateur.cli.turns import Turn

_TURNS = 12  # rows: more than a screen holds is not read
_TOOLS = 15
_VIOLATIONS = 40
_ALL = "all"  # the last row of a table that is added up


def left_by_rule(rows: Sequence[Row], whole: int) -> Any:
    """What left, the rule that freed most first."""
    return _left("What left, by rule", "rule", rows, whole, _TOOLS)


def left_by_tool(rows: Sequence[Row], whole: int) -> Any:
    """What left, the tool that freed most first."""
    return _left("What left, by tool", "tool", rows, whole, _TOOLS)


def left_by_turn(rows: Sequence[Row], whole: int) -> Any:
    """What left, in the order of the turns; of many, those that freed most."""
    return _left("What left, by turn", "turn", rows, whole, _TURNS)


def kinds(shares: Sequence[Share], whole: int) -> Any:
    """Tokens by kind."""
    rows = [(one.name, tokens(one.parts), tokens(one.tokens), percent(one.tokens, whole)) for one in shares]
    return _table("By kind", ("kind", ">parts", ">tokens", ">share"), rows)


def tools(found: Sequence[Tool], whole: int) -> Any:
    """Tokens by tool."""
    rows = [
        (
            _name(one.tool),
            tokens(one.calls),
            tokens(one.results),
            tokens(one.errors) if one.errors else "",
            tokens(one.call_tokens),
            tokens(one.result_tokens),
            percent(one.tokens, whole),
        )
        for one in found[:_TOOLS]
    ]
    head = ("tool", ">calls", ">results", ">errors", ">in calls", ">in results", ">share")
    return _table("By tool", head, rows, more=len(found) - _TOOLS)


def turns(found: Sequence[Turn], whole: int) -> Any:
    """Tokens by turn; of many, the heaviest, in their order."""
    heaviest = sorted(sorted(found, key=lambda turn: -turn.tokens)[:_TURNS], key=lambda turn: turn.turn)
    rows = [
        (
            str(one.turn),
            _asked(one.turn, one.asked),
            tokens(one.messages),
            tokens(one.tokens),
            percent(one.tokens, whole),
        )
        for one in heaviest
    ]
    head = (">turn", "asked", ">messages", ">tokens", ">share")
    return _table("By turn", head, rows, more=len(found) - _TURNS)


def listed(rows: Sequence[Sequence[str]], title: str = "", head: Sequence[str] = ()) -> Any:
    """Words in columns; the last one is folded, not cut."""
    return _table(title, head or ("",) * len(rows[0]), rows, fold=True)


def narrow(rows: Sequence[Sequence[str]], head: Sequence[str], styles: Sequence[str] = (), fold: bool = False) -> Any:
    """Many figures in columns that stand close; `>` sets a column right; a style for each row, where there are some.

    With `fold` the last column goes on in the next line where it is too long.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=0, header_style="dim")
    for at, name in enumerate(head):
        whole = not (fold and at == len(head) - 1)
        table.add_column(name.removeprefix(">"), justify="right" if name.startswith(">") else "left", no_wrap=whole)
    for row, style in zip(rows, styles or ("",) * len(rows), strict=True):
        table.add_row(*map(Text, row), style=style)
    return table


def alternatives(found: Sequence[Other]) -> Any:
    """What other policies would free, and how much more they cost at once and then in each request."""
    told = [
        (
            f"--policy {one.name}",
            tokens(one.parts),
            tokens(one.freed),
            percent(one.freed, one.whole),
            signed(one.cost.dollars_now) if one.cost else "",
            signed(-one.cost.dollars_saved) if one.cost else "",
        )
        for one in found
    ]
    head = ("policy", ">parts", ">freed", ">share", ">at once", ">a request")
    return _table("What other policies would free", head, told)


def places(title: str, found: Sequence[Place]) -> Any:
    """Parts, one a row, with where they stand."""
    rows = [(str(one.message), _line(one), what(one), tokens(one.tokens), one_line(one.starts, 120)) for one in found]
    return _table(title, (">message", ">line", "what", ">tokens", "starts"), rows)


def what(place: Place) -> str:
    """What stands at a place: `read result`, `user text`."""
    return f"{_name(place.tool)} {place.kind.removeprefix('tool ')}" if place.tool else place.kind


def repeated(found: Sequence[Twice]) -> Any:
    """Outputs that stand there more than once."""
    rows = [
        (_name(one.tool), str(one.times), tokens(one.tokens), tokens(one.spare), _few(one.messages))
        for one in found[:_TOOLS]
    ]
    head = ("tool", ">times", ">tokens each", ">to spare", "messages")
    return _table("The same output more than once", head, rows, more=len(found) - _TOOLS)


def wrong(found: Sequence[Problem]) -> Any:
    """Problems, one a row."""
    rows = [
        (one.what, str(one.where.message), _line(one.where), _name(one.where.tool), one_line(one.where.call, 40))
        for one in found[:_TOOLS]
    ]
    return _table("Problems", ("what", ">message", ">line", "tool", "call"), rows, more=len(found) - _TOOLS)


def broken(found: Sequence[Violation]) -> Any:
    """Violations, one a row: the rule, the place, what is wrong and what to do."""
    rows = [(_graded(one), one_line(one.where, 60), one_line(one.text, 400)) for one in found[:_VIOLATIONS]]
    return _table("", ("rule", "where", "what, and what to do"), rows, more=len(found) - _VIOLATIONS, fold=True)


def _graded(one: Violation) -> str:
    return one.rule if one.severity == "error" else f"{one.rule} (warning)"


def _left(title: str, first: str, rows: Sequence[Row], whole: int, most: int) -> Any:
    shown = rows
    if len(rows) > most:
        kept = {id(row) for row in sorted(rows, key=lambda row: -row.freed)[:most]}
        shown = [row for row in rows if id(row) in kept]
    told = [*(_freed(row, whole) for row in shown), *_more(len(rows) - len(shown), 6)]
    if len(rows) > 1:
        every = Row(
            "all", sum(row.parts for row in rows), sum(row.before for row in rows), sum(row.after for row in rows)
        )
        told.append(_freed(every, whole))
    head = (first, ">parts", ">before", ">after", ">freed", ">share")
    return _table(title, head, told)


def _freed(row: Row, whole: int) -> tuple[str, ...]:
    figures = (tokens(row.parts), tokens(row.before), tokens(row.after), tokens(row.freed), percent(row.freed, whole))
    return (one_line(row.name, 80), *figures)


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], more: int = 0, fold: bool = False) -> Any:
    """A table with one line under its head; `>` before a column's name sets it right.

    Where the terminal is too narrow, texts are cut and figures are not; with `fold` texts go on in the next line.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, box=box.SIMPLE_HEAD, pad_edge=False, title_justify="left")
    table.title_style, table.header_style = "bold", "dim"
    table.show_header = any(head)
    for at, name in enumerate(head):
        whole = name.startswith(">") or (fold and at == 0)
        table.add_column(name.removeprefix(">"), justify="right" if name.startswith(">") else "left", no_wrap=whole)
    for row in (*rows, *_more(more, len(head))):
        cells = [Text(cell, no_wrap=not fold, overflow="fold" if fold else "ellipsis") for cell in row]
        table.add_row(*cells, style="bold" if row[0] == _ALL else "")
    return table


def _more(count: int, columns: int) -> list[tuple[str, ...]]:
    """The row that says how many are not shown, if any."""
    return [(f"and {count:,} more", *("",) * (columns - 1))] if count > 0 else []


def _line(place: Place) -> str:
    """Lines are counted from 1 for people, as editors do."""
    return str(place.lines[0] + 1) if place.lines else ""


def _name(name: str) -> str:
    return one_line(name, 32) or "(no name)"


def _asked(turn: int, asked: str) -> str:
    return one_line(asked, 120) if turn else "(before the first)"


def _few(numbers: Sequence[int], most: int = 6) -> str:
    shown = ", ".join(map(str, numbers[:most]))
    return f"{shown}, ..." if len(numbers) > most else shown
