"""Output for people: text on standard output or standard error, with the color and width that the terminal supports.

Rule: text of a session never controls the terminal: control characters are shown, not sent. All output passes through
`print_text`, `print_exact`, `print_json` or the console of `make_console`, and each of them cleans it, so no caller has
to remember. Secrets are removed there too, unless the command line says `--raw`; exact read-backs are marked as such.
NO_COLOR, a pipe and an 80-column window each give plain, whole lines. Rich is loaded only when something is drawn.
"""

import json
import re
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click
import msgspec
from msgspec import Struct

from secateur.cli.exit_codes import OutputClosed
from secateur.redact import redact, redact_tree

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_SPACE = re.compile(r"\s+")
_RAW = "secateur.raw"  # in the context of a command whose output is to be shown as it is
_MAX_CHARS = 20_000  # characters of a text that is cut to its start: what is beyond them is not looked through
_MIN_COLUMNS = 70  # columns below which tables would lose their names: better a line that wraps


class StyledLine(Struct, frozen=True):
    """One line, with a style of Rich's."""

    text: str
    style: str = ""


def print_text(text: str, err: bool = False) -> None:
    """Print lines to standard output or standard error. Raises OutputClosed if the reader closed it."""
    _write(clean(hide_secrets(text)), err)


def allow_raw(context: click.Context, parameter: click.Parameter, is_raw: bool) -> None:
    """Let a command's output through as it is: the callback of `--raw`."""
    context.meta[_RAW] = is_raw


def hide_secrets(text: str) -> str:
    """The text without secrets; unchanged if the command line says `--raw`."""
    return text if _is_raw() else redact(text)


def take_start(text: str, chars: int) -> str:
    """The first characters of a text, cut after secrets are removed: half a secret would not be recognized."""
    return hide_secrets(text[: max(_MAX_CHARS, chars)])[:chars]


def print_exact(text: str, err: bool = False) -> None:
    """Write a text as it is, secrets too; on a terminal without control characters. Raises OutputClosed."""
    _write(clean(text) if (sys.stderr if err else sys.stdout).isatty() else text, err)


def render_blocks(*blocks: Any, err: bool = False) -> str:
    """Render the blocks with Rich for their stream.

    Strings are prose, wrapped on a terminal; a line object is cut at a terminal's edge. A pipe gets both whole.
    """
    console = make_console(err)
    wide = not console.is_terminal
    with console.capture() as captured:
        for block in blocks:
            if isinstance(block, StyledLine):
                console.print(
                    hide_secrets(block.text), style=block.style, no_wrap=True, overflow="ellipsis", soft_wrap=wide
                )
            else:
                console.print(
                    hide_secrets(block) if isinstance(block, str) else block, soft_wrap=wide and isinstance(block, str)
                )
    return "".join(line.rstrip(" ") + "\n" for line in captured.get().splitlines())


def print_json(value: Any, exactly: bool = False) -> None:
    """Any of our values as one JSON object on standard output, laid out where a person looks.

    Lone surrogates in names stay as escapes. `exactly` is for what a program or a person reads back on purpose.
    """
    data = msgspec.to_builtins(value)
    data = data if exactly or _is_raw() else redact_tree(data)
    text = json.dumps(data, indent=2 if sys.stdout.isatty() else None)
    _write(text.replace("\x7f", "\\u007f") + "\n")  # the one control character that JSON leaves as it is


def print_blocks(*blocks: Any, err: bool = False) -> None:
    """Draw and say."""
    _write(render_blocks(*blocks, err=err), err)


def to_one_line(text: str, chars: int = 60) -> str:
    """The start of a text on one line, safe for a terminal."""
    short = _SPACE.sub(" ", take_start(text, 4 * chars).strip())
    return clean(short if len(short) <= chars else f"{short[: chars - 1]}…")


def clean(text: str) -> str:
    """The text with control characters, direction marks and lone surrogates made visible."""
    return _CONTROL.sub(_make_visible, text)


def make_console(err: bool) -> "Console":
    """Rich's idea of the stream: color, width, encoding. All text is cleaned on its way out; Rich's own codes stay."""
    from rich.console import Console
    from rich.segment import Segment

    class CleanConsole(Console):
        def render(self, renderable: "RenderableType", options: "ConsoleOptions | None" = None) -> "Iterable[Segment]":
            for segment in super().render(renderable, options):
                yield segment if segment.control else Segment(_clean_all(segment.text), segment.style)

    console = CleanConsole(stderr=err, highlight=False, emoji=False, markup=False)
    if console.width < _MIN_COLUMNS:
        console.width = _MIN_COLUMNS
    return console


def _clean_all(text: str) -> str:
    return clean(hide_secrets(text))


def _is_raw() -> bool:
    context = click.get_current_context(silent=True)
    return bool(context and context.meta.get(_RAW))


def _write(text: str, err: bool = False) -> None:
    stream = sys.stderr if err else sys.stdout
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError as error:
        raise OutputClosed("") from error


def _make_visible(match: "re.Match[str]") -> str:
    code = ord(match[0])
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    if code < 0x20:
        return chr(0x2400 + code)  # the control pictures of Unicode
    return "\u2421" if code == 0x7F else "\ufffd"
