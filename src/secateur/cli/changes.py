"""What differs between two transcripts, part by part: changed, gone or new.

Rule: messages that are the same on both sides hold the two together; between them, what is alike in role and kind is
compared, and the rest is gone or new. Texts are compared as they are; reasons are not its matter.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal, TypeVar

from msgspec import Struct

from secateur.cli.anatomy import Place, place
from secateur.model import Message, Part, Transcript

One = TypeVar("One")
Pair = tuple[One | None, One | None]


class Change(Struct, frozen=True):
    """One part that is not the same on both sides. `where` is its place before, or after where it is new."""

    verb: Literal["changed", "gone", "new"]
    where: Place
    tokens_before: int
    tokens_after: int
    before: str
    after: str


def changes(before: Transcript, after: Transcript) -> list[Change]:
    """All parts that differ, in order."""
    old, new = list(enumerate(before.messages)), list(enumerate(after.messages))
    return [
        change
        for a, b in _aligned(old, new, lambda one: _said(one[1]), lambda one: _shape(one[1]))
        for change in _between(a, b)
    ]


def _between(old: tuple[int, Message] | None, new: tuple[int, Message] | None) -> Iterator[Change]:
    """The differing parts of two messages of which either may be missing."""
    parts_old = list(old[1].parts) if old else []
    parts_new = list(new[1].parts) if new else []
    for a, b in _aligned(parts_old, parts_new, _says, lambda part: (part.kind, part.call)):
        if a is None and b is not None and new is not None:
            yield Change("new", place(*new, b), 0, b.tokens, "", b.text)
        elif a is not None and old is not None:
            yield from _changed(place(*old, a), a, b)


def _changed(where: Place, old: Part, new: Part | None) -> Iterator[Change]:
    if new is None:
        yield Change("gone", where, old.tokens, 0, old.text, "")
    elif _says(old) != _says(new):
        yield Change("changed", where, old.tokens, new.tokens, old.text, new.text)


def _said(message: Message) -> Hashable:
    return message.role, tuple(map(_says, message.parts))


def _says(part: Part) -> Hashable:
    """What a part says, wherever it stands; its key would say what came before as well."""
    return part.kind, part.tool, part.call, part.digest, part.error, part.text


def _shape(message: Message) -> Hashable:
    """What a prune leaves alone: who speaks, and which calls are made or answered."""
    kept = (part for part in message.parts if part.kind not in ("reasoning", "media"))
    return message.role, tuple((part.kind, part.call) for part in kept)


def _aligned(
    old: Sequence[One], new: Sequence[One], same: Callable[[One], Hashable], alike: Callable[[One], Hashable]
) -> Iterator[Pair[One]]:
    """Pairs in order: first by what is the same, what is left between by what is alike, then one-sided."""
    for kind, a, b in _blocks(old, new, same):
        if kind == "equal":
            yield from zip(a, b, strict=True)
            continue
        for inner, c, d in _blocks(a, b, alike):
            if inner == "equal":
                yield from zip(c, d, strict=True)
            else:
                yield from ((one, None) for one in c)
                yield from ((None, one) for one in d)


def _blocks(
    old: Sequence[One], new: Sequence[One], key: Callable[[One], Hashable]
) -> Iterator[tuple[str, Sequence[One], Sequence[One]]]:
    """Runs that are equal by `key` and runs that are not. The common start and end are found in one pass."""
    left, right = [key(one) for one in old], [key(one) for one in new]
    size, head = min(len(left), len(right)), 0
    while head < size and left[head] == right[head]:
        head += 1
    tail = 0
    while tail < size - head and left[-1 - tail] == right[-1 - tail]:
        tail += 1
    yield "equal", old[:head], new[:head]
    inside = SequenceMatcher(None, left[head : len(left) - tail], right[head : len(right) - tail], autojunk=False)
    for tag, i, j, k, m in inside.get_opcodes():
        yield ("equal" if tag == "equal" else "other"), old[head + i : head + j], new[head + k : head + m]
    yield "equal", old[len(old) - tail :], new[len(new) - tail :]
