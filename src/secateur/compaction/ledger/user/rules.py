"""Where rules of the project are printed: its instruction files, and commands whose purpose is to tell them; and what a
host's prompt wants.

Rule: by the name of the file or of the command alone, and only where the agent asked for it; what other calls print is
never a rule, whatever it says. A rule names its source, so that no one takes it for the user's word. Of a host's
procedure each thing is told once. Of what a host states of approvals only is told that none is given: what is approved
already forbids nothing.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

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
    if text.startswith("<extra_info"):
        return EXTRA_INFO
    return COPILOT_RULES if text.startswith("<custom_instruction") else ""


def strip_numbers(text: str) -> str:
    """Return what a tool showed of a file without line numbers, the tags around it and the host's remarks."""
    return _NUMBERS.sub("", _REMINDERS.sub("", text))


def list_refusals(messages: Iterable[Message]) -> Iterator[Constraint]:
    """Yield what the host stated last of approvals, if it is that none is given."""
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


def _find_sources(action: Action) -> Iterator[str]:
    if action.kind == "read":
        yield from (_name_file(path) for path in list_paths(action) if is_rule_file(path))
    elif action.kind == "run":
        for line in list_command_lines(action):
            for simple in parse_command_line(line).commands:
                words = simple.words
                if len(words) == 2 and _PRIMER.fullmatch(words[1]):
                    yield " ".join(words)
                elif words and _is_showing(words) and is_rule_file(words[-1]):
                    yield _name_file(words[-1])


def _is_showing(words: Sequence[str]) -> bool:
    """Whether a command shows one file, or lines of it."""
    return (words[0] == "cat" and len(words) == 2) or (
        words[0] in _SHOWS and _LINES.fullmatch(" ".join(words[1:-1])) is not None
    )


def is_rule_file(path: str) -> bool:
    """Whether a file holds rules of the project by its name, or by the folder that it stands in."""
    is_named = _NAMED.fullmatch(posixpath.basename(path)) is not None or _FOLDER.search(path) is not None
    return is_named and _FOREIGN.search(path) is None


def _name_file(path: str) -> str:
    """Return the name of a file of rules, with the folder that says that it is one."""
    found = _FOLDER.search(path)
    return found[1] if found else posixpath.basename(path)


def is_prompt(source: str) -> bool:
    """Whether rules of this source are those of the host's own prompt."""
    return source in _HOSTS


def is_procedure(text: str) -> bool:
    """Whether a line of a host's prompt says which task is taken, how it is committed, or when to end."""
    return any(pattern.search(text) for pattern in _PROCEDURE)


def is_care(text: str) -> bool:
    """Whether a line of a host's prompt says what to look at before new code, what not to break, or not to tick."""
    return _CARES.search(text) is not None


def join_procedure(rules: Iterable[Constraint]) -> list[Constraint]:
    """Join the lines of each host's procedure to one entry that tells each step once."""
    hosts: dict[str, list[Constraint]] = {}
    for one in rules:
        hosts.setdefault(one.source, []).append(one)
    return [replace(some[0], text="\n".join(_tell_steps_once(some))) for some in hosts.values()]


def _tell_steps_once(rules: Iterable[Constraint]) -> Iterator[str]:
    """Yield one line for each step of a procedure: of several the longest."""
    steps: dict[int | str, str] = {}
    for line in (_NUMBER.sub("", one.text.partition("\n")[0]) for one in rules):
        step = next((at for at, pattern in enumerate(_PROCEDURE) if pattern.search(line)), line)
        steps[step] = max(steps.get(step, ""), line, key=len)
    yield from steps.values()


_NUMBER = re.compile(r"\A\s*(?:[-*•]|\d{1,2}[.)])\s+")
_BEGIN = r"(?i)(?:^|[.:]\s)\W*(?:\d{1,2}[.)]\s+)?"
_PROCEDURE = tuple(  # one pattern for each step
    re.compile(pattern)
    for pattern in (
        rf"{_BEGIN}(?:process|take|do|complete|execute|work on)\b[^.\n]{{0,40}}\b(?:first|one|next)\b[^.\n]{{0,20}}"
        r"\b(?:task|item)",
        rf"{_BEGIN}(?:you will only work on\b|exit immediately\b)",
        rf"{_BEGIN}(?:ensure|make sure)\b[^.\n]{{0,30}}\btests?\b[^.\n]{{0,30}}\b(?:created|written|added|pass)\b",
        rf"{_BEGIN}commit\b[^.\n]{{0,60}}\b(?:prefix\w*|individual\w*|each)\b",
        rf"{_BEGIN}push\s+to\b",
        rf"{_BEGIN}update\b[^\n]{{0,80}}\b(?:documentation|docs)\b",
        rf"{_BEGIN}(?:your|the|each|every)\s+(?:final\s+)?(?:response|answer|reply|report)s?\s+must\s+(?:begin|start|end)\b",
        rf"{_BEGIN}(?:approval policy is\b|<approval_policy>)",
    )
)
_CARES = re.compile(
    rf"{_BEGIN}(?:ensure|make sure)\b[^.\n]{{0,30}}(?:\bnot|n['’]t)\b[^.\n]{{0,10}}\bbroken\b"
    r"|(?:^|[.:]\s)\W*before\s+(?:creating|writing)\s+(?:any\s+)?(?:new\s+)?code\b"
    r"|(?:^|[.:]\s)\W*if\b[^.\n]{0,40}\bfail\w*\b[^.\n]{0,60}\bcheck\s+off\b"
)
_CODEX = "Codex"
EXTRA_INFO, SYSTEM_PROMPT = "extra_info", "system prompt"
_HOSTS = ("Maestro", _CODEX, EXTRA_INFO)
_APPROVALS = re.compile(r"<permissions instructions>|<approval_policy>")
_NEVER = re.compile(r"(?i)approval policy is currently never\b[^\n]*|<approval_policy>never</approval_policy>")
_HEAD = 400  # characters in which a host names what it repeats
_NAMED = re.compile(r"(?:AGENTS|CLAUDE|GEMINI|CONVENTIONS)(?:\.local)?\.md|copilot-instructions\.md|\.cursorrules")
_FOLDER = re.compile(
    r"(?:^|/)(\.(?:claude/rules|cursor/rules|clinerules|windsurf/rules|github/instructions)/[\w./-]+\.mdc?)\Z"
)
_SHOWS = ("head", "sed", "nl", "bat")
_LINES = re.compile(r"(?:-n )?(?:-?\d{1,5}|\d{1,5},\d{1,5}p|-[\w=:-]{1,20})?")
_HOST = re.compile(r"# (\w+) System Context|\ba (Maestro)-managed AI agent\b")
_PRIMER = re.compile(r"prime|onboard|guidelines|conventions")
_FOREIGN = re.compile(r"(?:^|/)(?:node_modules|vendor|site-packages|third_party|tmp|\.venv)/")
_REMINDERS = re.compile(r"<system-reminder>(?:[^<]|<(?!/system-reminder>))*(?:</system-reminder>|\Z)")
_NUMBERS = re.compile(
    r"(?m)^[ \t]*(?:<(path|type)>[^\n]*</\1>[ \t]*\n?|</?(?:content|file)>[ \t]*\n?|L?\d+(?:→|\t|: |\| |:$))"
)
