"""Rows of plain values as a file: CSV, Parquet or JSON, by the file's ending.

Rule: columns are the fields of the rows' type, in its order; unknown values are empty. Nothing is rounded.
"""

import csv
import io
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from secateur.cli.exit_codes import UsageError

TABLE_ENDINGS = (".csv", ".parquet", ".json")


def check_table_path(name: str) -> Path:
    """The path, if its ending can be written. Raises UsageError."""
    path = Path(name)
    if path.suffix.lower() not in TABLE_ENDINGS:
        raise UsageError(f"{name}: a table ends in {', '.join(TABLE_ENDINGS)}")
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
        raise UsageError("Parquet is written by pyarrow: pip install 'secateur[parquet]'") from error
