"""JSON with its arrays of objects as tables: names of members once, one line for each object.

    [{"id": 1, "by": {"login": "ada"}, "state": "open"}, {"id": 2, "by": {"login": "eve"}, "state": "open"}]

    <table 1>
    state=open
    id|by.login
    1|ada
    2|eve

Rule: `decode_tables(encode_tables(value)) == value` for any JSON value; numbers keep their spelling. A line of cells is
separated by `|`; a string stands without quotes where nothing else can be meant, an empty cell is a member that the
object lacks, and what is the same in all objects stands once, above the names. Objects inside objects become columns
with dotted names. The order of members and white space are not kept. Nothing here decides what is worth it.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from secateur.text.readback import WAY_BACK, describe_way_back

LEAST_ROWS = 3
TAG = "<table "  # is in the document where an array was: "<table 1>"
HEAD = "[secateur: JSON as tables, all values kept: one line an object, its members between |"
_HEADED = re.compile(re.escape(HEAD) + rf"(?:; as it came: {WAY_BACK})?\]\n.*\n<table 1>\n")


class Number(str):
    """A number as it was spelled."""

    __slots__ = ()


class _TagTaken(Exception):
    """A string of the document reads like the name of a table."""


_ABSENT: Any = object()  # what an object lacks, and the value of a text that is not JSON
Path = tuple[str, ...]
Row = dict[Path, Any]


def write_json_as_tables(text: str, handle: str) -> str:
    """The text, with the JSON in it as tables; the text itself where it holds no array of objects.

    Lines before the JSON and behind it, which hosts add, stay. Objects on lines of their own are one array.
    """
    start, value, end = _find_json(text)
    if value is _ABSENT:
        return text
    encoded = encode_tables(value)
    if "\n" not in encoded:
        return text
    back = f"; as it came: {describe_way_back(handle)}" if handle else ""
    return f"{text[:start]}{HEAD}{back}]\n{encoded}{text[end:]}"


def is_tables(text: str) -> bool:
    """Whether `write_json_as_tables` made this text."""
    return HEAD in text and _HEADED.search(text) is not None


def encode_tables(value: Any) -> str:
    """The JSON on one line, with its arrays of objects as tables below."""
    tables: list[str] = []
    try:
        skeleton = _cut_arrays(value, tables)
    except _TagTaken:
        return _dump(value)
    return "\n".join([_dump(skeleton), *tables])


def decode_tables(text: str) -> Any:
    """The value that `encode_tables` made this of."""
    skeleton, *blocks = text.split("\n" + TAG)
    tables = {f"{TAG}{block.partition('>')[0]}>": block.partition("\n")[2] for block in blocks}
    return _put_back(json.loads(skeleton), tables)


def _find_json(text: str) -> tuple[int, Any, int]:
    """Where a text contains JSON, its value, and where it ends; `_ABSENT` if most of the text is not JSON."""
    for found in _OPENS.finditer(text, 0, _LOOKED_AT):
        start = found.start()
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and text[end : end + 2].lstrip(" \r")[:1] == "\n":
            value, end = _read_lines(text, start, value, end)
        if end - start >= _MOSTLY * len(text):
            return start, value, end
        if end - start > _SMALL:
            break
    return 0, _ABSENT, 0


_OPENS = re.compile(r"^[\[{]", re.M)
_LOOKED_AT = 2_000  # characters before the JSON, at most
_MOSTLY, _SMALL = 0.8, 500


def _read_lines(text: str, start: int, first: Any, end: int) -> tuple[Any, int]:
    """Objects on lines of their own, as a list; the first alone where another kind of line follows."""
    rows, last = [first], end
    for line in text[end:].split("\n")[1:]:
        if not line.startswith("{"):
            break
        try:
            row = _DECODER.decode(line)
        except (ValueError, RecursionError):
            break
        rows.append(row)
        end += len(line) + 1
        last = end
    return (rows, last) if len(rows) >= LEAST_ROWS else (first, end if len(rows) == 1 else last)


def _refuse(_: str) -> Any:
    raise ValueError("no JSON")


def _check_unique(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) < len(members):
        raise ValueError("a member stands twice")
    return found


_DECODER = json.JSONDecoder(
    object_pairs_hook=_check_unique, parse_float=Number, parse_int=Number, parse_constant=_refuse
)


def _cut_arrays(value: Any, tables: list[str]) -> Any:
    """The value with the name of a table where an array of objects was."""
    if isinstance(value, list):
        if len(value) >= LEAST_ROWS and all(isinstance(one, dict) and one for one in value):
            tables.append("")
            place = len(tables)
            tables[place - 1] = f"{TAG}{place}>\n" + "\n".join(_build_table(value))
            return f"{TAG}{place}>"
        return [_cut_arrays(one, tables) for one in value]
    if isinstance(value, dict):
        return {name: _cut_arrays(one, tables) for name, one in value.items()}
    if type(value) is str and value.startswith(TAG):
        raise _TagTaken
    return value


def _build_table(objects: list[dict[str, Any]]) -> Iterator[str]:
    rows = [dict(_flatten(one, ())) for one in objects]
    columns = list(dict.fromkeys(path for row in rows for path in row))
    first = rows[0]
    same = [
        path
        for path in columns
        if path in first and all(path in row and _is_same(row[path], first[path]) for row in rows)
    ]
    differ = [path for path in columns if path not in set(same)]
    yield from (f"{_write_name(path)}={_write_cell(first[path])}" for path in same)
    yield "|".join(map(_write_name, differ)) if differ else f"*{len(rows)}"
    if differ:
        yield from ("|".join(_write_cell(row.get(path, _ABSENT)) for path in differ) for row in rows)


def _is_same(one: Any, other: Any) -> bool:
    """Equal, and of one type all the way down: 1, 1.0 and true are not the same here."""
    return one == other and _dump(one) == _dump(other)


def _flatten(value: dict[str, Any], path: Path) -> Iterator[tuple[Path, Any]]:
    for name, inner in value.items():
        if isinstance(inner, dict) and inner:
            yield from _flatten(inner, (*path, name))
        else:
            yield (*path, name), inner


def _write_name(path: Path) -> str:
    """A column's name: dotted if that is distinguishable from names with dots in them."""
    if all(_NAME.fullmatch(name) for name in path):
        return ".".join(path)
    return _dump(list(path))


_NAME = re.compile(r"[A-Za-z_$@][\w$@:/ -]*(?<! )")
_BARE = re.compile(r"(?![ \"\[{<])[^|\x00-\x1f\x7f\x85\u2028\u2029]+(?<! )")
_NUMERIC = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|-?Infinity|NaN", re.ASCII)


def _write_cell(value: Any) -> str:
    if value is _ABSENT:
        return ""
    if type(value) is str and _BARE.fullmatch(value) and not _NUMERIC.fullmatch(value):
        return value
    return _dump(value)


def _put_back(value: Any, tables: dict[str, str]) -> Any:
    if isinstance(value, str) and value in tables:
        return _read_table(tables[value].split("\n"))
    if isinstance(value, list):
        return [_put_back(one, tables) for one in value]
    if isinstance(value, dict):
        return {name: _put_back(one, tables) for name, one in value.items()}
    return value


def _read_table(lines: list[str]) -> list[dict[str, Any]]:
    same: Row = {}
    at = 0
    while (found := _read_same(lines[at])) is not None:
        same[found[0]] = found[1]
        at += 1
    if lines[at].startswith("*"):
        return [_build_nested(same) for _ in range(int(lines[at][1:]))]
    columns = [_read_name(name) for name in _split(lines[at])]
    rows = (dict(zip(columns, map(_read_cell, _split(line)), strict=True)) for line in lines[at + 1 :])
    return [
        _build_nested({**same, **{path: cell for path, cell in row.items() if cell is not _ABSENT}}) for row in rows
    ]


def _read_same(line: str) -> tuple[Path, Any] | None:
    """The member that all objects have, of its line; None for the line of names."""
    if line.startswith("["):
        path, end = json.JSONDecoder().raw_decode(line)
        return (tuple(path), _read_cell(line[end + 1 :])) if line[end : end + 1] == "=" else None
    name, equals, cell = line.partition("=")
    return (tuple(name.split(".")), _read_cell(cell)) if equals and "|" not in name else None


def _split(line: str) -> list[str]:
    """The cells of a line; a `|` inside JSON parts nothing."""
    cells, at = [], 0
    while True:
        end = at
        if line.startswith(('"', "[", "{"), at):
            _, end = json.JSONDecoder().raw_decode(line, at)
        end = line.find("|", end)
        cells.append(line[at:] if end < 0 else line[at:end])
        if end < 0:
            return cells
        at = end + 1


def _read_name(name: str) -> Path:
    return tuple(json.loads(name)) if name.startswith("[") else tuple(name.split("."))


def _read_cell(cell: str) -> Any:
    if not cell:
        return _ABSENT
    if cell[0] in '"[{' or _NUMERIC.fullmatch(cell):
        return json.loads(cell)
    return cell


def _build_nested(row: Row) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for path, value in row.items():
        inside = made
        for name in path[:-1]:
            inside = inside.setdefault(name, {})
        inside[path[-1]] = value
    return made


def _dump(value: Any) -> str:
    """JSON without white space; numbers as they were spelled."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join([f"{_dump(name)}:{_dump(inner)}" for name, inner in value.items()]) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_dump, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
