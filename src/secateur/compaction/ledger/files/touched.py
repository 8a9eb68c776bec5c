"""Files read and changed, from what was asked of tools and how that went.

Rule: a call that failed changed nothing, and a command that was refused ran nothing. A path stands as it was first
written, or as the absolute one that a call gave it; a relative path and an absolute one are the same file where a
command named the folder between them, or where one ends in the other, folders and all, and no third does. Contents are
not kept, only the key of the part that shows the latest version. A file that was taken back to the last commit is as it
was before, unless the session committed a change of it; one that the session itself created and deleted is nothing that
a reader has to know.
"""

import posixpath
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from secateur.compaction.ledger.entries import FileEntry
from secateur.compaction.ledger.files.backups import Backups
from secateur.compaction.ledger.files.committing import CommittedFiles, has_git_committed, is_commit
from secateur.compaction.ledger.files.lines import find_place, is_foreign
from secateur.compaction.ledger.files.paths import (
    find_known_path,
    find_made_again,
    find_prompted_root,
    find_roots,
    find_whole_path,
    is_absent,
    is_secret,
    is_tool_file,
    is_untold_folder,
    is_untracked,
    list_untracked,
    list_whole_paths,
    mark_inside,
    name_moved,
    resolve_place,
    resolve_target,
)
from secateur.compaction.ledger.files.rewrites import list_rewrites
from secateur.compaction.ledger.files.undone import TakenBack, add_staged, take_back
from secateur.redact import redact
from secateur.toolcalls.actions import Action, clip_text, collapse_whitespace, collect_texts
from secateur.toolcalls.effects import Effect, Use, is_pathlike
from secateur.toolcalls.file_effects import list_paths

MOST_UNCOMMITTED = 24
SOUGHT_CHARS = 80  # of a pattern that a call searches for
_SOUGHT = frozenset({"pattern", "query", "regex", "searchterm", "q"})  # names of arguments, normalized
TAKEN_UP = "taken up by a commit; no call names it"
OTHERS = "…"  # in place of older files that were changed since the last commit


class FileHistory(Struct, frozen=True):
    """Every file that calls worked with, the most recently touched last, and those changed since the last commit."""

    files: tuple[FileEntry, ...]
    uncommitted: tuple[str, ...]
    taken: frozenset[str] = frozenset()  # that a commit took by name, and that no call changed since
    settled: Mapping[str, tuple[Effect, ...]] = {}  # by keys of calls: effects, where their words alone tell others


def trace_files(done: Sequence[Action]) -> FileHistory:
    """Trace what these calls did to files."""
    found: dict[str, FileEntry] = {}
    roots: dict[str, None] = {}
    taken_back = TakenBack()
    since_commit: dict[str, None] = {}
    staged: dict[str, None] = {}
    wholes: dict[str, str] = {}  # absolute paths of files that are known by relative ones
    committed: set[str] = set()  # files that only a commit names
    untracked: set[str] = set()  # files and folders that git showed as such
    taken: set[str] = set()
    commits, backups = CommittedFiles(), Backups()
    named = list_whole_paths(done)
    for action in done:
        if action.kind in ("run", "edit"):
            roots |= dict.fromkeys(find_roots(action))
            staged = add_staged(staged, action)
        roots |= dict.fromkeys(find_prompted_root(action))
        for effect in (resolve_place(one, action, named) for one in backups.settle_effects(action, found, roots)):
            if is_absent(effect, action):
                continue
            wholes |= find_whole_path(found, effect.path, roots)
            if effect.use in ("restored", "committed", "stashed", "reapplied"):
                taken_back.note(found, effect, action, roots)
                _drop_restored(since_commit, effect, found, roots)
            else:
                is_untold = is_untracked(effect, untracked, found, roots) or is_untold_folder(effect, found)
                again = find_made_again(effect, untracked, found, roots)
                touched = _note(found, effect, action, roots)
                found |= {path: replace(found[path], use="discarded") for path in again}
                since_commit |= dict.fromkeys(touched if effect.use != "read" and not is_untold else ())
                taken.difference_update(touched if effect.use != "read" else ())
        taken_back.drop_stash(action)
        untracked |= list_untracked(action)
        if action.kind == "run" and "commit" in action.call.text and has_git_committed(action):
            taken |= {find_known_path(found, path, roots) for path in staged}
            _note_commit(found, committed, staged, action, roots)
        _settle_commit(found, since_commit, commits, action)
    _mark_removed(found, committed, done)
    taken_back.mark_stashed(found)
    left = tuple(wholes.get(path, path) for path in _list_uncommitted(since_commit, found))
    files = tuple(replace(one, path=wholes.get(one.path, one.path)) for one in found.values())
    return FileHistory(files, left, frozenset(wholes.get(path, path) for path in taken), backups.settled)


def _list_uncommitted(since_commit: Iterable[str], found: dict[str, FileEntry]) -> list[str]:
    """Return the files that are left to commit: none of the agent's tools, nor foreign ones beside others."""
    left = [path for path in since_commit if path in found and found[path].use in _UNCOMMITTED_USES]
    left = [path for path in left if not is_foreign(path)] or left
    return [path for path in left if not is_tool_file(path)]


def _settle_commit(
    found: dict[str, FileEntry], since_commit: dict[str, None], commits: CommittedFiles, action: Action
) -> None:
    """Note that a call committed what was changed, or undid commits."""
    if is_commit(action):
        commits.note(since_commit, action)
        since_commit.clear()
    elif action.kind == "run" and "reset" in action.call.text and action.ok:
        undone, is_kept = commits.undo(action)
        since_commit |= dict.fromkeys(undone if is_kept else ())
        for path in undone if not is_kept else ():
            take_back(found, path, action.call.key)


def limit_uncommitted(names: Collection[str]) -> tuple[str, ...]:
    """Return the last of these names, behind a mark where there are more."""
    listed = [name for name in names if name != OTHERS]
    is_cut = len(listed) > MOST_UNCOMMITTED or OTHERS in names
    return (*((OTHERS,) if is_cut else ()), *listed[-MOST_UNCOMMITTED:])


def _note_committed_files(found: dict[str, FileEntry], committed: set[str], action: Action) -> None:
    """Note files that only a commit names as created: other programs wrote them."""
    known = {posixpath.basename(end) for one in found.values() for end in (one.path, one.to)}
    for hit in _SUMMED_UP.finditer(action.said[:_SEARCHED]):
        path = redact(hit["path"])
        if is_pathlike(path) and posixpath.basename(path) not in known:
            found[path] = FileEntry(path, "created", action.key)
            committed.add(path)


def _note_commit(
    found: dict[str, FileEntry],
    committed: set[str],
    staged: dict[str, None],
    action: Action,
    roots: dict[str, None],
) -> None:
    """Note the files that only a commit tells of; files staged by name where it took as many as were named."""
    counted = _COUNTED.search(action.said[:_SEARCHED])
    if counted and int(counted[1]) == len(staged):
        for path in staged:
            _note_staged_file(found, path, action, roots)
    staged.clear()
    _note_committed_files(found, committed, action)
    _note_removed_files(found, action, roots)


def _note_staged_file(found: dict[str, FileEntry], path: str, action: Action, roots: dict[str, None]) -> None:
    """Note a file as changed that the session committed by name, where no call shows how it was changed."""
    known = found.get(find_known_path(found, path, roots))
    if is_pathlike(path) and (known is None or known.use == "read"):
        _note(found, Effect(path, "changed"), action, roots)


def _note_removed_files(found: dict[str, FileEntry], action: Action, roots: dict[str, None]) -> None:
    """Note known files as deleted that a commit says it removed: other programs deleted them."""
    for hit in _REMOVED.finditer(action.said[:_SEARCHED]):
        path = find_known_path(found, hit["path"], roots)
        if path in found and found[path].use in ("read", "created", "changed"):
            _note(found, Effect(path, "deleted"), action, roots)


def _mark_removed(found: dict[str, FileEntry], committed: set[str], done: Iterable[Action]) -> None:
    """Mark files that were removed behind the commit that made them as deleted: their removal is a change.

    Of those that are left and whose names no call holds it is said that the commit took them up.
    """
    for path in committed:
        if path in found and found[path].use == "discarded":
            found[path] = replace(found[path], use="deleted")
    new = [path for path in committed if path in found and found[path].use == "created"]
    calls = "\n".join(one.call.text[:_SEARCHED] for one in done if one.kind != "read") if new else ""
    for path in new:
        if posixpath.basename(path) not in calls:
            found[path] = replace(found[path], about=TAKEN_UP)


def _drop_restored(
    since_commit: dict[str, None], effect: Effect, found: dict[str, FileEntry], roots: dict[str, None]
) -> None:
    """Drop the files that git took back."""
    if effect.use in ("restored", "stashed"):
        path = effect.path and find_known_path(found, effect.path, roots)
        for one in [one for one in since_commit if not path or one == path or one.startswith(f"{path}/")]:
            del since_commit[one]


_SEARCHED = 20_000  # characters of a command, and of an output
_SUMMED_UP = re.compile(r"^ create mode \d{6} (?P<path>[^\n]{1,400})$", re.M)
_COUNTED = re.compile(r"^ (\d{1,6}) files? changed\b", re.M)
_REMOVED = re.compile(r"^ delete mode \d{6} (?P<path>[^\n]{1,400})$", re.M)
_UNCOMMITTED_USES = ("created", "changed", "deleted", "moved")


def merge_use(before: FileEntry | None, use: Use) -> Use:
    """Return a file's state after one more use."""
    if before is None or use == "moved":
        return use
    held = before.use
    if use in ("deleted", "discarded"):
        return "discarded" if held in ("created", "discarded") else "deleted"
    if use == "restored":
        return "created" if held == "created" else "restored"
    if use == "read" and held != "discarded":
        return "changed" if held in ("deleted", "moved") else held
    is_new = held == "discarded" or (held == "created" or (held in ("deleted", "moved") and use == "created"))
    return "created" if is_new else "changed"


def describe_target(action: Action) -> str:
    """Describe what a call is about, for a person: its tool, what it looks for, and its file."""
    named = list_paths(action) or list(dict.fromkeys(one.path for one in list_rewrites(action)))
    sought = next((text for text in collect_texts(action.given, _SOUGHT) if text.strip()), "")
    pattern = f'"{clip_text(collapse_whitespace(sought), SOUGHT_CHARS)}"' if action.kind == "search" and sought else ""
    more = f"and {len(named) - 1} more" if action.kind == "edit" and len(named) > 1 else ""
    return redact(collapse_whitespace(f"{action.call.tool} {pattern} {named[0] if named else ''} {more}"))


def _note(found: dict[str, FileEntry], effect: Effect, action: Action, roots: dict[str, None]) -> tuple[str, ...]:
    """Record an effect, and return the files that it touched."""
    if is_secret(action, effect.path):
        return ()
    name_moved(found, effect.path)
    path = find_known_path(found, effect.path, roots)
    key = action.key if effect.use == "read" else action.call.key
    if effect.use == "deleted" and (inside := [one for one in found if one.startswith(f"{path}/")]):
        for one in inside:
            found[one] = FileEntry(one, merge_use(found[one], "deleted"), key)
        if path not in found and all(found[one].use == "discarded" for one in inside):
            return ()
    if effect.use == "moved":
        is_unknown_folder = path not in found and "." not in posixpath.basename(path)
        held = mark_inside(found, FileEntry(path, "moved", to=resolve_target(path, effect, action)[1]))
        _note_move(found, path, effect, action, held or is_unknown_folder)
        return (path,)
    found[path] = FileEntry(path, merge_use(found.pop(path, None), cast(Use, effect.use)), key)
    return (path,)


def _note_move(found: dict[str, FileEntry], path: str, effect: Effect, action: Action, is_folder: bool = False) -> None:
    """Record a move; moves of one file that follow each other are one move, from its first place to its last.

    A new file that was put over another changed that one. What a folder holds has its own entries.
    """
    key = action.call.key
    base, to = resolve_target(path, effect, action)
    place = find_place(FileEntry(path, "moved", to=to))
    before = found.pop(path, None)
    first = next((one for one in found.values() if one.use == "moved" and find_place(one) in (path, effect.path)), None)
    start = path
    if first is not None:
        del found[first.path]
        is_back = first.path in (place, place.removeprefix(base))
        if is_back and (first.path.startswith("/") or not path.startswith("/")):
            found[first.path] = FileEntry(first.path, "changed", key)
            return
        start = path if is_back else first.path  # the longer name says where it is
    is_new = before is not None and before.use == "created"
    is_put_over = is_new and to in found and found[to].use in ("read", "changed")
    found[start] = FileEntry(start, "discarded") if is_put_over else FileEntry(start, "moved", key, to)
    if is_pathlike(to) and not is_folder:
        use: Use = "created" if is_new else "changed"
        found[to] = FileEntry(to, merge_use(found.pop(to, None), use), key)
