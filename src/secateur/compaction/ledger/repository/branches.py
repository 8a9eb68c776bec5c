"""Which branch the work is on, and how commits on it are told.

Rule: the newest branch that git itself named counts; without one, that which the host named at first. Lines that git
printed for commits name their branch; of those on the branch of the work, which stands under the files, it is left out
where they are shown, and put in where they are read back.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec.structs import replace

from secateur.compaction.ledger.entries import Ledger, UserRequest
from secateur.compaction.ledger.repository.commits import COMMITTED, Commits
from secateur.model import Message
from secateur.redact import redact
from secateur.toolcalls.actions import get_output
from secateur.toolcalls.commands import ExecutedCommand

DETACHED = "detached HEAD"  # as git names it in the line on a commit
MOST_HASHES = 12  # of commits whose subjects have no room


def find_branch(ran: Iterable[ExecutedCommand]) -> str:
    """The current branch; "" while git has not named it."""
    *_, found = ("", *iterate_branches(ran))
    return redact(found)


def find_told_branch(messages: Sequence[Message]) -> str:
    """The branch that a host names in a line of its own above the first request; "" without one."""
    first = next((one for one in messages if one.role == "user"), None)
    texts = [part.text[:_SEARCHED_TEXT] for part in first.parts if part.kind == "text"] if first else []
    return redact(next((hit["name"] for text in texts for hit in _TOLD_BRANCH.finditer(text)), ""))


def iterate_branches(ran: Iterable[ExecutedCommand]) -> Iterator[str]:
    """Yield the branch behind each command, as git named it; "" while it has not."""
    found = ""
    for run in ran:
        if run.action.ok and ("git" in run.line or "gh pr merge" in run.line):
            said = run.action.said[:_SEARCHED_TEXT]
            found = _find_renamed(run, found)
            named = _NAMED.findall(said) or (_STATUS.findall(said) if _SHORT_STATUS.search(run.line) else [])
            if named:
                found = next(filter(None, reversed(named[-1])))
                found = DETACHED if found == "detached" else found
            elif _ASKED.search(run.line) and _ALONE.fullmatch(alone := get_output(run.action).strip()):
                found = alone
            elif any(words[:3] == ("gh", "pr", "merge") for words in run.does):
                found = next(iter(_LEFT_FOR.findall(said)), found)
        yield found


def _find_renamed(run: ExecutedCommand, branch: str) -> str:
    """Return the name of the branch behind a command line that may rename it."""
    for words in run.does:
        if words[:2] == ("git", "branch") and words[2:3] in (("-m",), ("-M",), ("--move",)):
            names = words[3:]
            branch = names[-1] if len(names) == 1 or names[:1] == (branch,) else branch
    return branch


def limit_commits(commits: tuple[str, ...], chars: int) -> tuple[str, ...]:
    """Return the newest commits that have room, one at least, and of those before them the hashes."""
    kept = len(commits)
    while kept and (kept == len(commits) or len(commits[kept - 1]) <= chars):
        kept -= 1
        chars -= len(commits[kept])
    before = [hit[1] if (hit := _HASH_OF.match(commit)) else "" for commit in commits[:kept]]
    return (*filter(None, before[-MOST_HASHES:]), *commits[kept:])


def settle_steps(requests: Sequence[UserRequest], commits: Commits) -> tuple[UserRequest, ...]:
    """Return the requests with the commits in their steps as they are listed, without those that do not stand."""

    def list_settled(steps: Iterable[str]) -> Iterator[str]:
        for step in steps:
            hit = _TOLD.match(step.removeprefix(COMMITTED)) if step.startswith(COMMITTED) else None
            if hit is None or hit["hash"] not in commits.gone:
                yield COMMITTED + commits.renamed[hit["hash"]] if hit and hit["hash"] in commits.renamed else step

    return tuple(
        replace(one, progress=replace(one.progress, steps=tuple(list_settled(one.progress.steps))))
        if (commits.gone or commits.renamed) and one.progress
        else one
        for one in requests
    )


def shorten_commits(ledger: Ledger) -> Ledger:
    """Return the ledger with the commits on its branch named by hash and subject only."""
    opening = f"[{ledger.branch} "

    def shorten(commit: str) -> str:
        hash_, is_named, subject = commit.removeprefix(opening).partition("] ")
        return f"{hash_} {subject}" if is_named and _HASH.fullmatch(hash_) else commit

    return _rename_commits(ledger, shorten) if ledger.branch else ledger


def complete_commits(ledger: Ledger) -> Ledger:
    """Return the ledger with the branch in the commits that are named by hash and subject only."""

    def complete(commit: str) -> str:
        hash_, _, subject = commit.partition(" ")
        return f"[{ledger.branch} {hash_}] {subject}" if subject and _HASH.fullmatch(hash_) else commit

    return _rename_commits(ledger, complete) if ledger.branch else ledger


def _rename_commits(ledger: Ledger, rename: Callable[[str], str]) -> Ledger:
    """Return the ledger with other names of its commits, also in what followed requests."""

    def rename_step(step: str) -> str:
        return COMMITTED + rename(step.removeprefix(COMMITTED)) if step.startswith(COMMITTED) else step

    def rename_steps(one: UserRequest) -> UserRequest:
        if one.progress is None:
            return one
        return replace(one, progress=replace(one.progress, steps=tuple(map(rename_step, one.progress.steps))))

    return replace(
        ledger, commits=tuple(map(rename, ledger.commits)), requests=tuple(map(rename_steps, ledger.requests))
    )


_TOLD_BRANCH = re.compile(r"(?im)^[-*\s]*(?:git|current)[ _]branch[:*\s]{1,6}`?(?P<name>[\w./-]{1,200})`?\s*$")
_SEARCHED_TEXT = 20_000  # characters of an output
_HASH = re.compile(r"[0-9a-f]{7,40}")
_HASH_OF = re.compile(r"(?:\[[^\]\n]{1,240} )?([0-9a-f]{7,40})(?:\]|$)")
_TOLD = re.compile(r"\[[^\]\n]{1,240} (?P<hash>[0-9a-f]{7,40})\] ")
_NAMED = re.compile(
    r"^(?:Switched to (?:a new )?branch '([^'\s]{1,200})'|On branch (\S{1,200})$"
    r"|[^\n]{0,20}?Successfully rebased and updated refs/heads/([\w./-]{1,200}?)\.?$|HEAD (detached) at [0-9a-f]{7,}"
    r"|\* ([\w./-]{1,200})(?: +[0-9a-f]{7,}.*)?$"
    r"|\[([\w./-]{1,200})(?: \(root-commit\))? [0-9a-f]{7,40}\] )",
    re.M,
)
_ASKED = re.compile(r"git (?:branch --show-current|rev-parse --abbrev-ref HEAD)\s*$")
_LEFT_FOR = re.compile(  # where `gh` is once it has deleted the branch that it merged
    r"(?m)^ \* branch +([\w./-]{1,200}) +-> FETCH_HEAD$"
    r"(?=(?:[^\n]*\n){0,4}(?:Updating |Fast-forward|Already up to date))"
)
_ALONE = re.compile(r"[\w./-]{1,200}")
_SHORT_STATUS = re.compile(r"git (?:-C \S+ )?status\b[^;&|]{0,60}\s(?:-sb|-b|--branch)\b")
_STATUS = re.compile(
    r"^## (?!HEAD \()(?:No commits yet on )?([^\s.]{1,200}(?:\.[^\s.]{1,200}){0,8})(?:\.\.\.\S+)?(?: \[[^\]\n]*\])?$()",
    re.M,
)
