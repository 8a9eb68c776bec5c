"""Which results show a file as it was: from when they are stale, and which of them could be had again.

Rule: a read is stale from the first later call that wrote to its file, as far as the calls say so; until then the file
can be read again. What ran, searched or fetched is never taken for repeatable. Paths are compared as absolute ones.
"""

from bisect import bisect_right
from collections.abc import Sequence
from posixpath import join, normpath

from msgspec import Struct

from secateur.acts.calls import Action, list_actions
from secateur.acts.files import list_file_effects
from secateur.model import Message


class Files(Struct, frozen=True):
    """By part number."""

    stale_from: dict[int, int]  # a read → the part that wrote to its file later
    readings: frozenset[int]  # results that show a file by a call that only reads


def track_files(messages: Sequence[Message], cwd: str = "") -> Files:
    """What the calls of a history say about its files."""
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
        if action.role == "read" and number in read:
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
