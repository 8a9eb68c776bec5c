"""What an agent did, call by call: what each showed of files, what it wrote, what it ran, and which later one undid it.

Rule: a later act replaces an earlier one only where both say so: the same files shown again, the same command run
again, the same thing tried again with success. Paths are compared as they are written; two names of one file count as
two, so that nothing is called replaced for the sake of a guess. Whether what was replaced may go is decided above.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from posixpath import join, normpath

from msgspec import Struct

from secateur.acts.calls import Action, action_of, pairs, texts
from secateur.acts.files import PLACES, paths, touched
from secateur.acts.runs import Ran, runs
from secateur.model import Message, Part

SHOWN_AGAIN = 0.8  # of its lines: what a later result of the same file shows again is the same range


class Act(Struct, frozen=True):
    """One call that has a result, and what is certain about it."""

    number: int  # of the message that holds the result
    call: Part
    result: Part
    shows: frozenset[str] = frozenset()  # files whose text it shows, if it does nothing else
    writes: frozenset[str] = frozenset()
    asks: tuple[str, ...] = ()  # what was run, or searched: two acts that ask the same are a repetition
    tries: tuple[str, ...] = ()  # what a later success would resolve
    ok: bool = True

    @property
    def touches(self) -> frozenset[str]:
        """Files that it worked with."""
        return self.shows | self.writes


def acts(messages: Sequence[Message], raw: Mapping[str, Part] | None = None) -> tuple[Act, ...]:
    """The acts of a history, oldest first; `raw` has the parts as they came where a view shows them otherwise."""
    came = raw or {}
    numbers = {
        part.key: number
        for number, message in enumerate(messages)
        for part in message.parts
        if part.kind == "tool_result"
    }
    found = []
    for call, result in pairs(messages):
        if result is not None:
            call, result = came.get(call.key, call), came.get(result.key, result)
            found.append(Act(numbers[result.key], call, result, *_told(call, result)))
    return tuple(found)


def recent(history: Iterable[Act], most: int) -> frozenset[str]:
    """The files worked with last, so many of them."""
    found: dict[str, None] = {}
    for act in reversed(tuple(history)):
        for path in sorted(act.touches):
            if len(found) < most:
                found.setdefault(path)
    return frozenset(found)


def fresh(history: Sequence[Act], files: frozenset[str]) -> frozenset[str]:
    """Results that show one of these files as no later one does: by their keys."""
    found: set[str] = set()
    later: list[Act] = []
    for act in reversed(history):
        if act.shows & files:
            if not any(shown_again(act, one) for one in later):
                found.add(act.result.key)
            later.append(act)
    return frozenset(found)


def unresolved(history: Sequence[Act]) -> frozenset[str]:
    """Results that tell of a failure which no later act of the same kind ended, or told anew: by their keys."""
    found: set[str] = set()
    later: set[str] = set()
    for act in reversed(history):
        if not act.ok and not later.intersection(act.tries):
            found.add(act.result.key)
        later.update(act.tries)
    return frozenset(found)


def shown_again(act: Act, later: Act) -> bool:
    """Whether a later act shows the same range of the same files, as they are then."""
    if not act.shows or not act.shows <= later.shows:
        return False
    if act.call.text == later.call.text:
        return True
    lines, again = _lines(act.result.text), _lines(later.result.text)
    return bool(lines) and len(lines & again) >= SHOWN_AGAIN * len(lines)


@lru_cache(maxsize=4_096)
def _told(call: Part, result: Part) -> tuple[frozenset[str], frozenset[str], tuple[str, ...], tuple[str, ...], bool]:
    """What an act shows, writes, asks and tries, and whether it went well."""
    action = action_of(call, result)
    ran = tuple(runs((action,)))
    where = _place(action, ran)
    effects = [(one.use, path) for one in touched(action) for path in (one.path, one.to) if path]
    read = frozenset(_named(where, path) for use, path in effects if use == "read")
    wrote = frozenset(_named(where, path) for use, path in effects if use != "read")
    only = not wrote and (action.role == "read" or (bool(ran) and all(one.looks for one in ran)))
    failed = not action.ok and not (ran and all(one.looks for one in ran) and not result.error)
    ok = not failed and all(one.ok or one.looks for one in ran)
    said = tuple(f"{where}\n{_said(one)}" for one in ran)
    return read if only else frozenset(), wrote, _asks(action, ran, said), _tries(action, said), ok


def _asks(action: Action, ran: tuple[Ran, ...], said: tuple[str, ...]) -> tuple[str, ...]:
    """A check, a look at how things are, a search: what is worth only its newest answer."""
    if action.role == "search":
        return (f"{action.call.tool} {action.call.text}",)
    if ran and all(one.check or one.looks for one in ran):
        return said
    return ()


def _tries(action: Action, said: tuple[str, ...]) -> tuple[str, ...]:
    if said:
        return said
    named = paths(action)
    return tuple(f"{action.role} {normpath(path)}" for path in named) or (f"{action.call.tool} {action.call.text}",)


def _said(ran: Ran) -> str:
    return "\n".join(map(" ".join, ran.does)) or ran.text


def _place(action: Action, ran: tuple[Ran, ...]) -> str:
    """The folder that a call names for itself, by an argument or by `cd`."""
    for place in texts(action.given, PLACES):
        return place
    return next((one.goes_to for one in ran if one.goes_to), "")


def _named(where: str, path: str) -> str:
    return normpath(join(where, path.removeprefix("file://")))


_NUMBERED = re.compile(r"\s*\d{1,6}[:|→\t-]")


@lru_cache(maxsize=256)
def _lines(text: str) -> frozenset[str]:
    """Its lines, without numbers and indentation."""
    return frozenset(said for line in text.split("\n") if (said := _NUMBERED.sub("", line, count=1).strip()))
