"""`secateur inspect`: what a context is made of, and what is wrong with it.

Rule: it shows a document as it is and changes nothing. Calls without a result and results without a call are findings
(exit 1); a torn last line and outputs that report an error are facts.
"""

from typing import Any

import click
import msgspec
from msgspec import Struct

from secateur import policy
from secateur.cli import anatomy, options, tables
from secateur.cli.anatomy import Place, Share, Tool, Twice
from secateur.cli.exits import FINDINGS, FINE
from secateur.cli.figures import percent, tokens
from secateur.cli.problems import Problem, problems
from secateur.cli.progress import working
from secateur.cli.reading import Opened, opened
from secateur.cli.report import Side, Window, side
from secateur.cli.source import read
from secateur.cli.terminal import harmless, say_json, tell
from secateur.cli.turns import Turn, by_turn
from secateur.policy.windows import resolve
from secateur.tokens import counted_by

SCHEMA = "secateur.inspect/1"

_HELP = """\
\b
Examples:
  secateur inspect session.jsonl
  secateur inspect request.json --largest 20
  zcat session.jsonl.gz | secateur inspect - --json | jq .by_tool

\b
Exit codes: 0 fine, 1 calls or results without their other half, 2 usage,
3 input unreadable.
"""


class Asked(Struct, frozen=True):
    """What the command line said."""

    input: str
    model: str
    window: int | None
    format_name: str | None
    fixed_tokens: int
    counter: str
    largest: int
    as_json: bool


class Inspection(Struct, frozen=True, kw_only=True):
    """What one document is made of. Messages and lines count from 0."""

    schema: str = SCHEMA
    input: Side
    reason: str  # why it was taken for its format
    model: str
    window: Window
    counter: str
    counted_by: str  # the counter, and the factor by which it counts for this model
    by_kind: list[Share]
    by_tool: list[Tool]
    by_turn: list[Turn]
    largest: list[Place]
    duplicates: list[Twice]
    problems: list[Problem]
    warnings: tuple[str, ...]


@click.command("inspect", epilog=_HELP)
@click.argument("input", default="-", type=click.Path(), metavar="[INPUT]")
@options.all_of(
    options.model,
    options.window,
    options.format_,
    options.fixed,
    options.counter,
    click.option(
        "--largest",
        type=click.IntRange(min=0),
        metavar="N",
        default=10,
        show_default=True,
        help="How many large parts.",
    ),
    options.as_json,
)
def command(**given: Any) -> int:
    """Show what INPUT is made of: tokens by kind, tool and turn, largest parts, duplicates, problems."""
    asked = msgspec.convert(given, Asked)
    with working(f"reading {asked.input}"):
        read_ = opened(read(asked.input), asked.format_name, asked.counter, asked.fixed_tokens, asked.model)
        found = inspection(read_, asked)
    if asked.as_json:
        say_json(found)
    else:
        tell(*_blocks(found, read_))
    return FINDINGS if found.problems else FINE


def inspection(read_: Opened, asked: Asked) -> Inspection:
    """All that is to be said of a document."""
    transcript = read_.transcript
    model = asked.model or transcript.model
    recorded = transcript.window if model == transcript.model else 0
    return Inspection(
        input=side(read_, asked.input),
        reason=read_.document.reason,
        model=model,
        window=Window(*resolve(asked.window, model, policy.load("observe"), recorded=recorded)),
        counter=asked.counter,
        counted_by=counted_by(asked.counter, model),
        by_kind=anatomy.by_kind(transcript),
        by_tool=anatomy.by_tool(transcript),
        by_turn=by_turn(transcript),
        largest=anatomy.largest(transcript, asked.largest),
        duplicates=anatomy.twice(transcript),
        problems=problems(transcript),
        warnings=transcript.warnings,
    )


def _blocks(found: Inspection, read_: Opened) -> list[Any]:
    whole = found.input.tokens
    turns = sum(turn.turn > 0 for turn in found.by_turn)
    share = percent(whole, found.window.value)
    blocks: list[Any] = [
        f"{harmless(read_.source.label)}: {found.input.format}, {found.reason}",
        f"about {tokens(whole)} tokens in {found.input.messages:,} messages and {turns:,} turns,"
        f" {share} of a window of {tokens(found.window.value)}: {found.window.source}",
        f"counted by {harmless(found.counted_by)}",
        "",
        tables.kinds(found.by_kind, whole),
    ]
    if found.by_tool:
        blocks.append(tables.tools(found.by_tool, whole))
    blocks.append(tables.turns(found.by_turn, whole))
    if found.largest:
        blocks.append(tables.places("Largest parts", found.largest))
    if found.duplicates:
        blocks.append(tables.repeated(found.duplicates))
    blocks.append(
        tables.wrong(found.problems) if found.problems else "No call without its result, and none the other way."
    )
    return blocks + [f"warning: {harmless(warning)}" for warning in found.warnings]
