"""`secateur diff`: before and after, as a person reads it: each changed part with where it stands and its first lines.

Rule: two documents, or one and what a policy would make of it; nothing is written. Differences are no findings: 0.
"""

from collections.abc import Iterator
from typing import Any

import click
import msgspec
from msgspec import Struct

from secateur import engine
from secateur.cli import options
from secateur.cli.anatomy import total
from secateur.cli.changes import Change, changes
from secateur.cli.excerpts import excerpt
from secateur.cli.exits import FINE, Refused
from secateur.cli.figures import tokens
from secateur.cli.names import DEFAULT
from secateur.cli.progress import working
from secateur.cli.reading import Opened, opened
from secateur.cli.source import Source, read
from secateur.cli.tables import what
from secateur.cli.terminal import Line, harmless, say_json, shown, tell

_HELP = """\
\b
Examples:
  secateur diff session.jsonl pruned.jsonl
  secateur diff session.jsonl --policy opencode --lines 8
  secateur diff request.json.gz --policy mine.toml --json
"""

_STYLES = {"-": "red", "+": "green"}


class Asked(Struct, frozen=True):
    """What the command line said."""

    a: str
    b: str | None
    policy: str | None
    model: str
    window: int | None
    format_name: str | None
    idle: float | None
    protect: tuple[str, ...]
    fixed_tokens: int
    counter: str
    lines: int
    as_json: bool


class Difference(Struct, frozen=True, kw_only=True):
    """How two documents differ."""

    schema: str = "secateur.diff/1"
    before: str
    after: str
    tokens_before: int
    tokens_after: int
    changes: list[Change]
    gate: str | None = None  # why the policy changed nothing


@click.command("diff", epilog=_HELP)
@click.argument("a", type=click.Path())
@click.argument("b", required=False, type=click.Path())
@options.all_of(
    options.other_policy,
    options.model,
    options.window,
    options.format_,
    options.idle,
    options.protect,
    options.fixed,
    options.counter,
    click.option(
        "--lines",
        type=click.IntRange(min=0),
        metavar="N",
        default=4,
        show_default=True,
        help="Lines shown of each run.",
    ),
    options.as_json,
)
def command(**given: Any) -> int:
    """Show how document B differs from A; without B, what --policy makes of A."""
    asked = msgspec.convert(given, Asked)
    if asked.b is not None and asked.policy is not None:
        raise Refused("B and --policy each say what to compare A with: give one of them")
    with working(f"comparing {asked.a}"):
        before = opened(read(asked.a), asked.format_name, asked.counter, asked.fixed_tokens, asked.model)
        after, gate = _pruned(asked, before) if asked.b is None else (_other(asked, asked.b), None)
        found = _difference(before, after, gate)
    if asked.as_json:
        say_json(found)
    else:
        tell(*_blocks(found, asked.lines))
    return FINE


def _other(asked: Asked, name: str) -> Opened:
    return opened(read(name), asked.format_name, asked.counter, asked.fixed_tokens, asked.model)


def _pruned(asked: Asked, before: Opened) -> tuple[Opened, str | None]:
    """What the policy makes of a document, read again from its bytes."""
    name = asked.policy or DEFAULT
    used = engine.Engine(
        name,
        asked.model,
        window=asked.window,
        format=before.format,
        protect=asked.protect,
        counter=asked.counter,
        compact=False,
        too_long="send",
    )
    view = used.fit(before.source.data, idle_s=asked.idle, fixed_tokens=asked.fixed_tokens)
    outcome = Source(f"{before.source.label} under {view.receipt.policy}", view.native, view.native)
    model = asked.model or before.transcript.model
    after = opened(outcome, before.format, asked.counter, asked.fixed_tokens, model)
    return after, view.receipt.gate or None


def _difference(before: Opened, after: Opened, gate: str | None) -> Difference:
    return Difference(
        before=before.source.label,
        after=after.source.label,
        tokens_before=total(before.transcript),
        tokens_after=total(after.transcript),
        changes=changes(before.transcript, after.transcript),
        gate=gate,
    )


def _blocks(found: Difference, lines: int) -> Iterator[Any]:
    figures = f"{tokens(found.tokens_before)} → {tokens(found.tokens_after)} tokens"
    yield f"{harmless(found.before)} → {harmless(found.after)}: {len(found.changes):,} parts differ, {figures}"
    if not found.changes and found.gate:
        yield f"Nothing was pruned: {found.gate}."
    for change in found.changes:
        yield ""
        yield Line(_heading(change), "bold")
        for line in excerpt(shown(change.before), shown(change.after), lines):
            yield Line(harmless(line), _STYLES.get(line[0], "dim"))


def _heading(change: Change) -> str:
    where = change.where
    line = f", line {where.lines[0] + 1}" if where.lines else ""
    figures = f"{tokens(change.tokens_before)} → {tokens(change.tokens_after)} tokens"
    call = f" ({harmless(where.call[:40])})" if where.call else ""
    return f"message {where.message}{line}: {what(where)} {change.verb}, {figures}{call}"
