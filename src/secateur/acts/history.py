"""What an agent did, call by call: what each call showed of files, what it wrote, what it ran, and how it went.

Rule: paths are compared as they are written, in the folder that the call names; two names of one file count as two, so
that nothing is taken for the same for the sake of a guess. What became of an act later is told in `fates`.
"""

import re
from functools import lru_cache
from posixpath import join, normpath

from msgspec import Struct

from secateur.acts.calls import Action, action_of, texts
from secateur.acts.files import PLACES, paths, touched
from secateur.acts.runs import Ran, prints, runs
from secateur.model import Part
from secateur.placeholder import holds_shortened
from secateur.roles import role_of

SHOWN_AGAIN = 0.8  # of its lines: what a later result of the same file shows again is the same range


class Act(Struct, frozen=True):
    """One call that has a result, and what is certain about it."""

    number: int  # of the message that holds the result
    call: Part
    result: Part
    shows: frozenset[str] = frozenset()  # files whose text it shows, if it does nothing else
    writes: frozenset[str] = frozenset()
    asks: tuple[str, ...] = ()  # the checks that it ran: two acts that ask the same are a repetition
    tries: tuple[str, ...] = ()  # what a later success would resolve
    ok: bool = True

    @property
    def touches(self) -> frozenset[str]:
        """Files that it worked with."""
        return self.shows | self.writes


def act(number: int, call: Part, result: Part) -> Act:
    """What is certain about a call and its result, which stands in message `number`."""
    return Act(number, call, result, *_told(call, result))


def ran_well(call: Part, result: Part) -> bool:
    """Whether a command that does more than look (a build, a test, an installation) was run, and did not fail."""
    ran = _ran(call, result)
    return bool(ran) and all(one.ok for one in ran) and not all(one.looks for one in ran)


def shows_files(call: Part, result: Part) -> bool:
    """Whether a call was made to see the text of files, or to change it."""
    shows, writes, *_ = _told(call, result)
    if shows or writes or role_of(call.tool, call.text) in ("read", "edit"):
        return True
    return any(map(prints, _ran(call, result)))


def shown_again(act: Act, later: Act) -> bool:
    """Whether a later act shows the same range of the same files, as they are then."""
    if not act.shows or not act.shows <= later.shows:
        return False
    if act.call.text == later.call.text:
        return True
    return _covered(act.result.text, later.result.text)


@lru_cache(maxsize=4_096)
def _ran(call: Part, result: Part) -> tuple[Ran, ...]:
    return tuple(runs((action_of(call, result),)))


@lru_cache(maxsize=4_096)
def _told(call: Part, result: Part) -> tuple[frozenset[str], frozenset[str], tuple[str, ...], tuple[str, ...], bool]:
    """What an act shows, writes, asks and tries, and whether it went well."""
    action = action_of(call, result)
    ran = _ran(call, result)
    where = _place(action, ran)
    effects = [(one.use, path) for one in touched(action) for path in (one.path, one.to) if path]
    read = frozenset(_named(where, path) for use, path in effects if use == "read")
    wrote = frozenset(_named(where, path) for use, path in effects if use != "read")
    only = not wrote and (action.role == "read" or (bool(ran) and all(one.looks for one in ran)))
    failed = not action.ok and not (ran and all(one.looks for one in ran) and not result.is_error)
    ok = not failed and all(one.ok or one.looks for one in ran)
    cut = holds_shortened(call.text)  # what else it did is not known: it is like no other
    said = (call.key,) if cut and ran else tuple(f"{where}\n{_said(one)}" for one in ran)
    return read if only else frozenset(), wrote, () if cut else _asks(ran, said), _tries(action, said), ok


def _asks(ran: tuple[Ran, ...], said: tuple[str, ...]) -> tuple[str, ...]:
    """A test, a build, a linter: what is worth only its newest answer. Two looks at one thing may both be needed."""
    return said if ran and any(one.check for one in ran) and all(one.check or one.looks for one in ran) else ()


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
_MARKS = re.compile(r"\d[:|→\t-]")  # found faster, where there is none


@lru_cache(maxsize=16_384)
def _covered(text: str, later: str) -> bool:
    lines = distinct_lines(text)
    return bool(lines) and len(lines & distinct_lines(later)) >= SHOWN_AGAIN * len(lines)


@lru_cache(maxsize=256)
def distinct_lines(text: str) -> frozenset[str]:
    """The lines of a text, without numbers and indentation."""
    lines = text.split("\n")
    if _MARKS.search(text):
        lines = [_NUMBERED.sub("", line, count=1) if _MARKS.search(line) else line for line in lines]
    return frozenset(filter(None, map(str.strip, lines)))
