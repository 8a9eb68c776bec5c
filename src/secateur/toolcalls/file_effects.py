"""What a call did to files: which ones it read, wrote, moved or deleted, by its words and its outcome.

Rule: only what is certain from the words of the command. A search through files does not read them, and a path is not a
folder as far as its name shows. Formatters and build tools change files too, but their words do not say which. A call
that failed changed nothing, and a command that was refused ran nothing. The effects of many calls on one file are not
collected here.
"""

import posixpath
import re
from collections.abc import Iterator

from secateur.memoizing import memoize_by, memoize_texts
from secateur.toolcalls.actions import Action, collapse_whitespace, collect_texts, normalize_name
from secateur.toolcalls.effects import Effect, Use, is_pathlike, parse_git_effects, parse_patch_effects
from secateur.toolcalls.shell import Simple, mark_scratch_commands, parse_command_line, strip_program_prefix


@memoize_texts(4_096)  # many ask what the same command did
def parse_effects(line: str, depth: int = 0) -> tuple[Effect, ...]:
    """Return the effects of a command line on files, in order; what it does in a scratch folder of its own is none."""
    taken, found = parse_command_line(line), list[Effect]()
    for simple, is_scratch in mark_scratch_commands(taken):
        words, known = strip_program_prefix(simple.words), len(found)
        if depth < 3 and (inner := _find_inner_command(words)):
            found += parse_effects(inner, depth + 1)
        found += _parse_redirects(simple)
        is_patch = words[:1] in (("apply_patch",), ("patch",)) or words[:2] == ("git", "apply")
        for body in (*words[1:], *taken.bodies) if is_patch else ():
            found += parse_patch_effects(body)
        if words and not is_patch:
            found += _run(words)
        if is_scratch:
            found[known:] = [effect for effect in found[known:] if effect.path.startswith("/")]
    for body in taken.bodies:
        found += parse_script_effects(body)
    return tuple(found)


def parse_script_effects(code: str) -> Iterator[Effect]:
    """Yield the files that a Python or JavaScript script names where it writes them."""
    for found in _WRITES.finditer(code) if any([word in code for word in _OPENS]) else ():
        if is_pathlike(path := found["open"] or found["path"] or found["js"]):
            yield Effect(path, "changed" if (found["mode"] or "")[:1] in ("a", "r") else "created", whole=True)


_WRITES = re.compile(
    r"\bopen\(\s*[rbu]?['\"](?P<open>[^'\"\n]{1,300})['\"]\s*,\s*(?:mode\s*=\s*)?['\"](?P<mode>[wax]|r\+)[bt+]*['\"]"
    r"|\bPath\(\s*['\"](?P<path>[^'\"\n]{1,300})['\"]\s*\)\.write_(?:text|bytes)\("
    r"|\bwriteFile(?:Sync)?\(\s*['\"`](?P<js>[^'\"`\n$]{1,300})['\"`]"
)
_OPENS = ("open(", "Path(", "writeFile")
_SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
_READERS = frozenset(
    {"cat", "head", "tail", "less", "more", "nl", "bat", "batcat", "tac", "od", "xxd", "hexdump", "strings"}
)
_VALUED = frozenset({"-n", "-c", "-e", "-f", "--lines", "--bytes", "-s", "-l", "-N", "-j", "-t", "-A"})
_NO_VALUE = {"cat": frozenset({"-n", "-e", "-s", "-t", "-A"}), "bat": frozenset({"-n", "-A"})}


def _find_inner_command(words: tuple[str, ...]) -> str:
    """Return the command line passed to a shell: bash -lc '...'."""
    if words and words[0] in _SHELLS:
        flag = next((n for n, word in enumerate(words) if re.fullmatch(r"-[a-z]*c", word)), 0)
        return words[flag + 1] if flag and flag + 1 < len(words) else ""
    return ""


def _parse_redirects(simple: Simple) -> Iterator[Effect]:
    for path in filter(is_pathlike, simple.reads):
        yield Effect(path, "read")
    for path in filter(is_pathlike, simple.writes):
        yield Effect(path, "created", whole=True)
    for path in filter(is_pathlike, simple.appends):
        yield Effect(path, "changed")


def _run(words: tuple[str, ...]) -> Iterator[Effect]:
    name, rest = words[0], words[1:]
    if name == "git" and rest:
        yield from parse_git_effects(rest)
    elif name in _READERS:
        yield from (Effect(path, "read") for path in _list_operands(name, rest))
    elif name in ("sed", "perl", "awk", "gawk"):
        yield from _parse_editor_effects(name, rest)
    elif name in ("cp", "mv", "install", "ln"):
        yield from _parse_transfer_effects(name, [word for word, valued in _iterate_words(name, rest) if not valued])
    elif name in ("rm", "unlink"):
        yield from (Effect(path, "deleted") for path in _list_operands(name, rest))
    elif name in ("tee", "touch", "truncate"):
        used: Use = "created" if name == "touch" or "-a" not in rest else "changed"
        yield from (Effect(path, used, whole=name == "tee") for path in _list_operands(name, rest))
    elif name in ("gofmt", "goimports") and "-w" in rest:
        yield from (Effect(path, "changed", formatted=True) for path in _list_operands(name, rest) if "." in path)


def _parse_editor_effects(name: str, rest: tuple[str, ...]) -> Iterator[Effect]:
    """Yield the effects of sed, perl and awk: the script is the first operand unless an option gives it."""
    place = re.compile(r"-i|--in-place|-[a-z]*i[a-z]*$" if name == "perl" else r"-i|--in-place|-[nErsz]+i")
    inside = any(place.match(word) for word in rest) and "awk" not in name
    given = any(word in ("-e", "-f", "--expression", "--file") or re.fullmatch(r"-[a-z]+e", word) for word in rest)
    operands = [word for word, valued in _iterate_words(name, rest) if not valued]
    for path in filter(is_pathlike, operands if given else operands[1:]):
        if name != "awk" or "=" not in path:
            yield Effect(path, "changed" if inside else "read")


def _parse_transfer_effects(name: str, operands: list[str]) -> Iterator[Effect]:
    """Yield the effects of cp and mv; several files or a trailing slash mean a folder, which keeps its slash."""
    *sources, target = operands or [""]
    folder = len(sources) > 1 or target in (".", "..") or target.endswith("/")
    target = f"{target.rstrip('/')}/" if folder else target
    for source in filter(is_pathlike, sources):
        if name == "mv":
            yield Effect(source, "moved", to=target)
        elif is_pathlike(made := f"{target}{posixpath.basename(source)}" if folder else target):
            yield Effect(made, "created", whole=True)


def _list_operands(name: str, rest: tuple[str, ...]) -> list[str]:
    return [word for word, valued in _iterate_words(name, rest) if not valued and is_pathlike(word)]


def _iterate_words(name: str, rest: tuple[str, ...]) -> Iterator[tuple[str, bool]]:
    """Yield the words that are not options, each with whether it is an option's value."""
    valued = False
    only = False
    for word in rest:
        if word == "--" and not only:
            only = True
        elif word.startswith("-") and word != "-" and not only:
            takes = word in _VALUED and word not in _NO_VALUE.get(name, ()) and name not in ("rm", "cp", "mv", "touch")
            valued = takes and not (name == "sed" and word in ("-n", "-s"))
            valued = valued and name not in ("tee", "git", "less", "more", "tac")
        else:
            yield word, valued
            valued = False


def name_action(action: Action) -> tuple[str | bool, ...]:
    """All that the effects of a call depend on."""
    is_answered = action.result is not None
    return action.kind, action.call.tool, action.call.text, action.said, is_answered, action.ok, action.exit is None


@memoize_by(name_action, 4_096)  # all parts of a ledger ask for them
def list_file_effects(action: Action) -> tuple[Effect, ...]:
    """Return the effects of one call on files, without what formatters may have done.

    A file that the call deleted before it wrote the same one anew was not deleted.
    """
    found = [effect for effect in iterate_file_effects(action) if not effect.formatted]
    written = {effect.path: at for at, effect in enumerate(found) if effect.use == "created"}
    return tuple(one for at, one in enumerate(found) if one.use != "deleted" or at > written.get(one.path, -1))


def iterate_file_effects(action: Action) -> Iterator[Effect]:
    """Yield the effects of one call on files; for who asks but once."""
    if not action.result or (not action.ok and action.exit is None):
        return
    if line := _find_bare_command(action):
        yield from (effect for effect in parse_effects(line) if effect.use != "read")
    elif (shown := find_shown_file(action)) and not list_paths(action):
        yield Effect(shown["path"], _SHOWING.get(action.call.tool, "read"))
    else:
        yield from _list_asked_effects(action)
    if action.kind in ("run", "other") and _MIGRATING in action.said and "--dry-run" not in action.call.text:
        yield from (Effect(path, "created", whole=True) for path in _MIGRATION.findall(action.said))


def find_shown_file(action: Action) -> re.Match[str] | None:
    """Return how a result of SWE-agent's tools names the file that it shows; an edit may print warnings before it."""
    if shown := _SHOWN.match(action.said):
        return shown
    return _SHOWN_LATER.search(action.said[:_WARNING_CHARS]) if action.call.tool in _SHOWING else None


def _list_asked_effects(action: Action) -> Iterator[Effect]:
    """Yield the effects that the arguments of an answered call name."""
    if action.kind == "run":
        for line in list_command_lines(action):
            for effect in (*parse_effects(line), *parse_script_effects(line if action.given else "")):
                if action.ok or effect.use != "read":
                    yield effect
            if "patch" in line and "--dry-run" not in line:
                yield from (Effect(path, "changed") for path in filter(is_pathlike, _PATCHING.findall(action.said)))
    elif action.ok and (action.kind == "edit" or _is_patch(action)):
        yield from _list_edit_effects(action)
    elif action.kind == "read" and action.ok and not _FOLDER.search(action.said[:300]):
        yield from (Effect(path, "read") for path in list_paths(action))


def _find_bare_command(action: Action) -> str:
    """Return the command line that a call is itself, named by its program and writing a file: `cat << EOF > a.py`."""
    if action.call.tool not in _WRITERS or not {*action.given} <= {"input"}:
        return ""
    line = action.given.get("input", action.call.text)
    return line if isinstance(line, str) and line.startswith(f"{action.call.tool} ") and ">" in line else ""


def _is_patch(action: Action) -> bool:
    """Whether a tool that is not known to edit was given a patch to apply."""
    return action.kind == "other" and "patch" in action.call.tool.lower() and _PATCHED_FILE in action.call.text


def list_command_lines(action: Action) -> list[str]:
    """Return the command lines of a call; a call without arguments by name is one if it runs something."""
    if not action.given and action.kind == "run" and action.call.text[:1] not in ("", "{"):
        return [action.call.text]
    found: list[str] = []
    for name, value in action.given.items():
        if normalize_name(name) in _COMMANDS:
            if isinstance(value, list) and all(isinstance(word, str) for word in value):
                found.append(_join_command(value))
            elif isinstance(value, str):
                found.append(value)
    return found


def list_staged_files(action: Action) -> Iterator[str]:
    """Yield what a call added to the next commit by name."""
    for line in list_command_lines(action) if "git" in action.call.text and "add" in action.call.text else ():
        for simple in parse_command_line(line).commands:
            if simple.words[:2] == ("git", "add"):
                yield from (word for word in simple.words[2:] if word not in ("-f", "--force", "--"))


def list_paths(action: Action) -> list[str]:
    """Return the files that a call names in its arguments."""
    return [*_list_named(action)]


def _name_arguments(action: Action) -> tuple[str, ...]:
    return (action.call.text,)


@memoize_by(_name_arguments, 4_096)
def _list_named(action: Action) -> tuple[str, ...]:
    return tuple(
        [
            path
            for path in collect_texts(action.given, _NAMES)
            if len(path) <= 400 and not _NO_FILE.search(path) and collapse_whitespace(path) == path
        ]
    )


PLACES = frozenset({"workdir", "cwd", "workingdirectory", "workingdir"})  # arguments that name the folder of a call
_NAMES = frozenset({
    "path", "paths", "file", "files", "filename", "filepath", "filepaths", "targetfile", "absolutepath", "relativepath",
    "notebookpath", "uri",
})  # fmt: skip
_COMMANDS = frozenset({"command", "commands", "cmd", "cmdline", "script", "code", "keystrokes"})
_WHOLE = frozenset({"content", "contents", "filetext", "filecontent"})
_PARTS = frozenset({"oldstring", "oldstr", "oldtext", "edits", "insertline", "newstr", "diff", "patch"})
_FROM = frozenset({"source", "sourcepath", "from", "oldpath", "src"})
_TO = frozenset({"destination", "destinationpath", "dest", "target", "newpath", "to", "dst"})
_FOLDER = re.compile(r"files and directories up to|^<type>directory</type>", re.M)
_SHOWN = re.compile(
    r"\[File: (?P<path>[^\n]{1,400}) \(\d+ lines total\)\]"
)  # SWE-agent, of a command that went through
_SHOWN_LATER = re.compile(rf"^{_SHOWN.pattern}$", re.M)
_WARNING_CHARS = 2_000
_WRITERS = frozenset({"cat", "echo", "printf", "tee"})
_SHOWING: dict[str, Use] = {"create": "created", "edit": "changed"}
_NO_FILE = re.compile(r"[\n*<>|\0]|^(?!file:)\w+://|/$|^\.{0,2}$")
_PATCHED_FILE = "*** Begin Patch"
_MIGRATING = "Migrations for '"  # Django, above the files that it writes
_MIGRATION = re.compile(r"^  ((?:[\w.@/-]{1,300}/)?migrations/\d{4}_\w{1,100}\.py)$", re.M)
_PATCHING = re.compile(r"^patching file '?([^'\n]+?)'?(?: \(.*\))?$", re.M)  # what `patch` says of each file


def _list_edit_effects(action: Action) -> Iterator[Effect]:
    bodies = [value for value in (*action.given.values(), action.call.text) if isinstance(value, str)]
    words = [word for value in action.given.values() if isinstance(value, list) for word in value]
    bodies = [body for body in (*bodies, *words) if isinstance(body, str) and _PATCHED_FILE in body]
    if bodies:
        yield from (effect for body in bodies[:1] for effect in parse_patch_effects(body))
        return
    verb = str(action.given.get("command", ""))
    names = {normalize_name(name) for name, value in action.given.items() if value is not None}
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
