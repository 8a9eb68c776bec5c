"""What the user asked for, whether it was answered, and what the agent asked in return.

Rule: a request is done when the agent ends its turn with a text that is no question; it is superseded when the user
takes it back before that. Verbatim; only the user's own messages are requests. What was done is not judged: an answer
that claims success counts as one.
"""

import re
from collections.abc import Iterable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur.acts.calls import Action, normalize_name
from secateur.acts.words import clip_text, collapse_whitespace
from secateur.compaction.ledger.entries import Question, State, UserRequest
from secateur.compaction.ledger.said import get_agent_text, get_user_text, keep_ends
from secateur.model import Message
from secateur.redact import redact

MAX_CHARS = 4_000  # of one request; of a longer one its beginning and its end
QUESTION_CHARS = 400
_TAIL_CHARS = 1_000  # in which a closing question stands


class UserRequests(Struct, frozen=True):
    """The user's requests with their states, and the question that stands open at the end, if one does."""

    requests: tuple[UserRequest, ...]
    questions: tuple[Question, ...]
    before: State  # what became of requests that stood open before


def extract_requests(messages: Iterable[Message]) -> UserRequests:
    """Return what was asked in these messages, by the user and of the user."""
    found: list[UserRequest] = [UserRequest("")]  # stands for what was asked before
    last = ""  # how the agent's turn ended: its text; "" while it works
    key = ""
    for message in messages:
        if message.role == "assistant" and message.parts:
            last, key = _track_closing_text(message, last), message.key
        elif text := get_user_text(message):
            found = _update_states(found, last, text)
            found.append(UserRequest(keep_ends(redact(text), MAX_CHARS), "open", message.key))
            last = ""
    asked = find_closing_question(last)
    first, *rest = _update_states(found, last, "")
    return UserRequests(tuple(rest), (Question(redact(asked), key),) if asked else (), first.state)


def find_closing_question(text: str) -> str:
    """Return the question with which a text ends; "" if it ends with none."""
    tail = [line.strip() for line in text[-_TAIL_CHARS:].split("\n") if line.strip()][-2:]
    for line in reversed(tail):
        if found := re.search(
            r"(?:^|[.!?:;。！？]\s*|\s[-–—]\s)([^.!?。！？\n]*(?:[.][^\s.!?][^.!?。！？\n]*)*[?？])[\s*_)\"'”]*$", line
        ):
            return clip_text(collapse_whitespace(found[1]).strip(" *_#-"), QUESTION_CHARS)
    return ""


def extract_question(action: Action) -> str:
    """Return what a call that waits for the user asks; "" if it asks nothing."""
    found = [
        text
        for name, value in action.given.items()
        if normalize_name(name) in _ASKING
        for text in _collect_questions(value)
    ]
    return redact(clip_text(collapse_whitespace(" ".join(found)), QUESTION_CHARS))


_DEEPEST = 4  # lists and objects in each other
_ASKING = frozenset({"question", "questions"})
_BACK = re.compile(
    r"(?i)\W*(?:(?:no|ok|okay|hey|wait|please)\W+)*(?:stop|never\s?mind|nevermind|undo|revert|cancel|forget\s+(?:it|that|about)|scratch\s+that|abort"
    r"|thôi\b|dừng|bỏ\s+qua|hủy|huỷ|停|算了|取消|别做了|撤销|olv[ií]da|cancela|detente|para\b(?!\s+\w+r\b))"
)


def _track_closing_text(message: Message, before: str) -> str:
    """Return the agent's closing text so far; a call reopens the turn, reasoning alone changes nothing."""
    if any(part.kind == "tool_call" for part in message.parts):
        return ""
    return get_agent_text(message) or before


def _update_states(found: list[UserRequest], last: str, text: str) -> list[UserRequest]:
    """Update the states of requests by the end of a turn or the user's next words."""
    if last and not find_closing_question(last):
        return [replace(one, state="done") if one.state == "open" else one for one in found]
    if not last and text and _BACK.match(text):
        return [replace(one, state="superseded") if one.state == "open" else one for one in found]
    return found


def _collect_questions(value: Any, depth: int = 0) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list) and depth < _DEEPEST:
        return [text for one in value for text in _collect_questions(one, depth + 1)]
    if isinstance(value, dict) and depth < _DEEPEST:
        return [
            text
            for name, one in value.items()
            if normalize_name(name) in _ASKING
            for text in _collect_questions(one, depth + 1)
        ]
    return []
