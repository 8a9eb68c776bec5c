"""Which file a path names: the folders that commands ran in, names under which a file is known, and targets of moves.

Rule: a relative and an absolute path are one file where a command named the folder between them, or where one ends in
the other, folders and all, and no third does. What was done to a file is not decided here (`files`).
"""

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache

from msgspec.structs import replace

from secateur.compaction.ledger.entries import FileEntry
from secateur.compaction.ledger.files.lines import find_place
from secateur.redact import redact
from secateur.toolcalls.actions import Action, collect_texts, get_output
from secateur.toolcalls.effects import Effect
from secateur.toolcalls.file_effects import PLACES, list_command_lines, list_file_effects
from secateur.toolcalls.shell import parse_command_line

MOVED_ALONG = "moved along with its folder to "
_MOST_ROOTS = 8
_SEARCHED = 20_000  # characters of a command
_MOST_ABSENT = 400
_ABSENT = re.compile(
    r"\s*(?:<tool_use_error>|error\b[^\n]{0,40}?:|ENOENT|file|path|cannot|could not)[^\n]{0,300}?"
    r"(?:no such file|does not exist|not found|doesn['’]t exist)[^\n]{0,200}\s*\Z",
    re.I,
)
_GUARDED = re.compile(r"2> ?/dev/null ?\|\| ?(?:true|:|echo +(?:\\?[\"'])?(?P<instead>[\w .,:-]{1,80}))")
_SILENCED = re.compile(r"\b(?:cat|head|tail)\b[^;&|>\n]{0,99}2> ?/dev/null(?!\s*>)(?!\s*\|(?!\||\s*(?:head|tail)\b))")
_CONDITIONAL = re.compile(r"(?:\btest -[ef] |\[{1,2} -[ef] )[^\n;]{1,200}&&")
_FOOTER = re.compile(r"\s|<[^<>\n]{0,60}\bexit code \d{1,3}>")  # what a host adds to an output
_TOOL_FILE = re.compile(
    r"/\.git/|/\.(?:workmux|aider[\w.-]{0,40})/"
    r"|/\.(?:claude|codex|gemini|cursor|opencode|pi|agents|windsurf|factory)/(?:[\w.-]{1,80}/){0,6}?"
    r"(?:plans?|todos?|prompts?|tasks|te?mp|cache|logs?|sessions?|history|memory|state|projects|worktrees)/"
    r"|/\.claude/settings\.local\.json$"
)


def clean_path(path: str) -> str:
    """Return a path without the scheme of a file and without `./` at its beginning."""
    return re.sub(r"^(?:\./)+", "", path.strip().removeprefix("file://"))


def is_absent(effect: Effect, action: Action) -> bool:
    """Whether a call that succeeds in any case was to read a file that is not there."""
    path = effect.path
    if effect.use != "read":
        return False
    if action.kind == "read":
        return _ABSENT.match(action.said[:_MOST_ABSENT]) is not None
    if action.kind != "run":
        return False
    line = action.call.text[:_SEARCHED]
    is_silent = _CONDITIONAL.search(line) is not None or any(path in hit[0] for hit in _SILENCED.finditer(line))
    if is_silent and not _FOOTER.sub("", get_output(action)):
        return True
    if f"{path.removeprefix('~')}: No such file or directory" in action.said:
        return True
    guarded = _GUARDED.search(line)
    return guarded is not None and action.said.strip() == (guarded["instead"] or "").strip()


def is_tool_file(path: str) -> bool:
    """Whether a file is of git or of a tool of the agent, such as a plan or a prompt for another agent."""
    return _TOOL_FILE.search(f"/{path}") is not None


def find_known_path(found: dict[str, FileEntry], path: str, roots: dict[str, None]) -> str:
    """Return the name under which this file is already known, else its own."""
    path = redact(clean_path(path))
    if path in found:
        return path
    for root in list(roots)[-_MOST_ROOTS:]:
        other = path.removeprefix(root + "/") if path.startswith("/") else posixpath.join(root, path)
        if other in found:
            return other
    return _match_by_suffix(found, path, roots) or path


def find_whole_path(found: dict[str, FileEntry], path: str, roots: dict[str, None]) -> dict[str, str]:
    """Return the relative path under which a file is known with this absolute one, if it is such a file's."""
    if not path.startswith("/") or path in found:
        return {}
    known = find_known_path(found, path, roots)
    return {known: redact(path)} if known in found and known[:1] not in ("/", "~") else {}


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


def find_roots(action: Action) -> Iterator[str]:
    """Yield the folders that commands are run in."""
    for place in collect_texts(action.given, PLACES):
        if place.startswith("/"):
            yield place.rstrip("/")
    for line in list_command_lines(action):
        if "cd /" in line:
            for simple in parse_command_line(line).commands:
                if simple.words[:1] == ("cd",) and simple.words[-1].startswith("/"):
                    yield simple.words[-1].rstrip("/")


def list_whole_paths(done: Iterable[Action]) -> set[str]:
    """Return the absolute paths of files that calls name, and the names that they gave such files in their folders."""
    effects = [(one, action) for action in done for one in list_file_effects(action)]
    found = {one.path for one, _ in effects if one.path.startswith("/")}
    renamed = (resolve_place(one, action, found).to for one, action in effects if one.use == "moved")
    return found | {to for to in renamed if to.startswith("/") and not to.endswith("/")}


def find_prompted_root(action: Action) -> tuple[str, ...]:
    """Return the folder that the prompt of a shell at the end of an output names."""
    hit = _PROMPTED.search(action.said[-_PROMPT_CHARS:])
    return (hit[1].rstrip("/"),) if hit else ()


def mark_inside(found: dict[str, FileEntry], moved: FileEntry) -> bool:
    """Say of the known files in a folder that was moved where it is, and whether there are any.

    They keep the names that calls gave them until one gives them others.
    """
    inside = [one for one in found if one.startswith(f"{moved.path}/")]
    found |= {one: replace(found[one], about=f"{MOVED_ALONG}{find_place(moved)}") for one in inside}
    return bool(inside)


def name_moved(found: dict[str, FileEntry], path: str) -> None:
    """Give a known file in a folder that was moved the name under which a call now speaks of it."""
    path = clean_path(path)
    for folder in [one for one in found.values() if one.use == "moved" and one.to] if path not in found else ():
        place = find_place(folder)
        old = folder.path + path.removeprefix(place)
        if path.startswith(f"{place}/") and old in found:
            found[path] = replace(found.pop(old), path=path, about="")


class ListedFiles:
    """The files of a list, by the names that calls give them, also those in a folder that was moved."""

    def __init__(self, paths: Iterable[str], done: Iterable[Action]) -> None:
        self.by_name: dict[str, list[str]] = {}
        for path in paths:
            self.by_name.setdefault(posixpath.basename(path), []).append(path)
        self._before: dict[str, str] = {}  # names of files before their folder was moved
        for action in done:
            for effect in list_file_effects(action) if action.kind in ("run", "edit", "other") else ():
                if effect.use == "moved" and effect.to:
                    place, old = find_place(FileEntry(effect.path, "moved", to=effect.to)), clean_path(effect.path)
                    inside = (one for some in self.by_name.values() for one in some if f"/{place}/" in f"/{one}")
                    self._before |= {old + one[one.index(place) + len(place) :]: one for one in inside}

    def find(self, path: str) -> str:
        """Return the one listed file that this path names; "" where none or several do."""
        path = clean_path(path)
        listed = self.by_name.get(posixpath.basename(path), ())
        same = [one for one in listed if one == path or one.endswith(f"/{path}") or path.endswith(f"/{one}")]
        if path in same:
            return path
        if not same:
            return self._before.get(path, "")
        return max(same, key=len) if path.startswith("/") or len(same) == 1 else ""


def resolve_target(path: str, effect: Effect, action: Action) -> tuple[str, str]:
    """Return the folder that a move starts in, if its file is known from elsewhere, and the target seen from there."""
    given, to = re.sub(r"^(?:\./)+", "", effect.path), effect.to
    base = path.removesuffix(given) if path != given and path.endswith(f"/{given}") else ""
    if to in ("./", "../") and not base:
        base = next((f"{root}/" for root in find_roots(action)), "")
    if not to or to.startswith(("/", "~")) or not base:
        return base, to
    return base, posixpath.normpath(f"{base}{to}") + ("/" if to.endswith("/") else "")


def resolve_place(effect: Effect, action: Action, wholes: Collection[str]) -> Effect:
    """Return an effect under the absolute path by which calls know its file, if it was seen from a folder below that.

    `wholes`: the absolute paths that calls name. One above the folder (`cd /a/b && cp x ../c/`) is always named so, and
    what is moved into another folder never: `find_place` tells where it is.
    """
    path = clean_path(effect.path)
    if not path or path.startswith(("/", "~")) or not (roots := list(dict.fromkeys(find_roots(action)))):
        return effect
    whole = posixpath.normpath(posixpath.join(roots[-1], path))
    if path.startswith("../"):
        return replace(effect, path=whole)
    is_known = whole in wholes and len(roots) == 1 and not effect.to.endswith(("/", "."))
    return replace(effect, path=whole, to=effect.to and posixpath.join(roots[-1], effect.to)) if is_known else effect


def list_roots(done: Iterable[Action]) -> tuple[str, ...]:
    """Return the folders in which commands were run."""
    return tuple(dict.fromkeys(root for action in done if action.kind == "run" for root in find_roots(action)))


def list_untracked(action: Action) -> set[str]:
    """Return the files and folders that git shows as untracked."""
    if action.kind != "run" or "?? " not in action.said:
        return set()
    return {hit[1].strip('"').rstrip("/") for hit in _UNTRACKED.finditer(action.said[:_SEARCHED])}


def is_untracked(
    effect: Effect, untracked: Collection[str], found: dict[str, FileEntry], roots: dict[str, None]
) -> bool:
    """Whether a call deleted what git never had and no call worked with: nothing is left to commit."""
    if effect.use != "deleted" or not untracked:
        return False
    path = clean_path(effect.path).rstrip("/")
    shown = any(f"/{path}".endswith(f"/{one}") or f"{path}/".startswith(f"{one}/") for one in untracked)
    known = find_known_path(found, path, roots)
    others = (one for one, entry in found.items() if entry.use not in ("deleted", "discarded"))
    return shown and not any(one == known or one.startswith(f"{known}/") for one in others)


def find_made_again(
    effect: Effect, untracked: set[str], found: dict[str, FileEntry], roots: dict[str, None]
) -> tuple[str, ...]:
    """Return the path of what a call deletes again that git shows anew: a run made it, and nothing is left of it.

    What was deleted counts as shown no more.
    """
    if effect.use != "deleted":
        return ()
    known = find_known_path(found, effect.path, roots)
    shown = [one for one in untracked if f"/{clean_path(effect.path)}".endswith(f"/{one}")]
    untracked.difference_update(shown)
    return (known,) if shown and known in found and found[known].use == "deleted" else ()


def is_untold_folder(effect: Effect, found: dict[str, FileEntry]) -> bool:
    """Whether a call deleted what looks like a folder of unknown files: nobody knows whether git has it."""
    path = effect.path
    return (
        effect.use == "deleted"
        and "." not in posixpath.basename(path)[1:]
        and not any(one == path or one.startswith(f"{path}/") for one in found)
    )


def is_secret(action: Action, path: str) -> bool:
    """Whether what reads like a file in a command is a secret there: `<password>…` is no redirection."""
    command = action.call.text
    return action.kind == "run" and path in command and path not in _redact_command(command)


_PROMPT_CHARS = 400
_PROMPTED = re.compile(r"^\(Current directory: (/[^\n()]{1,300})\)$", re.M)
_redact_command = lru_cache(maxsize=4)(redact)  # asked about once for each file that a command names
_SEARCHED = 20_000  # characters of an output
_UNTRACKED = re.compile(r"^\?\? ([^\n]{1,300})$", re.M)
