"""What an agent did, call by call: which files each call showed and wrote, what it ran, and how it ended.

Rule: paths are compared as written, in the folder that the call names; two names of one file count as two, so that
nothing is equated on a guess. Whether a result became stale later is decided in `staleness`.
"""

import re
from functools import lru_cache
from posixpath import join, normpath

from msgspec import Struct

from secateur.memoizing import memoize_texts
from secateur.model import Part
from secateur.text.placeholder import has_shortened
from secateur.tool_kinds import detect_tool_kind
from secateur.toolcalls.actions import Action, build_action, collect_texts
from secateur.toolcalls.commands import ExecutedCommand, is_printing, list_own_runs
from secateur.toolcalls.file_effects import PLACES, iterate_file_effects, list_paths

SHOWN_AGAIN = 0.8  # of its lines: what a later result of the same file shows again is the same range


class CompletedCall(Struct, frozen=True, gc=False):
    """One call that has a result, and what is certain about it."""

    number: int  # of the message that holds the result
    call: Part
    result: Part
    shows: frozenset[str] = frozenset()  # files whose text it shows, if it does nothing else
    writes: frozenset[str] = frozenset()
    asks: tuple[str, ...] = ()  # the checks that it ran: two calls with the same checks are a repetition
    tries: tuple[str, ...] = ()  # attempts that a later success would resolve
    ok: bool = True


def build_completed_call(number: int, call: Part, result: Part) -> CompletedCall:
    """Build a completed call from a call and its result in message `number`."""
    shows, writes, asks, tries, ok, *_ = _analyze_call(call, result)
    return CompletedCall(number, call, result, shows, writes, asks, tries, ok)


def is_successful_command(call: Part, result: Part) -> bool:
    """Return whether a command that does more than look (a build, a test, an install) ran and succeeded."""
    ran = _analyze_call(call, result)[-1]
    return bool(ran) and all(one.ok for one in ran) and not all(one.looks for one in ran)


def is_file_access(call: Part, result: Part) -> bool:
    """Return whether a call was made to see or to change the text of files."""
    shows, writes, *_, prints, _ = _analyze_call(call, result)
    return bool(shows or writes or prints) or detect_tool_kind(call.tool, call.text) in ("read", "edit")


def is_shown_again(completed: CompletedCall, later: CompletedCall) -> bool:
    """Return whether a later call shows the same range of the same, unchanged files."""
    if not completed.shows or not completed.shows <= later.shows:
        return False
    if completed.call.text == later.call.text:
        return True
    return _is_covered(completed.result.text, later.result.text)


_NO_FILES: frozenset[str] = frozenset()
_Texts = tuple[str, ...]
_Analysis = tuple[frozenset[str], frozenset[str], _Texts, _Texts, bool, bool, tuple[ExecutedCommand, ...]]


def _analyze_call(call: Part, result: Part) -> _Analysis:
    """Return what a call shows, writes, checks and tries, whether it succeeded, whether a command in it printed files
    that have no names, and what it ran."""
    return _analyze_texts(call.tool, call.text, call.key, result.text, result.is_error)


@memoize_texts(4_096)  # by texts: of these the hashes are kept, of parts they are not
def _analyze_texts(tool: str, arguments: str, key: str, output: str, is_error: bool) -> _Analysis:
    call = Part("tool_call", (), arguments, tool, key=key)
    result = Part("tool_result", (), output, tool, is_error=is_error)
    action = build_action(call, result)
    ran = list_own_runs(action)
    where = _place(action, ran)
    effects = [(one.use, path) for one in iterate_file_effects(action) for path in (one.path, one.to) if path]
    read = frozenset([_resolve_path(where, path) for use, path in effects if use == "read"]) or _NO_FILES
    wrote = frozenset([_resolve_path(where, path) for use, path in effects if use != "read"]) or _NO_FILES
    looks = all([one.looks for one in ran])
    only = not wrote and (action.kind == "read" or (bool(ran) and looks))
    failed = not action.ok and not (ran and looks and not is_error)
    ok = not failed and all([one.ok or one.looks for one in ran])
    cut = has_shortened(arguments)  # what else it did is not known: it is like no other
    said = (key,) if cut and ran else tuple([f"{where}\n{_format_run(one)}" for one in ran])
    shows = read if only else _NO_FILES
    prints = not (shows or wrote) and any(map(is_printing, ran))
    return shows, wrote, () if cut else _get_checks(ran, said), _get_attempts(action, said), ok, prints, ran


def _get_checks(ran: tuple[ExecutedCommand, ...], said: tuple[str, ...]) -> tuple[str, ...]:
    """Return the checks of a call (test, build, linter), of which only the newest result matters."""
    return said if ran and any(one.check for one in ran) and all(one.check or one.looks for one in ran) else ()


def _get_attempts(action: Action, said: tuple[str, ...]) -> tuple[str, ...]:
    if said:
        return said
    named = list_paths(action)
    return tuple(f"{action.kind} {normpath(path)}" for path in named) or (f"{action.call.tool} {action.call.text}",)


def _format_run(ran: ExecutedCommand) -> str:
    return "\n".join(map(" ".join, ran.does)) or ran.text


def _place(action: Action, ran: tuple[ExecutedCommand, ...]) -> str:
    """The folder that a call names for itself, by an argument or by `cd`."""
    for place in collect_texts(action.given, PLACES):
        return place
    return next((one.goes_to for one in ran if one.goes_to), "")


def _resolve_path(where: str, path: str) -> str:
    return normpath(join(where, path.removeprefix("file://")))


_NUMBER = re.compile(r"\n[ \t]*+[0-9]{1,6}[:|→\t-]")  # of a line


def _is_covered(text: str, later: str) -> bool:
    lines = get_distinct_lines(text)
    return bool(lines) and len(lines & get_distinct_lines(later)) >= SHOWN_AGAIN * len(lines)


@lru_cache(maxsize=256)
def get_distinct_lines(text: str) -> frozenset[str]:
    """Return the distinct lines of a text, without their numbers and indentation."""
    return frozenset(filter(None, map(str.strip, _NUMBER.sub("\n", f"\n{text}").split("\n"))))
