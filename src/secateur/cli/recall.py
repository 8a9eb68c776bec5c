"""`secateur recall`: the bytes that left a view, read back: all, in pages, by lines, by an expression, by a JSON path.

Rule: through a pipe, into a file and with -o come the very bytes; a terminal gets a page. Only what is asked for is
shown, and an expression never takes longer than a few seconds.
"""

import sys
from typing import Annotated, Any

import click
import msgspec
from msgspec import Struct

from secateur.answers import recall
from secateur.answers.recall import find_matching_lines, find_values
from secateur.cli import options
from secateur.cli.exit_codes import FINDINGS, SUCCESS, UsageError
from secateur.cli.number_types import NumberType
from secateur.cli.options import Options, make_option
from secateur.cli.output.progress import show_work
from secateur.cli.output.terminal import print_blocks, print_exact, print_json
from secateur.cli.store_option import OpenedStore, open_existing_store
from secateur.cli.writer import write_file, write_stdout
from secateur.lineage import HANDLE_DIGITS
from secateur.stores.protocol import Blob

SCHEMA = "secateur.recall/1"
_EPILOG = """\
\b
Examples:
  secateur recall 1a2b3c4d5e6f                  a page on a terminal
  secateur recall 1a2b3c4d5e6f > output.txt     all of it, byte for byte
  secateur recall 1a2b --page 2
  secateur recall 1a2b --lines 120-180
  secateur recall 1a2b --grep 'error|failed'
  secateur recall 1a2b --json-path '$.items[*].name'

\b
Handles are in placeholders (`recall 1a2b3c4d5e6f`) and in
`secateur why SESSION`; the first four digits are enough if they are unique.

\b
Exit codes: 0 success, 1 --grep found nothing, 2 usage, or no such handle.
"""


class RecallOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur recall`."""

    handle: options.Handle
    lines: Annotated[
        str | None,
        make_option(
            "--lines", metavar="A-B", help="Only these lines, counted from 1: `5`, `5-20`, `5-`, `-20` (the last 20)."
        ),
    ]
    grep: Annotated[
        str | None,
        make_option("--grep", metavar="RE", help="Only lines that match this Python regular expression, numbered."),
    ]
    json_path: Annotated[
        str | None,
        make_option(
            "--json-path", metavar="P", help="Only these values of a JSON text, one per line: `$.items[0].name`."
        ),
    ]
    page: Annotated[
        int | None,
        make_option(
            "--page", type=NumberType(min=1), metavar="N", help="Page N: at most 200 lines or 20,000 characters."
        ),
    ]
    output: Annotated[
        str | None, make_option("-o", "--output", type=click.Path(), metavar="FILE", help="Write all of it to a file.")
    ]
    tenant: options.Tenant
    store: options.StoreUrl
    as_json: options.AsJson


class RecallReport(Struct, frozen=True, kw_only=True):
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


@options.make_command("recall", RecallOptions, _EPILOG)
def command(args: RecallOptions) -> int:
    """Read back what was removed from a view, by its HANDLE."""
    ways = [way for way in (args.lines, args.grep, args.json_path, args.page, args.output) if way is not None]
    if len(ways) > 1:
        raise UsageError("--lines, --grep, --json-path, --page and -o exclude each other: give one of them")
    with show_work("reading the store"), open_existing_store(args.store) as kept:
        blob = _find_blob(kept, args)
    with show_work("looking through it"):
        report = select_content(blob, args)
    if args.output is not None:
        write_file(args.output, blob.data)
    elif args.as_json:
        print_json(report, exactly=True)
    else:
        _print_found(report, blob, args)
    return FINDINGS if report.matches == () else SUCCESS


def select_content(blob: Blob, args: RecallOptions) -> RecallReport:
    """The part of the content that the options select."""
    text = _decode(blob.data)
    known = RecallReport(
        handle=blob.id[:HANDLE_DIGITS], kind=blob.kind, bytes=len(blob.data), lines=recall.count_lines(text)
    )
    if args.grep is not None:
        numbered = text.split("\n")
        hits = tuple((number, numbered[number - 1]) for number in find_matching_lines(text, args.grep))
        return msgspec.structs.replace(known, matches=hits)
    if args.json_path is not None:
        return msgspec.structs.replace(known, values=find_values(text, args.json_path))
    if args.lines is not None:
        first, last = recall.parse_line_range(args.lines, known.lines)
        return msgspec.structs.replace(known, text=recall.slice_lines(text, first, last))
    if args.page is not None:
        page = recall.page(text, args.page)
        if page.number != args.page:
            raise UsageError(f"no page {args.page}: {known.handle} has {page.pages}")
        return msgspec.structs.replace(known, text=page.text, page=page.number, pages=page.pages)
    return msgspec.structs.replace(known, text=text)


def _decode(data: bytes) -> str:
    """The bytes as text; what is none, as what `restore` needs, with signs in place of what cannot be shown."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def _find_blob(kept: OpenedStore, args: RecallOptions) -> Blob:
    blob = kept.store.get_blob(args.tenant, args.handle)
    if blob is None:
        raise UsageError(
            f"there is no handle {args.handle!r} at {kept.url}: `secateur why SESSION` lists handles and says "
            "which bytes are gone"
        )
    return blob


def _print_found(report: RecallReport, blob: Blob, args: RecallOptions) -> None:
    """A terminal gets safe text and a hint how to continue; a pipe gets the bytes."""
    if report.matches is not None:
        print_exact("".join(f"{number}:{line}\n" for number, line in report.matches))
    elif report.values is not None:
        print_exact("".join(f"{_format_value(value)}\n" for value in report.values))
    elif sys.stdout.isatty():
        _print_page(report, args)
    else:
        write_stdout(blob.data if args.lines is None and args.page is None else _encode(report.text or ""))


def _print_page(report: RecallReport, args: RecallOptions) -> None:
    text = report.text or ""
    page = recall.page(text) if args.lines is None and args.page is None else None
    shown = page.text if page else text
    print_exact(shown if shown.endswith("\n") or not shown else f"{shown}\n")
    of, number = (page.pages, 1) if page else (report.pages or 1, report.page or 1)
    if number < of:
        print_blocks(
            f"page {number} of {of}, {report.lines:,} lines: --page {number + 1} is next, -o FILE writes all", err=True
        )


def _format_value(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
