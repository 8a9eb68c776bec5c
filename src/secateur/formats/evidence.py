"""Which API a request is written for, by all that it holds: blocks, roles, fields around the messages, the model.

Rule: every message counts, wherever it stands, and what no one knows counts for nothing. Blocks and roles that one API
alone has outweigh fields, and fields outweigh hints; where nothing tells, a list of messages is Chat Completions.
Formats whose documents are plain in the same way are named as well: the caller may state any of them.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from secateur.formats.marks import (
    ANTHROPIC,
    BEDROCK,
    CHAT,
    GEMINI,
    PI,
    RESPONSES,
    Vote,
    find_field_hints,
    find_field_votes,
    find_hints,
    find_own_votes,
)
from secateur.formats.native import find_array, sample
from secateur.jsontext import Text

BODIES = (CHAT, ANTHROPIC, BEDROCK, PI, RESPONSES, GEMINI)  # the formats told apart here; of equals, the first

_ARRAYS = {"messages": (CHAT, ANTHROPIC, BEDROCK, PI), "contents": (GEMINI,), "input": (RESPONSES,)}
_PLAIN = {CHAT, ANTHROPIC, PI, RESPONSES}  # formats in which a message may be a role and a string
_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_CALLS_OF_PI = (b'"toolCall"', b'"toolResult"')


class Weighed(NamedTuple):
    """The format of a request, why, and the formats that would read it just as well.

    `sure`: some message is of no other format.
    """

    name: str
    reason: str
    equals: frozenset[str] = frozenset()
    sure: bool = False


class _Votes:
    """How often each format is told, and by what first: `own` by blocks and roles, `fields`, `hints`."""

    def __init__(self, among: tuple[str, ...]) -> None:
        self.among = among
        self.own, self.fields, self.hints = Counter[str](), Counter[str](), Counter[str]()
        self.reasons: dict[str, str] = {}
        self.plain = self.odd = 0  # messages with a role of a chat, and all others

    def add(self, votes: Iterable[Vote], kind: Counter[str]) -> None:
        for name, reason in votes:
            if name in self.among:
                kind[name] += 1
                self.reasons.setdefault(name, reason)

    def add_messages(self, items: Iterable[Any]) -> None:
        for item in items:
            known = isinstance(item, dict)
            self.add(find_own_votes(item) if known else (), self.own)
            self.add(find_hints(item) if known else (), self.hints)
            plain = known and isinstance(item.get("role"), str) and item["role"] in _ROLES
            self.plain, self.odd = self.plain + plain, self.odd + (not plain)

    def find_best(self) -> str:
        """Return the format with the most evidence; OpenAI's messages may occur among Pi's."""
        own = self.own + Counter({PI: self.own[CHAT]}) if self.own[PI] else self.own
        return max(self.among, key=lambda name: (own[name], self.fields[name], self.hints[name]))

    def find_equals(self, best: str) -> frozenset[str]:
        """Return formats with as much evidence, or that a plain document without evidence may also be."""
        if self.own[best]:
            return frozenset(name for name in self.among if name != best and 2 * self.own[name] >= self.own[best])
        able = set(self.among) if not self.plain + self.odd else _PLAIN & set(self.among)
        return frozenset(name for name in able - {best} if self.fields[name] >= self.fields[best])


def weigh_formats(native: Any) -> Weighed | None:
    """Return the format of a request body or message list, or None if it holds no known message."""
    found: list[tuple[int, Weighed]] = []
    for name, among in _ARRAYS.items():
        at = find_array(native, name)
        if at is not None and not at[0]:
            return _judge_array(native, "", at[1], BODIES)[1]
        one = _judge_array(native, name, at[1], among) if at is not None else (0, _weigh_text_input(native, name))
        found += [(one[0], one[1])] if one[1] is not None else []
    return max(found, key=lambda one: one[0])[1] if found else None


def explain_claim(native: Any, name: str) -> str:
    """Return why a request has this format; "" if it has another or none."""
    found = weigh_formats(native)
    return found.reason if found is not None and found.name == name else ""


def _judge_array(native: Any, array: str, items: Any, among: tuple[str, ...]) -> tuple[int, Weighed | None]:
    """Return how much evidence supports the best format, and which format it is."""
    votes = _count_votes(items, among)
    if array == "messages":
        votes.add(find_field_votes(native), votes.fields)
        votes.add(find_field_hints(native), votes.hints)
    best = votes.find_best()
    if not votes.own[best] and not _is_plain(votes, array, items):
        return 0, None
    reason = _describe_shape(best, array) if best == GEMINI else votes.reasons.get(best) or _describe_shape(best, array)
    return votes.own[best], Weighed(best, reason, votes.find_equals(best), votes.own[best] > 0)


def _count_votes(items: Any, among: tuple[str, ...]) -> _Votes:
    """Count votes of messages at both ends if they agree; else, and for Python objects, of all of them."""
    votes = _Votes(among)
    if isinstance(items, Text):
        votes.add_messages(sample(items))
        told = [name for name in among if votes.own[name]]
        if len(told) == 1 and not (told == [CHAT] and PI in among and _may_be_pi(items)):
            return votes
        votes = _Votes(among)
    votes.add_messages(items.values() if isinstance(items, Text) else items)
    return votes


def _may_be_pi(items: Text) -> bool:
    return any(items.data.find(mark, items.start, items.end) >= 0 for mark in _CALLS_OF_PI)


def _is_plain(votes: _Votes, array: str, items: Any) -> bool:
    """Whether messages that tell nothing are messages of a chat at all."""
    if array == "messages":
        return votes.plain > 0 or not len(items)
    if array == "input":
        return not len(items) or any(
            isinstance(one, dict) and ("type" in one or "role" in one) for one in _iterate_items(items)
        )
    return array == "" and 0 < votes.plain >= votes.odd


def _iterate_items(items: Any) -> Iterable[Any]:
    return items.values() if isinstance(items, Text) else items


def _describe_shape(name: str, array: str) -> str:
    if name == GEMINI:
        return "`contents` with `parts`" if array else "a list of contents with `parts`"
    if name == RESPONSES:
        return "`input` is a list of items" if array else "a list of items"
    return f"`{array}` with chat roles" if array else "a list of messages with chat roles"


def _weigh_text_input(native: Any, array: str) -> Weighed | None:
    """Return evidence for an `input` that is a single text."""
    if array != "input" or not isinstance(native, dict | Text):
        return None
    child = native.get(array) if isinstance(native, dict) else native.child(array) if native.kind == "{" else None
    text = child.kind == '"' if isinstance(child, Text) else isinstance(child, str)
    return Weighed(RESPONSES, "`input` is a text") if text else None
