"""Where the work is: the root of its repository or the folder of its commands, and the branch of each repository.

Rule: a folder is the root of a repository where git printed it, ran in it, or printed a name that an absolute path of
the session ends in. Of several the one with most of the changed files is that of the work; a worktree is a repository
of its own. A call that names no folder ran in that of the work. Where no call and no host names one, nothing is told.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from secateur.compaction.ledger.entries import FileEntry, Ledger
from secateur.compaction.ledger.files.lines import TEMPORARY, is_foreign
from secateur.model import Message
from secateur.redact import redact
from secateur.toolcalls.actions import Action, collapse_whitespace, collect_texts
from secateur.toolcalls.commands import ExecutedCommand
from secateur.toolcalls.file_effects import PLACES

LEAST_SHARE = 0.5  # of the paths with a folder of their own, that are in the root


class Place(Struct, frozen=True):
    """Where the work is."""

    root: str = ""  # of the repository
    folder: str = ""  # in which commands ran of late, where no root is known
    repositories: tuple[str, ...] = ()  # all roots that are known

    def find_repository(self, folder: str) -> str:
        """Return the root of the repository that a folder is in; that of the work for a folder that is not known."""
        inside = [root for root in self.repositories if f"{folder}/".startswith(f"{root}/")] if folder else []
        return max(inside, key=len, default="" if folder else self.root)


def find_place(
    messages: Iterable[Message], done: Sequence[Action], ran: Sequence[ExecutedCommand], files: Iterable[FileEntry]
) -> Place:
    """Return where the work is."""
    told = [one for one in files if one.path.startswith("/") and not is_foreign(one.path)]
    changed = [one.path for one in told if one.is_changed]
    paths = changed or [one.path for one in told]
    explicit = _list_explicit(ran)
    names = {name for run in ran if "git" in run.line for name in _list_git_names(run.action.said[:_SEARCHED])}
    roots = _derive(names, paths) + explicit
    repositories = tuple(_drop_subfolders(roots, explicit))
    folder = _find_folder(done, ran) or _find_prompted(messages) or _derive_folder(ran, paths)
    inside = Counter(Place(repositories=repositories).find_repository(path) for path in paths)
    if paths:
        root = max(repositories, key=lambda one: (inside[one], one == folder, roots[one], -len(one)), default="")
        root = root if root and inside[root] >= max(1, LEAST_SHARE * len(paths)) else ""
        folder = folder if sum(path.startswith(f"{folder}/") for path in paths) else ""
    else:
        root = next((one for one in repositories if f"{folder}/".startswith(f"{one}/")), "") if folder else ""
        root = root or ("" if folder else max(repositories, key=lambda one: roots[one], default=""))
    return Place(root, "" if root else folder, repositories)


def name_place(ledger: Ledger, folder: str, branch: str) -> Ledger:
    """Return the ledger with the folder and the branch that a host names, where no call shows them."""
    folder = _clean(folder) if folder.startswith("/") and collapse_whitespace(folder) == folder else ""
    if not folder:
        return ledger
    is_here = not ledger.root or f"{folder}/".startswith(f"{ledger.root}/")
    branch = redact(branch) if is_here and not ledger.branch and _BRANCH.fullmatch(branch) else ledger.branch
    return replace(ledger, branch=branch, folder=ledger.folder or ("" if ledger.root else folder))


def list_runs_here(ran: Iterable[ExecutedCommand], place: Place) -> tuple[ExecutedCommand, ...]:
    """Return the runs in the repository of the work, and those that name no folder."""
    return tuple(run for run in ran if place.find_repository(find_run_folder(run)) == place.root)


def drop_scratch_repositories(
    done: tuple[Action, ...], ran: tuple[ExecutedCommand, ...]
) -> tuple[tuple[Action, ...], tuple[ExecutedCommand, ...]]:
    """Return calls and runs without those in repositories that the session made in folders for temporary files.

    These are experiments: what was committed there is no work, and nothing of it has to be pushed.
    """
    inits = [run for run in ran if any(words[:2] == ("git", "init") for words in run.does)]
    made = tuple(folder for folder in (f"{find_run_folder(run)}/" for run in inits) if TEMPORARY.match(folder))
    if not made:
        return done, ran
    keys = {run.action.key for run in ran if f"{find_run_folder(run)}/".startswith(made)}
    return tuple(one for one in done if one.key not in keys), tuple(one for one in ran if one.action.key not in keys)


def find_run_folder(run: ExecutedCommand) -> str:
    """Return the absolute folder in which a command line ran git, as far as it says it; "" if it does not."""
    if named := _GIT_IN.search(run.line):
        return _clean(named["place"])
    if run.goes_to:
        return _clean(run.goes_to) if run.goes_to.startswith("/") else ""
    given = [place for place in collect_texts(run.action.given, PLACES) if place.startswith("/")]
    return _clean(given[0]) if len(given) == 1 else ""


def _clean(place: str) -> str:
    return redact(place.strip("'\"").rstrip("/"))


def _find_folder(done: Iterable[Action], ran: Iterable[ExecutedCommand]) -> str:
    """Return the newest folder in which many of the commands ran; "" if the calls name none."""
    named = [place for action in done for place in collect_texts(action.given, PLACES)]
    named += [run.goes_to for run in ran]
    places = [_clean(place) for place in named if place.startswith("/") and collapse_whitespace(place) == place]
    counts = Counter(places)
    least = max(3, len(places) // 5)
    return next((place for place in reversed(places) if counts[place] >= least), "")


def _find_prompted(messages: Iterable[Message]) -> str:
    """Return the newest folder that a host names as that of the session, in a prompt of its shell or in a note."""
    texts = (part.text[-_SEARCHED:] for one in messages if one.role in ("user", "tool") for part in one.parts)
    named = (text for text in texts if "cwd" in text or "directory: " in text)  # all forms have one of these
    hits = [hit for text in named for hit in _PROMPTED.finditer(text)]
    return _clean(next(filter(None, hits[-1].groups()))) if hits else ""


def _list_explicit(ran: Iterable[ExecutedCommand]) -> Counter[str]:
    """Return the folders in which git ran, and those that it printed as a root, with how often."""
    found: Counter[str] = Counter()
    for run in ran:
        if not run.ok or _GIT_RUNS.search(run.line) is None or _NO_REPOSITORY.search(run.action.said[:_SEARCHED]):
            continue
        if _ASKS_ROOT.search(run.line) and (printed := _PATH_ALONE.fullmatch(run.action.said.strip())):
            found[_clean(printed[0])] += 1
        elif place := find_run_folder(run):
            found[place] += 1
    found.pop("", None)
    return found


def _derive(names: Collection[str], paths: Iterable[str], has_folders: bool = False) -> Counter[str]:
    """Return the folders from which absolute paths have these names, with how many have.

    `has_folders`: a name may be that of a folder that the path is in.
    """
    found: Counter[str] = Counter()
    for path in paths if names else ():
        parts = path.split("/")
        for at in range(2, len(parts) - 1):  # a name without a folder may be that of any file
            ends = range(at + 2, len(parts) + 1) if has_folders else (len(parts),)
            if any("/".join(parts[at:end]) in names for end in ends):
                found["/".join(parts[:at])] += 1
                break
    return found


def _derive_folder(ran: Iterable[ExecutedCommand], paths: Sequence[str]) -> str:
    """Return the folder from which the relative paths in commands lead to most of these files."""
    words = {word.removeprefix("./").removesuffix("...").rstrip("/") for run in ran for one in run.does for word in one}
    found = _derive({word for word in words if "/" in word and word[0] not in "/-.~"}, paths, has_folders=True)
    return max(found, key=lambda one: (found[one], -len(one)), default="")


def _list_git_names(said: str) -> Iterator[str]:
    for hit in _GIT_NAMES.finditer(said):
        yield next(filter(None, hit.groups())).strip()


def _drop_subfolders(roots: Counter[str], explicit: Counter[str]) -> Iterator[str]:
    """Yield the roots without folders of the same repository: those inside of others that are no worktrees."""
    for one in sorted(roots, key=len):
        outer = [root for root in roots if one != root and one.startswith(f"{root}/")]
        if all(_WORKTREE.match(one, len(root)) for root in outer) or not outer:
            yield one


_BRANCH = re.compile(r"[\w./-]{1,200}")
_SEARCHED = 20_000  # characters of an output, or at the end of a message
_PROMPTED = re.compile(
    r"\(Current directory: (/[^\n()]{1,300})\)|<cwd>(/[^\n<>]{1,300})</cwd>"
    r"|\[Current working directory: (/[^\n\]]{1,300})\]"
    r"|^(?:Shell cwd was reset to|[Cc]urrent working directory:) (/[^\n]{1,300})$",
    re.M,
)
_GIT_IN = re.compile(r"\bgit -C (?P<place>/[^\s;&|]{1,300}|\"/[^\"\n]{1,300}\"|'/[^'\n]{1,300}')")
_GIT_RUNS = re.compile(
    r"\bgit (?:-C (?:\"[^\"\n]{1,300}\"|\S{1,300}) |-\S{1,40} ){0,3}(?:status|diff|log|add|commit|branch|checkout"
    r"|switch|push|pull|show|stash|fetch|rev-parse|restore|reset|merge|rebase|rm|mv|tag|blame|worktree)\b"
)
_NO_REPOSITORY = re.compile(r"not a git repository")
_ASKS_ROOT = re.compile(r"\brev-parse --show-toplevel\s*$")
_PATH_ALONE = re.compile(r"/[^\n]{1,300}")
_GIT_NAMES = re.compile(
    r"^diff --git a/([^\n]{1,300}?) b/|^ (?:create|delete) mode \d{6} ([^\n]{1,300})$"
    r"|^ ([\w@./+-]{1,200}/[\w@.+-]{1,100}) +\| +\d"
    r"|^[ \t]{1,8}(?:modified|new file|deleted):[ \t]+([^\n]{1,300})$|^(?=\S| \S)[ MADRCU?]{2} ([^\s:]{1,300})$",
    re.M,
)
_WORKTREE = re.compile(r"/(?:[\w.-]{1,80}/){0,3}\.?worktrees/")
