"""Where rules of the project are printed: its instruction files, and commands whose purpose is to tell them; and what a
host states of approvals.

Rule: by the name of the file or of the command alone, and only where the agent asked for it; what other calls print is
never a rule, whatever it says. A rule names its source, so that no one takes it for the user's word. Of what a host
states of approvals its newest word counts: that none is given, or which commands of this session the user approved.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence

from secateur.compaction.ledger.entries import Constraint
from secateur.model import Message
from secateur.toolcalls.actions import Action
from secateur.toolcalls.file_effects import list_command_lines, list_paths
from secateur.toolcalls.shell import parse_command_line


def name_rule_source(action: Action) -> str:
    """Return the file or the command by which this call printed rules of the project; "" if it printed none."""
    if not action.ok or not action.result:
        return ""
    return next(_find_sources(action), "")


COPILOT_RULES = "custom instructions"


def name_rules(text: str) -> str:
    """Return the name of the instruction file, or of the host, that a host repeats in this text; "" if it has none."""
    if found := _NAMED.search(text[:_HEAD]):
        return found[0]
    if found := _HOST.search(text[:_HEAD]):
        return found[1] or found[2]
    return COPILOT_RULES if text.startswith("<custom_instruction") else ""


def strip_numbers(text: str) -> str:
    """Return what a tool showed of a file without line numbers, the tags around it and the host's remarks."""
    return _NUMBERS.sub("", _REMINDERS.sub("", text))


def list_approvals(messages: Iterable[Message], done: Iterable[Action]) -> Iterator[Constraint]:
    """Yield what the host stated last of approvals: that none is given, and the approved commands that were used."""
    stated = [
        (part.text, message.key)
        for message in messages
        if message.origin == "harness" and message.role in ("system", "user")
        for part in message.parts
        if part.kind == "text" and _APPROVALS.search(part.text)
    ]
    for text, key in stated[-1:]:
        if never := _NEVER.search(text):
            yield Constraint(never[0].strip(), "project", key, source=_CODEX)
        elif approved := _APPROVED.search(text):
            ran = [f" {line} " for one in done if one.kind == "run" for line in list_command_lines(one)]
            used = [one for one in _PREFIX.findall(approved[2]) if _is_used(_WORDS.findall(one), ran)]
            if used:
                yield Constraint(f"{approved[1]} {', '.join(used[:_MOST_PREFIXES])}", "project", key, source=_CODEX)


def _is_used(words: Sequence[str], ran: Iterable[str]) -> bool:
    """Whether a command had all words of a prefix, which are more than the name of a program."""
    return len(words) > _FEWEST_WORDS and any(all(f" {word} " in line for word in words) for line in ran)


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
    r"|(?:ensure|make sure)\b[^.\n]{0,30}\btests?\b[^.\n]{0,30}\b(?:created|written|added|pass)\b"
    r"|you will only work on\b|exit immediately\b"
    r"|approval policy is\b|<approval_policy>|the following prefix rules have already been approved\b"
    r"|commit\b[^.\n]{0,60}\b(?:prefix\w*|individual\w*|each)\b|push\s+to\b)"
)
_CODEX = "Codex"
_HOSTS = ("Maestro", _CODEX)
_APPROVALS = re.compile(r"<permissions instructions>|<approval_policy>")
_NEVER = re.compile(r"(?i)approval policy is currently never\b[^\n]*|<approval_policy>never</approval_policy>")
_APPROVED = re.compile(r"(The following prefix rules have already been approved:)((?:\s*- \[[^\n]*)+)")
_PREFIX = re.compile(r"\[[^\[\]\n]{1,160}\](?=\s*(?:\n|\Z))")
_WORDS = re.compile(r"\"([^\"\n]+)\"")
_MOST_PREFIXES, _FEWEST_WORDS = 3, 2  # that are listed; of a prefix that says more than which program
_HEAD = 400  # characters in which a host names what it repeats
_NAMED = re.compile(r"(?:AGENTS|CLAUDE|GEMINI|CONVENTIONS)(?:\.local)?\.md|copilot-instructions\.md|\.cursorrules")
_HOST = re.compile(r"# (\w+) System Context|\ba (Maestro)-managed AI agent\b")
_PRIMER = re.compile(r"prime|onboard|guidelines|conventions")
_FOREIGN = re.compile(r"(?:^|/)(?:node_modules|vendor|site-packages|third_party|tmp|\.venv)/")
_REMINDERS = re.compile(r"<system-reminder>(?:[^<]|<(?!/system-reminder>))*(?:</system-reminder>|\Z)")
_NUMBERS = re.compile(
    r"(?m)^[ \t]*(?:<(path|type)>[^\n]*</\1>[ \t]*\n?|</?(?:content|file)>[ \t]*\n?|L?\d+(?:→|\t|: |\| |:$))"
)
