"""`secateur check`: what an API would refuse of a document, by rule, with the place and the remedy.

Rule: a request body is read as it stands, a session file as its host would send it (its active branch). Violations are
findings (exit 1), warnings alone are not. Nothing is mended here.
"""

from typing import Any

import click
import msgspec
from msgspec import Struct

from secateur.api import Violation
from secateur.cli import options, tables
from secateur.cli.exits import FINDINGS, FINE
from secateur.cli.lawful import violations
from secateur.cli.names import PROFILE
from secateur.cli.progress import working
from secateur.cli.reading import Opened, opened
from secateur.cli.report import Side, side
from secateur.cli.source import read
from secateur.cli.terminal import harmless, say_json, tell

SCHEMA = "secateur.check/1"

_HELP = """\
\b
Examples:
  secateur check request.json
  secateur check session.jsonl --json | jq .violations
  secateur check request.json --profile mistral

\b
Exit codes: 0 fine, 1 violations, 2 usage, 3 input unreadable.
"""


class Asked(Struct, frozen=True):
    """What the command line said."""

    input: str
    format_name: str | None
    profile: str | None
    as_json: bool


class Checked(Struct, frozen=True, kw_only=True):
    """What the rules told of one document."""

    schema: str = SCHEMA
    input: Side
    reason: str  # why it was taken for its format
    family: str  # whose rules were asked
    profile: str | None
    violations: tuple[Violation, ...]  # in the order of the history; messages count from 0
    warnings: tuple[str, ...]


@click.command("check", epilog=_HELP)
@click.argument("input", default="-", type=click.Path(), metavar="[INPUT]")
@options.all_of(
    options.format_,
    click.option("--profile", type=PROFILE, metavar="P", help="A server that takes less: strict, mistral, ..."),
    options.as_json,
)
def command(**given: Any) -> int:
    """Check INPUT against the rules of the API it is for: pairs, order, ids, empty texts, cache markers, sizes.

    A session file is checked as its host would send it.
    """
    asked = msgspec.convert(given, Asked)
    with working(f"reading {asked.input}"):
        read_ = opened(read(asked.input), asked.format_name, "estimate")
        found = checked(read_, asked)
    if asked.as_json:
        say_json(found)
    else:
        tell(*_blocks(found, read_))
    return FINDINGS if any(one.severity == "error" for one in found.violations) else FINE


def checked(read_: Opened, asked: Asked) -> Checked:
    """All that the rules tell of a document."""
    family, broken = violations(read_, asked.profile)
    return Checked(
        input=side(read_, asked.input),
        reason=read_.document.reason,
        family=family,
        profile=asked.profile,
        violations=broken,
        warnings=read_.transcript.warnings,
    )


def _blocks(found: Checked, read_: Opened) -> list[Any]:
    errors = sum(one.severity == "error" for one in found.violations)
    rest = len(found.violations) - errors
    whom = "every API" if found.family == "transcript" else found.family
    blocks: list[Any] = [
        f"{harmless(read_.source.label)}: {found.input.format}, {found.reason}",
        f"{found.input.messages:,} messages against the rules of {whom}: {_many(errors, 'violation')}"
        + (f", {_many(rest, 'warning')}" if rest else ""),
    ]
    if found.violations:
        blocks.append(tables.broken(found.violations))
    return blocks + [f"warning: {harmless(warning)}" for warning in found.warnings]


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
