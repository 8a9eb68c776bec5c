"""What a model gets that reads back removed text: a page of it, some of its lines, or a value in it.

Rule: what is shown is what was there, to the letter, under a line that says what it is and how to get the next page.
A question that cannot be answered says what to ask instead.
"""

import re

from msgspec import Struct

from secateur.answers import pages
from secateur.answers.json_path import find_values
from secateur.errors import ConfigError
from secateur.jsontext import dumps
from secateur.lineage import HANDLE_DIGITS
from secateur.readback import add_header
from secateur.stores.protocol import Blob

PAGE_CHARS = 12_000  # about 3,000 tokens: hosts warn of results above 10,000 tokens, and policies excerpt above 4,000
_RANGE = re.compile(r"\s*(\d{1,9})\s*(-)?\s*(\d{1,9})?\s*")


class TextRange(Struct, frozen=True):
    """Which part of a removed text is asked for."""

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
    count = pages.count_lines(text)
    if excerpt.lines:
        first, last = _parse_line_range(excerpt.lines, count)
        text = pages.slice_lines(text, first, last)
    shown = pages.page(text, excerpt.page, chars=PAGE_CHARS)
    if excerpt.page not in (0, shown.number):
        raise ConfigError(f"there is no page {excerpt.page} of {name}: it has {shown.pages}")
    where = f"lines {first + shown.first - 1}-{first + shown.last - 1} of {count}"
    more = f"; page={shown.number + 1} goes on" if shown.number < shown.pages else ""
    return add_header("recall", f"{name}, {where}, page {shown.number} of {shown.pages}{more}", shown.text)


def normalize_handle(handle: str) -> str:
    """A handle as it is kept, however a model copied it from a placeholder."""
    return handle.strip().lower().removeprefix("recall").strip(" []`'\"")


def _parse_line_range(said: str, count: int) -> tuple[int, int | None]:
    match = _RANGE.fullmatch(said)
    if not match or not 1 <= int(match[1]) <= max(count, 1) or (match[3] and int(match[3]) < int(match[1])):
        raise ConfigError(f"{said!r} are no lines of this text: it has {count}; write 10-40, 10- or 10")
    first = int(match[1])
    return first, int(match[3]) if match[3] else None if match[2] else first
