"""How a command ends: its exit code, and the one-line message where it fails.

Rule: an error is one line on standard error that names the problem and the remedy; never a traceback. The codes are
those of the reference page: scripts may rely on them.
"""

from errno import ENOSPC

import click

from secateur.errors import FormatError, SecateurError, StillTooLong

SUCCESS = 0
FINDINGS = 1
USAGE = 2
UNREADABLE = 3
TOO_LONG = 4
INTERNAL_ERROR = 70  # a bug in secateur: EX_SOFTWARE of sysexits.h
INTERRUPTED = 130  # 128 + SIGINT, as shells count
PIPE_CLOSED = 141  # 128 + SIGPIPE: the reader of our output closed the pipe
_RENAMED = {
    "--hour": "--cache-ttl 1h",
    "--no-hour": "--cache-ttl 5m",
    "--kappa": "--write-read-ratio (kappa plus 1)",
    "--if-due": "--if-needed",
    "--forget-days": "--delete-sessions-after",
    "--head": "--expect-head",
    "--no-compactions": "--ignore-host-compactions",
}  # options of earlier versions, and what to use now


class UnreadableInput(click.ClickException):
    """The input cannot be read as a session."""

    exit_code = UNREADABLE


class UsageError(click.ClickException):
    """The options cannot be carried out: a setting, a target or a policy does not allow it."""

    exit_code = USAGE


class OutputClosed(click.ClickException):
    """The reader of our output is gone: exit without a message."""

    exit_code = PIPE_CLOSED


def get_exit_code(error: BaseException) -> int:
    """The exit code of an error."""
    if isinstance(error, click.ClickException):
        return error.exit_code
    if isinstance(error, KeyboardInterrupt | click.Abort):
        return INTERRUPTED
    if isinstance(error, FormatError | MemoryError):
        return UNREADABLE
    if isinstance(error, StillTooLong):
        return TOO_LONG
    return USAGE if isinstance(error, SecateurError | OSError) or _find_missing_extra(error) else INTERNAL_ERROR


def format_error(error: BaseException) -> str:
    """The message for an error, on one line; "" if none is needed."""
    if isinstance(error, OutputClosed | KeyboardInterrupt | click.Abort):
        return ""
    if isinstance(error, click.UsageError):
        message = error.format_message()
        if isinstance(error, click.NoSuchOption) and (option := _find_new_option(error)):
            message = f"{error.option_name} was renamed: use {option}"
        return f"{_join_lines(message)}{_format_help_hint(error)}"
    if isinstance(error, click.ClickException):
        return _join_lines(error.format_message())
    if isinstance(error, OSError):
        return _format_os_error(error)
    if isinstance(error, SecateurError):
        return _join_lines(str(error))
    return _format_unexpected(error)


def _format_os_error(error: OSError) -> str:
    if isinstance(error, FileNotFoundError) and error.filename is None:  # of `os.getcwd`
        return "the current folder is gone: change to another one, then run this again"
    if error.errno == ENOSPC:
        return "the disk is full: make room, or write to another one"
    return f"{error.filename}: {error.strerror}" if error.filename is not None else _join_lines(str(error))


def _format_unexpected(error: BaseException) -> str:
    """The message for an error that is not raised on purpose: a missing package, or a bug in secateur."""
    if extra := _find_missing_extra(error):
        return f"this needs {getattr(error, 'name', '')}, which is not installed: pip install 'secateur[{extra}]'"
    if isinstance(error, MemoryError):
        return "there is not enough memory for this input: give a smaller one, or more memory"
    return f"a bug in secateur, {type(error).__name__}: {_join_lines(str(error))} (SECATEUR_DEBUG=1 shows where)"


def _find_missing_extra(error: BaseException) -> str:
    """The extra that provides what could not be imported; "" for any other error."""
    if not isinstance(error, ImportError) or not error.name:
        return ""
    from secateur.cli.installed import find_extra

    return find_extra(error.name)


def _find_new_option(error: click.NoSuchOption) -> str:
    """The replacement of a renamed option in the command that it was given to; "" if there is none."""
    option = _RENAMED.get(error.option_name, "")
    parameters = error.ctx.command.params if error.ctx is not None else []
    return option if any(option.split(" ")[0] in parameter.opts for parameter in parameters) else ""


def _format_help_hint(error: click.UsageError) -> str:
    return f" (see {error.ctx.command_path} --help)" if error.ctx is not None else ""


def _join_lines(text: str) -> str:
    return " ".join(text.split())
