"""What the last `git status` showed: how far the branch is from its upstream, and each file with its state.

Rule: as git printed it, in its long or its short form; how long that holds is not decided here (`last_status`). Names
that count up are one entry where they are shown. The root of the repository, its branch and its status are one line.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from secateur.compaction.ledger.entries import FileEntry, Ledger
from secateur.compaction.ledger.files.lines import COMMON, FOLDER, ROOT, find_base, is_foreign, join_folders
from secateur.compaction.ledger.files.touched import FileHistory, limit_uncommitted
from secateur.redact import redact
from secateur.toolcalls.commands import ExecutedCommand

FEWEST_FOLDED = 3  # files whose names count up
CLEAN = "clean"
STATUS, BRANCH = "git status, last", "branch"
DIRTY, STRAYS = "uncommitted before the session began", "also uncommitted"
ELSEWHERE = "other repository"
DISTANCES = ("ahead ", "behind ")


def count_ahead(run: ExecutedCommand) -> int | None:
    """Return how many commits a status at the end of a command line shows to be ahead of the upstream.

    A commit that finds nothing to commit prints one, too.
    None where it shows no status, or one that names no upstream.
    """
    asked = max((hit.start() for hit in STATUS_ASKED.finditer(run.line)), default=-1)
    said = run.action.said[:_SEARCHED_TEXT]
    is_last = run.action.ok and asked > max((hit.start() for hit in _DELIVERS.finditer(run.line)), default=-1)
    if not is_last and not (_COMMITS_LAST.search(run.line) and _NOTHING_TO_COMMIT.search(said)):
        return None
    if hit := _AHEAD.search(said):
        return int(next(filter(None, hit.groups()), 0))
    is_even = _UP_TO_DATE.search(said) or _SHORT_EVEN.search(said)
    return 0 if is_even else None


def select_dirty(dirty: Sequence[str], status: Sequence[str]) -> tuple[str, ...]:
    """Return what was changed before the session, without what a later status does not show any more."""
    shown = {one.partition(" ")[2] for one in status}
    return tuple(one for one in dirty if not status or one.partition(" ")[2] in shown)


def list_place_lines(ledger: Ledger) -> Iterator[str]:
    """Yield where the work is with its branch and its status, other repositories, and what was changed before."""
    place = [f"{ROOT}: {ledger.root}"] if ledger.root else [f"{FOLDER}: {ledger.folder}"] if ledger.folder else []
    if not place and (common := find_base(ledger)):
        yield f"- {COMMON}: {common}"
    if ledger.branch:
        place.append(f"{BRANCH}: {ledger.branch}")
    if told := [one for one in ledger.status if one.startswith(DISTANCES) or (one == CLEAN and not ledger.uncommitted)]:
        place.append(f"{STATUS}: {_BETWEEN.join(told)}")
    if place:
        yield f"- {_BETWEEN.join(place)}"
    yield from (f"- {ELSEWHERE}: {one}" for one in ledger.elsewhere)
    for label, entries in ((DIRTY, ledger.dirty), (STRAYS, ledger.strays)):
        if entries:
            yield f"- {label}: {join_folders(limit_uncommitted(tuple(fold_numbered(entries))))}"


def read_place(text: str) -> dict[str, Any]:
    """Return the fields that a line on the place of the work says; {} where it is none."""
    head, is_told, status = text.partition(f"{STATUS}: ")
    found: dict[str, Any] = {"status": tuple(status.split(_BETWEEN))} if is_told else {}
    for piece in filter(None, head.removesuffix(_BETWEEN).split(_BETWEEN)):
        label, _, rest = piece.partition(": ")
        if label not in _FIELDS or not rest:
            return {}
        found[_FIELDS[label]] = rest
    return found


def list_unnamed(status: Iterable[str], files: Iterable[FileEntry], dirty: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the entries of a status of files that no call changed, without those that were so before."""
    before = {one.partition(" ")[2] for one in dirty}
    told = (one for one in status if one != CLEAN and not one.startswith(DISTANCES))
    named = [f"/{path}" for one in files for path in (one.path, one.to) if path and one.use != "read"]
    return tuple(one for one in told if one.partition(" ")[2] not in before and not _is_named(one, named))


def add_shown(history: FileHistory, status: Iterable[str], base: str = "") -> tuple[str, ...]:
    """Return the files to commit with those that the calls changed and that a status behind the last commit shows.

    A file that the commit took by name was changed again by no call. What is kept beside the work, of which `base` is
    the folder, such as temporary files and the settings of a person's home, is nothing to commit.
    """
    entries = [one.partition(" ") for one in status]
    shown = [(state, path.strip('"')) for state, _, path in entries if state in _STATES]
    left = (
        one.path
        for one in history.files
        if one.use in ("created", "changed", "deleted")
        and one.path not in history.taken
        and any(
            f"/{one.path}".endswith(f"/{path}") for state, path in shown if one.use != "deleted" or state == "deleted"
        )
    )
    found = dict.fromkeys((*history.uncommitted, *left))
    is_told = bool(base) and not is_foreign(f"{base}/")
    return tuple(path for path in found if not (is_told and is_foreign(path)))


def _is_named(entry: str, named: Iterable[str]) -> bool:
    state, _, rest = entry.partition(" ")
    if state not in _STATES:
        return False
    path = rest.rpartition(" -> ")[2].strip('"')
    end = f"/{path}" if path.endswith("/") else f"/{path}/"
    return any(end in f"{one}/" or f"{path}/".endswith(f"{one.lstrip('.')}/") for one in named)


def read_status(said: str, is_short: bool) -> tuple[str, ...]:
    """Return the entries of a status in its long or its short form; () where it shows neither."""
    found = [f"{way} {count} of {upstream}" for way, upstream, count in _LONG_DISTANCE.findall(said)]
    found += [f"ahead {ahead}, behind {behind} of {upstream}" for upstream, ahead, behind in _DIVERGED.findall(said)]
    found += [f"{distance} of {upstream}" for upstream, distance in _SHORT_DISTANCE.findall(said)]
    is_long = "On branch " in said or "HEAD detached" in said
    if is_long:
        tracked, _, rest = said.partition("Untracked files:")
        index, is_parted, folder = tracked.partition("Changes not staged for commit:")
        staged = index.partition("Changes to be committed:")[2]
        for hit in _LONG_ENTRY.findall(staged or tracked):
            found.append(f"{'staged' if staged and hit[0] == 'modified' else _LONG_STATES[hit[0]]} {hit[1].strip()}")
        if staged and is_parted:
            found += [f"{_LONG_STATES[hit[0]]} {hit[1].strip()}" for hit in _LONG_ENTRY.findall(folder)]
        found += [f"untracked {path.strip()}" for path in _UNTRACKED.findall(rest.split("\n\n")[0])]
    elif is_short:
        found += [f"{_read_code(code)} {path.strip()}" for code, path in _SHORT_ENTRY.findall(said)]
    is_clean = is_long or (is_short and (_SHORT_HEAD.search(said) is not None or not said.strip()))
    return tuple(dict.fromkeys(map(redact, found))) or ((CLEAN,) if is_clean else ())


def _read_code(code: str) -> str:
    """Return the state that two letters of a short status say: the first of the index, the second of the folder."""
    if code in _INDEX_CODES:
        return _INDEX_CODES[code]
    return next((word for sign, word in _CODES.items() if sign in code), "modified")


def fold_numbered(entries: Iterable[str]) -> Iterator[str]:
    """Yield the entries; those that differ in one number only, which counts up, as one with the first and the last."""
    rows: list[list[re.Match[str] | str]] = []
    for entry in entries:
        hit = _NUMBERED.fullmatch(entry)
        before = rows[-1][-1] if rows else ""
        if hit and not isinstance(before, str) and _is_next(before, hit):
            rows[-1].append(hit)
        else:
            rows.append([hit or entry])
    for row in rows:
        first, last = row[0], row[-1]
        if len(row) >= FEWEST_FOLDED and not isinstance(first, str) and not isinstance(last, str):
            name = posixpath.basename(last[0]).strip('"')
            yield f"{first[0]} to {name}"
        else:
            yield from (one if isinstance(one, str) else one[0] for one in row)


def _is_next(before: re.Match[str], hit: re.Match[str]) -> bool:
    return (before["start"], before["end"]) == (hit["start"], hit["end"]) and int(before["number"]) + 1 == int(
        hit["number"]
    )


_BETWEEN = " · "
_FIELDS = {ROOT: "root", FOLDER: "folder", COMMON: COMMON, BRANCH: "branch"}
_SEARCHED_TEXT = 20_000  # characters of an output
STATUS_ASKED = re.compile(r"\bgit (?:-C \S+ )?status\b")
_LONG_DISTANCE = re.compile(r"^Your branch is (ahead|behind)(?: of)? '([^'\n]{1,200})' by (\d+) commit", re.M)
_DIVERGED = re.compile(
    r"^Your branch and '([^'\n]{1,200})' have diverged,\s{1,4}and have (\d{1,6}) and (\d{1,6}) different commits", re.M
)
_DELIVERS = re.compile(r"\bgit\b[^\n;&|]{0,200}?\s(?:commit|push|merge|cherry-pick|pull|rebase)\b")
_COMMITS_LAST = re.compile(r"\bgit\b[^\n;&|]{0,200}?\scommit\b[^;&|]*$")
_NOTHING_TO_COMMIT = re.compile(r"^(?:nothing (?:added )?to commit|no changes added to commit)\b", re.M)
_AHEAD = re.compile(
    r"^Your branch is ahead of '[^'\n]{1,200}' by (\d{1,6}) commit"
    r"|^and have (\d{1,6}) and \d{1,6} different commits each"
    r"|^## \S{1,200}?\.\.\.\S{1,200} \[ahead (\d{1,6})",
    re.M,
)
_UP_TO_DATE = re.compile(r"^Your branch is (?:up to date with|behind) '", re.M)
_SHORT_EVEN = re.compile(r"^## \S{1,200}?\.\.\.\S{1,200}(?: \[behind \d{1,6}\])?$", re.M)
_SHORT_HEAD = re.compile(r"^## \S", re.M)
_SHORT_DISTANCE = re.compile(r"^## \S{1,200}?\.\.\.(\S{1,200}) \[([^\]\n]{1,60})\]", re.M)
_LONG_ENTRY = re.compile(r"^\s+(modified|new file|deleted|renamed|both modified|typechange):[ \t]+([^\n]{1,300})", re.M)
_LONG_STATES = {
    "modified": "modified", "new file": "added", "deleted": "deleted", "renamed": "renamed",
    "both modified": "conflicting", "typechange": "modified",
}  # fmt: skip
_UNTRACKED = re.compile(r"^(?:\t| {2,})(?!\()([^\n]{1,300})", re.M)
_SHORT_ENTRY = re.compile(
    r"^(?=\S| \S)([ MADRCTUm?]{1,2}) {1,2}"
    r"([^\s:]{1,300}(?: -> [^\s:]{1,300})?|\"[^\"\n]{1,300}\")[ \t]*$",
    re.M,
)
_CODES = {"?": "untracked", "U": "conflicting", "D": "deleted", "R": "renamed", "A": "added"}
_INDEX_CODES = {"M ": "staged", "MM": "part-staged"}
_STATES = frozenset({*_LONG_STATES.values(), *_CODES.values(), *_INDEX_CODES.values()})
_NUMBERED = re.compile(r"(?P<start>[^\n]{0,300}?\D)(?P<number>\d{1,6})(?P<end>\D{0,20})")
