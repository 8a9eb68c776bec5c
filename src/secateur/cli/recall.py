"""`secateur recall`: the bytes that left a view, read back: all, in pages, by lines, by an expression, by a JSON path.

Rule: through a pipe, into a file and with -o come the very bytes; a terminal gets a page. Only what is asked for is
shown, and an expression never takes longer than a few seconds.
"""

import sys
from typing import Any

import click
import msgspec
from msgspec import Struct

from secateur.answers import pages
from secateur.answers.grep import matching
from secateur.answers.json_path import values_at
from secateur.cli import options, write
from secateur.cli.exits import FINDINGS, FINE, Refused
from secateur.cli.kept import Kept, opened_store, tenant
from secateur.cli.kept_names import HANDLE
from secateur.cli.progress import working
from secateur.cli.terminal import say_exactly, say_json, tell
from secateur.lineage import HANDLE_DIGITS
from secateur.stores.protocol import Blob

SCHEMA = "secateur.recall/1"

_HELP = """\
\b
Examples:
  secateur recall 1a2b3c4d5e6f                  a page on a terminal
  secateur recall 1a2b3c4d5e6f > output.txt     all of it, byte for byte
  secateur recall 1a2b --page 2
  secateur recall 1a2b --lines 120-180
  secateur recall 1a2b --grep 'error|failed'
  secateur recall 1a2b --json-path '$.items[*].name'

\b
Handles stand in placeholders (`recall 1a2b3c4d5e6f`) and in
`secateur why SESSION`; the first four digits do, if no other begins so.

\b
Exit codes: 0 fine, 1 --grep found nothing, 2 usage, or no such handle.
"""


class Asked(Struct, frozen=True):
    """What the command line said."""

    handle: str
    lines: str | None
    grep: str | None
    json_path: str | None
    page: int | None
    out: str | None
    tenant: str
    store: str
    as_json: bool


class Recalled(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    handle: str
    kind: str  # text, json, media or summary
    bytes: int  # of all of it
    lines: int
    text: str | None = None  # what was asked for; null with --grep and --json-path
    page: int | None = None
    pages: int | None = None
    matches: tuple[tuple[int, str], ...] | None = None  # line number, from 1, and line
    values: list[Any] | None = None


@click.command("recall", epilog=_HELP)
@click.argument("handle", type=HANDLE)
@options.all_of(
    click.option("--lines", metavar="A-B", help="Only these lines, from 1: `5`, `5-20`, `5-`, `-20` (the last 20)."),
    click.option("--grep", metavar="RE", help="Only lines that this Python regular expression matches, numbered."),
    click.option("--json-path", metavar="P", help="Only these values of a JSON text, one a line: `$.items[0].name`."),
    click.option(
        "--page", type=click.IntRange(min=1), metavar="N", help="A page: 200 lines, 20,000 characters at most."
    ),
    click.option("-o", "--output", "out", type=click.Path(), metavar="FILE", help="Write all of it to a file."),
    tenant,
    options.store,
    options.as_json,
)
def command(**given: Any) -> int:
    """Read back what left a view, by its HANDLE."""
    asked = msgspec.convert(given, Asked)
    ways = [one for one in (asked.lines, asked.grep, asked.json_path, asked.page, asked.out) if one is not None]
    if len(ways) > 1:
        raise Refused("--lines, --grep, --json-path, --page and -o are ways to read: give one of them")
    with working("reading the store"), opened_store(asked.store) as kept:
        blob = _blob(kept, asked)
    with working("looking through it"):
        found = recalled(blob, asked)
    if asked.out is not None:
        write.to_file(asked.out, blob.data)
    elif asked.as_json:
        say_json(found, exactly=True)
    else:
        _say(found, blob, asked)
    return FINDINGS if found.matches == () else FINE


def recalled(blob: Blob, asked: Asked) -> Recalled:
    """What was asked for of these bytes."""
    text = _text(blob.data)
    known = Recalled(handle=blob.id[:HANDLE_DIGITS], kind=blob.kind, bytes=len(blob.data), lines=pages.lines_of(text))
    if asked.grep is not None:
        numbered = text.split("\n")
        hits = tuple((number, numbered[number - 1]) for number in matching(text, asked.grep))
        return msgspec.structs.replace(known, matches=hits)
    if asked.json_path is not None:
        return msgspec.structs.replace(known, values=values_at(text, asked.json_path))
    if asked.lines is not None:
        return msgspec.structs.replace(known, text=pages.lines(text, *_range(asked.lines, known.lines)))
    if asked.page is not None:
        page = pages.page(text, asked.page)
        if page.number != asked.page:
            raise Refused(f"there is no page {asked.page}: {known.handle} has {page.pages}")
        return msgspec.structs.replace(known, text=page.text, page=page.number, pages=page.pages)
    return msgspec.structs.replace(known, text=text)


def _text(data: bytes) -> str:
    """The bytes as text; what is none, as what `restore` needs, with signs in place of what cannot be shown."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def _blob(kept: Kept, asked: Asked) -> Blob:
    blob = kept.store.blob(asked.tenant, asked.handle)
    if blob is None:
        raise Refused(
            f"nothing is kept under {asked.handle!r} at {kept.url}: `secateur why SESSION` lists handles and says "
            "which bytes are gone"
        )
    return blob


def _say(found: Recalled, blob: Blob, asked: Asked) -> None:
    """A terminal gets harmless text and is told how to go on; a pipe gets the bytes."""
    if found.matches is not None:
        say_exactly("".join(f"{number}:{line}\n" for number, line in found.matches))
    elif found.values is not None:
        say_exactly("".join(f"{_written(value)}\n" for value in found.values))
    elif sys.stdout.isatty():
        _say_page(found, asked)
    else:
        write.to_stdout(blob.data if asked.lines is None and asked.page is None else _bytes(found.text or ""))


def _say_page(found: Recalled, asked: Asked) -> None:
    text = found.text or ""
    page = pages.page(text) if asked.lines is None and asked.page is None else None
    shown = page.text if page else text
    say_exactly(shown if shown.endswith("\n") or not shown else f"{shown}\n")
    of, number = (page.pages, 1) if page else (found.pages or 1, found.page or 1)
    if number < of:
        tell(f"page {number} of {of}, {found.lines:,} lines: --page {number + 1} goes on, -o FILE writes all", err=True)


def _written(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _range(said: str, count: int) -> tuple[int, int | None]:
    """First and last line. Raises Refused for what is no range."""
    first, dash, last = (one.strip() for one in said.partition("-"))
    known = all(not one or one.isdecimal() for one in (first, last)) and (first or last)
    if not known or (first and last and int(first) > int(last)) or first == "0":
        raise Refused(f"--lines {said} is no range of lines: write 5, 5-20, 5- or -20")
    if not first:
        return max(1, count - int(last) + 1), None
    return int(first), int(last) if last else None if dash else int(first)
