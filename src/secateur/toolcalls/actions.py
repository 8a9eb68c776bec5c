"""Calls paired with their results: what the agent requested of a tool, how it ended, and short forms of their texts.

Rule: a result answers the newest open call with its id, or the oldest open call if ids are empty. Ids are never looked
up over the whole history, because providers repeat them. A command's exit status is read where hosts state it, at the
ends of a result, never in the middle of an output. Text is clipped between words, so that no name turns into another.
What a call did to files or plans is not decided here.
"""

import re
from collections import deque
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from msgspec import Struct

from secateur.model import Message, Part
from secateur.text.lossless.lines import strip_escapes
from secateur.text.own_text import NO_RESULT
from secateur.text.placeholder import MARK, is_placeholder
from secateur.tool_kinds import ToolKind, detect_tool_kind, parse_arguments


def collapse_whitespace(text: str) -> str:
    """Collapse all white space to single spaces."""
    return " ".join(text.split())


def clip_text(text: str, max_chars: int) -> str:
    """Clip a text between words to at most `max_chars` characters; "" if its first word is longer."""
    if len(text) <= max_chars:
        return text
    cut = max(text.rfind(blank, 0, max_chars + 1) for blank in " \n\t。，")
    return text[:cut].rstrip() if cut > 0 else ""


def clip_command(line: str, max_chars: int) -> str:
    """Clip a command line between words, with "…" where words are left out; "" if its first word is longer."""
    if len(line) <= max_chars:
        return line
    kept = clip_text(line, max_chars - 2)
    return f"{kept} …" if kept else ""


class Action(Struct, frozen=True, gc=False):
    """One call and its result."""

    call: Part
    kind: ToolKind
    given: dict[str, Any]  # the arguments by name; empty if they are not an object
    result: Part | None = None
    exit: int | None = None
    ok: bool = True  # False: the result is marked as an error, states an exit status other than 0, or refuses an edit

    @property
    def said(self) -> str:
        """The text of the result, without a terminal's colors."""
        return strip_escapes(self.result.text) if self.result else ""

    @property
    def key(self) -> str:
        """The part that shows the outcome."""
        return self.result.key if self.result else self.call.key


def get_output(action: Action) -> str:
    """Return what a command printed: the text of its result without the lines of its host above and below it."""
    said = action.said
    while hit := _HOST_HEAD.match(said):
        said = said[hit.end() :]
    return _HOST_END.sub("", said)


_HOST_HEAD = re.compile(
    r"(?:(?:Command|Chunk ID|Wall time|Original token count): [^\n]{0,2000}|Process (?:exited|running) with [^\n]{0,80}"
    r"|Exit code:? -?\d{1,4}|Output:|<returncode>[^\n]{0,60}|<output>)[ \t]*(?:\n|\Z)|Output: "
)
_HOST_END = re.compile(
    r"\s*(?:</output>|(?m:^)\(?(?:Bash completed with |Command produced )?no output\)?|\[Python Interpreter: [^\n]*"
    r"|(?m:^)(?:Exit Code: -?\d{1,4}\n)?(?:Signal: [^\n]{0,40}\n)?(?:Background PIDs: [^\n]{0,200}\n)?"
    r"Process Group PGID: \d+|(?m:^)\(empty\))\s*\Z"
)


def list_actions(messages: Iterable[Message]) -> tuple[Action, ...]:
    """Return every call in order, with its result if there is one; a text that stands for none is none."""
    pairs = pair_calls(messages)
    return tuple(build_action(call, None if result and result.text == NO_RESULT else result) for call, result in pairs)


def pair_calls(messages: Iterable[Message]) -> tuple[tuple[Part, Part | None], ...]:
    """Return every call in order, paired with its result if there is one.

    A result may come rounds later under its call's id; a call without an id is answered in its round or never.
    """
    calls: list[Part] = []
    results: dict[int, Part] = {}
    waiting: dict[str, deque[int]] = {}
    speaker = ""
    for message in messages:
        if message.role == "assistant" != speaker:
            waiting.pop("", None)
        speaker = message.role
        for part in message.parts:
            if part.kind == "tool_call":
                waiting.setdefault(part.call_id, deque()).append(len(calls))
                calls.append(part)
            elif part.kind == "tool_result" and (open_ := waiting.get(part.call_id)):
                results[open_.pop() if part.call_id else open_.popleft()] = part
    return tuple((call, results.get(number)) for number, call in enumerate(calls))


def build_action(call: Part, result: Part | None) -> Action:
    """Build an action from one call, its arguments and its result."""
    kind = detect_tool_kind(call.tool, call.text)
    exit_ = _parse_exit_code(result.text) if result else None
    is_refused = kind == "edit" and result is not None and _REFUSED.match(result.text) is not None
    ok = not (result and result.is_error) and not exit_ and not is_refused
    return Action(call, kind, parse_arguments(call.text), result, exit_, ok)


def find_late_results(messages: Iterable[Message], done: Iterable[Action]) -> tuple[str, ...]:
    """Return the IDs of results whose calls were made before these messages."""
    here = {action.result.key for action in done if action.result}
    parts = (part for message in messages for part in message.parts if part.kind == "tool_result")
    return tuple(dict.fromkeys(part.call_id for part in parts if part.call_id and part.key not in here))


def collect_texts(given: dict[str, Any], names: frozenset[str], depth: int = 0) -> list[str]:
    """Return the texts of the arguments with these (normalized) names, searching nested lists and objects."""
    found: list[str] = []
    for name, value in given.items():
        if normalize_name(name) in names:
            found += _flatten_texts(value, names, depth)
    return found


@lru_cache(maxsize=1_024)
def normalize_name(name: str) -> str:
    """Normalize an argument name: `old_string` and `oldString` become oldstring."""
    return re.sub(r"[\W_]", "", name).lower()


_DEEPEST = 6  # lists and objects in each other: no tool nests its paths deeper
_ENDS = 600  # characters at either end of a result where hosts say how a command ended
_EXIT = re.compile(
    r"(?:^|\n)Exit [Cc]ode:? (\d+)|[Pp]rocess exited with code (-?\d+)|[Cc]ommand exited with code (-?\d+)"
    r'|"(?:exit_?code|returncode)": ?(-?\d+)|<returncode>(-?\d+)</returncode>|<exit_code>(-?\d+)</exit_code>'
    r"|(?:completed|finished|failed|exited) with exit code:? (-?\d+)|\(exit(?: code)? (-?\d+)\)\s*$"
)
_REFUSED = re.compile(  # what tools say that changed nothing, without marking it as an error
    r"\s{0,9}(?:ERROR\b|Error:|<tool_use_error>|No replacement was performed|Failed to (?:edit|apply)"
    r"|Your proposed edit has introduced|Your changes have NOT been applied|Invalid `\w{1,40}` parameter"
    r"|Ran into [^\n]{1,300} while trying to )"
)
# One of these or `(exit` is in each, or `returncode`
_EXITS = ("xit code", "xit Code", "xited with code", "xit_code", "xitcode")
_BEFORE = 26  # characters of the pattern before one of these, at most
_TOLD = re.compile(r" chars, \d+ lines, exit code (-?\d{1,10})\b")


def _parse_exit_code(text: str) -> int | None:
    if text.startswith(MARK):  # a placeholder states the outcome in secateur's words
        first = text.partition("\n")[0]
        told = _TOLD.search(first) if is_placeholder(first) else None
        return int(told[1]) if told else None
    ends = text if len(text) <= 2 * _ENDS else f"{text[:_ENDS]}\n{text[-_ENDS:]}"
    place = _find_exit_word(ends)
    found = _EXIT.search(ends, max(0, place - _BEFORE)) if place >= 0 else None
    return int(next(group for group in found.groups() if group is not None)) if found else None


def _find_exit_word(ends: str) -> int:
    """The first place of a word without which the pattern finds nothing, or -1: missed sooner than the pattern is."""
    other = ends.find("returncode")
    at = ends.find("xit")
    while at >= 0 and (at < other or other < 0):
        if ends.startswith(_EXITS, at) or ends.startswith("(e", max(0, at - 2)):
            return at
        at = ends.find("xit", at + 3)
    return other


def _flatten_texts(value: Any, names: frozenset[str], depth: int) -> list[str]:
    if isinstance(value, str):
        return [value]
    if depth == _DEEPEST:
        return []
    if isinstance(value, dict):
        return collect_texts(value, names, depth + 1)
    if isinstance(value, list):
        return [text for one in value if isinstance(one, str | dict) for text in _flatten_texts(one, names, depth + 1)]
    return []
