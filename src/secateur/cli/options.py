"""The options that commands share, each said once.

Rule: an option means the same in every command that has it.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from secateur.cli.names import COUNTER, DEFAULT, FORMAT, POLICY
from secateur.cli.terminal import show_raw

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
policies = click.option(
    "--policy", "policies", type=POLICY, multiple=True, metavar="P", help="Only these.  [default: all presets]"
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
hour = click.option(
    "--hour/--no-hour",
    default=None,
    help="The client buys the cache's longer lifetime, or not.  [default: as recorded]",
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
    type=COUNTER,
    metavar="C",
    default="estimate",
    show_default=True,
    help="What counts the tokens of the report: estimate, or o200k, which is exact and needs secateur[tokens].",
)
output = click.option(
    "-o",
    "--output",
    "out",
    type=click.Path(),
    metavar="OUT",
    help="Where to write; - is standard output. NAME.gz is packed.",
)
output_plain = click.option(
    "-o", "--output", "out", type=click.Path(), metavar="OUT", help="Where to write; - is standard output."
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
session = click.option(
    "--session", default="", metavar="NAME", help="Keep what leaves, under this name; else named by the history."
)
summarizer = click.option(
    "--summarizer",
    multiple=True,
    metavar="S",
    help="Who writes the summary: anthropic:MODEL, http://HOST:PORT/v1#MODEL, extractive (no model). In order.",
)
local_only = click.option("--local-only", is_flag=True, help="Refuse a summariser on another machine.")
focus = click.option("--focus", default="", metavar="TEXT", help="What the summary should pay most attention to.")
deadline = click.option(
    "--deadline",
    type=click.FloatRange(min=0, min_open=True),
    default=120.0,
    show_default=True,
    metavar="SECONDS",
    help="For all summarisers together; then the summary is made without a model.",
)
dry_run = click.option("--dry-run", is_flag=True, help="Write no document; --plan-out keeps what would be done.")
if_due = click.option("--if-due", is_flag=True, help="Only where the policy's threshold says so.")
store = click.option(
    "--store",
    default="",
    metavar="URL",
    help="Where sessions are kept; else SECATEUR_STORE, else a file in the user's data folder.",
)
_json = click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output, nothing else.")
raw = click.option(
    "--raw",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_raw,
    help="Show text as it is, credentials too; else each is shown as [redacted KIND].",
)


def as_json(command: Command) -> Command:
    """`--json`, and with it `--raw`: what makes a report of what a session says."""
    return _json(raw(command))
