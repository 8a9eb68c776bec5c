"""`secateur policies`: the presets, one line each; with a name, that policy as TOML to start one's own from.

Rule: what is printed loads back to the same policy.
"""

from typing import Annotated

from msgspec import Struct

from secateur import policy
from secateur.cli import options
from secateur.cli.names import POLICY
from secateur.cli.options import Options, make_argument
from secateur.cli.output import tables
from secateur.cli.output.terminal import print_blocks, print_json, print_text
from secateur.defaults import POLICY as DEFAULT

_EPILOG = """\
\b
Examples:
  secateur policies
  secateur policies hermes > mine.toml      # change it, then:
  secateur prune session.jsonl --policy mine.toml
"""


class PolicySummary(Struct, frozen=True):
    """A preset in one line."""

    name: str
    description: str
    suits: str  # whom it suits, in one line; "" where it does not say
    default: bool
    allow_in_place: str  # always, bodies or never


class PoliciesOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur policies`."""

    name: Annotated[str | None, make_argument(required=False, type=POLICY)]
    as_json: options.AsJson


@options.make_command("policies", PoliciesOptions, _EPILOG)
def command(args: PoliciesOptions) -> None:
    """List the policies, or print NAME (a preset or a policy file) as TOML."""
    if args.name is not None:
        chosen = policy.load(args.name)
        return print_json(chosen) if args.as_json else print_text(policy.as_toml(chosen))
    lines = [_summarize_policy(name) for name in policy.list_preset_names()]
    if args.as_json:
        return print_json(lines)
    return print_blocks(
        tables.make_list(
            [(line.name + (" *" if line.default else ""), line.suits or line.description) for line in lines]
        ),
        "* default",
    )


def _summarize_policy(name: str) -> PolicySummary:
    loaded = policy.load(name)
    return PolicySummary(name, loaded.description, loaded.suits, name == DEFAULT, loaded.allow_in_place)
