"""Which entries of the last `git status` still hold at the end of the session.

Rule: a commit takes what was staged, named or added; what it did not take is as it was. What brings other commits or
takes files back makes everything unknown; what only takes files off the index leaves them changed. A status that was
asked about some files tells of these only. What it showed before the session changed anything is the user's own, and is
told apart.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec.structs import replace

from secateur.compaction.ledger.entries import FileEntry
from secateur.compaction.ledger.files.lines import is_foreign
from secateur.compaction.ledger.repository.commits import strip_options
from secateur.compaction.ledger.repository.status import (
    CLEAN,
    DISTANCES,
    STATUS_ASKED,
    list_unnamed,
    read_status,
    select_dirty,
)
from secateur.redact import redact
from secateur.toolcalls.actions import Action
from secateur.toolcalls.commands import COMMIT_LINE, ExecutedCommand
from secateur.toolcalls.file_effects import list_file_effects
from secateur.toolcalls.shell import parse_command_line


def find_status(ran: Iterable[ExecutedCommand]) -> tuple[str, ...]:
    """Return what the last `git status` showed: how far the branch is from its upstream, and each file with its state.

    Behind a later commit or push, only what these left as it was; nothing behind a restoration or a merge.
    """
    found = _LastStatus()
    for run in ran:
        said = run.action.said[:_SEARCHED_TEXT]
        if "git" in run.line or (" changed" in said and _COMMIT.search(said)):
            found.note(run, said)
    return found.entries


class _LastStatus:
    """The entries of a status that hold so far."""

    def __init__(self, entries: Iterable[str] = ()) -> None:
        self.entries = tuple(entries)
        self._added: list[str] = []  # operands of `git add` since the status

    def note(self, run: ExecutedCommand, said: str) -> None:
        """Note one command line, which may ask for a status before a commit or behind it."""
        hits = list(_COMMIT.finditer(said))
        asked, moved, taken = (_find_last(one, run.line) for one in (STATUS_ASKED, _MOVES_ON, _COMMITS))
        movers = [words for one in run.does if _MOVES_ON.match(" ".join((words := strip_options(one))[:2]))]
        moved = -1 if movers and not any(map(self._is_moving, movers)) else moved
        is_first = bool(hits) and asked < taken
        shown = said[: hits[0].start()] if is_first else said[hits[-1].end() if hits else 0 :]
        is_shown = run.action.ok and asked >= 0
        if is_shown and is_first:
            self.entries = _update(self.entries, run, shown)
        self._change(run, said[hits[0].start() :] if hits else "", moved >= 0)
        if is_shown and asked > moved and not is_first:
            self.entries, self._added = _update(self.entries, run, shown), []
        if run.action.ok and (counted := _COUNTED.search(run.line)) and (hit := _COUNTS.search(shown)):
            self.entries = (*_describe_distance(counted, hit), *_drop_distances(self.entries))

    def note_commit(self, run: ExecutedCommand) -> None:
        """Note what a command line committed, and nothing else of it."""
        said = run.action.said[:_SEARCHED_TEXT]
        hit = _COMMIT.search(said)
        self._change(run, said[hit.start() :] if hit else "", False)

    def _change(self, run: ExecutedCommand, committed: str, is_moved: bool) -> None:
        """Drop the entries that a command line made untrue; `committed` is what it printed of commits."""
        words = [strip_options(one) for one in run.does if one[:1] == ("git",)]
        for one in words:
            if one[1:2] in (("add",), ("stage",)):
                self._added += one[2:]
            elif one[1:2] in _UNSTAGING and run.action.ok and not is_moved:
                self._take_off([word for word in one[2:] if word != "HEAD" and not word.startswith("-")])
        if not run.action.ok and not committed:
            return
        commits = [one for one in words if one[1:2] == ("commit",)]
        if is_moved:
            self.entries, self._added = (), []
        elif commits or committed:
            self.entries, self._added = tuple(_keep_left(self.entries, self._added, commits, committed)), []
        if run.action.ok and _PUSHES.search(run.line):
            self.entries = tuple(_drop_distances(self.entries))

    def _is_moving(self, words: Sequence[str]) -> bool:
        """Whether a git command does more than to take files off the index."""
        options = {word for word in words[2:] if word.startswith("-")}
        if words[1] == "restore":
            return options.isdisjoint(("--staged", "-S")) or not options.isdisjoint(("--worktree", "-W"))
        if words[1] != "reset" or not options <= _PLAIN_RESET:
            return True
        known = [*map(_get_path, self.entries), *self._added]
        names = [word for word in words[2:] if word not in options and word != "HEAD"]
        return "--" not in words and not all(_is_named(name, known) for name in names)

    def _take_off(self, names: Sequence[str]) -> None:
        """Take these files off the index; all without any."""
        self.entries = tuple(
            f"{_UNSTAGED[state]} {path}" if state in _UNSTAGED and (not names or _is_named(path, names)) else entry
            for entry in self.entries
            for state, _, path in (entry.partition(" "),)
        )
        self._added = [word for word in self._added if names and word not in names]


def _drop_distances(entries: Iterable[str]) -> Iterator[str]:
    return (one for one in entries if not one.startswith(DISTANCES))


def _find_last(pattern: re.Pattern[str], line: str) -> int:
    return max((hit.start() for hit in pattern.finditer(line)), default=-1)


def _update(found: tuple[str, ...], run: ExecutedCommand, said: str) -> tuple[str, ...]:
    """Return the entries behind one more status; one that was asked about some files replaces only theirs."""
    shown = read_status(said, _SHORT_ASKED.search(run.line) is not None)
    asked = [strip_options(one.words) for one in parse_command_line(run.line).commands if one.words[:1] == ("git",)]
    limits = [[word for word in one[2:] if not word.startswith("-")] for one in asked if one[1:2] == ("status",)]
    named = limits[-1] if limits else []
    if not named and shown and not _NAMES_UPSTREAM.search(said):  # how far the branch is from it was counted before
        return (*(one for one in found if one.startswith(DISTANCES)), *shown)
    if not named or not shown:
        return shown or found
    kept = (one for one in found if one != CLEAN and not _is_named(_get_path(one), named))
    return tuple(dict.fromkeys((*kept, *(one for one in shown if one != CLEAN))))


def _describe_distance(counted: re.Match[str], hit: re.Match[str]) -> Iterator[str]:
    """Yield how far the branch is from another one, as `git rev-list` counted the commits on both sides."""
    is_turned = counted["one"] == "HEAD"
    ahead, behind = (hit[1], hit[2]) if is_turned else (hit[2], hit[1])
    ways = [f"{way} {count}" for way, count in (("ahead", ahead), ("behind", behind)) if int(count)]
    if ways and "HEAD" in (counted["one"], counted["other"]):
        yield redact(f"{', '.join(ways)} of {counted['other' if is_turned else 'one']}")


def _keep_left(
    found: Iterable[str], added: Sequence[str], commits: Sequence[Sequence[str]], said: str
) -> Iterator[str]:
    """Yield the entries that a commit left as they were; none where nobody knows what it took."""
    words = {word for one in commits for word in one[2:]}
    if not commits or _ADDS_ALL & {*added} or any(_EXPANDED.search(word) for word in added):
        return
    takes_tracked = any(_TAKES_TRACKED.fullmatch(word) for word in words) or not _ADDS_TRACKED.isdisjoint(added)
    for entry in found:
        state = entry.partition(" ")[0]
        is_left = state == "untracked" or (state == "modified" and not takes_tracked)
        path = _get_path(entry)
        if is_left and not _is_named(path, [*added, *words]) and path.rstrip("/") not in said:
            yield entry


def _get_path(entry: str) -> str:
    return entry.partition(" ")[2].strip('"')


def _is_named(path: str, words: Iterable[str]) -> bool:
    """Whether any of these operands names the file, a folder that it is in, or something in it."""
    names = (word.removeprefix("./").rstrip("/") for word in words if not word.startswith("-"))
    whole = f"/{path.rstrip('/')}/"
    return any(name in ("", ".") or f"/{name}/" in whole or whole in f"/{name}/" for name in names)


def find_dirty(ran: Iterable[ExecutedCommand], done: Iterable[Action], status: Sequence[str]) -> tuple[str, ...]:
    """Return what `git status` showed before calls changed a file, without what `status`, the last, does not show.

    Nothing where no call changed any: then the last status says it. What a commit took is the user's no more.
    """
    ran = tuple(ran)
    before = set[str]()
    for action in done:
        if any(one.use in _CHANGES and not is_foreign(one.path) for one in list_file_effects(action)):
            break
        before.add(action.key)
    else:
        return ()
    looks = enumerate(_take_looks(ran, before), 1)
    place, begun = next(((at, shown) for at, run in looks if (shown := find_status([run]))), (0, ()))
    left = _LastStatus(one for one in begun if one != CLEAN and not one.startswith(DISTANCES))
    for run in ran[place:] if begun else ():
        left.note_commit(run)
    return select_dirty(left.entries, status)


def _take_looks(ran: Iterable[ExecutedCommand], before: Collection[str]) -> Iterator[ExecutedCommand]:
    """Yield the first runs, as long as they only look or ask git and trackers: a build may write files."""
    for run in ran:
        if run.action.key not in before:
            return
        yield run
        if not (run.looks or all(words[0] in _TRACKERS for words in run.does)):
            return


def drop_dirty_again(files: Iterable[FileEntry], status: Sequence[str]) -> Iterator[FileEntry]:
    """Yield the files, without those that were taken back and that the last status shows changed once more.

    What a patch left beside a file that calls changed is a trial of the session.
    """
    shown = {state: [_get_path(one) for one in status if one.startswith(f"{state} ")] for state in _SHOWN}
    for one in files:
        if not (one.use == "restored" and any(f"/{one.path}".endswith(f"/{path}") for path in shown["modified"])):
            yield one
        for path in shown["untracked"] if one.is_changed else ():
            if _LEFT_BY_PATCH.search(path) and f"/{one.path}".endswith(f"/{path.rpartition('.')[0]}"):
                yield replace(one, path=f"{one.path}.{path.rpartition('.')[2]}", use="created", to="", scratch=True)


def list_strays(
    status: Sequence[str], files: Iterable[FileEntry], taken: Collection[str], dirty: Iterable[str]
) -> tuple[str, ...]:
    """Return the entries of files that no call changed since a commit took them, those of the session's own last.

    `taken`: files that a commit took, and that no call changed since.
    """
    found = list_unnamed(status, (one for one in files if one.path not in taken), dirty)
    return tuple(sorted(found, key=lambda entry: (not entry.startswith("untracked "), _is_taken(entry, taken))))


def _is_taken(entry: str, taken: Iterable[str]) -> bool:
    return any(f"/{one}".endswith(f"/{_get_path(entry)}") for one in taken)


_SEARCHED_TEXT = 20_000  # characters of an output
_COMMIT = re.compile(COMMIT_LINE + r"(?<= )[0-9a-f]{7,40}\] [^\n]{1,400}", re.M)
_COMMITS = re.compile(r"\bgit (?:-[cC] \S+ ){0,3}commit\b")
_PUSHES = re.compile(r"\bgit (?:-[cC] \S+ ){0,3}push\b")
_COUNTED = re.compile(
    r"\bgit (?:-C \S+ )?rev-list (?:--left-right --count|--count --left-right) [\"']?(?P<one>[\w./@{}-]{1,200}?)\.{3}"
    r"(?P<other>[\w./@{}-]{1,200})"
)
_COUNTS = re.compile(r"^(\d{1,6})\t(\d{1,6})$", re.M)
_NAMES_UPSTREAM = re.compile(r"^## \S{1,200}?\.{3}\S|^Your branch ", re.M)
_SHORT_ASKED = re.compile(r"\bstatus\b[^;&|]{0,60}\s(?:-\w*s\w*\b|--short\b|--porcelain\b)")
_MOVES_ON = re.compile(r"\bgit (?:-C \S+ )?(?:pull|merge|rebase|reset|restore|checkout|switch|stash|clean)\b")
_UNSTAGING = (("reset",), ("restore",))
_UNSTAGED = {"staged": "modified", "part-staged": "modified", "added": "untracked"}
_PLAIN_RESET = frozenset({"--", "-q", "--quiet", "--mixed"})
_ADDS_ALL = frozenset({"-A", "--all", "--no-ignore-removal", ".", "./", ":/", "*", "-p", "--patch", "-i"})
_EXPANDED = re.compile(r"[*$`?\[{]")
_ADDS_TRACKED = frozenset({"-u", "--update"})
_TAKES_TRACKED = re.compile(r"--all|-[a-z]*a[a-z]*")
_CHANGES = ("created", "changed", "deleted", "moved", "restored", "stashed", "reapplied")
_TRACKERS = ("git", "gh", "glab", "bd", "tk")
_SHOWN = ("modified", "untracked")
_LEFT_BY_PATCH = re.compile(r"\.(?:orig|rej)$")
