"""`secateur hook`: answers one event of a host, JSON on standard input, JSON on standard output.

Rule: the host always gets an answer, and exit code 0; what a person should know goes to standard error.
"""

import json
import sys
from typing import Any

import click

from secateur.cli import options
from secateur.cli.exits import FINE
from secateur.cli.terminal import say, say_json

HOSTS = ("pi",)
_HELP = """\
\b
Examples:
  secateur hook pi < event.json
  secateur hook pi --summarizer anthropic:claude-haiku-4-5 < event.json

\b
Pi's events: session_before_compact is answered by {"compaction": {...}} or
{"cancel": true}, context by {"messages": [...]}.
"""


@click.command("hook", epilog=_HELP)
@click.argument("host", type=click.Choice(HOSTS), metavar="HOST")
@click.option("--policy", default="pi-auto-compressor", show_default=True, metavar="P", help="A preset or policy file.")
@options.all_of(options.summarizer, options.local_only, options.deadline)
def command(**given: Any) -> int:
    """Answer one event of HOST (pi), for an extension that hands it over."""
    from secateur.hosts import pi
    from secateur.policy import load

    try:
        event = json.load(sys.stdin)
    except ValueError as error:
        event, given["policy"] = {"type": f"not JSON ({error})"}, "observe"
    answer = pi.answered(
        event if isinstance(event, dict) else {},
        load(given["policy"]),
        given["summarizer"] or None,
        given["deadline"],
        given["local_only"],
    )
    say_json(answer.native, exactly=True)
    say(f"{answer.status}\n", err=True)
    return FINE
