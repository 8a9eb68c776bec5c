"""How a command ends: its exit code, and the one sentence a person reads when it could not do what was asked.

Rule: an error is one sentence on standard error that names the thing and the remedy; never a traceback. Codes are those
of the reference page: scripts may rely on them.
"""

import click

from secateur.errors import FormatError, SecateurError, StillTooLong

SUCCESS = 0
FINDINGS = 1
USAGE = 2
UNREADABLE = 3
TOO_LONG = 4
INTERNAL_ERROR = 70  # a fault of secateur itself: EX_SOFTWARE of sysexits.h
INTERRUPTED = 130  # 128 + SIGINT, as shells count
PIPE_CLOSED = 141  # 128 + SIGPIPE: the reader of our output went away


class UnreadableInput(click.ClickException):
    """The input cannot be read as a session."""

    exit_code = UNREADABLE


class UsageError(click.ClickException):
    """What was asked for may not or cannot be done: a setting, a target, a policy."""

    exit_code = USAGE


class OutputClosed(click.ClickException):
    """Nobody reads our output any more: leave without a word."""

    exit_code = PIPE_CLOSED


def get_exit_code(error: BaseException) -> int:
    """The exit code an error stands for."""
    if isinstance(error, click.ClickException):
        return error.exit_code
    if isinstance(error, KeyboardInterrupt | click.Abort):
        return INTERRUPTED
    if isinstance(error, FormatError):
        return UNREADABLE
    if isinstance(error, StillTooLong):
        return TOO_LONG
    return USAGE if isinstance(error, SecateurError | OSError) or _find_missing_extra(error) else INTERNAL_ERROR


def format_error(error: BaseException) -> str:
    """What to say about it, on one line; "" for what needs no word."""
    if isinstance(error, OutputClosed | KeyboardInterrupt | click.Abort):
        return ""
    if isinstance(error, click.UsageError):
        return f"{_join_lines(error.format_message())}{_format_help_hint(error)}"
    if isinstance(error, click.ClickException):
        return _join_lines(error.format_message())
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, SecateurError | OSError):
        return _join_lines(str(error))
    return _format_unexpected(error)


def _format_unexpected(error: BaseException) -> str:
    """The sentence for an error that no code raises on purpose: a missing package, or a fault of ours."""
    if extra := _find_missing_extra(error):
        return f"this needs {getattr(error, 'name', '')}, which is not installed: pip install 'secateur[{extra}]'"
    return (
        f"a fault of secateur itself, {type(error).__name__}: {_join_lines(str(error))} (SECATEUR_DEBUG=1 shows where)"
    )


def _find_missing_extra(error: BaseException) -> str:
    """The extra that would bring what could not be imported; "" for any other error."""
    if not isinstance(error, ImportError) or not error.name:
        return ""
    from secateur.cli.installed import find_extra

    return find_extra(error.name)


def _format_help_hint(error: click.UsageError) -> str:
    return f" (see {error.ctx.command_path} --help)" if error.ctx is not None else ""


def _join_lines(text: str) -> str:
    return " ".join(text.split())
