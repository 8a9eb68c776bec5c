"""How the session ended: by what its host says behind the agent's last message, or by the agent's last call.

Rule: nothing is told where the user has spoken since. What a host says is quoted; a call that hands the work in is the
last one, by its name or by its command. A message that breaks off within a sentence is told as that.
"""

import re
from collections.abc import Sequence

from secateur.compaction.ledger.said import get_agent_text, get_user_text
from secateur.compaction.ledger.work.failed_acts import LINE_CHARS, quote_line
from secateur.model import Message
from secateur.toolcalls.actions import Action, clip_text, collapse_whitespace
from secateur.toolcalls.file_effects import list_command_lines

SUBMITTED = "submitted by "
_SEARCHED = 4_000  # characters of a command or a message


def list_lines(action: Action) -> list[str]:
    """Return the command lines of a call; a tool that is named like a program may take a line as its only text."""
    if lines := list_command_lines(action):
        return lines
    given = [one for one in (action.given or {"": action.call.text}).values() if isinstance(one, str)]
    is_line = len(given) == 1 and action.kind in ("run", "other") and given[0].startswith(f"{action.call.tool} ")
    return [given[0].partition("\n")[0]] if is_line else []


def describe_ending(messages: Sequence[Message], done: Sequence[Action]) -> str:
    """Say how the session ended: by what its host says behind the agent's last message, or by its last call."""
    last = next((at for at in reversed(range(len(messages))) if _is_agent(messages[at])), -1)
    if last < 0 or any(get_user_text(one) for one in messages[last + 1 :]):
        return ""
    for message in messages[last + 1 :]:
        for text in (part.text for part in message.parts if part.kind == "text" and len(part.text) <= _SEARCHED):
            if hit := _ENDED.search(text):
                return (
                    "the turn was interrupted"
                    if "<" in hit[0]
                    else f"“{clip_text(collapse_whitespace(hit[0]), LINE_CHARS)}”"
                )
    keys = {part.key for part in messages[last].parts if part.kind == "tool_call"}
    for action in (one for one in done[-3:] if one.call.key in keys):
        if submitted := _find_submission(action):
            return f"{SUBMITTED}{submitted}"
    text = get_agent_text(messages[last])
    return "the agent's last message breaks off" if not keys and _is_broken_off(text) else ""


def _is_agent(message: Message) -> bool:
    return message.role == "assistant" and message.origin == "user" and bool(message.parts)


def _find_submission(action: Action) -> str:
    """Return the call by which the agent hands in its work; "" if it is none."""
    tool = re.sub(r"[^a-z]", "", action.call.tool[:LINE_CHARS].lower())
    if tool in _SUBMITTING:
        return f"`{action.call.tool}`"
    lines = list_lines(action)
    return f"`{quote_line(lines[0])}`" if lines and _SUBMITS.match(lines[0][:_SEARCHED]) else ""


def _is_broken_off(text: str) -> bool:
    """Whether a text ends within a sentence: its last line has whole sentences and then words without an end."""
    line = text.rstrip()[-_SEARCHED:].rpartition("\n")[2]
    return _BROKEN_OFF.search(line) is not None and not _LISTED.match(line)


_ENDED = re.compile(
    r"(?i)^\s*\[?(?:(?:request |operation )?(?:interrupted|cancell?ed|aborted) by (?:the )?user)[^\n]{0,80}"
    r"|^<turn_aborted>"
    r"|^[^\n]{0,80}\b(?:exit(?:ed|ing)?|stopped|ended|due to|reached|exceeded|hit|ran out of|out of)\b[^\n]{0,60}"
    r"\b(?:limits?|budget|(?:max(?:imum)? )?(?:number of )?(?:steps|turns|iterations))\b[^\n]{0,60}$"
    r"|^[^\n]{0,60}\bLimitsExceeded\b[^\n]{0,60}$",
    re.M,
)
_SUBMITTING = frozenset(
    {"submit", "finish", "attemptcompletion", "taskcomplete", "completetask", "finishtask", "taskdone"}
)
_SUBMITS = re.compile(r"\s*(?:echo\s+[\"']?[A-Z_]{0,60}SUBMIT[A-Z_]{0,60}\b|submit\s*$)")
_BROKEN_OFF = re.compile(r"[^\W\d_]{2,}[.!?] [^.!?\n]{0,300}[a-z]{2,} [a-z]{2,}$")
_LISTED = re.compile(r"\s*(?:[-*•+#|>]|\d{1,2}[.)]|`)")
