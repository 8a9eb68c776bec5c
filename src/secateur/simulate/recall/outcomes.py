"""The fate of each reference in the views that a policy sent, and which results can be produced again.

Rule: a reference is visible if any of its providers is, whole or through its replacement, or if an added text (a
summary) has it. It is recoverable if the view says how to get it: by a handle, or by reading a file again that was not
written since. A read is stale from the first later call that wrote to its file. Commands, searches and fetches are
never assumed to be repeatable. Paths are compared as absolute ones.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence, Set
from posixpath import join, normpath

from msgspec import Struct

from secateur.identifiers import Kind
from secateur.model import Message
from secateur.simulate.recall.references import Reference, References
from secateur.toolcalls.actions import Action, list_actions
from secateur.toolcalls.file_effects import list_file_effects


class Files(Struct, frozen=True):
    """By part number."""

    stale_from: dict[int, int]  # a read → the part that wrote to its file later
    readings: frozenset[int]  # results that show a file by a call that only reads


def track_files(messages: Sequence[Message], cwd: str = "") -> Files:
    """Track which files the calls of a history read and write."""
    numbers = {part.key: number for number, part in enumerate(part for one in messages for part in one.parts)}
    read: dict[int, list[str]] = {}
    wrote: dict[str, list[int]] = {}
    readings = set()
    for action in list_actions(messages):
        if action.result is None:
            continue
        number = numbers[action.result.key]
        for use, path in _list_uses(action, cwd):
            if use == "read":
                read.setdefault(number, []).append(path)
            else:
                wrote.setdefault(path, []).append(number)
        if action.kind == "read" and number in read:
            readings.add(number)
    for numbers_of_path in wrote.values():
        numbers_of_path.sort()
    stale = {number: _find_next_write(number, paths, wrote) for number, paths in read.items()}
    return Files({number: at for number, at in stale.items() if at}, frozenset(readings))


def _list_uses(action: Action, cwd: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for effect in list_file_effects(action):
        found.append((effect.use, normpath(join(cwd, effect.path))))
        if effect.to:
            found.append((effect.use, normpath(join(cwd, effect.to))))
    return found


def _find_next_write(number: int, paths: Sequence[str], wrote: dict[str, list[int]]) -> int:
    """The first later part that wrote to one of these paths; 0 if none did."""
    later = [
        times[place]
        for path in paths
        if (times := wrote.get(path)) and (place := bisect_right(times, number)) < len(times)
    ]
    return min(later, default=0)


class ViewState(Struct, frozen=True):
    """The view of one request, as far as it differs from the history. Requests may share one."""

    changed: Mapping[str, str] = {}  # key of a part → its text in the view, "" where it is gone
    added: tuple[str, ...] = ()  # texts that are not in the history: summaries, continuations
    handles: Set[str] = frozenset()  # keys of changed parts whose body can be read back


class Outcome(Struct, frozen=True, gc=False, kw_only=True):
    """One reference in one view."""

    request: int  # position among the views
    key: str  # of the part that showed it last: blame and credit are its
    tokens: int  # of that part
    distance: int  # how many results back that part is; 1 is the newest
    kind: Kind
    rarity: float  # share of the messages that the identifier is in
    hard: bool
    spoken: bool
    visible: bool
    stale: bool = False  # visible, but only in reads of a file that was written to since
    recoverable: bool = False  # not visible, but the view says where to get it


def judge_references(refs: References, files: Files, views: Sequence[ViewState]) -> Iterator[Outcome]:
    """The outcome of each reference; `views` has one for each request of the history."""
    for one in refs.found:
        held, start = views[one.request], refs.starts[one.request]
        added = any(one.id in refs.names.number_identifiers(text) for text in held.added)
        visible = fresh = added
        for part in reversed(refs.shown[one.id][: one.provided]):
            if fresh:
                break
            if _is_shown(refs, held, part, one.id):
                visible = True
                fresh = not 0 < files.stale_from.get(part, 0) < start
        newest = refs.parts[refs.get_newest(one)]
        yield Outcome(
            request=one.request,
            key=newest.key,
            tokens=newest.tokens,
            distance=refs.compute_distance(one),
            kind=refs.names.met[one.id].kind,
            rarity=refs.rarity[one.id],
            hard=one.hard,
            spoken=one.spoken,
            visible=visible,
            stale=visible and not fresh,
            recoverable=not visible and _is_recoverable(refs, files, held, one),
        )


def _is_shown(refs: References, held: ViewState, part: int, one: int) -> bool:
    text = held.changed.get(refs.parts[part].key) if held.changed else None
    if text is None:
        return True
    return bool(text) and one in refs.names.number_identifiers(text, refs.parts[part].kind != "tool_call")


def _is_recoverable(refs: References, files: Files, held: ViewState, one: Reference) -> bool:
    start = refs.starts[one.request]
    for part in refs.shown[one.id][: one.provided]:
        if refs.parts[part].key in held.handles:
            return True
        unwritten = not 0 < files.stale_from.get(part, 0) < start
        if part in files.readings and unwritten and held.changed.get(refs.parts[part].key):
            return True  # a placeholder is there, below the call that names the file
    return False
