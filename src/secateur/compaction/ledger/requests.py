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

from secateur.acts.calls import Action, plain
from secateur.acts.words import clipped, one_line
from secateur.compaction.ledger.entries import Question, State, UserRequest
from secateur.compaction.ledger.said import ends, said_by_agent, said_by_user
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


def requests(messages: Iterable[Message]) -> UserRequests:
    """What was asked in these messages, by the user and of the user."""
    found: list[UserRequest] = [UserRequest("")]  # stands for what was asked before
    last = ""  # how the agent's turn ended: its text; "" while it works
    key = ""
    for message in messages:
        if message.role == "assistant" and message.parts:
            last, key = _ending(message, last), message.key
        elif text := said_by_user(message):
            found = _answered(found, last, text)
            found.append(UserRequest(ends(redact(text), MAX_CHARS), "open", message.key))
            last = ""
    asked = question(last)
    first, *rest = _answered(found, last, "")
    return UserRequests(tuple(rest), (Question(redact(asked), key),) if asked else (), first.state)


def question(text: str) -> str:
    """The question with which a text ends; "" if it ends with none."""
    tail = [line.strip() for line in text[-_TAIL_CHARS:].split("\n") if line.strip()][-2:]
    for line in reversed(tail):
        if found := re.search(
            r"(?:^|[.!?:;。！？]\s*|\s[-–—]\s)([^.!?。！？\n]*(?:[.][^\s.!?][^.!?。！？\n]*)*[?？])[\s*_)\"'”]*$", line
        ):
            return clipped(one_line(found[1]).strip(" *_#-"), QUESTION_CHARS)
    return ""


def asked(action: Action) -> str:
    """What a call that waits for the user asks; "" if it asks nothing."""
    found = [text for name, value in action.given.items() if plain(name) in _ASKING for text in _questions(value)]
    return redact(clipped(one_line(" ".join(found)), QUESTION_CHARS))


_DEEPEST = 4  # lists and objects in each other
_ASKING = frozenset({"question", "questions"})
_BACK = re.compile(
    r"(?i)\W*(?:(?:no|ok|okay|hey|wait|please)\W+)*(?:stop|never\s?mind|nevermind|undo|revert|cancel|forget\s+(?:it|that|about)|scratch\s+that|abort"
    r"|thôi\b|dừng|bỏ\s+qua|hủy|huỷ|停|算了|取消|别做了|撤销|olv[ií]da|cancela|detente|para\b(?!\s+\w+r\b))"
)


def _ending(message: Message, before: str) -> str:
    """The agent's closing text so far; a call opens the turn again, reasoning alone says nothing."""
    if any(part.kind == "tool_call" for part in message.parts):
        return ""
    return said_by_agent(message) or before


def _answered(found: list[UserRequest], last: str, text: str) -> list[UserRequest]:
    """With the states that the end of a turn, or the next words of the user, give them."""
    if last and not question(last):
        return [replace(one, state="done") if one.state == "open" else one for one in found]
    if not last and text and _BACK.match(text):
        return [replace(one, state="superseded") if one.state == "open" else one for one in found]
    return found


def _questions(value: Any, depth: int = 0) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list) and depth < _DEEPEST:
        return [text for one in value for text in _questions(one, depth + 1)]
    if isinstance(value, dict) and depth < _DEEPEST:
        return [text for name, one in value.items() if plain(name) in _ASKING for text in _questions(one, depth + 1)]
    return []
