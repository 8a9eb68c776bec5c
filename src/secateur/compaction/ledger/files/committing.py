"""Calls behind which nothing is left to commit: they committed, or git shows that the folder is clean.

Rule: a short status shows that by printing nothing, where it was asked about the whole folder and nothing else was run.
"""

import re

from secateur.toolcalls.actions import Action, get_output
from secateur.toolcalls.commands import COMMIT_LINE
from secateur.toolcalls.file_effects import list_command_lines

_SEARCHED = 20_000  # characters of a command, and of an output


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


_COMMITTING = re.compile(
    r"\bgit\b[^\n]{0,80}?\s(?:commit|merge|cherry-pick|revert|am)(?![\w-])"
    r"|\b(?:jj|sl|hg|gt)\s+(?:commit|create|modify|describe)\b|\bnpm\s+version\b"
)
_COMMITTED = re.compile(COMMIT_LINE + r"[0-9a-f]{7,40}\] |^nothing to commit, working tree clean", re.M)
_SHORT_STATUS = re.compile(r"git status(?: (?:-s|--short|--porcelain(?:=\w+)?))+")
