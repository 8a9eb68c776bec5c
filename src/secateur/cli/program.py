"""The program: its commands by name, and the one place where errors become messages and exit codes.

Rule: a command's module is imported when that command runs, never for `--help`; no error is shown as a traceback.
"""

import codecs
import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from io import TextIOWrapper
from typing import Any, TextIO

import click

from secateur.cli.exit_codes import SUCCESS, OutputClosed, format_error, get_exit_code
from secateur.errors import ConfigError, FormatError
from secateur.registry import PluginWarning, Registry
from secateur.text.suggestions import suggest_names

COMMAND_GROUPS = {
    "Look at a session file or request body": {
        "inspect": "Show what a context is made of: by kind, tool and turn.",
        "simulate": "Show what sessions would have cost under each policy.",
        "scan": "Show where the money and tokens of a folder of sessions went.",
        "diff": "Compare two documents, or one with its pruned view.",
        "check": "List what an API would reject, by rule.",
        "ls": "List the sessions of the agents on this machine.",
    },
    "Write a smaller or repaired one": {
        "prune": "Remove stale tool outputs from a session or request.",
        "compact": "Prune, and summarize what still does not fit.",
        "repair": "Repair a session or request so that it can be sent again.",
        "recover": "Write a hand-off document after a bad compaction.",
        "restore": "Restore the original of a pruned file.",
    },
    "Use it with an agent": {
        "run": "Run an agent behind the proxy, and end both together.",
        "serve": "Serve a proxy between agents and their providers.",
        "status": "Show what the proxy did, and what it saved.",
        "install": "Install secateur into an agent as a plugin.",
        "uninstall": "Uninstall it from an agent, and restore every file.",
        "mcp": "Serve the model tools that read back removed content.",
    },
    "See and undo what was done (sessions in a store)": {
        "sessions": "List stored sessions.",
        "why": "Show what was removed from a session, and why.",
        "recall": "Read back what was removed, by its handle.",
        "undo": "Undo an epoch (one batch of edits).",
        "replay": "Write a past view again, byte for byte.",
        "pin": "Keep something in a session's views.",
        "unpin": "Remove a pin.",
        "verify": "Verify that a session's record was not changed.",
        "purge": "Delete a session from the store permanently.",
        "gc": "Delete stored bytes older than the retention period.",
    },
    "Settings": {
        "policies": "List the policies, or print one as TOML.",
        "doctor": "Show the settings in effect and where each comes from.",
        "plugins": "List what other distributions add, and what can be added.",
        "completion": "Print the shell's completion script.",
    },
    "Started by the plugins, not by people": {
        "hook": "Answer one event of a host, as JSON.",
        "bridge": "Answer a host's plugin, in JSON lines.",
    },
}
COMMANDS = {name: help_text for group in COMMAND_GROUPS.values() for name, help_text in group.items()}
_EXAMPLES = """\
\b
Examples:
  secateur inspect claude:last
  secateur prune session.jsonl -o pruned.jsonl
  secateur simulate session.jsonl
  secateur run claude

\b
`secateur COMMAND --help` has the options and examples of a command.

\b
Exit codes: 0 success, 1 findings, 2 usage or configuration,
3 input unreadable, 4 still too long.
"""


class CommandGroup(click.Group):
    """A group that lists its commands by name and imports only the one that runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS, *REGISTRY.load_plugins()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return REGISTRY.get(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and REGISTRY.get(args[0]) is None:
            near = suggest_names(args[0], REGISTRY.list_names())
            hint = f"did you mean {near}?" if near else f"choose one of {', '.join(REGISTRY.list_names())}"
            raise click.UsageError(f"There is no command {args[0]!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        for title, group in COMMAND_GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), help_text) for name, help_text in group.items()])
        added = [(name, command.get_short_help_str(60)) for name, command in REGISTRY.load_plugins().items()]
        if added:
            with formatter.section("Commands of plugins"):
                formatter.write_dl(added)


def _check_command(name: str, loaded: Any) -> click.Command:
    if not isinstance(loaded, click.Command):
        raise ConfigError(f"{loaded!r:.80} is not a click.Command")
    return loaded


_REPLACE = "secateur.plain"  # how streams handle what they cannot encode
_PLAIN_SIGNS = str.maketrans({"→": "->", "←": "<-", "×": "x", "…": "~", "–": "-", "−": "-"})

REGISTRY: Registry[click.Command] = Registry(
    "commands", {name: f"secateur.cli.{name}:command" for name in COMMANDS}, _check_command
)


@click.command(
    cls=CommandGroup,
    invoke_without_command=True,
    epilog=_EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    subcommand_metavar="COMMAND [INPUT] [OPTIONS]",
)
@click.option("--version", "-V", "asked", is_flag=True, is_eager=True, help="Show the version and exit.")
@click.pass_context
def program(ctx: click.Context, asked: bool) -> None:
    """Keep a long-running agent inside its context window.

    INPUT is a recorded session file or a request body (plain or gzip), or - for standard input. Its format is
    recognized from its content. `last`, `claude:last` or the beginning of an id stands for a session of an agent on
    this machine; `secateur ls` lists them.
    """
    if asked:
        from secateur.cli.installed import get_version

        _print(f"secateur {get_version()}\n")
        ctx.exit()
    if ctx.invoked_subcommand is None:
        raise click.exceptions.NoArgsIsHelpError(ctx)
    command = REGISTRY.get(ctx.invoked_subcommand)
    if command is not None:
        from secateur.cli.settings_file import apply_settings

        apply_settings(ctx, command)


def run(args: Sequence[str]) -> int:
    """Run with these arguments; return the exit code."""
    sys.stdout, sys.stderr = _make_tolerant(sys.stdout), _make_tolerant(sys.stderr)
    sys.stdin = sys.stdin or open(os.devnull)  # noqa: SIM115 - one that is closed is empty
    warnings.showwarning = _show_warning
    try:
        return program.main(list(args), prog_name="secateur", standalone_mode=False) or SUCCESS
    except click.exceptions.NoArgsIsHelpError as error:
        _print(f"{error.format_message()}\n", err=True)
        return error.exit_code
    except RecursionError:
        from secateur.jsontext import TOO_DEEP

        return _report_error(FormatError(TOO_DEEP))
    except (Exception, KeyboardInterrupt) as error:
        return _report_error(error)


def _make_tolerant(stream: TextIO | None) -> TextIO:
    """A stream that writes other characters for what it cannot encode; a closed one becomes the null device."""
    if stream is None:
        return open(os.devnull, "w")
    if isinstance(stream, TextIOWrapper):
        codecs.register_error(_REPLACE, _replace_unencodable)
        stream.reconfigure(errors=_REPLACE)
    return stream


def _replace_unencodable(error: UnicodeError) -> tuple[str, int]:
    """What stands for characters that the stream cannot encode: plain letters for signs of ours, `?` for others."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return error.object[error.start : error.end].translate(_PLAIN_SIGNS).encode("ascii", "replace").decode(), error.end


def _report_error(error: BaseException) -> int:
    if os.environ.get("SECATEUR_DEBUG"):
        traceback.print_exception(error)
    if isinstance(error, OutputClosed):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # so that the last flush has somewhere to go
    elif sentence := format_error(error):
        _print(f"secateur: {sentence}\n", err=True)
    return get_exit_code(error)


def _show_warning(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
    """A plugin that cannot be used, in one line; other warnings as Python shows them."""
    if issubclass(category, PluginWarning):
        _print(f"secateur: warning: {message}\n", err=True)
    else:
        _SHOW_WARNING(message, category, *place, **more)


_SHOW_WARNING = warnings.showwarning


def _print(text: str, err: bool = False) -> None:
    from secateur.cli.output.terminal import print_text  # `--help` does without what it loads

    print_text(text, err)
