"""The kind of a tool (read, edit, search, run ...), detected from how it was called.

Rule: the shape of the arguments comes first: a command is run, a path with new text is edited, a pattern is searched
for. The name is a second hint and decides alone only if there are no arguments, because names differ from host to host
and are free to choose. Where skill, memory or plan is possible it is assumed, because those results are protected: when
in doubt, keep. Nothing here reads outputs or decides what may be removed.
"""

import json
import re
from collections.abc import Set
from functools import lru_cache
from typing import Any, Literal, get_args

import msgspec

ToolKind = Literal["read", "edit", "search", "run", "plan", "skill", "memory", "other"]
TOOL_KINDS: tuple[ToolKind, ...] = get_args(ToolKind)


@lru_cache(maxsize=2_048)
def detect_tool_kind(tool: str, arguments: str) -> ToolKind:
    """Return the kind of a tool: `tool` as named by the host, `arguments` as JSON, raw text, or "" if unknown."""
    words = _split_words(tool)
    given = parse_arguments(arguments)
    if not given:
        by_text = _detect_by_text(tool, arguments)
        return by_text or _detect_protected(words, set()) or _detect_by_name(words)
    keys = _normalize_names(tuple(given))
    return _detect_command(given, keys) or _detect_by_keys(words, keys)


@lru_cache(maxsize=8)  # who asks for the kind of a call mostly asks for its arguments next
def parse_arguments(arguments: str) -> dict[str, Any]:
    """Return the arguments by name, which nobody may change; empty if they are not an object."""
    if not arguments.lstrip().startswith("{"):
        return {}
    try:
        read = msgspec.json.decode(arguments)
    except (msgspec.DecodeError, UnicodeEncodeError):
        try:
            read = json.loads(arguments)  # lone surrogates, NaN
        except (ValueError, RecursionError):
            return {}
    except RecursionError:
        return {}
    return read if isinstance(read, dict) else {}


# fmt: off
# Arguments by name, lower case and without separators.
_PATHS = frozenset({
    "path", "paths", "file", "files", "filename", "filepath", "filepaths", "targetfile", "absolutepath",
    "relativepath", "notebookpath", "dir", "dirpath", "directory", "folder",
})
_CHANGES = frozenset({
    "oldstring", "oldstr", "oldtext", "newstring", "newstr", "newtext", "newsource", "edits", "patch", "patchtext",
    "diff", "replace", "replacement", "replacementtext", "codeedit", "inserttext",
})
_BODIES = frozenset({"content", "contents", "filetext", "filecontent", "text", "data"})  # an edit only with a path
_COMMANDS = frozenset({"command", "commands", "cmd", "cmdline", "script", "code", "shellid", "keystrokes"})
_RUNNING = frozenset({"chars", "yieldtimems"})  # with a session id: input to a running command, or a wait
_SEARCHES = frozenset({
    "pattern", "patterns", "query", "queries", "regex", "glob", "globpattern", "includepattern", "searchterm",
    "keywords", "q",
})
_EDITOR = frozenset({"create", "str_replace", "insert", "delete", "rename", "undo_edit"})  # commands that are verbs
_PATCH = "*** Begin Patch"
# Words in tools' names.
_FINDS = frozenset({"lsp", "search", "find", "grep", "rg", "glob", "ls", "list", "tree"})
_WRITES = frozenset({
    "write", "create", "edit", "insert", "replace", "delete", "remove", "move", "rename", "mkdir", "patch", "append",
})
_READS = frozenset({"read", "view", "open", "cat", "fetch"})
_RUNS = frozenset({"bash", "shell", "sh", "zsh", "powershell", "terminal", "exec", "execute", "run"})
_PROGRAMS = frozenset({  # names of calls that are command lines, beside those that search and read
    "python", "python3", "pytest", "pip", "pip3", "tox", "node", "npm", "npx", "yarn", "pnpm", "go", "cargo", "make",
    "cmake", "gcc", "g++", "java", "mvn", "gradle", "ruby", "rake", "bundle", "php", "perl", "git", "gh", "rm", "mv",
    "cp", "touch", "chmod", "cd", "echo", "printf", "export", "sed", "awk", "curl", "wget", "tar", "unzip", "apt",
    "apt-get", "conda", "docker", "kill", "pkill", "pwd", "diff", "patch", "ruff", "mypy", "pylint", "flake8", "black",
    "sphinx-build",
})
# fmt: on
_PROGRAM = re.compile(r"[A-Z_]{2,60}=\S|\./\S")  # a variable before a program, or a program by its path


def _detect_by_text(tool: str, arguments: str) -> ToolKind | None:
    """Detect the kind of a freeform tool, which takes no JSON: a patch, or a command line named by its program."""
    if arguments.lstrip().startswith(_PATCH):
        return "edit"
    is_line = bool(tool) and arguments.startswith(tool)
    return "run" if is_line and (tool in _PROGRAMS or _PROGRAM.match(tool)) else None


def _detect_command(given: dict[str, Any], keys: Set[str]) -> ToolKind | None:
    """Detect commands, and editors whose `command` is a verb."""
    if not keys & _COMMANDS:
        return "run" if "sessionid" in keys and keys & _RUNNING else None
    command = _get_argument(given, "command", "cmd")
    if isinstance(command, str) and keys & _PATHS and (command == "view" or command in _EDITOR):
        if str(_get_argument(given, "path")).startswith("/memories"):
            return "memory"
        return "read" if command == "view" else "edit"
    if "prompt" in keys:
        return None  # a sub-agent that was asked for by a slash command
    line = " ".join(map(str, command)) if isinstance(command, list) else str(command)
    return "edit" if "apply_patch" in line[:200] and _PATCH in line else "run"


def _detect_protected(words: Set[str], keys: Set[str]) -> ToolKind | None:
    """Detect kinds whose results are protected."""
    if keys & {"skill", "skillname"} or words & {"skill", "skills"}:
        return "skill"
    if words & {"memory", "memories", "remember", "recall"}:
        return "memory"
    if keys & {"todos", "todolist", "plan"} or words & {"todo", "todos"}:
        return "plan"
    if "plan" in words and words & {"update", "enter", "exit", "mode"}:
        return "plan"
    if "task" in words and words & {"create", "update", "list", "get"} and not keys & {"prompt", "command"}:
        return "plan"
    return None


@lru_cache(maxsize=1_024)
def _detect_by_keys(words: frozenset[str], keys: frozenset[str]) -> ToolKind:
    return _detect_protected(words, keys) or _detect_by_shape(words, keys)


def _detect_by_shape(words: Set[str], keys: Set[str]) -> ToolKind:
    if keys & _CHANGES or (keys & _PATHS and keys & _BODIES) or {"apply", "patch"} <= words:
        return "edit"
    if keys & _SEARCHES or words & _FINDS:
        return "search"
    if keys & _PATHS:
        return "edit" if words & _WRITES else "read"
    return "other"


def _detect_by_name(words: Set[str]) -> ToolKind:
    hints: tuple[tuple[ToolKind, Set[str]], ...] = (
        ("run", _RUNS),
        ("search", _FINDS),
        ("edit", _WRITES),
        ("read", _READS),
    )
    return next((kind for kind, hint in hints if words & hint), "other")


def _get_argument(given: dict[str, Any], *names: str) -> Any:
    """The first of these arguments that is present."""
    return next((value for name, value in given.items() if name.lower() in names), None)


@lru_cache(maxsize=1_024)
def _normalize_names(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(_normalize_name, names))


@lru_cache(maxsize=1_024)
def _normalize_name(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


@lru_cache(maxsize=1_024)
def _split_words(tool: str) -> frozenset[str]:
    """`mcp__memory__searchNodes` → mcp, memory, search, nodes."""
    return frozenset(word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", tool))
