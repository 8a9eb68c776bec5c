"""What an agent did, call by call: what each call showed of files, what it wrote, what it ran, and how it went.

Rule: paths are compared as they are written, in the folder that the call names; two names of one file count as two, so
that nothing is taken for the same for the sake of a guess. What became of an act later is told in `fates`.
"""

import re
from functools import lru_cache
from posixpath import join, normpath

from msgspec import Struct

from secateur.acts.calls import Action, build_action, collect_texts
from secateur.acts.files import PLACES, list_file_effects, list_paths
from secateur.acts.runs import Ran, is_printing, iterate_runs
from secateur.model import Part
from secateur.placeholder import has_shortened
from secateur.roles import detect_role

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


def build_act(number: int, call: Part, result: Part) -> Act:
    """Build an act from a call and its result in message `number`."""
    return Act(number, call, result, *_analyze_act(call, result))


def is_successful_command(call: Part, result: Part) -> bool:
    """Return whether a command that does more than look (a build, a test, an install) ran and succeeded."""
    ran = _list_runs(call, result)
    return bool(ran) and all(one.ok for one in ran) and not all(one.looks for one in ran)


def is_file_access(call: Part, result: Part) -> bool:
    """Return whether a call was made to see or to change the text of files."""
    shows, writes, *_ = _analyze_act(call, result)
    if shows or writes or detect_role(call.tool, call.text) in ("read", "edit"):
        return True
    return any(map(is_printing, _list_runs(call, result)))


def is_shown_again(act: Act, later: Act) -> bool:
    """Return whether a later act shows the same range of the same, unchanged files."""
    if not act.shows or not act.shows <= later.shows:
        return False
    if act.call.text == later.call.text:
        return True
    return _is_covered(act.result.text, later.result.text)


def _list_runs(call: Part, result: Part) -> tuple[Ran, ...]:
    return _read_action(call, result)[1]


@lru_cache(maxsize=4_096)
def _read_action(call: Part, result: Part) -> tuple[Action, tuple[Ran, ...]]:
    action = build_action(call, result)
    return action, tuple(iterate_runs((action,)))


@lru_cache(maxsize=4_096)
def _analyze_act(
    call: Part, result: Part
) -> tuple[frozenset[str], frozenset[str], tuple[str, ...], tuple[str, ...], bool]:
    """Return what an act shows, writes, asks and tries, and whether it succeeded."""
    action, ran = _read_action(call, result)
    where = _place(action, ran)
    effects = [(one.use, path) for one in list_file_effects(action) for path in (one.path, one.to) if path]
    read = frozenset(_resolve_path(where, path) for use, path in effects if use == "read")
    wrote = frozenset(_resolve_path(where, path) for use, path in effects if use != "read")
    only = not wrote and (action.role == "read" or (bool(ran) and all(one.looks for one in ran)))
    failed = not action.ok and not (ran and all(one.looks for one in ran) and not result.is_error)
    ok = not failed and all(one.ok or one.looks for one in ran)
    cut = has_shortened(call.text)  # what else it did is not known: it is like no other
    said = (call.key,) if cut and ran else tuple(f"{where}\n{_format_run(one)}" for one in ran)
    return read if only else frozenset(), wrote, () if cut else _get_checks(ran, said), _get_attempts(action, said), ok


def _get_checks(ran: tuple[Ran, ...], said: tuple[str, ...]) -> tuple[str, ...]:
    """Return the checks of an act (test, build, linter), of which only the newest answer matters."""
    return said if ran and any(one.check for one in ran) and all(one.check or one.looks for one in ran) else ()


def _get_attempts(action: Action, said: tuple[str, ...]) -> tuple[str, ...]:
    if said:
        return said
    named = list_paths(action)
    return tuple(f"{action.role} {normpath(path)}" for path in named) or (f"{action.call.tool} {action.call.text}",)


def _format_run(ran: Ran) -> str:
    return "\n".join(map(" ".join, ran.does)) or ran.text


def _place(action: Action, ran: tuple[Ran, ...]) -> str:
    """The folder that a call names for itself, by an argument or by `cd`."""
    for place in collect_texts(action.given, PLACES):
        return place
    return next((one.goes_to for one in ran if one.goes_to), "")


def _resolve_path(where: str, path: str) -> str:
    return normpath(join(where, path.removeprefix("file://")))


_NUMBERED = re.compile(r"\s*\d{1,6}[:|→\t-]")
_MARKS = re.compile(r"\d[:|→\t-]")  # found faster, where there is none


@lru_cache(maxsize=16_384)
def _is_covered(text: str, later: str) -> bool:
    lines = get_distinct_lines(text)
    return bool(lines) and len(lines & get_distinct_lines(later)) >= SHOWN_AGAIN * len(lines)


@lru_cache(maxsize=256)
def get_distinct_lines(text: str) -> frozenset[str]:
    """Return the distinct lines of a text, without line numbers and indentation."""
    lines = text.split("\n")
    if _MARKS.search(text):
        lines = [_without_number(line) for line in lines]
    return frozenset(filter(None, map(str.strip, lines)))


def _without_number(line: str) -> str:
    """The line without its first number; most begin with it, or have none."""
    if found := _NUMBERED.match(line):
        return line[found.end() :]
    return _NUMBERED.sub("", line, count=1) if _MARKS.search(line) else line
