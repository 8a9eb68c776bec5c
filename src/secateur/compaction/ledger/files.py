"""Files read and changed, from what was asked of tools and how that went.

Rule: a call that failed changed nothing, and a command that was refused ran nothing. A path stands as it was first
written; a relative path and an absolute one are the same file where a command named the folder between them, or where
one ends in the other, folders and all, and no third does. Contents are not kept, only the key of the part that shows
the latest version.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator

from secateur.compaction.ledger.calls import Action, plain, texts
from secateur.compaction.ledger.effects import Effect, effects, patched, pathlike, scripted
from secateur.compaction.ledger.entries import File, Use
from secateur.compaction.ledger.said import one_line
from secateur.compaction.ledger.shell import parsed
from secateur.redact import redact


def files(done: Iterable[Action]) -> tuple[File, ...]:
    """Every file that these calls worked with, the one touched last at the end."""
    found: dict[str, File] = {}
    roots: dict[str, None] = {}
    for action in done:
        if action.role in ("run", "edit"):
            roots |= dict.fromkeys(_roots(action))
        for effect in touched(action):
            _note(found, effect, action, roots)
    return tuple(found.values())


def touched(action: Action) -> Iterator[Effect]:
    """What one call did to files."""
    if not action.result or (not action.ok and action.exit is None):
        return
    if action.role == "run":
        for line in lines(action):
            for effect in (*effects(line), *scripted(line if action.given else "")):
                if action.ok or effect.use != "read":
                    yield effect
    elif action.role == "edit" and action.ok:
        yield from _edited(action)
    elif action.role == "read" and action.ok and not _FOLDER.search(action.said[:300]):
        yield from (Effect(path, "read") for path in _paths(action))


def lines(action: Action) -> list[str]:
    """The command lines of a call."""
    found: list[str] = []
    for name, value in action.given.items():
        if plain(name) in _COMMANDS:
            if isinstance(value, list) and all(isinstance(word, str) for word in value):
                found.append(_joined(value))
            elif isinstance(value, str):
                found.append(value)
    return found


def joined(before: File | None, use: Use) -> Use:
    """What a file is after one more use."""
    if before is None or use in ("deleted", "moved"):
        return use
    if use == "read":
        return "changed" if before.use in ("deleted", "moved") else before.use
    if before.use == "created" and use in ("created", "changed"):
        return "created"
    return "created" if before.use in ("deleted", "moved") and use == "created" else "changed"


def target(action: Action) -> str:
    """What a call is about, for a person: its tool and its file."""
    paths = _paths(action)
    return redact(one_line(f"{action.call.tool} {paths[0] if paths else ''}"))


_NAMES = frozenset({
    "path", "paths", "file", "files", "filename", "filepath", "filepaths", "targetfile", "absolutepath", "relativepath",
    "notebookpath", "uri",
})  # fmt: skip
_COMMANDS = frozenset({"command", "commands", "cmd", "cmdline", "script", "code"})
_WHOLE = frozenset({"content", "contents", "filetext", "filecontent"})
_PARTS = frozenset({"oldstring", "oldstr", "oldtext", "edits", "insertline", "newstr", "diff", "patch"})
_FROM = frozenset({"source", "sourcepath", "from", "oldpath", "src"})
_TO = frozenset({"destination", "destinationpath", "dest", "target", "newpath", "to", "dst"})
_PLACES = frozenset({"workdir", "cwd", "workingdirectory", "workingdir"})
_FOLDER = re.compile(r"files and directories up to|^<type>directory</type>", re.M)
_NO_FILE = re.compile(r"[\n*<>|\0]|^(?!file:)\w+://|/$|^\.{0,2}$")
_PATCH = "*** Begin Patch"
_MOST_ROOTS = 8


def _note(found: dict[str, File], effect: Effect, action: Action, roots: dict[str, None]) -> None:
    path = _known(found, effect.path, roots)
    before = found.pop(path, None)
    key = action.key if effect.use == "read" else action.call.key
    found[path] = File(path, joined(before, effect.use), key, effect.to)
    if effect.use == "moved" and pathlike(effect.to):
        after = found.pop(effect.to, None)
        use: Use = "created" if before and before.use == "created" else "changed"
        found[effect.to] = File(effect.to, joined(after, use), key)


def _known(found: dict[str, File], path: str, roots: dict[str, None]) -> str:
    """The name under which this file is known already, else its own."""
    path = redact(re.sub(r"^(?:\./)+", "", path.strip().removeprefix("file://")))
    if path in found:
        return path
    for root in list(roots)[-_MOST_ROOTS:]:
        other = path.removeprefix(root + "/") if path.startswith("/") else posixpath.join(root, path)
        if other in found:
            return other
    return _inside(found, path, roots) or path


def _inside(found: dict[str, File], path: str, roots: dict[str, None]) -> str:
    """The one known file that ends in this path, folders and all, or that this path ends in; its root is known then."""
    if path.startswith("/"):
        same = [one for one in found if "/" in one and one[0] != "/" and path.endswith("/" + one)]
    else:
        same = [one for one in found if one[0] == "/" and one.endswith("/" + path)] if "/" in path else []
    if len(same) != 1:
        return ""
    whole, end = (path, same[0]) if path.startswith("/") else (same[0], path)
    roots[whole.removesuffix("/" + end)] = None
    return same[0]


def _roots(action: Action) -> Iterator[str]:
    """Folders that commands are run in."""
    for place in texts(action.given, _PLACES):
        if place.startswith("/"):
            yield place.rstrip("/")
    for line in lines(action):
        if "cd /" in line:
            for simple in parsed(line).commands:
                if simple.words[:1] == ("cd",) and simple.words[-1].startswith("/"):
                    yield simple.words[-1].rstrip("/")


def _edited(action: Action) -> Iterator[Effect]:
    bodies = [value for value in (*action.given.values(), action.call.text) if isinstance(value, str)]
    words = [word for value in action.given.values() if isinstance(value, list) for word in value]
    bodies = [body for body in (*bodies, *words) if isinstance(body, str) and _PATCH in body]
    if bodies:
        yield from (effect for body in bodies[:1] for effect in patched(body))
        return
    verb = str(action.given.get("command", ""))
    names = {plain(name) for name in action.given}
    said = set(re.findall(r"[a-z]+", action.call.tool.lower())) | {verb}
    moved = list(zip(texts(action.given, _FROM), texts(action.given, _TO), strict=False))
    yield from (Effect(source, "moved", to=target) for source, target in moved if not names & _WHOLE)
    for path in _paths(action):
        if said & {"delete", "remove"}:
            yield Effect(path, "deleted")
        elif not said & {"mkdir", "directory", "folder"}:
            whole = bool(names & _WHOLE) and not names & _PARTS
            yield Effect(path, "created" if whole else "changed", whole=whole)


def _paths(action: Action) -> list[str]:
    return [
        path
        for path in texts(action.given, _NAMES)
        if len(path) <= 400 and not _NO_FILE.search(path) and one_line(path) == path
    ]


def _joined(words: list[str]) -> str:
    """A command that was given as a list of words, as one line."""
    if len(words) > 2 and re.fullmatch(r"-[a-z]*c", words[1]):
        return words[2]
    return " ".join(
        word if re.fullmatch(r"[\w./=:-]+", word) else "'" + word.replace("'", "'\\''") + "'" for word in words
    )
