"""Which files a summary lists: those that were changed, and of others the few that someone who goes on has use for.

Rule: where the session changed files, temporary ones say nothing, and neither do those that were only read, but for a
few that something came of while nothing is changed yet for a request that is open.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from secateur.compaction.ledger.entries import FileEntry, Ledger
from secateur.compaction.ledger.files.lines import TEMPORARY, find_base
from secateur.compaction.ledger.files.paths import clean_path
from secateur.compaction.ledger.turns.progress import has_changed

_T = TypeVar("_T")

SCRATCH = "scratch"  # among the counts of what is left out: scratch files, which their own line tells
MOST_SCRATCH_FILES = 6
MOST_READ_FILES, MOST_NAMED_FILES = 8, 4  # the latter where files were changed


def select_files(ledger: Ledger) -> tuple[FileEntry, ...]:
    """Return the files that are listed: of those that were read the newest; of scratch ones first those in folders."""
    base = find_base(ledger)
    telling = sorted(_list_telling(ledger), key=lambda one: _is_trial(one) and _is_inside(one, base))
    few = keep_last(telling, MOST_SCRATCH_FILES, _is_trial)
    most = MOST_NAMED_FILES if _has_edited(ledger) else MOST_READ_FILES
    return keep_last(few, most, lambda one: one.use == "read")


def count_scratch(ledger: Ledger, kept: Sequence[FileEntry]) -> int:
    """Count the scratch files that would be listed beside those that are kept."""
    known = sum(map(_is_trial, _list_telling(ledger)))
    return ledger.omitted.get(SCRATCH, 0) + known - sum(map(_is_trial, kept)) if known else 0


def keep_last(entries: Sequence[_T], most: int, limits: Callable[[_T], bool]) -> tuple[_T, ...]:
    """Keep all entries, but of those that are limited only the last ones."""
    limited = [at for at, one in enumerate(entries) if limits(one)]
    gone = set(limited[: max(0, len(limited) - most)])
    return tuple(one for at, one in enumerate(entries) if at not in gone)


def _list_telling(ledger: Ledger) -> list[FileEntry]:
    if not _has_edited(ledger):
        return list(ledger.files)
    newest = ledger.requests[-1] if ledger.requests else None
    is_open = newest is not None and newest.state == "open" and not has_changed(newest.progress)
    return [one for one in ledger.files if not _is_idle(one, is_open)]


def _is_idle(one: FileEntry, is_open: bool) -> bool:
    """Whether a file beside changed ones says nothing: it is temporary, or was only read."""
    is_other = one.use == "read" or _is_trial(one)
    return is_other and (TEMPORARY.match(one.path) is not None or (one.use == "read" and not (one.named and is_open)))


def _is_inside(one: FileEntry, base: str) -> bool:
    """Whether a file is in a folder of the project, where whoever goes on may take it for a part of it."""
    path = clean_path(one.path.removeprefix(f"{base}/") if base else one.path)
    return "/" in path and not path.startswith(("/", "~"))


def _has_edited(ledger: Ledger) -> bool:
    return any(one.use not in ("read", "discarded") and not one.scratch for one in ledger.files)


def _is_trial(one: FileEntry) -> bool:
    return one.scratch and one.use != "discarded"
