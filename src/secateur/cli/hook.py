"""`secateur hook`: answers one event of a host, JSON on standard input, JSON on standard output.

Rule: the host always gets an answer, and exit code 0; messages for the user go to standard error.
"""

import json
import sys
from typing import Annotated, Any

import click

from secateur.cli import options
from secateur.cli.exit_codes import SUCCESS
from secateur.cli.options import Options, make_argument, make_option
from secateur.cli.output.terminal import print_exact, print_json, print_text

HOSTS = {"claude-code": "balance", "pi": "pi-auto-compressor"}  # with the policy of each
_EPILOG = """\
\b
Examples:
  secateur hook pi < event.json
  secateur hook pi --summarizer anthropic:claude-haiku-4-5 < event.json
  secateur hook claude-code < event.json

\b
Claude Code's events: PostToolUse is answered with a shorter output of Bash,
PreCompact with the user's rules, SessionStart after a compaction with facts.
Pi's events: session_before_compact is answered with {"compaction": {...}} or
{"cancel": true}, context by {"messages": [...]}.
"""


class HookOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur hook`."""

    host: Annotated[str, make_argument(type=click.Choice(list(HOSTS)), metavar="HOST")]
    policy: Annotated[
        str,
        make_option("--policy", default="", metavar="P", help="A preset or a policy file; default: the host's."),
    ]
    summarizer: options.Summarizers
    local_only: options.LocalOnly
    deadline: options.Deadline


@options.make_command("hook", HookOptions, _EPILOG)
def command(args: HookOptions) -> int:
    """Answer one event of HOST (claude-code or pi), given on standard input."""
    try:
        event, name = json.load(sys.stdin), args.policy or HOSTS[args.host]
    except (ValueError, RecursionError) as error:
        event, name = {"type": f"not JSON ({error})"}, "observe"
    event = event if isinstance(event, dict) else {}
    return _answer_claude_code(event, name) if args.host == "claude-code" else _answer_pi(event, name, args)


def _answer_claude_code(event: dict[str, Any], policy: str) -> int:
    from secateur.hosts.activity import find_host_folder
    from secateur.hosts.claude_code import HOST, handle_event

    reply = handle_event(event, policy, "", find_host_folder(HOST))
    print_exact(reply.text)
    print_text(f"{reply.status}\n", err=True)
    return SUCCESS


def _answer_pi(event: dict[str, Any], name: str, args: HookOptions) -> int:
    from secateur.errors import ConfigError
    from secateur.hosts import pi
    from secateur.policy import load

    try:
        policy, error = load(name), ""
    except ConfigError as raised:  # the host is answered all the same: as by a policy that changes nothing
        policy, error = load("observe"), f"nothing was done: {raised}"
    answer = pi.handle_event(event, policy, args.summarizer or None, args.deadline, args.local_only)
    print_json(answer.native, exactly=True)
    print_text(f"{error or answer.status}\n", err=True)
    return SUCCESS
