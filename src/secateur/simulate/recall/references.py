"""References: names in the arguments of a call that a tool's result had shown before.

Rule: a reference is hard if only results showed it: if they are all removed, the recorded call could not have been
written. If an earlier argument or a text contains it too, it is soft. Names from the user, the system prompt or today's
date, and names that occur everywhere, are not references. Identifiers are compared as numbers of one table, and each
text is read once, since a session has the same text in many views.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import accumulate

from msgspec import Struct

from secateur.identifiers import Identifier, find_identifiers
from secateur.model import Message, Part

COMMON = 0.25  # share of a session's messages: what is in more of them refers to nothing
AT_LEAST = 8  # messages: in a short session a quarter is too few to be common


class Names:
    """The identifiers met so far. `cwd` is the folder that relative paths are taken from."""

    def __init__(self, cwd: str = "") -> None:
        self.cwd = cwd
        self.met: list[Identifier] = []
        self._numbers: dict[Identifier, int] = {}
        self._read: dict[tuple[bool, str], frozenset[int]] = {}

    def number_identifiers(self, text: str, names: bool = True) -> frozenset[int]:
        """The numbers of a text's identifiers; `names` as in `identifiers`."""
        known = self._read.get((names, text))
        if known is None:
            known = frozenset(map(self._number, find_identifiers(text, self.cwd, names)))
            self._read[names, text] = known
        return known

    def number_part(self, part: Part) -> frozenset[int]:
        """The identifiers that a part provides: argument names are the tool's; reasoning provides none, providers strip
        it.
        """
        if not part.text or part.kind in ("reasoning", "media"):
            return frozenset()
        return self.number_identifiers(part.text, part.kind != "tool_call")

    def _number(self, one: Identifier) -> int:
        number = self._numbers.setdefault(one, len(self.met))
        if number == len(self.met):
            self.met.append(one)
        return number


class Reference(Struct, frozen=True, gc=False):
    """One identifier that one request needed. Its providers are the first `provided` of `References.shown[id]`."""

    request: int  # position in `References.answers`
    id: int
    provided: int
    hard: bool
    spoken: bool = False  # in the visible text of the answer, not in its calls: reported apart


class References(Struct, frozen=True):
    """All references of one history. Parts are numbered over all its messages."""

    parts: tuple[Part, ...]
    answers: tuple[int, ...]  # message numbers, one for each request
    starts: tuple[int, ...]  # number of the first part that a request did not hold yet
    results: tuple[int, ...]  # how many results precede each part, and in all
    shown: dict[int, list[int]]  # identifier → parts that show it, oldest first
    rarity: dict[int, float]  # identifier → share of the messages it is in
    found: tuple[Reference, ...]
    names: Names

    def get_newest(self, one: Reference) -> int:
        """The part that showed it last, which is credited or blamed for it."""
        return self.shown[one.id][one.provided - 1]

    def compute_distance(self, one: Reference) -> int:
        """How many results back that part is; 1 is the newest one."""
        return self.results[self.starts[one.request]] - self.results[self.get_newest(one)]

    def find_last_uses(self) -> dict[str, int]:
        """By part key, the last request for which a part was the newest provider of a hard reference."""
        found: dict[str, int] = {}
        for one in self.found:
            if one.hard and not one.spoken:
                key = self.parts[self.get_newest(one)].key
                found[key] = max(one.request, found.get(key, -1))
        return found


def find_references(messages: Sequence[Message], answers: Sequence[int], names: Names) -> References:
    """The references of the messages numbered `answers`, each to what precedes it."""
    walk = _Walk(messages, names, frozenset(answers))
    for number, message in enumerate(messages):
        walk.advance(number, message)
    parts = tuple(part for message in messages for part in message.parts)
    ends = [0, *accumulate(len(message.parts) for message in messages)]
    results = [0, *accumulate(part.kind == "tool_result" for part in parts)]
    order = {number: position for position, number in enumerate(answers)}
    found = sorted((one for one in walk.found), key=lambda one: (order[one.request], one.spoken, one.id))
    return References(
        parts,
        tuple(answers),
        tuple(ends[number] for number in answers),
        tuple(results),
        walk.shown,
        {one: count / len(messages) for one, count in walk.counts.items()},
        tuple(Reference(order[one.request], one.id, one.provided, one.hard, one.spoken) for one in found),
        names,
    )


class _Walk:
    """Oldest message first, what has been shown so far and by whom."""

    def __init__(self, messages: Sequence[Message], names: Names, answers: frozenset[int]) -> None:
        self.names, self.answers = names, answers
        self.found: list[Reference] = []  # `request` is still the answer's message number
        self.shown: dict[int, list[int]] = {}
        self.counts = _count_identifiers(messages, names)
        most = max(COMMON * len(messages), AT_LEAST)
        self.given = {one for one, count in self.counts.items() if count > most}  # refers to nothing
        self.by_results: set[int] = set()
        self.echoed: set[int] = set()
        self.part = 0
        for message in messages:
            if message.role == "system":
                self.given |= _collect_identifiers(message.parts, names)

    def advance(self, number: int, message: Message) -> None:
        """Record what an answer refers to, then what a message shows."""
        if number in self.answers:
            self._record_references(number, message)
        for part in message.parts:
            for one in self.names.number_part(part):
                self.shown.setdefault(one, []).append(self.part)
                (self.by_results if part.kind == "tool_result" else self.echoed).add(one)
            self.part += 1
        if message.role == "user" and message.origin == "user":
            self.given |= _collect_identifiers(message.parts, self.names)

    def _record_references(self, number: int, message: Message) -> None:
        today = _get_today(message.recorded_ms, self.names)
        called = _collect_identifiers((part for part in message.parts if part.kind == "tool_call"), self.names)
        spoken = _collect_identifiers((part for part in message.parts if part.kind == "text"), self.names) - called
        for ids, aloud in ((called, False), (spoken, True)):
            for one in (ids & self.by_results) - self.given - today:
                self.found.append(Reference(number, one, len(self.shown[one]), one not in self.echoed, aloud))


def _count_identifiers(messages: Iterable[Message], names: Names) -> dict[int, int]:
    """The number of messages each identifier occurs in."""
    counts: dict[int, int] = {}
    for message in messages:
        for one in _collect_identifiers(message.parts, names):
            counts[one] = counts.get(one, 0) + 1
    return counts


def _collect_identifiers(parts: Iterable[Part], names: Names) -> frozenset[int]:
    return frozenset().union(*map(names.number_part, parts))


def _get_today(at: int, names: Names) -> frozenset[int]:
    return names.number_identifiers(datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d")) if at else frozenset()
