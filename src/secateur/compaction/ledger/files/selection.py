"""Which files a summary lists: those that were changed, and of others the few that someone who goes on has use for.

Rule: where the session changed files, temporary ones say nothing, and neither do those that were only read, but for a
few that something came of, or that the newest request was begun with, while nothing is changed yet for one that is
open. The project's files go first, of these what was read for the newest request, or what calls turned to most often.
"""

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from secateur.compaction.ledger.entries import FileEntry, Ledger
from secateur.compaction.ledger.files.lines import TEMPORARY, find_base, is_foreign
from secateur.compaction.ledger.files.paths import clean_path
from secateur.compaction.ledger.turns.progress import has_changed

_T = TypeVar("_T")

SCRATCH = "scratch"  # among the counts of what is left out: scratch files, which their own line tells
MOST_SCRATCH_FILES = 6
MOST_READ_FILES, MOST_NAMED_FILES = 12, 4  # the latter where files were changed
MOST_FOREIGN_FILES = 2  # of these, outside of the project
_OFTEN = 2  # calls that turned to a file, for one of an earlier request to be listed beside those of the newest


def select_files(ledger: Ledger) -> tuple[FileEntry, ...]:
    """Return the files that are listed: of those that were read the foremost; of scratch ones those in folders."""
    base = find_base(ledger)
    telling = sorted(_list_telling(ledger), key=lambda one: _is_trial(one) and _is_inside(one, base))
    few = keep_last(telling, MOST_SCRATCH_FILES, _is_trial)
    most = MOST_NAMED_FILES if _has_edited(ledger) else MOST_READ_FILES
    few = keep_last(few, MOST_FOREIGN_FILES, lambda one: one.use == "read" and is_foreign(one.path))
    reads = [(_rank_read(one), at) for at, one in enumerate(few) if one.use == "read"]
    gone = {at for _, at in sorted(reads)[: max(0, len(reads) - most)]}
    return tuple(one for at, one in enumerate(few) if at not in gone)


def count_scratch(ledger: Ledger, kept: Sequence[FileEntry]) -> int:
    """Count the scratch files that would be listed beside those that are kept."""
    known = sum(map(_is_trial, _list_telling(ledger)))
    return ledger.omitted.get(SCRATCH, 0) + known - sum(map(_is_trial, kept)) if known else 0


def keep_last(entries: Sequence[_T], most: int, limits: Callable[[_T], bool]) -> tuple[_T, ...]:
    """Keep all entries, but of those that are limited only the last ones."""
    limited = [at for at, one in enumerate(entries) if limits(one)]
    gone = set(limited[: max(0, len(limited) - most)])
    return tuple(one for at, one in enumerate(entries) if at not in gone)


def _rank_read(one: FileEntry) -> tuple[bool, int]:
    """Rank a file that was read: an earlier one goes first only where calls turned to it much more often."""
    return not is_foreign(one.path), one.looks + one.named + 2 * one.current


def _list_telling(ledger: Ledger) -> list[FileEntry]:
    files = [one for one in ledger.files if one.use != "read" or not _OF_GIT.search(one.path)]
    if not _has_edited(ledger):
        return files
    newest = ledger.requests[-1] if ledger.requests else None
    is_open = newest is not None and newest.state == "open" and not has_changed(newest.progress)
    left = [one for one in files if not _is_idle(one, is_open)]
    is_begun = any(one.current and one.use == "read" for one in left)
    return [one for one in left if one.use != "read" or one.current or not is_begun or one.looks >= _OFTEN]


def _is_idle(one: FileEntry, is_open: bool) -> bool:
    """Whether a file beside changed ones says nothing: it is temporary, or was only read."""
    is_other = one.use == "read" or _is_trial(one)
    is_telling = is_open and (one.named or one.current)
    return is_other and (TEMPORARY.match(one.path) is not None or (one.use == "read" and not is_telling))


def _is_inside(one: FileEntry, base: str) -> bool:
    """Whether a file is in a folder of the project, where whoever goes on may take it for a part of it."""
    path = clean_path(one.path.removeprefix(f"{base}/") if base else one.path)
    return "/" in path and not path.startswith(("/", "~"))


def _has_edited(ledger: Ledger) -> bool:
    return any(one.is_changed and not one.scratch for one in ledger.files)


def _is_trial(one: FileEntry) -> bool:
    return one.scratch and one.use != "discarded"


_OF_GIT = re.compile(r"(?:^|/)\.git/")
