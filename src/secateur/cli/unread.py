"""Why a document could not be read, for a person: the reader's sentence, what is wrong with the bytes, what to do.

Rule: only a document that failed is looked at again; its content is never quoted, only places in it.
"""

import json
from json import JSONDecodeError

from secateur.cli.exits import Unreadable
from secateur.cli.source import Source
from secateur.errors import FormatError, UnknownFormat

_NAME_IT = "give a request body or a session file, or its format with --format"


def unread(source: Source, error: FormatError) -> Unreadable:
    """The error that ends the command."""
    said = str(error)
    broken = wrong(source.data)
    if isinstance(error, UnknownFormat) and not said.startswith("no known format"):
        return Unreadable(f"{source.label}: {said}")  # refused by name, with what to do
    if "int_max_str_digits" in said:
        return Unreadable(f"{source.label}: it holds a number of thousands of digits: put that in quotes")
    if broken:
        return Unreadable(
            f"{source.label}: {'no known format' if isinstance(error, UnknownFormat) else 'not JSON'}: {broken}"
        )
    return Unreadable(f"{source.label}: {said}" + (f"; {_NAME_IT}" if isinstance(error, UnknownFormat) else ""))


def wrong(data: bytes) -> str:
    """What keeps the bytes from being JSON, and what to do; "" if they are JSON, or lines of it, or far from both."""
    encoding = json.detect_encoding(data[:4])
    try:
        text = data.decode(encoding, "surrogatepass")
    except UnicodeError as error:
        if isinstance(error, UnicodeDecodeError) and error.end >= len(data) and encoding.startswith("utf-8"):
            return "it breaks off inside a character: fetch the whole file"
        where = f"byte {error.start:,}" if isinstance(error, UnicodeDecodeError) else "some byte"
        return f"its text is broken at {where}: convert it to UTF-8"
    broken = _broken(text)
    if broken is None or not text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        return ""
    if broken.lineno > 1 and _broken(text.split("\n", 1)[0]) is None:
        return ""  # lines of JSON, of which one is torn
    where = f"line {broken.lineno:,}, column {broken.colno:,}"
    if broken.pos >= len(text.rstrip()) or broken.msg.startswith("Unterminated string"):
        return f"the JSON breaks off ({where}): fetch the whole file"
    return f"the JSON is broken at {where} ({broken.msg}): mend it there, or fetch it again"


def _broken(text: str) -> JSONDecodeError | None:
    try:
        json.loads(text.lstrip("\ufeff"))
    except JSONDecodeError as error:
        return error
    except (ValueError, RecursionError):  # a number too long, nested too deeply: JSON all the same
        return None
    return None
