"""`secateur policies`: the presets, one line each; with a name, that policy as TOML to start one's own from.

Rule: what is printed loads back to the same policy.
"""

import click
from msgspec import Struct

from secateur import policy
from secateur.cli import options, tables
from secateur.cli.names import DEFAULT, POLICY
from secateur.cli.terminal import say, say_json, tell

_HELP = """\
\b
Examples:
  secateur policies
  secateur policies hermes > mine.toml      # change it, then:
  secateur prune session.jsonl --policy mine.toml
"""


class Line(Struct, frozen=True):
    """A preset in one line."""

    name: str
    doc: str
    default: bool
    in_place: str  # always, bodies or never


@click.command("policies", epilog=_HELP)
@click.argument("name", required=False, type=POLICY)
@options.as_json
def command(name: str | None, as_json: bool) -> None:
    """List the policies, or print NAME (a preset or a policy file) as TOML."""
    if name is not None:
        chosen = policy.load(name)
        return say_json(chosen) if as_json else say(policy.as_toml(chosen))
    lines = [_line(each) for each in policy.names()]
    if as_json:
        return say_json(lines)
    return tell(
        tables.listed([(line.name + (" *" if line.default else ""), line.doc) for line in lines]), "* the default"
    )


def _line(name: str) -> Line:
    loaded = policy.load(name)
    return Line(name, loaded.doc, name == DEFAULT, loaded.in_place)
