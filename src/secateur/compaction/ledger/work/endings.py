"""How the session ended, and what the agent took for the cause of what still fails.

Rule: nothing is told where the user has spoken since. What a host says is quoted; a call that hands the work in is the
last one, by its name or by its command. A message that breaks off within a sentence is told as that.
The newest sentence on the cause is quoted where the last command of known outcome failed, or where the work goes on and
no command tells how it stands; guesses do not count. It is told as the agent's view, not as a finding.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from secateur.compaction.ledger.entries import Ledger, UserRequest
from secateur.compaction.ledger.runs.failed_acts import LINE_CHARS, quote_line
from secateur.compaction.ledger.said import FENCED, get_agent_text, get_user_text, split_sentences
from secateur.compaction.ledger.turns.announcements import UNBEGUN, is_breaking_off
from secateur.compaction.ledger.turns.outcomes import CHANGES
from secateur.model import Message
from secateur.redact import redact
from secateur.text.host_texts import is_interruption
from secateur.tool_kinds import detect_tool_kind
from secateur.toolcalls.actions import Action, clip_text, collapse_whitespace
from secateur.toolcalls.file_effects import list_command_lines

SUBMITTED = "the agent handed its work in with "
INTERRUPTED = "the user interrupted the agent"
STOPPED = "the session was stopped: "
BROKEN_OFF = "the agent's last message breaks off within a sentence"
ANNOUNCED = f"the agent ended its turn; {UNBEGUN}"
ENDINGS = (SUBMITTED, INTERRUPTED, STOPPED, BROKEN_OFF, ANNOUNCED)
FAILED_SINCE = ", and the last command failed"
CAUSE_CHARS, FEWEST_CHARS = 320, 45  # of a sentence on a cause
MOST_MESSAGES = 40  # at the end: what was thought before them is mostly overtaken
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
                said = clip_text(collapse_whitespace(hit[0]), LINE_CHARS)
                return INTERRUPTED if is_interruption(text) or "by the user" in said else f"{STOPPED}“{said}”"
    keys = {part.key for part in messages[last].parts if part.kind == "tool_call"}
    for action in (one for one in done[-3:] if one.call.key in keys):
        if submitted := _find_submission(action):
            return f"{SUBMITTED}{submitted}"
    text = get_agent_text(messages[last])
    if keys or not text:
        return ""
    return BROKEN_OFF if _is_broken_off(text) else ANNOUNCED if is_breaking_off(text) else ""


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


def find_diagnosis(messages: Sequence[Message], ledger: Ledger) -> str:
    """Return the agent's newest sentence on the cause of what still fails; "" where nothing does.

    It is left out where the agent's last words speak of errors anew, and says so where something was edited behind it,
    and where the last command of known outcome failed behind that.
    """
    said = collapse_whitespace(ledger.last_words.text) if ledger.last_words else ""
    if not ledger.requests or not _is_unsolved(ledger.requests[-1]) or _SPEAKS_OF_ERRORS.search(said):
        return ""
    is_edited = False
    for message in reversed(messages[-MOST_MESSAGES:]):
        if get_user_text(message):
            return ""
        calls = (part for part in message.parts if part.kind == "tool_call")
        is_edited = is_edited or any(detect_tool_kind(part.tool, part.text) == "edit" for part in calls)
        if found := _find_cause(get_agent_text(message)[:_SEARCHED]):
            since = f" (edited since{FAILED_SINCE * _has_failed_since(ledger.requests[-1])})" if is_edited else ""
            return "" if found in said else f"“{clip_text(found, CAUSE_CHARS)}”{since}"
    return ""


def _find_cause(text: str) -> str:
    """Return the last sentence of a text that tells a cause, or that stands behind "I see the issue now."."""
    sentences = list(split_sentences(FENCED.sub("\n", text))) if _CAUSE.search(text) else []
    lines = [redact(collapse_whitespace(sentence)) for sentence in sentences]
    told = [one for before, one in pairwise(["", *lines]) if _CAUSE.search(one) or _SEES.fullmatch(before)]
    telling = [one for one in told if len(one) >= FEWEST_CHARS and not _VAGUE.search(one)]
    return telling[-1] if telling else ""


def _has_failed_since(one: UserRequest) -> bool:
    """Whether a command failed behind the last change of a file."""
    steps = one.progress.steps if one.progress else ()
    last = next((step for step in reversed(steps) if " → " in step or step.startswith(CHANGES)), "")
    return " → failed" in last and ", then ok" not in last


def _is_unsolved(one: UserRequest) -> bool:
    """Whether the last command behind a request failed, or no command tells how open work stands."""
    outcomes = [step for step in one.progress.steps if " → " in step] if one.progress else []
    if not outcomes:
        return one.state == "open" and one.progress is not None
    return " → failed" in outcomes[-1] and ", then ok" not in outcomes[-1]


_SEEN = r"i (?:now )?(?:see|found|understand|know) (?:what )?the (?:real |actual |root )?(?:issue|problem|bug|cause)\b"
_CAUSE = re.compile(
    rf"(?i)\b{_SEEN}"
    r"|\bthe (?:real |actual |main |root |underlying |core )?(?:issue|problem|cause|bug|reason|error)"
    r" (?:here |now |with \S{1,60} )?(?:is|was|lies|comes from)\b"
    r"|\broot cause\b|\bkey insight\b|\bculprit\b|\bturns out\b"
)
_SEES = re.compile(rf"(?i)(?:\w+[,!.]? ){{0,2}}{_SEEN}(?: is)?(?: now| here| clearly)?\W*")
_SPEAKS_OF_ERRORS = re.compile(r"(?i)\b(?:errors?|issue|problem|mismatch(?:es)?|cause|because)\b")
_VAGUE = re.compile(r"(?i)\b(?:likely|might|may|maybe|perhaps|probably|could|related to|seems?)\b|[?:]$")
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
