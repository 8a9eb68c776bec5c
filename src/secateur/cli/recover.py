"""`secateur recover`: a hand-off document from a full session file, after a compaction by any host lost what mattered.

Rule: the file is read whole, what the host compacted away included, and never changed. No model is asked.
"""

from typing import Any

import click
import msgspec
from msgspec import Struct

from secateur.cli import options, write
from secateur.cli.exits import Refused
from secateur.cli.progress import working
from secateur.cli.source import read
from secateur.cli.terminal import harmless, say_exactly, say_json, tell
from secateur.cli.unread import unread
from secateur.errors import FormatError
from secateur.recover import MAX_TOKENS, Recovered, recovered

SCHEMA = "secateur.recover/1"

_HELP = """\
\b
Examples:
  secateur recover session.jsonl
  secateur recover session.jsonl -o handoff.md
  secateur recover session.jsonl --max-tokens 20000 | claude -p
  secateur recover session.jsonl --json | jq '{messages, sent, compactions}'

\b
It tells requests and constraints of the user verbatim, files, commands and
how they ended, errors, plans, open questions, the agent's most telling
sentences, and the last words of both. Secrets are taken out.
"""


class Asked(Struct, frozen=True):
    """What the command line said."""

    input: str
    out: str | None
    max_tokens: int
    model: str
    format_name: str | None
    as_json: bool


class Report(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    input: str
    output: str | None
    done: Recovered


@click.command("recover", epilog=_HELP)
@click.argument("input", default="-", type=click.Path(), metavar="[INPUT]")
@options.all_of(
    click.option(
        "--max-tokens",
        type=click.IntRange(min=500),
        default=MAX_TOKENS,
        show_default=True,
        metavar="N",
        help="Of facts and sentences together; the last words come on top.",
    ),
    options.model,
    options.format_,
    options.output_plain,
    options.as_json,
)
def command(**given: Any) -> None:
    """Write a hand-off document (Markdown) from INPUT, a session file: of all that is in it.

    What the host compacted, condensed or cleared away is read too.
    """
    asked = msgspec.convert(given, Asked)
    if asked.as_json and asked.out == "-":
        raise Refused("--json takes standard output: give -o FILE for the document")
    source = read(asked.input)
    with working(f"reading {source.label}"):
        try:
            done = recovered(
                source.data,
                format=asked.format_name,
                model=asked.model,
                max_tokens=asked.max_tokens,
                name="" if source.name == "-" else source.name.rpartition("/")[2],
            )
        except FormatError as error:
            raise unread(source, error) from error
    _put(asked, done)


def _put(asked: Asked, done: Recovered) -> None:
    """The document goes to a file or to standard output, the figures to where the document does not go."""
    to_file = asked.out not in (None, "-")
    if to_file and asked.out is not None:
        write.to_file(asked.out, done.document.encode("utf-8", "replace"), asked.input)
    if asked.as_json:
        return say_json(Report(input=asked.input, output=asked.out, done=done))
    if not to_file:
        say_exactly(done.document)
    return tell(*_figures(done, asked.out if to_file else None), err=not to_file)


def _figures(done: Recovered, target: str | None) -> list[str]:
    gone = done.messages - done.sent
    lost = f", {gone:,} of them no longer sent after {done.compactions:,} compactions" if done.compactions else ""
    told = [f"{done.messages:,} messages{lost}: {done.whole_tokens:,} tokens → {done.tokens:,}."]
    told += [f"warning: {harmless(warning)}" for warning in done.warnings]
    return [*told, f"Written to {harmless(target)}."] if target else told
