"""The options that commands share, each said once.

Rule: an option means the same in every command that has it.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from secateur.cli.names import DEFAULT, FORMAT, POLICY

Command = TypeVar("Command", bound=Callable[..., Any])


def all_of(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """The options in the order in which help shows them."""

    def wrapped(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return wrapped


policy = click.option(
    "--policy",
    type=POLICY,
    metavar="P",
    default=DEFAULT,
    show_default=True,
    help="A preset (see `secateur policies`) or a policy file: TOML, or OpenClaw's own configuration.",
)
other_policy = click.option(
    "--policy", type=POLICY, metavar="P", help=f"A preset or a policy file.  [default: {DEFAULT}]"
)
model = click.option("--model", default="", metavar="M", help="The model of the next request; else the document's own.")
window = click.option(
    "--window",
    type=click.IntRange(min=1),
    metavar="N",
    help="The context window in tokens; else looked up by the model.",
)
format_ = click.option(
    "--format", "format_name", type=FORMAT, metavar="F", help="The document's format; else detected."
)
idle = click.option(
    "--idle",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="Time since the last request; else now minus the document's last timestamp, else unknown.",
)
protect = click.option(
    "--protect", multiple=True, metavar="GLOB", help="Never prune these tools (`mcp_*`). May be given more than once."
)
fixed = click.option(
    "--fixed-tokens",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Tokens of the system prompt and tools, for logs that lack them.",
)
counter = click.option(
    "--counter",
    type=click.Choice(["estimate", "o200k"]),
    default="estimate",
    show_default=True,
    help="What counts the tokens of the report. o200k is exact and needs secateur[tokens].",
)
output = click.option(
    "-o",
    "--output",
    "out",
    type=click.Path(),
    metavar="OUT",
    help="Where to write; - is standard output. NAME.gz is packed.",
)
in_place = click.option("--in-place", is_flag=True, help="Write to INPUT itself, and keep INPUT.bak (then .bak1, ...).")
plan_out = click.option(
    "--plan-out",
    type=click.Path(),
    metavar="FILE",
    help="Write the plan: what was decided, to be carried out by --apply.",
)
apply_ = click.option(
    "--apply",
    type=click.Path(),
    metavar="FILE",
    help="Carry out this plan, and nothing else. Give the policy it was made by.",
)
store = click.option(
    "--store",
    default="",
    metavar="URL",
    help="Where sessions are kept; else SECATEUR_STORE, else a file in the user's data folder.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output, nothing else.")
