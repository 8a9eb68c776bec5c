"""What the user typed as a command of the host, such as `/simplify`, and the texts that hosts put in its place.

Rule: a command is a request where the agent took it up: what the host carried out itself (`/login`, `/copy`) has its
output behind it, or nothing. It is told as it was typed, with its arguments. The text that a host writes for it is no
words of the user, unless nothing else says what is to be done.
"""

import re
from collections.abc import Mapping, Sequence

from secateur.compaction.ledger.said import get_rejection, get_user_text
from secateur.model import Message


def find_expansions(messages: Sequence[Message]) -> frozenset[int]:
    """Return the places of messages that a host wrote for a command that the user typed, such as `/simplify`.

    Where the user said nothing before it, the expansion is the only task and remains the user's.
    """
    found = set()
    has_words = is_typed = False
    for at, message in enumerate(messages):
        text = get_user_text(message)
        if text and is_typed and has_words and (_DOCUMENT.match(text) or len(text) > _TYPED_CHARS):
            found.add(at)
        has_words = has_words or bool(text)
        is_typed = not text and bool(_get_command(message))
    return frozenset(found)


def read_own_words(messages: Sequence[Message]) -> Mapping[int, str]:
    """Return what the user wrote, typed as a command, or said in rejecting a call, by the place of the message."""
    expansions = find_expansions(messages)
    typed = find_commands(messages, expansions)
    own = ((at, typed.get(at) or get_user_text(one) or get_rejection(one)) for at, one in enumerate(messages))
    return {at: text for at, text in own if text and at not in expansions}


def find_commands(messages: Sequence[Message], expansions: frozenset[int]) -> Mapping[int, str]:
    """Return the commands that the user typed and the agent took up, as they were typed, by the place of each."""
    typed = ((at, _get_command(message)) for at, message in enumerate(messages))
    return {at: command for at, command in typed if command and _is_taken_up(messages, at, expansions)}


def _get_command(message: Message) -> str:
    """Return the command that a message of a host records, with its arguments; "" if it records none."""
    if message.role != "user":
        return ""
    text = "\n".join(part.text for part in message.parts if part.kind == "text" and not part.container_key)
    name = _NAME.search(text)
    given = _ARGUMENTS.search(text) if name else None
    return f"{name[1]} {given[1].strip() if given else ''}".strip() if name else ""


def _is_taken_up(messages: Sequence[Message], at: int, expansions: frozenset[int]) -> bool:
    """Whether the agent is next after a command, or what the host wrote for it."""
    for number in range(at + 1, len(messages)):
        message = messages[number]
        if message.role == "assistant":
            return True
        is_words = number not in expansions and bool(get_user_text(message))
        if is_words or any(_PRINTED.match(part.text) for part in message.parts) or _get_command(message):
            return False
    return False


_NAME = re.compile(r"<command-name>\s*(/[^\s<]{1,120})\s*</command-name>")
_ARGUMENTS = re.compile(r"<command-args>(.{1,4000}?)</command-args>", re.S)
_PRINTED = re.compile(r"\s*<local-command-")
_TYPED_CHARS = 400  # what follows a command without a heading, and is longer than what people type
_DOCUMENT = re.compile(r"#{1,3} \S")
