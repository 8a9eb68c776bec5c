"""Reading back removed text: a page of it, some of its lines, or a value in it.

Rule: the original text is shown, character for character, under a line that says what it is and how to get the next
page. The pages joined are the text. Regular expressions run in a process of their own (`search`), which is killed after
a time limit, since Python's engine can take exponential time; plain words are searched for directly. Paths into JSON
are `$.items[0].name`, `items.0.name`, `items[*].name`, `["odd name"]`: names, numbers (negative from the end) and `*`
for all; no filters, no code. A question that cannot be answered gets a hint what to ask instead.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from secateur.errors import ConfigError, FormatError
from secateur.jsontext import dumps, loads
from secateur.lineage import HANDLE_DIGITS
from secateur.stores.protocol import Blob
from secateur.text.readback import add_header

PAGE_CHARS = 12_000  # about 3,000 tokens: hosts warn of results above 10,000 tokens, and policies excerpt above 4,000
_MAX_DIGITS = 30  # of a line's number

LINES = 200  # of a page: a few screens
CHARS = 20_000  # about 5,000 tokens

TIME_S = 5.0  # on a million lines a plain expression takes one second
_SIGNS = frozenset(".^$*+?{}[]\\|()")  # without any of them an expression is plain words
_SEARCH = Path(__file__).with_name("search.py")

_STEP = re.compile(r'\.?(?:\[\s*(?P<index>-?\d+|\*)\s*\]|\[\s*(?P<quoted>"(?:[^"\\]|\\.)*")\s*\]|(?P<name>[^.\[\]"]+))')
_NEAR = 12  # names that are listed


# The arguments of a recall tool, as JSON Schema.
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "handle": {"type": "string"},
        "page": {"type": "integer"},
        "lines": {"type": "string"},
        "json_path": {"type": "string"},
    },
    "required": ["handle"],
}


class TextRange(Struct, frozen=True):
    """Which part of a removed text is requested."""

    page: int = 1
    lines: str = ""  # such as "120-180"
    json_path: str = ""  # such as "$.items[0].name"


def show_blob(blob: Blob, excerpt: TextRange) -> str:
    """The part of a removed text that is asked for. Raises ConfigError."""
    text = blob.data.decode("utf-8", "replace")
    name = blob.id[:HANDLE_DIGITS]
    first = 1
    if excerpt.json_path:
        found = find_values(text, excerpt.json_path)
        text = "\n".join(one if isinstance(one, str) else dumps(one).decode() for one in found)
        name = f"{name} {excerpt.json_path}"
    count = count_lines(text)
    if excerpt.lines:
        first, last = parse_line_range(excerpt.lines, count)
        text = slice_lines(text, first, last)
    shown = page(text, excerpt.page, chars=PAGE_CHARS)
    if excerpt.page not in (0, shown.number):
        raise ConfigError(f"no page {excerpt.page} in {name}: it has {shown.pages}")
    where = f"lines {first + shown.first - 1}-{first + shown.last - 1} of {count}"
    more = f"; page={shown.number + 1} goes on" if shown.number < shown.pages else ""
    return add_header("recall", f"{name}, {where}, page {shown.number} of {shown.pages}{more}", shown.text)


def normalize_handle(handle: str) -> str:
    """A handle as it is kept, however a model copied it from a placeholder."""
    return handle.strip().lower().removeprefix("recall").strip(" []`'\"")


def parse_line_range(said: str, count: int) -> tuple[int, int | None]:
    """Return the first and the last line of a range of so many lines; None: to the end. Raises ConfigError."""
    first, dash, last = (end.strip() for end in said.partition("-"))
    begin, end = _parse_number(first), _parse_number(last)
    if not first and end:
        return max(1, count - end + 1), None
    if begin is None or not 1 <= begin <= max(count, 1) or (last and (end is None or end < begin)):
        raise ConfigError(
            f"{said!r:.40} is not a range of lines in this text, which has {count}; write 10-40, 10-, 10, or -10 for "
            "the last ones"
        )
    return begin, end if dash else begin


def _parse_number(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) <= _MAX_DIGITS else None


class Page(Struct, frozen=True):
    """A piece of a text. Lines count from 1."""

    text: str
    number: int  # from 1
    pages: int
    first: int  # its first line
    last: int
    lines: int  # of the whole text


def page(text: str, number: int = 1, lines: int = LINES, chars: int = CHARS) -> Page:
    """Page `number` of a text; the last one for numbers beyond it."""
    cuts = _find_page_breaks(text, lines, chars)
    at = min(max(number, 1), len(cuts) - 1)
    start, end = cuts[at - 1], cuts[at]
    first = text.count("\n", 0, start) + 1
    last = first + text.count("\n", start, max(start, end - 1))
    return Page(text[start:end], at, len(cuts) - 1, first, last, count_lines(text))


def slice_lines(text: str, first: int, last: int | None) -> str:
    """Return lines `first` to `last` of a text, inclusive, from 1, with their line ends."""
    return "".join(_split_lines(text)[max(first, 1) - 1 : last])


def count_lines(text: str) -> int:
    """Return how many lines a text has."""
    return text.count("\n") + (bool(text) and not text.endswith("\n"))


def _find_page_breaks(text: str, lines: int, chars: int) -> list[int]:
    """Return where pages begin and end."""
    cuts, held, at = [0], 0, 0
    for line in _split_lines(text):
        if held and (held == lines or at + len(line) - cuts[-1] > chars):
            cuts.append(at)
            held = 0
        at += len(line)
        held += 1
        while at - cuts[-1] > chars:
            cuts.append(cuts[-1] + chars)
    if at > cuts[-1] or len(cuts) == 1:
        cuts.append(at)
    return cuts


def _split_lines(text: str) -> list[str]:
    """Split a text into lines with their ends, at line feeds only."""
    pieces = text.split("\n")
    ended = [f"{piece}\n" for piece in pieces[:-1]]
    return [*ended, pieces[-1]] if pieces[-1] else ended


def find_matching_lines(text: str, pattern: str, time_s: float = TIME_S) -> tuple[int, ...]:
    """Return the numbers of matching lines, from 1. Raises ConfigError for an invalid or too slow expression."""
    if not _SIGNS & set(pattern):
        return tuple(number for number, line in enumerate(text.split("\n"), 1) if pattern in line)
    return _run_search(text, pattern, time_s)


def _run_search(text: str, pattern: str, time_s: float) -> tuple[int, ...]:
    argv = [sys.executable, "-I", "-W", "ignore", str(_SEARCH), pattern]
    data = text.encode("utf-8", "surrogatepass")
    try:
        done = subprocess.run(argv, input=data, capture_output=True, timeout=time_s, check=False)
    except subprocess.TimeoutExpired as error:
        raise ConfigError(
            f"{pattern!r} takes more than {time_s:g} s on this text: write it without repeats inside repeats"
        ) from error
    except (OSError, ValueError) as error:
        raise ConfigError(f"{pattern!r} is not a usable regular expression: {error}") from error
    if done.returncode:
        why = " ".join(done.stderr.decode("utf-8", "replace").split())[-200:]
        raise ConfigError(f"{pattern!r} is not a valid regular expression: {why}; escape literal characters with \\")
    return tuple(map(int, done.stdout.split()))


def find_values(text: str, path: str) -> list[Any]:
    """Return the values at a path: one, or any number with `*`. Raises ConfigError."""
    try:
        whole = loads(text.encode("utf-8", "surrogatepass"))
    except FormatError as error:
        raise ConfigError(
            f"this text is not JSON, so it has no paths; read it by lines or with grep: {error}"
        ) from error
    found: list[tuple[str, Any]] = [("$", whole)]
    for step in _parse_steps(path):
        found = [one for where, value in found for one in _resolve_step(where, value, step)]
    return [value for _, value in found]


def _parse_steps(path: str) -> Iterator[str | int]:
    at = 1 if path.startswith("$") else 0
    while at < len(path):
        match = _STEP.match(path, at)
        if match is None:
            raise ConfigError(
                f"{path!r} is not a valid path at {path[at:]!r}: write it like $.items[0].name or items[*].name"
            )
        at = match.end()
        if match["quoted"]:
            yield json.loads(match["quoted"])
        elif match["index"] and match["index"] != "*":
            yield int(match["index"])
        else:
            yield match["name"] or "*"


def _resolve_step(where: str, value: Any, step: str | int) -> Iterator[tuple[str, Any]]:
    if step == "*" and isinstance(value, dict | list):
        yield from ((f"{where}[{name!r}]", one) for name, one in _list_items(value))
        return
    if isinstance(value, list):
        place = _number(step)
        if place is not None and -len(value) <= place < len(value):
            yield f"{where}[{place}]", value[place]
            return
    elif isinstance(value, dict) and str(step) in value:
        yield f"{where}.{step}", value[str(step)]
        return
    raise ConfigError(f"{where} has no {step!r}: {_describe_value(value)}")


def _number(step: str | int) -> int | None:
    if isinstance(step, int):
        return step
    return int(step) if step.lstrip("-").isdecimal() else None


def _list_items(value: dict[str, Any] | list[Any]) -> list[tuple[Any, Any]]:
    return list(value.items()) if isinstance(value, dict) else list(enumerate(value))


def _describe_value(value: Any) -> str:
    if isinstance(value, dict):
        more = f" and {len(value) - _NEAR} more" if len(value) > _NEAR else ""
        return f"it is an object with {', '.join(list(value)[:_NEAR])}{more}" if value else "it is an empty object"
    if isinstance(value, list):
        return f"it is a list of {len(value)}"
    return f"it is {json.dumps(value)[:60]}"
