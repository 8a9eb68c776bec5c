"""What a call did to files, from what was asked of the tool and how that went.

Rule: a call that failed changed nothing, and a command that was refused ran nothing. Paths are those that the call
names. What is known of a file over many calls is not gathered here.
"""

import re
from collections.abc import Iterator

from secateur.acts.calls import Action, collect_texts, normalize_name
from secateur.acts.effects import Effect, parse_effects, parse_patch_effects, parse_script_effects
from secateur.acts.words import collapse_whitespace


def list_file_effects(action: Action) -> Iterator[Effect]:
    """Yield the effects of one call on files."""
    if not action.result or (not action.ok and action.exit is None):
        return
    if action.role == "run":
        for line in list_command_lines(action):
            for effect in (*parse_effects(line), *parse_script_effects(line if action.given else "")):
                if action.ok or effect.use != "read":
                    yield effect
    elif action.role == "edit" and action.ok:
        yield from _list_edit_effects(action)
    elif action.role == "read" and action.ok and not _FOLDER.search(action.said[:300]):
        yield from (Effect(path, "read") for path in list_paths(action))


def list_command_lines(action: Action) -> list[str]:
    """Return the command lines of a call."""
    found: list[str] = []
    for name, value in action.given.items():
        if normalize_name(name) in _COMMANDS:
            if isinstance(value, list) and all(isinstance(word, str) for word in value):
                found.append(_join_command(value))
            elif isinstance(value, str):
                found.append(value)
    return found


def list_paths(action: Action) -> list[str]:
    """Return the files that a call names in its arguments."""
    return [
        path
        for path in collect_texts(action.given, _NAMES)
        if len(path) <= 400 and not _NO_FILE.search(path) and collapse_whitespace(path) == path
    ]


PLACES = frozenset({"workdir", "cwd", "workingdirectory", "workingdir"})  # arguments that name the folder of a call
_NAMES = frozenset({
    "path", "paths", "file", "files", "filename", "filepath", "filepaths", "targetfile", "absolutepath", "relativepath",
    "notebookpath", "uri",
})  # fmt: skip
_COMMANDS = frozenset({"command", "commands", "cmd", "cmdline", "script", "code"})
_WHOLE = frozenset({"content", "contents", "filetext", "filecontent"})
_PARTS = frozenset({"oldstring", "oldstr", "oldtext", "edits", "insertline", "newstr", "diff", "patch"})
_FROM = frozenset({"source", "sourcepath", "from", "oldpath", "src"})
_TO = frozenset({"destination", "destinationpath", "dest", "target", "newpath", "to", "dst"})
_FOLDER = re.compile(r"files and directories up to|^<type>directory</type>", re.M)
_NO_FILE = re.compile(r"[\n*<>|\0]|^(?!file:)\w+://|/$|^\.{0,2}$")
_PATCH = "*** Begin Patch"


def _list_edit_effects(action: Action) -> Iterator[Effect]:
    bodies = [value for value in (*action.given.values(), action.call.text) if isinstance(value, str)]
    words = [word for value in action.given.values() if isinstance(value, list) for word in value]
    bodies = [body for body in (*bodies, *words) if isinstance(body, str) and _PATCH in body]
    if bodies:
        yield from (effect for body in bodies[:1] for effect in parse_patch_effects(body))
        return
    verb = str(action.given.get("command", ""))
    names = {normalize_name(name) for name in action.given}
    said = set(re.findall(r"[a-z]+", action.call.tool.lower())) | {verb}
    moved = list(zip(collect_texts(action.given, _FROM), collect_texts(action.given, _TO), strict=False))
    yield from (Effect(source, "moved", to=target) for source, target in moved if not names & _WHOLE)
    for path in list_paths(action):
        if said & {"delete", "remove"}:
            yield Effect(path, "deleted")
        elif not said & {"mkdir", "directory", "folder"}:
            whole = bool(names & _WHOLE) and not names & _PARTS
            yield Effect(path, "created" if whole else "changed", whole=whole)


def _join_command(words: list[str]) -> str:
    """Join a command given as a list of words into one line."""
    if len(words) > 2 and re.fullmatch(r"-[a-z]*c", words[1]):
        return words[2]
    return " ".join(
        word if re.fullmatch(r"[\w./=:-]+", word) else "'" + word.replace("'", "'\\''") + "'" for word in words
    )
