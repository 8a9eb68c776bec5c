"""Which commits of the session stand, and what of them and of its tags is not out.

Rule: what git itself printed counts, not what it was asked. A commit that was amended or reset does not stand any more;
the one that came in its place does. A push that git does not call failed is taken to push what was committed before it,
and tags only where it names them; a status that names the upstream says how many commits are not out, whoever pushed.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct

from secateur.compaction.ledger.repository.places import find_run_folder
from secateur.compaction.ledger.repository.status import count_ahead
from secateur.compaction.ledger.repository.unpushed import TAG, UNSEEN, is_tag, limit_unpushed, mark_earlier
from secateur.redact import redact
from secateur.toolcalls.actions import clip_text
from secateur.toolcalls.commands import COMMIT_LINE, ExecutedCommand

COMMIT_CHARS = 160
COMMITTED = "commit "
REWRITTEN = " (rebased since: another hash)"


class Commits(Struct, frozen=True):
    """The commits of a span."""

    listed: tuple[str, ...] = ()  # that stand: branch, hash, subject
    unpushed: tuple[str, ...] = ()  # hashes of these and names of tags, behind the number of commits before them
    gone: frozenset[str] = frozenset()  # hashes of those that do not stand any more
    renamed: Mapping[str, str] = {}  # how commits are listed that git printed in another way, by their first hash


def trace_commits(ran: Iterable[ExecutedCommand]) -> Commits:
    """Trace the commits that calls made, took back and pushed."""
    found = _Commits()
    for run in ran:
        if "git" in run.line or any(words[0] in _GIT for words in run.does if words):
            found.note(run)
    gone = frozenset(found.gone - found.listed.keys() - found.renamed.keys())
    return Commits(tuple(found.listed.values()), found.list_unpushed(), gone, found.renamed)


def find_commits(ran: Iterable[ExecutedCommand]) -> Iterator[str]:
    """Yield the line that git printed for each commit: branch, hash, subject."""
    for run in ran:
        if "git" in run.line and _MAKES.search(run.line):
            yield from (_clip(hit) for hit in _COMMIT.finditer(run.action.said[:_SEARCHED_TEXT]))


def has_git_failed(said: str) -> bool:
    """Whether git says that it failed, which counts where its status is not known or is that of a later program."""
    said = said[:_SEARCHED_TEXT]
    may_say_so = "fatal: " in said or "error: " in said or "rejected]" in said  # most outputs are sooner known to not
    return may_say_so and _GIT_FAILED.search(said) is not None


class _Commits:
    """The commits that stand so far by their hashes, and what of them and of the tags is not out."""

    def __init__(self) -> None:
        self.listed: dict[str, str] = {}
        self.left: dict[str, str] = {}  # with the folders in which git ran, "" where no call names one
        self.gone: set[str] = set()
        self.renamed: dict[str, str] = {}
        self._rebased: dict[str, str] = {}  # hashes of commits that have others since, by their subjects
        self._earlier: dict[str, int] = {}  # other commits that are not out, by the folder in which git counted them
        self._based: set[str] = set()  # folders in which a push or a status showed what was out
        self._tried: dict[str, str] = {}  # subjects of commits that seem to have failed, with the folders
        self._counted: set[str] = set()  # of these, those that a status counted
        self._is_linear = True  # no call brought commits of others into the history

    def list_unpushed(self) -> tuple[str, ...]:
        """Return what is not out: how many commits were not before these, the commits and the tags."""
        places = [place for one, place in self.left.items() if not is_tag(one)]
        earlier = [count for at, count in self._earlier.items() if any(_is_same_place(at, one) for one in places)]
        is_based = all(any(_is_same_place(at, one) for at in self._based) for one in places)
        unseen = () if is_based else (UNSEEN,)
        return limit_unpushed((*unseen, *map(mark_earlier, filter(None, earlier[-1:])), *self.left))

    def note(self, run: ExecutedCommand) -> None:
        """Note what one command line did."""
        said = run.action.said[:_SEARCHED_TEXT]
        place = find_run_folder(run)
        made = {redact(hit["hash"]): _clip(hit) for hit in _COMMIT.finditer(said)} if _MAKES.search(run.line) else {}
        is_done = run.ok and not has_git_failed(said)
        does = [strip_options(words) for words in run.does]
        commits = any(words[:2] == ("git", "commit") for words in does)
        for words in does:
            if words[:2] == ("git", "commit"):
                self._commit(made, words, place)
            elif (words[:2] == ("git", "push") and _NO_PUSH.isdisjoint(words)) or " ".join(words[:3]) in _PUSHES:
                self._push(words, place, said, is_done)
            elif words[:1] == ("git",):
                self._rewrite({} if commits else made, words, place)
                self._go(words if is_done else (), place, said)
        self.listed |= made
        if _LOGS.search(run.line):
            self._note_log(said)
        if (ahead := count_ahead(run)) is not None:
            self._note_ahead(ahead, place)

    def _go(self, words: tuple[str, ...], place: str, said: str) -> None:
        """Note a tag, or a command that takes the branch elsewhere."""
        verb = words[1] if len(words) > 1 else ""
        if verb == "tag" and {"-d", "--delete"} & {*words}:
            self._drop_pushed(f"{TAG}{redact(word)}" for word in words[2:])
        elif verb == "tag" and not _NO_TAG & {*words}:
            self.left |= {f"{TAG}{redact(word)}": place for word in words[2:][-1:] if _TAGGED.fullmatch(word)}
        elif verb == "reset":
            self._reset(words, said)
        elif rebased := _REBASED.search(said):
            self._rebase(rebased[1], place)
        if verb in _MOVING:
            self._drop_earlier(place)
        self._is_linear &= verb not in _BRINGING

    def _note_ahead(self, ahead: int, place: str) -> None:
        """Note how many commits a status shows to be ahead of the upstream."""
        hashes = [one for one in self._list_left(place) if not is_tag(one)]
        self._drop_pushed(hashes[: max(0, len(hashes) - ahead)])
        self._drop_earlier(place)
        self._earlier[place] = max(0, ahead - len(hashes))
        self._based.add(place)
        self._counted |= self._tried.keys()

    def _note_log(self, said: str) -> None:
        """Note what a printed history shows: commits of calls that seemed to fail, and those between known ones."""
        shown = [(redact(hit["hash"]), redact(hit["subject"]), hit["branch"] or "") for hit in _LOGGED.finditer(said)]
        branch = next(filter(None, (branch for *_, branch in shown)), "")
        for hash_, subject, _ in shown:
            if subject in self._rebased and hash_ not in self.listed:
                self._list_rebased(self._rebased.pop(subject), hash_)
            if branch and hash_ not in self.listed and (place := self._tried.pop(subject, None)) is not None:
                self.listed[hash_] = clip_text(f"[{branch} {hash_}] {subject}", COMMIT_CHARS)
                self.left |= {hash_: place} if subject not in self._counted else {}
        hashes = [hash_ for hash_, *_ in reversed(shown)]
        known = [at for at, hash_ in enumerate(hashes) if hash_ in self.left]
        if self._is_linear and len(known) > 1:
            self._add_between(hashes[known[0] : known[-1] + 1])

    def _add_between(self, hashes: Sequence[str]) -> None:
        """Add the commits between those that are not out: they are not out, either, whoever made them."""
        place = self.left[hashes[0]]
        left: dict[str, str] = {}
        for one, at in self.left.items():
            left |= dict.fromkeys(hashes, place) if one == hashes[0] else {one: at}
        self.left = left

    def _list_left(self, place: str) -> list[str]:
        return [one for one, folder in self.left.items() if _is_same_place(folder, place)]

    def _push(self, words: tuple[str, ...], place: str, said: str, is_done: bool) -> None:
        left = self._list_left(place)
        if is_done:
            self._drop_pushed(one for one in left if not is_tag(one) or _is_tag_pushed(words, one))
            self._drop_earlier(place)
            self._based.add(place)
        else:
            self._drop_pushed(_list_shown_pushed(left, said))

    def _commit(self, made: dict[str, str], words: tuple[str, ...], place: str) -> None:
        if "--amend" in words and made:
            branch = next(iter(made.values())).partition(" ")[0]
            self._drop([one for one, line in self.listed.items() if line.partition(" ")[0] == branch][-1:])
        if not made:
            self._tried |= {word.partition("\n")[0]: place for before, word in pairwise(words) if before in _SUBJECTS}
        if any(_ROOT in line for line in made.values()):
            self._based.add(place)
        self.listed |= made
        self.left |= dict.fromkeys(made, place)
        self.gone -= made.keys()
        made.clear()

    def _rewrite(self, made: dict[str, str], words: tuple[str, ...], place: str) -> None:
        """Note commits that another verb than `commit` made: each takes the place of one that is not out, if any.

        What was pushed before still stands at the upstream.
        """
        if not made or not {*words[1:2]} & {*_REWRITING}:
            return
        subjects = {line.partition("] ")[2] for line in made.values()}
        left = [one for one in self._list_left(place) if one not in made]
        self._drop([one for one in left if self.listed.get(one, "").partition("] ")[2] in subjects - {""}])
        self._commit(made, (), place)

    def _rebase(self, branch: str, place: str) -> None:
        """Note that the branch was put on another commit: those that are not out have other hashes.

        Those that git named meanwhile, as on no branch, are on this one.
        """
        named = [one for one, line in self.listed.items() if line.startswith(_DETACHED)]
        for one in named:
            self.renamed[one] = self.listed[one] = f"[{branch} " + self.listed[one].removeprefix(_DETACHED)
        for one in self._list_left(place) if not named else ():
            line = self.listed.get(one, "")
            if line and not line.endswith(REWRITTEN):
                self._rebased[line.partition("] ")[2]] = one
                self.renamed[one] = self.listed[one] = line + REWRITTEN

    def _list_rebased(self, old: str, new: str) -> None:
        """List a commit under the hash that a log shows since."""
        line = self.listed[old].removesuffix(REWRITTEN).replace(f" {old}]", f" {new}]", 1)
        self.listed = {new if one == old else one: line if one == old else text for one, text in self.listed.items()}
        self.left = {new if one == old else one: place for one, place in self.left.items()}
        self.renamed[old] = line

    def _reset(self, words: tuple[str, ...], said: str) -> None:
        """Drop the commits that a reset went back behind."""
        hashes = [*self.listed]
        at = _NOW_AT.search(said)
        known = [one for one in hashes if at and (one.startswith(at[1]) or at[1].startswith(one))]
        steps = [_STEPS.fullmatch(word) for word in words[2:]]
        if known:
            self._drop(hashes[hashes.index(known[-1]) + 1 :])
        elif count := sum(int(hit[1] or 1) if hit[1] is not None else len(hit[2]) for hit in steps if hit):
            self._drop(hashes[-count:])

    def _drop(self, hashes: Iterable[str]) -> None:
        for one in hashes:
            self.listed.pop(one, None)
            self.left.pop(one, None)
            self.gone.add(one)

    def _drop_earlier(self, place: str) -> None:
        """Forget how many other commits were not out: they are now, or git is elsewhere."""
        self._earlier = {at: count for at, count in self._earlier.items() if not _is_same_place(at, place)}

    def _drop_pushed(self, hashes: Iterable[str]) -> None:
        for one in hashes:
            self.left.pop(one, None)


def _clip(hit: re.Match[str]) -> str:
    return clip_text(redact(hit[0]), COMMIT_CHARS)


def strip_options(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of a git command without the options before its verb: `git -C FOLDER commit`."""
    at = 1
    while words[:1] == ("git",) and at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in ("-C", "-c", "--git-dir", "--work-tree") else 1
    return (*words[:1], *words[at:])


def _is_same_place(one: str, other: str) -> bool:
    """Whether two folders may be of one repository: one is in the other, or is not known."""
    return not one or not other or f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")


def _list_shown_pushed(left: Iterable[str], said: str) -> list[str]:
    """Return the commits and tags of which the output of a failed command line shows that they were pushed."""
    shown = _PUSHED.findall(said)
    names = {name for kind, name in shown if kind == "tag"}
    has_branch = any(kind != "tag" for kind, _ in shown) and not _GIT_FAILED.search(said)
    return [one for one in left if (one.removeprefix(TAG) in names if is_tag(one) else has_branch)]


def _is_tag_pushed(words: tuple[str, ...], tag: str) -> bool:
    return bool(
        {"--tags", "--follow-tags", "--mirror", tag.removeprefix(TAG), f"refs/tags/{tag[len(TAG) :]}"} & {*words}
    )


_SEARCHED_TEXT = 20_000  # characters of an output
_COMMIT = re.compile(COMMIT_LINE + r"(?<= )(?P<hash>[0-9a-f]{7,40})\] [^\n]{1,400}", re.M)
_GIT = ("git", "gh", "gt", "glab")
_SUBJECTS = ("-m", "-am", "--message")
_REWRITING = ("rebase", "cherry-pick", "revert", "merge", "am")
_BRINGING = ("pull", "merge", "rebase", "checkout", "switch")
_LOGS = re.compile(r"\bgit\b[^\n;&|]{0,80}? log\b(?![^\n;&|]*(?: --(?:all|graph|reverse|remotes|branches)\b|\.\.))")
_LOGGED = re.compile(
    r"^(?P<hash>[0-9a-f]{7,40}) (?:\((?:HEAD -> (?P<branch>[\w./-]{1,200}))?[^)\n]{0,200}\) )?"
    r"(?P<subject>[^\n]{1,300})$",
    re.M,
)
_MOVING = ("checkout", "switch", "rebase", "reset", "merge")  # verbs behind which another number holds
_GIT_FAILED = re.compile(
    r"^(?:fatal: |error: (?:failed to push |could not (?:apply|lock) |cannot (?:pull|rebase|merge|lock)\b|src refspec )"
    r"| ! \[(?:remote )?rejected\])",
    re.M,
)
_PUSHED = re.compile(
    r"^(?: {2,}[+]?[0-9a-f]{7,}\.{2,3}[0-9a-f]{7,}| \* \[new (branch|tag)\])(?! +(?:\S{1,200}) +-> origin/)"
    r" +(\S{1,200}) +-> ",
    re.M,
)
_MAKES = re.compile(r"\b(?:commit|cherry-pick|revert)\b")
_NO_PUSH = frozenset({"--dry-run", "-n", "--delete", "-d"})
_PUSHES = ("gh pr create", "gh pr merge", "glab mr create", "gt submit")
_NO_TAG = frozenset({"-l", "--list", "-d", "--delete", "-n", "--contains", "--sort", "--points-at"})
_TAGGED = re.compile(r"v?\d[\w.+-]{0,60}|[\w./-]{1,60}")
_NOW_AT = re.compile(r"^HEAD is now at ([0-9a-f]{7,40})\b", re.M)
_REBASED = re.compile(r"^[^\n]{0,20}?Successfully rebased and updated refs/heads/([\w./-]{1,200}?)\.?$", re.M)
_ROOT = " (root-commit) "
_DETACHED = "[detached HEAD "
_STEPS = re.compile(r"(?:HEAD|@)(?:~(\d{0,3})|(\^{1,9}))")
