"""Which call a result answers, what else its message contains, and the terms of the task at that point.

Rule: a result answers a call of its own round, never one from the whole history. A message with thousands of calls or
results is visited once; the last few messages are remembered per thread. The terms of a task are names only (files,
symbols, ids, errors), newest first: those in the user's messages, and those in the calls just before. Common words are
not terms. Nothing is decided here.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from threading import local

from secateur.identifiers.words import Kind, find_words
from secateur.model import Message, Part

_KEPT = 8  # messages
_FEW = 8  # parts
_NEAR = 8  # messages behind an answer that are walked over each time; of longer ways it is kept where they lead

MOST = 40  # names
_CALLS = 3  # answers whose calls count
_USERS = 2  # messages of the user
_NOTHING: dict[str, Part] = {}
_SEARCHED = 8_000  # characters of one text
_KINDS: frozenset[Kind] = frozenset({"file", "hash", "error", "symbol", "id", "url"})


class MessageFacts:
    """The content of a message, by ids and keys."""

    def __init__(self, message: Message) -> None:
        self.message = message
        self.names: tuple[object, tuple[str, ...]] | None = None  # the names in its calls, and with which edited parts

    @cached_property
    def called(self) -> list[Part]:
        """Its calls in their order."""
        return [part for part in self.message.parts if part.kind == "tool_call"]

    @cached_property
    def calls(self) -> dict[str, list[Part]]:
        """Its calls by their ids, in their order."""
        found: dict[str, list[Part]] = {}
        for part in self.called:
            found.setdefault(part.call_id, []).append(part)
        return found

    @cached_property
    def within(self) -> frozenset[str]:
        """Keys of the results that contain others."""
        return frozenset([part.container_key for part in self.message.parts])


def get_held(message: Message) -> MessageFacts:
    """Return what this message contains."""
    kept: dict[int, MessageFacts] = _kept.__dict__.setdefault("held", {})
    found = kept.get(id(message))
    if found is None:
        if len(kept) >= _KEPT:
            kept.pop(next(iter(kept)))
        found = kept[id(message)] = MessageFacts(message)  # which keeps the message, and so its id, alive
    return found


def has_media_inside(message: Message, result: Part) -> bool:
    """Whether this result of a message contains media, or other parts."""
    if len(message.parts) > _FEW:
        return result.key in get_held(message).within
    return any([part.container_key == result.key for part in message.parts])


def find_call_of_result(messages: Sequence[Message], number: int, result: Part) -> Part | None:
    """Return the call that a result of message `number` answers, or None if its round has none."""
    back = find_last_spoken(messages, number)
    while back >= 0 and messages[back].role == "assistant":
        if (found := _find_call(messages[back], result.call_id)) is not None:
            return found
        back -= 1
    return None


def _find_call(message: Message, call_id: str) -> Part | None:
    """The first call of this id in a message: of few parts each is looked at, of more they are kept by id."""
    if len(message.parts) > _FEW:
        found = get_held(message).calls.get(call_id)
        return found[0] if found else None
    for part in message.parts:
        if part.call_id == call_id and part.kind == "tool_call":
            return part
    return None


def find_last_spoken(messages: Sequence[Message], number: int) -> int:
    """Return the last earlier assistant or user message that is not a result, or -1 if there is none."""
    back = number - 1
    while back >= 0 and messages[back].role not in _SPEAKERS:
        if number - back > _NEAR:
            return _find_last_spoken_cached(messages, back)
        back -= 1
    return back


_kept = local()
_SPEAKERS = ("assistant", "user")


def _find_last_spoken_cached(messages: Sequence[Message], number: int) -> int:
    """Find the last spoken message with a cache, for long runs of other messages."""
    of, ways = _kept.__dict__.setdefault("ways", ((), {}))
    if of is not messages:
        ways = {}
        _kept.__dict__["ways"] = messages, ways
    back, passed = number, list[int]()
    while back >= 0 and messages[back].role not in _SPEAKERS:
        if back in ways:
            back = ways[back]
            break
        passed.append(back)
        back -= 1
    ways.update(dict.fromkeys(passed, back))
    return back


def collect_relevant_names(
    messages: Sequence[Message],
    number: int,
    result: Part,
    raw: Mapping[str, Part] | None = None,
    turns: Sequence[int] | None = None,
) -> tuple[str, ...]:
    """Return the names relevant to a result of message `number`, those of its own call first.

    `raw` has the parts as received where a view shows them otherwise: what was edited since changes nothing. `turns`
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
    """What precedes a result: the user's last message, and the answers since, the newest first."""

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
