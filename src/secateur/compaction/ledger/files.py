"""Files read and changed, from what was asked of tools and how that went.

Rule: a call that failed changed nothing, and a command that was refused ran nothing. A path stands as it was first
written; a relative path and an absolute one are the same file where a command named the folder between them, or where
one ends in the other, folders and all, and no third does. Contents are not kept, only the key of the part that shows
the latest version.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator

from secateur.acts.calls import Action, collapse_whitespace, collect_texts
from secateur.acts.files import PLACES, Effect, Use, is_pathlike, list_command_lines, list_file_effects, list_paths
from secateur.acts.shell import parse_command_line
from secateur.compaction.ledger.entries import FileEntry
from secateur.redact import redact


def list_files(done: Iterable[Action]) -> tuple[FileEntry, ...]:
    """Return every file that these calls worked with, the most recently touched last."""
    found: dict[str, FileEntry] = {}
    roots: dict[str, None] = {}
    for action in done:
        if action.role in ("run", "edit"):
            roots |= dict.fromkeys(_find_roots(action))
        for effect in list_file_effects(action):
            _note(found, effect, action, roots)
    return tuple(found.values())


def merge_use(before: FileEntry | None, use: Use) -> Use:
    """Return a file's state after one more use."""
    if before is None or use in ("deleted", "moved"):
        return use
    if use == "read":
        return "changed" if before.use in ("deleted", "moved") else before.use
    if before.use == "created" and use in ("created", "changed"):
        return "created"
    return "created" if before.use in ("deleted", "moved") and use == "created" else "changed"


def describe_target(action: Action) -> str:
    """Describe what a call is about, for a person: its tool and its file."""
    named = list_paths(action)
    return redact(collapse_whitespace(f"{action.call.tool} {named[0] if named else ''}"))


_MOST_ROOTS = 8


def _note(found: dict[str, FileEntry], effect: Effect, action: Action, roots: dict[str, None]) -> None:
    if action.role == "run" and _is_secret(action.call.text, effect.path):
        return
    path = _find_known_path(found, effect.path, roots)
    before = found.pop(path, None)
    key = action.key if effect.use == "read" else action.call.key
    found[path] = FileEntry(path, merge_use(before, effect.use), key, effect.to)
    if effect.use == "moved" and is_pathlike(effect.to):
        after = found.pop(effect.to, None)
        use: Use = "created" if before and before.use == "created" else "changed"
        found[effect.to] = FileEntry(effect.to, merge_use(after, use), key)


def _is_secret(command: str, path: str) -> bool:
    """Whether what reads like a file in a command is a secret there: `<password>…` is no redirection."""
    return path in command and path not in redact(command)


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
