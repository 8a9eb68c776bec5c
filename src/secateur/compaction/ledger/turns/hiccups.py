"""Calls that failed by a slip of the agent's own, such as a wrong flag or path, and were made well later.

Rule: a slip tells nothing of the work. A command that failed is a slip where a later one of the turn that begins alike
succeeded; a check only where it never came to check anything. So is a trial that lacked what was installed since.
"""

import re
from collections.abc import Iterable, Iterator

from secateur.toolcalls.commands import is_check as is_check_line

_SLIP = re.compile(  # the command was wrong, not what it was made for
    r"(?i)\bcommand not found\b|\b(?:unknown|unrecognized|invalid|illegal|unexpected) (?:flag|option|argument|switch|-)"
    r"|\bunknown (?:sub)?command\b|^\W*(?:error: )?usage:|\bsetup failed\b|\bno test files\b|\bnot a git repository\b"
    r"|\bmissing script\b|\bno rule to make\b|\bcan['’]t open file\b"
)
_MISSED = re.compile(  # a tool was given a path or a text that is not there
    r"(?i)\bno such file\b|\bENOENT\b|\bfile does not exist\b|\bfile not found\b|\bhas not been read\b"
    r"|\bstring to replace\b|\bold_string\b|\bsibling tool call\b"
)
_INSTALLS = re.compile(
    r"\b(?:pip|pip3|uv|poetry|npm|pnpm|yarn|bun|apt|apt-get|brew|gem|cargo|go)\b"
    r"[^\n]{0,40}\b(?:install|add|i)\b"
)
_LACKS_MODULE = re.compile(r"(?i)\bno module named\b|\bcannot find (?:module|package)\b|\bcommand not found\b")
_OPTION = re.compile(r"(?:-|[A-Z_]+=)")
_HEAD_WORDS = 2  # of a command, by which another one is known to begin alike


def is_slip(error: str, is_run: bool) -> bool:
    """Whether an error only says that the call was wrong: of a command how it was written, of a tool also where."""
    return _SLIP.search(error) is not None or (not is_run and _MISSED.search(error) is not None)


def name_head(line: str) -> str:
    """Return the program of a command line and what it was asked to do, without options."""
    words = [word for word in line.split() if not _OPTION.match(word)]
    return " ".join(words[:_HEAD_WORDS])


def find_mended(line: str, is_check: bool, failed: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield the commands of these, each with its error, that this one, which succeeded, mends."""
    head = name_head(line)
    is_install = _INSTALLS.search(line) is not None
    for other, error in failed:
        if is_install and _LACKS_MODULE.search(error) and not is_check_line(other):
            yield other
            continue
        if other != line and name_head(other) == head and (not is_check or is_slip(error, True)):
            yield other
