"""How shortly older requests are told: what another line tells is left out, and so are those that only changed files.

Rule: the newest request keeps all that it had room for. Of one before it stays what no other line tells: behind a
commit its files need no naming, a question at the end of a reply was answered by what the user said next, checks that
passed long ago say nothing of now, and an error that stands under what is next is not said again. Files that the
session created and deleted again leave no step. Old requests of which all that is left is that they changed listed
files are only counted, and so is talk before the newest change: work followed it that tells what came of it. Requests
before the latest of which all that is left is commits give way to these, whose subjects say what was done.
"""

import math
import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Sequence, Set

from msgspec.structs import replace

from secateur.compaction.ledger.entries import Constraint, FileEntry, Ledger, Progress, UserRequest, mark
from secateur.compaction.ledger.repository.commits import COMMITTED
from secateur.compaction.ledger.turns.delegated import DELEGATED
from secateur.compaction.ledger.turns.outcomes import UNSHOWN, name_files
from secateur.compaction.ledger.turns.progress import has_changed, is_told_by, limit_progress, list_told_steps
from secateur.compaction.ledger.turns.replies import drop_closing_question, keep_reservations, list_terms
from secateur.compaction.ledger.turns.step_choice import (
    drop_mended,
    drop_settled,
    has_failed,
    join_neighbors,
    list_names,
    split_names,
)
from secateur.compaction.ledger.turns.step_kinds import is_outward, name_step, name_told
from secateur.compaction.ledger.user.answers import find_closing_question, is_choice, is_offer
from secateur.compaction.ledger.user.brief_units import GAP
from secateur.compaction.ledger.work.open_work import list_failing
from secateur.toolcalls.actions import clip_text
from secateur.toolcalls.commands import is_check

LATEST = 3  # requests at the end that keep what others lose
PLAIN_AGE = 10  # requests before so many at the end are left out if they only changed files that are listed
TALK_AGE = 5  # requests before so many at the end, in a session that changed something, are left out if they are talk
PAST_AGE = 20  # requests before so many at the end are told only if something was changed for them
BRIEF_TEXT_CHARS, BRIEF_STEPS, BRIEF_REPLY_CHARS = 90, 2, 160  # of a line on one that has no room for more
_DETAIL = ((1, 8, 320), (4, 6, 240), (12, 4, 180), (math.inf, 3, 120))  # by age: steps and reply of a request
_KNOWN_CHARS = 60  # of an error, by which it is known in another line


def shorten_courses(ledger: Ledger) -> tuple[UserRequest, ...]:
    """Return the requests, each with what of its course is to be told at its age."""
    checks = list_failing(ledger)
    errors = [one.told for one in checks if one.told]
    failing = {name_told(one.text) for one in checks}
    passing = _find_passing_files(ledger)
    later: set[str] = set()  # terms of the commits that were made for later requests
    made: list[UserRequest] = []
    for age, one in enumerate(reversed(ledger.requests), start=1):
        after = ledger.requests[1 - age] if age > 1 else None
        known = _drop_chores(_drop_names(one.progress, passing), bool(ledger.tickets))
        if known:
            known = replace(known, steps=drop_mended(known.steps, failing))
        progress = _shorten_progress(known, age, after, later)
        made.append(replace(one, progress=_drop_errors(progress, errors)))
        later |= list_terms("\n".join(step for step in list_told_steps([one]) if step.startswith(COMMITTED)))
    return tuple(made[::-1])


def drop_told_runs(ledger: Ledger) -> Ledger:
    """Return the ledger without a step or a line on a run that another line tells.

    Those are runs under what is next, and checks that passed before a file was changed: of these only that is told.
    """
    if not ledger.requests:
        return ledger
    failing = list_failing(ledger)
    lines = {one.text for one in (*ledger.last_calls, *failing)}
    older = {one.text for one in ledger.commands if one.check and one.ok and one.edited_since}
    names = {name_told(line) for line in lines | older} | {_name_edit(line) for line in lines}
    is_begun = any(one.text not in {run.text for run in failing} for one in ledger.last_calls)
    newest = ledger.requests[-1]
    before = newest.progress or Progress()
    steps = join_neighbors(step for step in before.steps if " → " not in step or name_step(step) not in names)
    left = replace(before, steps=steps) if steps or before.reply else None
    if left or (newest.goal and is_begun):  # else nothing else says that the agent has begun
        newest = replace(newest, progress=left)
    return replace(
        ledger,
        requests=(*ledger.requests[:-1], newest),
        commands=tuple(
            replace(one, told="") if one.text in older else one
            for one in ledger.commands
            if one in failing or one.text not in lines
        ),
    )


def _name_edit(line: str) -> str:
    """Return a call of an editor as a step tells it: the tool and the name of the file."""
    tool, _, path = line.partition(": ")[0].partition(" ")
    return f"{tool} {posixpath.basename(path)}"


def is_undone(one: UserRequest, shortened: UserRequest) -> bool:
    """Whether nothing is left to tell of what followed a request, or only words on changes that are not there."""
    if one.state != "done" or one.progress is None or (shortened.progress and shortened.progress.steps):
        return False
    return has_changed(one.progress) or not (shortened.progress and shortened.progress.reply)


def drop_plain(
    requests: Sequence[UserRequest], kept: Collection[str], files: Iterable[FileEntry], told: Set[str]
) -> tuple[UserRequest, ...]:
    """Return the requests without those that tell nothing more.

    Requests that only changed listed files go when they are old or stand before the newest commit; those that only a
    reply followed, when they stand before the newest change; those that nothing followed, when they were said again;
    those that only listed commits followed, when they are not among the latest.
    `kept`: keys of those that stay; `told`: the commits that are listed.
    """
    requests = _drop_old_talk(_drop_repeated(requests, kept), kept)
    listed = {posixpath.basename(one.path) for one in files if one.is_changed and not one.scratch}
    commits = [at for at, one in enumerate(requests) if any(map(_is_commit, list_told_steps([one])))]
    taken = min(commits[-1], len(requests) - LATEST) if commits else 0
    old = max(len(requests) - PLAIN_AGE, taken)
    recent = len(requests) - LATEST
    return tuple(
        one
        for at, one in enumerate(requests)
        if one.key in kept or (at >= old or not _is_plain(one, listed)) and (at >= recent or not is_told_by(told, one))
    )


def _drop_old_talk(requests: Sequence[UserRequest], kept: Collection[str]) -> list[UserRequest]:
    """Return the requests without talk before the newest change, or long after one; of one that stays, the reply goes.

    Where nothing was changed, the talk is what the session was about. Talk that says what was not done stays until it
    is old. A choice stays with the point that was chosen.
    """
    changed = max((at for at, one in enumerate(requests) if has_changed(one.progress)), default=None)
    old = 0 if changed is None else len(requests) - TALK_AGE
    past = 0 if changed is None else max(min(changed, len(requests) - LATEST), old)
    left: list[UserRequest] = []
    for at, one in enumerate(requests):
        is_past = at < past and _is_talk(one, at < old)
        if not is_past or one.key in kept or is_choice(one):
            left.append(replace(one, progress=None) if is_past else one)
    return left


def _drop_repeated(requests: Sequence[UserRequest], kept: Collection[str]) -> list[UserRequest]:
    left: list[UserRequest] = []
    later: set[str] = set()
    for one in reversed(requests):
        text = one.text.strip(" .!\n").casefold()
        if not (text in later and one.passed_over and one.progress is None and one.key not in kept):
            left.append(one)
        later.add(text)
    return left[::-1]


def _is_commit(step: str) -> bool:
    return step.startswith(COMMITTED)


def list_constrained(constraints: Iterable[Constraint]) -> set[str]:
    """Return the marks of the requests that demand something."""
    return {mark(one.key) for one in constraints if one.scope != "project"}


def make_brief(one: UserRequest) -> UserRequest:
    """Return the beginning of a request with the steps that tell most."""
    return replace(one, text=take_first_line(one.text), progress=limit_progress(one.progress, BRIEF_STEPS, 0))


def take_first_line(text: str, max_chars: int = BRIEF_TEXT_CHARS) -> str:
    """Return the beginning of the first line of a text that says anything, with a mark if there is more."""
    first = clip_text(next((line for line in text.split("\n") if line.strip() not in ("", GAP)), ""), max_chars)
    return f"{first} {GAP}" if first and first != text else first


def add_reply(brief: UserRequest, whole: UserRequest) -> UserRequest:
    """Return a line on a request with the first words of its reply, where no step tells what came of it."""
    if brief is whole or whole.progress is None or list_told_steps([brief]):
        return brief
    return replace(brief, progress=limit_progress(whole.progress, BRIEF_STEPS, BRIEF_REPLY_CHARS))


def _is_talk(one: UserRequest, is_old: bool) -> bool:
    """Whether only words followed a request, and, unless it is old, none that say what was not done or ask anything."""
    progress = one.progress
    if one.state != "done" or not one.key or progress is None or progress.steps:
        return False
    if one.answers and not is_choice(one):  # what came of a yes no other line says
        return False
    return is_old or not keep_reservations(progress.reply)


def _is_plain(one: UserRequest, listed: set[str]) -> bool:
    """Whether all that there is to tell of a request is that it changed files that are listed."""
    progress = one.progress
    if one.state != "done" or not one.key or progress is None or progress.reply:
        return False
    found = [split_names(step) for step in progress.steps]
    return len(found) == 1 and found[0] is not None and found[0][0] == "changed" and listed.issuperset(found[0][1])


def _shorten_progress(
    progress: Progress | None, age: int, after: UserRequest | None, later: Set[str]
) -> Progress | None:
    """Shorten what followed a request that is so many places from the end; `later` are terms of commits since."""
    steps, chars = next((steps, chars) for most, steps, chars in _DETAIL if age <= most)
    if progress is None or age == 1:
        return limit_progress(progress, steps, chars)
    told = [step for step in drop_settled(tuple(_drop_committed(progress.steps))) if not step.endswith(UNSHOWN)]
    told = list(join_neighbors(step for step in told if not _is_past(step, progress.reply)))
    reply = keep_reservations(progress.reply, later) if has_changed(progress) else progress.reply
    is_over = after is not None and after.answers != ""
    reply = drop_closing_question(reply) if is_over or is_offer(find_closing_question(reply)) else reply
    made = limit_progress(Progress(tuple(told), reply), steps, chars)
    return made if made and (made.steps or made.reply) else None


def _is_past(step: str, reply: str) -> bool:
    """Whether a step tells nothing any more: a check that passed, files that were read, a report behind a reply."""
    if step.startswith("read ") or (reply and step.startswith(f"{DELEGATED}: ")):
        return True
    return " → " in step and is_check(name_step(step)) and not has_failed(step)


def _drop_committed(steps: Sequence[str]) -> Iterator[str]:
    """Yield the steps without the changes of files before a commit."""
    last = max((at for at, one in enumerate(steps) if one.startswith(COMMITTED)), default=-1)
    for at, one in enumerate(steps):
        if not (at < last and split_names(one)):
            yield one


def _find_passing_files(ledger: Ledger) -> set[str]:
    """Return the names of the files that calls of the session created and deleted again."""
    first: dict[str, str] = {}
    last: dict[str, str] = {}
    for one in ledger.requests:
        for kind, name in list_names(one.progress.steps if one.progress else ()):
            first.setdefault(name, kind)
            last[name] = kind
    there = {posixpath.basename(one.path) for one in ledger.files if one.is_changed and one.use != "deleted"}
    return {name for name in first if first[name] == "created" and last[name] == "deleted"} - there


def _drop_names(progress: Progress | None, names: Collection[str]) -> Progress | None:
    """Return what followed a request without the steps on these files."""
    if progress is None or not names:
        return progress
    steps: list[str] = []
    for step in progress.steps:
        found = split_names(step)
        left = [name for name in found[1] if name not in names] if found else []
        if found is None or len(left) == len(found[1]):
            steps.append(step)
        elif left or found[2]:
            steps.append(name_files(found[0], left, found[2]))
    return replace(progress, steps=tuple(steps))


def _drop_chores(progress: Progress | None, has_tickets: bool) -> Progress | None:
    """Return what followed a request without what only keeps the tracker, whose tickets have lines of their own.

    What was read is told only where nothing else is.
    """
    if progress is None:
        return None
    is_told = bool(progress.reply) or len(progress.steps) > 1
    steps = (one for one in progress.steps if not (is_told and one.startswith("read ")))
    return replace(progress, steps=tuple(one for one in steps if not (has_tickets and _is_chore(one))))


def _is_chore(step: str) -> bool:
    return _CHORES.match(name_step(step)) is not None and not has_failed(step)


def _drop_errors(progress: Progress | None, errors: Iterable[str]) -> Progress | None:
    """Return what followed a request, each error once, and none that stands under what is next."""
    if progress is None:
        return None
    known = {error[:_KNOWN_CHARS] for error in errors}
    steps: list[str] = []
    for step in progress.steps:
        hit = _FAILED.fullmatch(step)
        error = hit[2][:_KNOWN_CHARS] if hit else ""
        steps.append(hit[1] if hit and error in known and not is_outward(step) else step)
        known |= {error} if error else set()
    return replace(progress, steps=tuple(steps))


_CHORES = re.compile(r"(?:cd \S+ && )?(?:bd|beads) \w+\b(?:(?!&&|;|\|)[^\n])*(?:(?:&&|;) (?:bd|beads) [^\n]*)?$")
_FAILED = re.compile(r"(.+? → failed): (.+)", re.S)
