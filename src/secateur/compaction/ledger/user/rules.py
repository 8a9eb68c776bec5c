"""Where rules of the project are printed: its instruction files, and commands whose purpose is to tell them.

Rule: by the name of the file or of the command alone, and only where the agent asked for it; what other calls print is
never a rule, whatever it says. A rule names its source, so that no one takes it for the user's word.
"""

import posixpath
import re
from collections.abc import Iterator

from secateur.toolcalls.actions import Action
from secateur.toolcalls.file_effects import list_command_lines, list_paths
from secateur.toolcalls.shell import parse_command_line


def name_rule_source(action: Action) -> str:
    """Return the file or the command by which this call printed rules of the project; "" if it printed none."""
    if not action.ok or not action.result:
        return ""
    return next(_find_sources(action), "")


def name_rules(text: str) -> str:
    """Return the name of the instruction file, or of the host, that a host repeats in this text; "" if it has none."""
    if found := _NAMED.search(text[:_HEAD]):
        return found[0]
    return found[1] or found[2] if (found := _HOST.search(text[:_HEAD])) else ""


def strip_numbers(text: str) -> str:
    """Return what a tool showed of a file without line numbers, the tags around it and the host's remarks."""
    return _NUMBERS.sub("", _REMINDERS.sub("", text))


def _find_sources(action: Action) -> Iterator[str]:
    if action.kind == "read":
        yield from (posixpath.basename(path) for path in list_paths(action) if is_rule_file(path))
    elif action.kind == "run":
        for line in list_command_lines(action):
            for simple in parse_command_line(line).commands:
                words = simple.words
                if len(words) == 2 and _PRIMER.fullmatch(words[1]):
                    yield " ".join(words)
                elif len(words) == 2 and words[0] == "cat" and is_rule_file(words[1]):
                    yield posixpath.basename(words[1])


def is_rule_file(path: str) -> bool:
    """Whether a file holds rules of the project by its name."""
    return _NAMED.fullmatch(posixpath.basename(path)) is not None and _FOREIGN.search(path) is None


def is_prompt(source: str) -> bool:
    """Whether rules of this source are those of the host's own prompt."""
    return source in _HOSTS


def is_procedure(text: str) -> bool:
    """Whether a line of a host's prompt says which task is taken, how it is committed, or when to end."""
    return _PROCEDURE.search(text) is not None


_PROCEDURE = re.compile(
    r"(?i)(?:^|[.:]\s)\W*(?:\d{1,2}[.)]\s+)?"
    r"(?:(?:process|take|do|complete|execute|work on)\b[^.\n]{0,40}\b(?:first|one|next)\b[^.\n]{0,20}\b(?:task|item)"
    r"|you will only work on\b|exit immediately\b"
    r"|commit\b[^.\n]{0,60}\b(?:prefix\w*|individual\w*|each)\b|push\s+to\b)"
)
_HOSTS = ("Maestro",)
_HEAD = 400  # characters in which a host names what it repeats
_NAMED = re.compile(r"(?:AGENTS|CLAUDE|GEMINI|CONVENTIONS)(?:\.local)?\.md|copilot-instructions\.md|\.cursorrules")
_HOST = re.compile(r"# (\w+) System Context|\ba (Maestro)-managed AI agent\b")
_PRIMER = re.compile(r"prime|onboard|guidelines|conventions")
_FOREIGN = re.compile(r"(?:^|/)(?:node_modules|vendor|site-packages|third_party|tmp|\.venv)/")
_REMINDERS = re.compile(r"<system-reminder>(?:[^<]|<(?!/system-reminder>))*(?:</system-reminder>|\Z)")
_NUMBERS = re.compile(
    r"(?m)^[ \t]*(?:<(path|type)>[^\n]*</\1>[ \t]*\n?|</?(?:content|file)>[ \t]*\n?|L?\d+(?:→|\t|: |\| |:$))"
)
