"""What was taken back to the last commit, put into a stash, or undone with the commit that took it.

Rule: changes that were put into a stash and not brought again are there.
"""

import re
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from secateur.compaction.ledger.entries import FileEntry
from secateur.compaction.ledger.files.paths import find_known_path
from secateur.compaction.ledger.files.rewrites import EditedText
from secateur.toolcalls.actions import Action
from secateur.toolcalls.effects import Effect
from secateur.toolcalls.file_effects import list_command_lines, list_staged_files
from secateur.toolcalls.shell import parse_command_line

LEAST_UNDONE = 40  # characters of a text that stands again where an edit had replaced it
FEWEST_UNDONE, SAME = 8, 0.8  # lines of a long text, and the share of them that stands again
_SHORT = 4  # characters of a line that says something
STASHED = "its changes are in a git stash"


class TakenBack:
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
            path = effect.path and find_known_path(found, effect.path, roots)
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

    def drop_stash(self, action: Action) -> None:
        """Forget what is in stashes where a call dropped one."""
        if action.kind == "run" and action.ok and _DROPS.search(action.call.text[:_SEARCHED]):
            self.stashed = []

    def mark_stashed(self, found: dict[str, FileEntry]) -> None:
        """Say of files whose changes are still in a stash where these are."""
        for one in self.stashed:
            if one.path in found and found[one.path].use == "restored":
                found[one.path] = replace(found[one.path], about=STASHED)


def is_shown_undone(edit: EditedText, text: str) -> bool:
    """Whether a text of a file has what an edit replaced, which stood once in it, and not what the edit wrote.

    Of a long text that someone took back, a few lines may have become others.
    """
    if edit.whole or edit.lines[0] or len(edit.old.strip()) < LEAST_UNDONE:
        return False
    before, after, shown = (set(_list_lines(one)) for one in (edit.old, edit.new, text))
    old, new = before - after, after - before
    if edit.old in text:
        return bool(old) and not (edit.new and edit.new in text)
    return (
        len(old) >= FEWEST_UNDONE and len(old & shown) >= SAME * len(old) and len(new & shown) <= (1 - SAME) * len(new)
    )


def _list_lines(text: str) -> Iterator[str]:
    return (line.strip() for line in text.split("\n") if len(line.strip()) >= _SHORT)


def add_staged(staged: Iterable[str], action: Action) -> dict[str, None]:
    """Return what is staged by name behind a call."""
    gone = {*_list_unstaged(action)}
    return dict.fromkeys(path for path in (*staged, *list_staged_files(action)) if path not in gone)


def _list_unstaged(action: Action) -> Iterator[str]:
    """Yield what a call took off the next commit by name; other words of `git reset` are the names of no files."""
    for line in list_command_lines(action) if "git" in action.call.text else ():
        for simple in parse_command_line(line).commands:
            is_staged = simple.words[1:2] == ("reset",) or not {"--staged", "-S"}.isdisjoint(simple.words)
            if simple.words[:2] in (("git", "reset"), ("git", "restore")) and is_staged:
                yield from simple.words[2:]


def take_back(found: dict[str, FileEntry], path: str, key: str) -> None:
    """Mark a file as it was before a commit that was undone along with its changes."""
    if path in found and found[path].use in _CHANGES:
        found[path] = FileEntry(path, "discarded" if found[path].use == "created" else "restored", key)


_NOT_RESTORED = re.compile(
    r"^(?:Switched to |Already on |Note: switching to |No local changes to save|error: pathspec |fatal: )", re.M
)
_CHANGES = ("created", "changed", "deleted", "moved")
_SEARCHED = 20_000  # characters of an output
_DROPS = re.compile(r"\bgit (?:-C \S+ )?stash (?:drop|clear)\b")
