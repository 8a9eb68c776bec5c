"""What the task is about, as far as words tell: what the user named, and what the calls just before named.

Rule: names only (files, symbols, ids, errors), the newest first, and only of what stands before the place that is
asked about. Common words name nothing. What is done with the names is decided above.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from secateur.acts.answers import MessageFacts, find_last_spoken, get_held
from secateur.identifiers.words import Kind, find_words
from secateur.model import Message, Part

MOST = 40  # names
_CALLS = 3  # answers whose calls count
_USERS = 2  # messages of the user
_NOTHING: dict[str, Part] = {}
_SEARCHED = 8_000  # characters of one text
_KINDS: frozenset[Kind] = frozenset({"file", "hash", "error", "symbol", "id", "url"})


def collect_relevant_names(
    messages: Sequence[Message],
    number: int,
    result: Part,
    raw: Mapping[str, Part] | None = None,
    turns: Sequence[int] | None = None,
) -> tuple[str, ...]:
    """Return the names relevant to a result of message `number`, those of its own call first.

    `raw` has the parts as they came where a view shows them otherwise: what was edited since changes nothing. `turns`
    are the places of the messages that the user wrote, where they are known.
    """
    if turns is None:
        turns = [at for at, message in enumerate(messages) if (message.role, message.origin) == ("user", "user")]
    found: dict[str, None] = {}
    for names in _iterate_names(_Before(messages, number, turns), result, _NOTHING if raw is None else raw):
        if len(found) >= MOST:
            break
        found |= dict.fromkeys(names)
    return tuple(found)[:MOST]


class _Before:
    """What stands before a result: what the user said last, and the answers since, the newest first."""

    def __init__(self, messages: Sequence[Message], number: int, turns: Sequence[int]) -> None:
        self.users: list[Part] = []
        self.answers: list[MessageFacts] = []
        first = -1
        for place in range(bisect_left(turns, number) - 1, -1, -1):
            self.users += [part for part in messages[turns[place]].parts if part.kind == "text"]
            if len(self.users) >= _USERS:
                first = turns[place]
                break
        while len(self.answers) < _CALLS and (number := find_last_spoken(messages, number)) > first:
            if messages[number].role == "assistant":
                self.answers.append(get_held(messages[number]))


def _iterate_names(before: _Before, result: Part, raw: Mapping[str, Part]) -> Iterator[tuple[str, ...]]:
    """Yield the names in the result's own call, in the last user message and in earlier calls."""
    calls = ([*held.calls.get(result.call_id, ()), *held.called[:1]] for held in before.answers)
    own = next(filter(None, calls), [])
    yield from (_extract_names(part, raw) for part in own[:1])
    yield from (_extract_names(part, raw) for part in before.users)
    for held in before.answers:
        yield from (_extract_names(part, raw) for part in held.calls.get(result.call_id, ()))
        yield from (
            (_extract_names(part, raw) for part in held.called)
            if len(held.called) <= MOST
            else (_collect_shared_names(held, raw),)
        )


def _extract_names(part: Part, raw: Mapping[str, Part]) -> tuple[str, ...]:
    text = raw.get(part.key, part).text
    return _find_names(text[:_SEARCHED], text)


def _collect_shared_names(held: MessageFacts, raw: Mapping[str, Part]) -> tuple[str, ...]:
    """Return the names in a message's many calls, collected once and shared by all their results."""
    if held.names is None or held.names[0] is not raw:
        found: dict[str, None] = {}
        for part in held.called:
            found |= dict.fromkeys(_extract_names(part, raw))
            if len(found) >= 2 * MOST:
                break
        held.names = raw, tuple(found)
    return held.names[1]


@lru_cache(maxsize=256)
def _find_names(start: str, text: str) -> tuple[str, ...]:
    """Return the names in the start of a text, in order of first occurrence."""
    some = {one.value for one in find_words(start) if one.kind in _KINDS and len(one.value) > 3}
    return tuple(sorted(some, key=lambda name: (text.find(name), name)))
