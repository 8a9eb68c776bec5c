"""Which API a request is written for, by all that it holds: blocks, roles, fields around the messages, the model.

Rule: every message counts, wherever it stands, and what nobody knows counts for nothing. Blocks and roles that one API
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
    fields,
    hinting_fields,
    hints,
    own,
)
from secateur.formats.native import array_at, sample
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

    def messages(self, items: Iterable[Any]) -> None:
        for item in items:
            known = isinstance(item, dict)
            self.add(own(item) if known else (), self.own)
            self.add(hints(item) if known else (), self.hints)
            plain = known and isinstance(item.get("role"), str) and item["role"] in _ROLES
            self.plain, self.odd = self.plain + plain, self.odd + (not plain)

    def best(self) -> str:
        """The format for which most tells; OpenAI's messages may stand among Pi's."""
        own = self.own + Counter({PI: self.own[CHAT]}) if self.own[PI] else self.own
        return max(self.among, key=lambda name: (own[name], self.fields[name], self.hints[name]))

    def equals(self, best: str) -> frozenset[str]:
        """The other formats for which it tells as much, or for which nothing tells of this plain document."""
        if self.own[best]:
            return frozenset(name for name in self.among if name != best and 2 * self.own[name] >= self.own[best])
        able = set(self.among) if not self.plain + self.odd else _PLAIN & set(self.among)
        return frozenset(name for name in able - {best} if self.fields[name] >= self.fields[best])


def weighed(native: Any) -> Weighed | None:
    """The format of a request body or of a list of messages; None where nothing in it is a message of any."""
    found: list[tuple[int, Weighed]] = []
    for name, among in _ARRAYS.items():
        at = array_at(native, name)
        if at is not None and not at[0]:
            return _judged(native, "", at[1], BODIES)[1]
        one = _judged(native, name, at[1], among) if at is not None else (0, _text_input(native, name))
        found += [(one[0], one[1])] if one[1] is not None else []
    return max(found, key=lambda one: one[0])[1] if found else None


def claimed(native: Any, name: str) -> str:
    """Why a request is of this format; "" where it is of another or of none."""
    found = weighed(native)
    return found.reason if found is not None and found.name == name else ""


def _judged(native: Any, array: str, items: Any, among: tuple[str, ...]) -> tuple[int, Weighed | None]:
    """How much tells of the best format, and what it is."""
    votes = _counted(items, among)
    if array == "messages":
        votes.add(fields(native), votes.fields)
        votes.add(hinting_fields(native), votes.hints)
    best = votes.best()
    if not votes.own[best] and not _is_plain(votes, array, items):
        return 0, None
    reason = _of_shape(best, array) if best == GEMINI else votes.reasons.get(best) or _of_shape(best, array)
    return votes.own[best], Weighed(best, reason, votes.equals(best), votes.own[best] > 0)


def _counted(items: Any, among: tuple[str, ...]) -> _Votes:
    """The votes of the messages at both ends, where they agree; else, and for Python objects, of all of them."""
    votes = _Votes(among)
    if isinstance(items, Text):
        votes.messages(sample(items))
        told = [name for name in among if votes.own[name]]
        if len(told) == 1 and not (told == [CHAT] and PI in among and _may_be_pi(items)):
            return votes
        votes = _Votes(among)
    votes.messages(items.values() if isinstance(items, Text) else items)
    return votes


def _may_be_pi(items: Text) -> bool:
    return any(items.data.find(mark, items.start, items.end) >= 0 for mark in _CALLS_OF_PI)


def _is_plain(votes: _Votes, array: str, items: Any) -> bool:
    """Whether messages that tell nothing are messages of a chat at all."""
    if array == "messages":
        return votes.plain > 0 or not len(items)
    if array == "input":
        return not len(items) or any(isinstance(one, dict) and ("type" in one or "role" in one) for one in _all(items))
    return array == "" and 0 < votes.plain >= votes.odd


def _all(items: Any) -> Iterable[Any]:
    return items.values() if isinstance(items, Text) else items


def _of_shape(name: str, array: str) -> str:
    if name == GEMINI:
        return "`contents` with `parts`" if array else "a list of contents with `parts`"
    if name == RESPONSES:
        return "`input` is a list of items" if array else "a list of items"
    return f"`{array}` with chat roles" if array else "a list of messages with chat roles"


def _text_input(native: Any, array: str) -> Weighed | None:
    """An `input` may be one text."""
    if array != "input" or not isinstance(native, dict | Text):
        return None
    child = native.get(array) if isinstance(native, dict) else native.child(array) if native.kind == "{" else None
    text = child.kind == '"' if isinstance(child, Text) else isinstance(child, str)
    return Weighed(RESPONSES, "`input` is a text") if text else None
