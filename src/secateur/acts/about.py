"""What the task is about, as far as words tell: what the user named, and what the calls just before named.

Rule: names only (files, symbols, ids, errors), the newest first, and only of what stands before the place that is
asked about. Common words name nothing. What is done with the names is decided above.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from secateur.identifiers.words import Kind, words
from secateur.model import Message, Part

MOST = 40  # names
_CALLS = 3  # answers whose calls count
_USERS = 2  # messages of the user
_SEARCHED = 8_000  # characters of one text
_KINDS: frozenset[Kind] = frozenset({"file", "hash", "error", "symbol", "id", "url"})


def named(
    messages: Sequence[Message], number: int, result: Part, raw: Mapping[str, Part] | None = None
) -> tuple[str, ...]:
    """The names that matter for a result of message `number`, those of its own call first.

    `raw` has the parts as they came where a view shows them otherwise: what was edited since changes nothing.
    """
    found: dict[str, None] = {}
    for part in _texts(messages, number, result):
        text = raw.get(part.key, part).text if raw else part.text
        if len(found) >= MOST:
            break
        found |= dict.fromkeys(_names(text[:_SEARCHED], text))
    return tuple(found)[:MOST]


@lru_cache(maxsize=256)
def _names(start: str, text: str) -> tuple[str, ...]:
    """The names in the start of a text, in the order in which the text has them first."""
    some = {one.value for one in words(start) if one.kind in _KINDS and len(one.value) > 3}
    return tuple(sorted(some, key=lambda name: (text.find(name), name)))


def _texts(messages: Sequence[Message], number: int, result: Part) -> Iterator[Part]:
    """The result's own call, what the user said last, the calls before."""
    calls: list[Part] = []
    users: list[Part] = []
    answers = 0
    for place in range(number - 1, -1, -1):
        message = messages[place]
        if message.role == "assistant" and answers < _CALLS:
            answers += 1
            calls += [part for part in message.parts if part.kind == "tool_call" and part.call == result.call]
            calls += [part for part in message.parts if part.kind == "tool_call" and part.call != result.call]
        elif message.role == "user" and message.origin == "user":
            users += [part for part in message.parts if part.kind == "text"]
            if len(users) >= _USERS:
                break
    yield from calls[:1]
    yield from users
    yield from calls[1:]
