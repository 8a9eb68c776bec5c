"""Tables: on a terminal, and as files (CSV, Parquet or JSON, by the file's ending).

Rule: on a terminal every table is legible at 80 columns without color; numbers are never cut, texts are. In a file the
columns are the fields of the rows' type, in its order; unknown values are empty, and nothing is rounded.
"""

import csv
import io
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from secateur.cli.composition import PartPlace
from secateur.cli.exit_codes import UsageError
from secateur.cli.output.formatting import format_count
from secateur.cli.output.terminal import to_one_line

MAX_TURNS = 12  # rows: more than a screen holds is not read
MAX_TOOLS = 15
_MAX_NAME = 32  # columns of a name that is not folded: a longer one would leave the figures beside it no room
ALL = "all"  # the last row of a table that is added up

TABLE_ENDINGS = (".csv", ".parquet", ".json")


def make_list(rows: Sequence[Sequence[str]], title: str = "", head: Sequence[str] = ()) -> Any:
    """Words in columns; the last one is folded, not cut."""
    return make_table(title, head or ("",) * len(rows[0]), rows, fold=True)


def make_dense_table(
    rows: Sequence[Sequence[str]], head: Sequence[str], styles: Sequence[str] = (), fold: bool = False
) -> Any:
    """Many figures in narrow columns; `>` aligns a column right; `styles` are those of the rows.

    Where the terminal is too narrow, the first column is folded; with `fold` the last one is, too.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=0, header_style="dim")
    for at, name in enumerate(head):
        is_whole = at > 0 and not (fold and at == len(head) - 1)
        table.add_column(
            name.removeprefix(">"),
            justify="right" if name.startswith(">") else "left",
            no_wrap=is_whole,
            overflow="ellipsis" if is_whole or at == 0 else "fold",
            vertical="bottom" if any("\n" in each for each in head) else "top",
        )
    for row, style in zip(rows, styles or ("",) * len(rows), strict=True):
        table.add_row(*map(Text, row), style=style)
    return table


def make_parts_table(title: str, places: Sequence[PartPlace]) -> Any:
    """Parts, one per row, with their places."""
    rows = [
        (
            str(place.message),
            format_line(place),
            name_part(place),
            format_count(place.tokens),
            to_one_line(place.starts, 120),
        )
        for place in places
    ]
    return make_table(title, (">message", ">line", "what", ">tokens", "starts"), rows)


def name_part(place: PartPlace) -> str:
    """The name of a part: `read result`, `user text`."""
    return f"{format_name(place.tool)} {place.kind.removeprefix('tool ')}" if place.tool else place.kind


def make_table(
    title: str, head: Sequence[str], rows: Sequence[Sequence[str]], more: int = 0, fold: bool = False
) -> Any:
    """A table with one line under its head; `>` before a column's name sets it right.

    Where the terminal is too narrow, texts are cut and figures are not; with `fold` texts continue in the next line.
    """
    from rich import box
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, box=box.SIMPLE_HEAD, pad_edge=False, title_justify="left")
    table.title_style, table.header_style = "bold", "dim"
    table.show_header = any(head)
    has_short_names = max((cell_len(row[0]) for row in rows), default=0) <= _MAX_NAME
    for at, name in enumerate(head):
        whole = name.startswith(">") or (fold and at == 0 and has_short_names)
        table.add_column(name.removeprefix(">"), justify="right" if name.startswith(">") else "left", no_wrap=whole)
    for row in (*rows, *make_more_row(more, len(head))):
        cells = [Text(cell, no_wrap=not fold, overflow="fold" if fold else "ellipsis") for cell in row]
        table.add_row(*cells, style="bold" if row[0] == ALL else "")
    return table


def make_more_row(count: int, columns: int) -> list[tuple[str, ...]]:
    """The row that says how many are not shown, if any."""
    return [(f"and {count:,} more", *("",) * (columns - 1))] if count > 0 else []


def format_line(place: PartPlace) -> str:
    """Lines are counted from 1 for people, as editors do."""
    return str(place.lines[0] + 1) if place.lines else ""


def format_name(name: str) -> str:
    return to_one_line(name, 32) or "(no name)"


def check_table_path(name: str) -> Path:
    """The path, if its ending can be written. Raises UsageError."""
    path = Path(name)
    if path.suffix.lower() not in TABLE_ENDINGS:
        raise UsageError(f"{name}: a table's name must end in {', '.join(TABLE_ENDINGS)}")
    if path.suffix.lower() == ".parquet":
        _import_arrow()
    return path


def write_table(path: Path, rows: Sequence[Any]) -> None:
    """Write rows, all of one Struct's type or all dicts with the same names."""
    found = [msgspec.to_builtins(row) for row in rows]
    ending = path.suffix.lower()
    if ending == ".json":
        path.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
    elif ending == ".parquet":
        arrow, parquet = _import_arrow()
        parquet.write_table(arrow.Table.from_pylist(found), path)
    else:
        path.write_text(format_csv(found), encoding="utf-8", newline="")


def format_csv(rows: Sequence[dict[str, Any]]) -> str:
    """The rows as CSV with a header."""
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _import_arrow() -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise UsageError("Parquet requires pyarrow: pip install 'secateur[parquet]'") from error
