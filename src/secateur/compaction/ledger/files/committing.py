"""The files that commits took, and the calls behind which nothing is left to commit.

Rule: a short status shows that the folder is clean by printing nothing, where it was asked about the whole folder and
nothing else was run. A reset counts by steps or to a commit that the session made; where it leads elsewhere, nobody
knows what it undid.
"""

import re
from collections.abc import Iterable, Iterator

from secateur.toolcalls.actions import Action, get_output
from secateur.toolcalls.commands import COMMIT_LINE
from secateur.toolcalls.file_effects import list_command_lines
from secateur.toolcalls.shell import parse_command_line

_SEARCHED = 20_000  # characters of a command, and of an output


class CommittedFiles:
    """The files that each commit took, the newest last."""

    def __init__(self) -> None:
        self._commits: list[tuple[str, tuple[str, ...]]] = []

    def note(self, paths: Iterable[str], action: Action) -> None:
        """Note the commits that a call made of these files, the last of which took them."""
        hashes = [hit["hash"] for hit in _COMMIT.finditer(action.said[:_SEARCHED])]
        self._commits += [(one, ()) for one in hashes[:-1]]
        self._commits += [(one, tuple(paths)) for one in hashes[-1:]]

    def undo(self, action: Action) -> tuple[tuple[str, ...], bool]:
        """Return the files of the commits that a reset undid, and whether their changes were kept.

        Without those files of which other commits hold changes, where they were not kept.
        """
        for words in _list_resets(action):
            left = self._count_left(words)
            undone = dict.fromkeys(path for _, paths in self._commits[left:] for path in paths)
            del self._commits[left:]
            if "--hard" not in words:
                return tuple(undone), True
            others = {path for _, paths in self._commits for path in paths}
            return tuple(path for path in undone if path not in others), False
        return (), True

    def _count_left(self, words: Iterable[str]) -> int:
        """Return how many commits a reset left."""
        number = len(self._commits)
        for word in words:
            if steps := _STEPS.fullmatch(word):
                return max(0, number - (int(steps[1] or 1) if steps[1] is not None else len(steps[2])))
            same = [at for at, (one, _) in enumerate(self._commits, 1) if _HASH.fullmatch(word) and _is_same(one, word)]
            if same:
                return same[-1]
        return number


def has_git_committed(action: Action) -> bool:
    """Whether a call printed that git committed, or that nothing is left to commit."""
    return _COMMITTED.search(action.said[:_SEARCHED]) is not None


def is_commit(action: Action) -> bool:
    """Whether a call committed, or shows that nothing is left to commit."""
    if action.kind not in ("run", "other") or not action.result:
        return False
    if action.kind == "other":
        return action.ok and "commit" in action.call.tool.lower()
    is_asked = action.ok and _COMMITTING.search(action.call.text[:_SEARCHED]) is not None
    return is_asked or has_git_committed(action) or (action.ok and _is_clean(action))


def _is_clean(action: Action) -> bool:
    if "status" not in action.call.text:
        return False
    lines = list_command_lines(action)
    return len(lines) == 1 and _SHORT_STATUS.fullmatch(lines[0].strip()) is not None and not get_output(action).strip()


def _is_same(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _list_resets(action: Action) -> Iterator[tuple[str, ...]]:
    for line in list_command_lines(action):
        for simple in parse_command_line(line).commands:
            if simple.words[:2] == ("git", "reset"):
                yield simple.words[2:]


_COMMITTING = re.compile(
    r"\bgit\b[^\n]{0,80}?\s(?:commit|merge|cherry-pick|revert|am)(?![\w-])"
    r"|\b(?:jj|sl|hg|gt)\s+(?:commit|create|modify|describe)\b|\bnpm\s+version\b"
)
_COMMITTED = re.compile(COMMIT_LINE + r"[0-9a-f]{7,40}\] |^nothing to commit, working tree clean", re.M)
_SHORT_STATUS = re.compile(r"git status(?: (?:-s|--short|--porcelain(?:=\w+)?))+")
_COMMIT = re.compile(COMMIT_LINE + r"(?<= )(?P<hash>[0-9a-f]{7,40})\] ", re.M)
_HASH = re.compile(r"[0-9a-f]{7,40}")
_STEPS = re.compile(r"(?:HEAD|@)(?:~(\d{0,3})|(\^{1,9}))")
