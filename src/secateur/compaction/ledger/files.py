"""Files read and changed, from what was asked of tools and how that went.

Rule: a call that failed changed nothing, and a command that was refused ran nothing. A path stands as it was first
written; a relative path and an absolute one are the same file where a command named the folder between them, or where
one ends in the other, folders and all, and no third does. Contents are not kept, only the key of the part that shows
the latest version. A file that was taken back to the last commit is as it was before, unless the session committed a
change of it; one that the session itself created and deleted is nothing that a reader has to know.
"""

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from secateur.compaction.ledger.entries import FileEntry
from secateur.redact import redact
from secateur.toolcalls.actions import Action, collapse_whitespace, collect_texts
from secateur.toolcalls.effects import Effect, Use, is_pathlike
from secateur.toolcalls.file_effects import PLACES, list_command_lines, list_file_effects, list_paths
from secateur.toolcalls.shell import parse_command_line

MOST_UNCOMMITTED = 8
OTHERS = "…"  # in place of older files that were changed since the last commit


class FileHistory(Struct, frozen=True):
    """Every file that calls worked with, the most recently touched last, and those changed since the last commit."""

    files: tuple[FileEntry, ...]
    uncommitted: tuple[str, ...]


def trace_files(done: Iterable[Action]) -> FileHistory:
    """Trace what these calls did to files."""
    found: dict[str, FileEntry] = {}
    roots: dict[str, None] = {}
    taken_back = _TakenBack()
    since_commit: dict[str, None] = {}
    committed: set[str] = set()  # files that only a commit names
    for action in done:
        if action.kind in ("run", "edit"):
            roots |= dict.fromkeys(_find_roots(action))
        for effect in list_file_effects(action):
            if effect.use == "read" and _is_absent(effect.path, action):
                continue
            if effect.use in ("restored", "committed", "stashed", "reapplied"):
                taken_back.note(found, effect, action, roots)
                _drop_restored(since_commit, effect, found, roots)
            else:
                touched = _note(found, effect, action, roots)
                since_commit |= dict.fromkeys(touched if effect.use != "read" else ())
        if action.kind == "run" and "commit" in action.call.text and _COMMITTED.search(action.said[:_SEARCHED]):
            _note_committed_files(found, committed, action)
        if since_commit and _is_commit(action):
            since_commit.clear()
    _mark_removed(found, committed)
    left = [path for path in since_commit if path in found and found[path].use in _UNCOMMITTED_USES]
    return FileHistory(tuple(found.values()), tuple(left))


def limit_uncommitted(names: Collection[str], most: int = MOST_UNCOMMITTED) -> tuple[str, ...]:
    """Return the last of these names, behind a mark where there are more."""
    listed = [name for name in names if name != OTHERS]
    is_cut = len(listed) > most or OTHERS in names
    return (*((OTHERS,) if is_cut else ()), *listed[-most:])


def _is_commit(action: Action) -> bool:
    """Whether a call committed, or shows that nothing is left to commit."""
    if action.kind not in ("run", "other") or not action.result:
        return False
    if action.kind == "other":
        return action.ok and "commit" in action.call.tool.lower()
    is_asked = action.ok and _COMMITTING.search(action.call.text[:_SEARCHED]) is not None
    return is_asked or _COMMITTED.search(action.said[:_SEARCHED]) is not None


def _is_absent(path: str, action: Action) -> bool:
    """Whether a command that succeeds in any case was given a file that is not there."""
    if action.kind != "run":
        return False
    if f"{path}: No such file or directory" in action.said:
        return True
    guarded = _GUARDED.search(action.call.text[:_SEARCHED])
    return guarded is not None and action.said.strip() == (guarded["instead"] or "").strip()


def _note_committed_files(found: dict[str, FileEntry], committed: set[str], action: Action) -> None:
    """Note files that only a commit names as created: other programs wrote them."""
    known = {posixpath.basename(end) for one in found.values() for end in (one.path, one.to)}
    for hit in _SUMMED_UP.finditer(action.said[:_SEARCHED]):
        path = redact(hit["path"])
        if is_pathlike(path) and posixpath.basename(path) not in known:
            found[path] = FileEntry(path, "created", action.key)
            committed.add(path)


def _mark_removed(found: dict[str, FileEntry], committed: set[str]) -> None:
    """Mark files that were removed behind the commit that made them as deleted: their removal is a change."""
    for path in committed:
        if path in found and found[path].use == "discarded":
            found[path] = replace(found[path], use="deleted")


def _drop_restored(
    since_commit: dict[str, None], effect: Effect, found: dict[str, FileEntry], roots: dict[str, None]
) -> None:
    """Drop the files that git took back."""
    if effect.use in ("restored", "stashed"):
        path = effect.path and _find_known_path(found, effect.path, roots)
        for one in [one for one in since_commit if not path or one == path or one.startswith(f"{path}/")]:
            del since_commit[one]


_SEARCHED = 20_000  # characters of a command, and of an output
_SUMMED_UP = re.compile(r"^ create mode \d{6} (?P<path>[^\n]{1,400})$", re.M)
_GUARDED = re.compile(r"2> ?/dev/null ?\|\| ?(?:true|:|echo +(?:\\?[\"'])?(?P<instead>[\w .,:-]{1,80}))")
_UNCOMMITTED_USES = ("created", "changed", "deleted", "moved")
_COMMITTING = re.compile(
    r"\bgit\b[^\n]{0,80}?\s(?:commit|merge|cherry-pick|revert|am)(?![\w-])"
    r"|\b(?:jj|sl|hg|gt)\s+(?:commit|create|modify|describe)\b|\bnpm\s+version\b"
)
_COMMITTED = re.compile(
    r"^\[[\w./ -]{1,200}(?:\(root-commit\) )?[0-9a-f]{7,40}\] |^nothing to commit, working tree clean", re.M
)


def list_roots(done: Iterable[Action]) -> tuple[str, ...]:
    """Return the folders in which commands were run."""
    return tuple(dict.fromkeys(root for action in done if action.kind == "run" for root in _find_roots(action)))


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
    """Describe what a call is about, for a person: its tool and its file."""
    named = list_paths(action)
    return redact(collapse_whitespace(f"{action.call.tool} {named[0] if named else ''}"))


_MOST_ROOTS = 8


def _note(found: dict[str, FileEntry], effect: Effect, action: Action, roots: dict[str, None]) -> tuple[str, ...]:
    """Record an effect, and return the files that it touched."""
    if action.kind == "run" and _is_secret(action.call.text, effect.path):
        return ()
    path = _find_known_path(found, effect.path, roots)
    key = action.key if effect.use == "read" else action.call.key
    if effect.use == "deleted" and (inside := [one for one in found if one.startswith(f"{path}/")]):
        for one in inside:
            found[one] = FileEntry(one, merge_use(found[one], "deleted"), key)
        if path not in found and all(found[one].use == "discarded" for one in inside):
            return ()
    before = found.pop(path, None)
    found[path] = FileEntry(path, merge_use(before, cast(Use, effect.use)), key, effect.to)
    if effect.use == "moved" and is_pathlike(effect.to):
        after = found.pop(effect.to, None)
        use: Use = "created" if before and before.use == "created" else "changed"
        found[effect.to] = FileEntry(effect.to, merge_use(after, use), key)
    return (path,)


class _TakenBack:
    """What was taken back to the last commit, and what a stash can bring again."""

    def __init__(self) -> None:
        self.committed: set[str] = set()  # files of which the session committed changes
        self.stashed: list[FileEntry] = []

    def note(self, found: dict[str, FileEntry], effect: Effect, action: Action, roots: dict[str, None]) -> None:
        """Note that files were committed, restored, or that a stash was applied."""
        if effect.use == "committed":
            self.committed |= {one.path for one in found.values() if one.use != "read"}
        elif effect.use == "reapplied":
            found.update({one.path: one for one in self.stashed if found[one.path].use == "restored"})
            self.stashed = []
        elif not _NOT_RESTORED.search(action.said):
            path = effect.path and _find_known_path(found, effect.path, roots)
            before = self._restore(found, path, action.call.key)
            self.stashed += before if effect.use == "stashed" else ()

    def _restore(self, found: dict[str, FileEntry], path: str, key: str) -> list[FileEntry]:
        """Mark files as restored, and return how they were before."""
        named = [one for one in found.values() if not path or one.path == path or one.path.startswith(f"{path}/")]
        undone = [one for one in named if one.use in ("changed", "deleted", "moved") and one.path not in self.committed]
        for one in undone:
            del found[one.path]
            found[one.path] = FileEntry(one.path, "restored", key)
        if path and not named and "." in path:
            found[path] = FileEntry(path, "restored", key)
        return undone


_NOT_RESTORED = re.compile(
    r"^(?:Switched to |Already on |Note: switching to |No local changes to save|error: pathspec |fatal: )", re.M
)


def _is_secret(command: str, path: str) -> bool:
    """Whether what reads like a file in a command is a secret there: `<password>…` is no redirection."""
    return path in command and path not in _redact_command(command)


_redact_command = lru_cache(maxsize=4)(redact)  # asked about once for each file that it names


def _find_known_path(found: dict[str, FileEntry], path: str, roots: dict[str, None]) -> str:
    """Return the name under which this file is already known, else its own."""
    path = redact(re.sub(r"^(?:\./)+", "", path.strip().removeprefix("file://")))
    if path in found:
        return path
    for root in list(roots)[-_MOST_ROOTS:]:
        other = path.removeprefix(root + "/") if path.startswith("/") else posixpath.join(root, path)
        if other in found:
            return other
    return _match_by_suffix(found, path, roots) or path


def _match_by_suffix(found: dict[str, FileEntry], path: str, roots: dict[str, None]) -> str:
    """Return the one known file whose path ends in this path or the reverse, and record its root."""
    if path.startswith("/"):
        same = [one for one in found if "/" in one and one[0] != "/" and path.endswith("/" + one)]
    else:
        same = [one for one in found if one[0] == "/" and one.endswith("/" + path)] if "/" in path else []
    if len(same) != 1:
        return ""
    whole, end = (path, same[0]) if path.startswith("/") else (same[0], path)
    roots[whole.removesuffix("/" + end)] = None
    return same[0]


def _find_roots(action: Action) -> Iterator[str]:
    """Yield the folders that commands are run in."""
    for place in collect_texts(action.given, PLACES):
        if place.startswith("/"):
            yield place.rstrip("/")
    for line in list_command_lines(action):
        if "cd /" in line:
            for simple in parse_command_line(line).commands:
                if simple.words[:1] == ("cd",) and simple.words[-1].startswith("/"):
                    yield simple.words[-1].rstrip("/")
