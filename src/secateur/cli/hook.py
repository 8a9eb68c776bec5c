"""`secateur hook`: answers one event of a host, JSON on standard input, JSON on standard output.

Rule: the host always gets an answer, and exit code 0; messages for the user go to standard error.
"""

import json
import sys
from typing import Annotated

import click

from secateur.cli import options
from secateur.cli.exit_codes import SUCCESS
from secateur.cli.options import Options, make_argument, make_option
from secateur.cli.output.terminal import print_json, print_text

HOSTS = ("pi",)
_EPILOG = """\
\b
Examples:
  secateur hook pi < event.json
  secateur hook pi --summarizer anthropic:claude-haiku-4-5 < event.json

\b
Pi's events: session_before_compact is answered with {"compaction": {...}} or
{"cancel": true}, context by {"messages": [...]}.
"""


class HookOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur hook`."""

    host: Annotated[str, make_argument(type=click.Choice(HOSTS), metavar="HOST")]
    policy: Annotated[
        str,
        make_option(
            "--policy", default="pi-auto-compressor", show_default=True, metavar="P", help="A preset or policy file."
        ),
    ]
    summarizer: options.Summarizers
    local_only: options.LocalOnly
    deadline: options.Deadline


@options.make_command("hook", HookOptions, _EPILOG)
def command(args: HookOptions) -> int:
    """Answer one event of HOST (pi), given on standard input by its extension."""
    from secateur.hosts import pi
    from secateur.policy import load

    try:
        event, name = json.load(sys.stdin), args.policy
    except ValueError as error:
        event, name = {"type": f"not JSON ({error})"}, "observe"
    answer = pi.handle_event(
        event if isinstance(event, dict) else {}, load(name), args.summarizer or None, args.deadline, args.local_only
    )
    print_json(answer.native, exactly=True)
    print_text(f"{answer.status}\n", err=True)
    return SUCCESS
