"""What of a ledger whoever goes on from it has to know; the rest is left out before room is counted.

Rule: what is open, changed, demanded or undecided is always kept. Left out is what says nothing any more: agreement and
thanks, questions that were answered long ago, errors of checks and edits that were resolved, trials that were
overtaken, commands that only prepared something, and names that stand in the user's own words anyway. An answered
request that is long is cut to its ends: such are mostly pasted. The whole ledger is still kept for later compactions.
"""

import re
from collections.abc import Sequence
from typing import TypeVar

from msgspec.structs import replace

from secateur.compaction.ledger.brevity import (
    LATEST,
    PAST_AGE,
    add_reply,
    fold_requests,
    is_undone,
    list_constrained,
    make_brief,
    shorten_courses,
)
from secateur.compaction.ledger.coverage import is_overtaken
from secateur.compaction.ledger.entries import (
    Command,
    Failure,
    Ledger,
    PlanItem,
    UserRequest,
    mark,
)
from secateur.compaction.ledger.files.notes import drop_idle_notes, drop_reported
from secateur.compaction.ledger.files.selection import SCRATCH, count_scratch, keep_last, select_files
from secateur.compaction.ledger.files.values import select_values
from secateur.compaction.ledger.quotes import select_quotes
from secateur.compaction.ledger.repository.branches import limit_commits
from secateur.compaction.ledger.said import FENCED, split_sentences
from secateur.compaction.ledger.turns.hiccups import is_slip
from secateur.compaction.ledger.turns.progress import (
    has_changed,
    list_replies,
    list_told_steps,
    measure_request,
)
from secateur.compaction.ledger.turns.reports import is_committed
from secateur.compaction.ledger.turns.step_kinds import is_lasting, is_outward, is_task_run, shorten_arguments
from secateur.compaction.ledger.user.answers import is_choice, shorten_question
from secateur.compaction.ledger.user.briefs import GAP, condense_request
from secateur.compaction.ledger.user.force import select_constraints
from secateur.compaction.ledger.user.goals import BRIEF_CHARS, is_answered_review, is_fleeting, list_goals
from secateur.compaction.ledger.user.project_rules import LEAST_PROJECT_RULES
from secateur.compaction.ledger.user.requests import is_substantial, is_task
from secateur.text.host_texts import is_nudge

_T = TypeVar("_T")

MOST_SCRATCH_CHECKS = 2
MOST_PASSED_CHECKS = 16
MOST_ERRORS, MOST_OF_RUN = 3, 2  # that are not open; of one run
MOST_COMMANDS = 12  # that are no checks
MOST_DONE_TASKS, MOST_VALUES = 8, 3
OPEN_CHARS = 1_800  # of an open request, unless it is little longer
ANSWERED_CHARS, ANSWERED_GOAL_CHARS = 400, 900  # of an answered one
OLDER_GOAL_CHARS = 450  # of an answered goal before the newest one
OLD_CHARS = 140  # of one before the latest
_FEWEST_WORDS = 5  # of the first request, to be told whatever it is
WHOLE_SHARE = 0.7  # of the room of answered requests, for those that are not told in a line
PASTED_CHARS = 200  # of one that is longer than what people type


def select_relevant(ledger: Ledger, chars: int, commit_chars: int, most_rules: int = LEAST_PROJECT_RULES) -> Ledger:
    """Return the ledger without what says nothing any more.

    `chars`: most that answered requests may take; `commit_chars`: most that commits may take, the newest first;
    `most_rules`: rules of the project's files.
    """
    ledger = select_quotes(ledger)
    telling = _select_requests(ledger)
    goals = list_goals(ledger)
    requests = _limit_answered(telling, goals, chars)
    dropped = ledger.omitted.get("requests", 0) + _count_untold(ledger, requests)
    work = "\n".join((*(one.path for one in ledger.files), *(one.text for one in ledger.commands)))
    constraints = select_constraints(ledger.constraints, requests, most_rules, work)
    commands = _select_commands(ledger)
    commits = limit_commits(ledger.commits, commit_chars)
    left_out = len(ledger.commits) - len(commits)
    files = select_files(ledger)
    kept = {one.key for one in requests if mark(one.key) in list_constrained(ledger.constraints)}
    requests = fold_requests(requests, kept | {one.key for one in goals}, files)
    counts = {"requests": dropped, SCRATCH: count_scratch(ledger, files)}
    if left_out:
        counts["commits"] = ledger.omitted.get("commits", 0) + left_out
    reported = tuple(one for one in ledger.reported if not is_committed(one.text, commits))
    listed = (one.text for some in (requests, ledger.constraints, commands) for one in some)
    said = "\n".join((*listed, *commits))
    quoted = [line for one in (ledger.last_words, ledger.report) if one for line in split_sentences(one.text)]
    asked = "\n".join(one.text for one in ledger.requests)
    waiting = "\n".join(one.text for one in ledger.requests if one.state == "open")
    return replace(
        ledger,
        requests=requests,
        constraints=constraints,
        files=drop_reported(
            drop_idle_notes(files),
            [*(one.text for one in reported), *list_replies(replace(ledger, requests=requests)), *quoted],
        ),
        reported=reported,
        commands=commands,
        failures=_select_failures(ledger, commands),
        tasks=_select_tasks(ledger),
        identifiers=tuple(
            name for name in ledger.identifiers if name not in said and (name in waiting or name not in asked)
        ),
        values=select_values(ledger.values, asked)[-MOST_VALUES:],
        commits=commits,
        omitted={**ledger.omitted, **{name: n for name, n in counts.items() if n}},
    )


def _select_requests(ledger: Ledger) -> tuple[UserRequest, ...]:
    goals = list_goals(ledger)
    latest, past = ledger.requests[-LATEST:], ledger.requests[:-PAST_AGE]

    def is_told(one: UserRequest, short: UserRequest) -> bool:
        is_telling = is_substantial(one.text) and not is_answered_review(one)
        if one in latest:
            return is_choice(one) or is_telling or has_changed(one.progress)
        if is_undone(one, short):
            return False
        is_work = is_telling and is_task(one.text) and not is_fleeting(one.text)
        return is_choice(one) or (is_work and one not in past) or has_changed(short.progress)

    return tuple(
        replace(
            _shorten_request(one, _limit_goal(one, goals), len(ledger.requests) - at),
            goal=one in goals,
            answers=shorten_question(one.answers) if len(ledger.requests) - at > LATEST else one.answers,
            progress=short.progress,
        )
        for at, (one, short) in enumerate(zip(ledger.requests, shorten_courses(ledger), strict=True))
        if one.state != "done" or one in goals or is_told(one, short) or (at == 0 and _is_sentence(one.text))
    )


def _is_sentence(text: str) -> bool:
    """Whether an opening question or remark has enough words to tell what the session began with."""
    return is_substantial(text) and len(text.split()) >= _FEWEST_WORDS


def _limit_answered(
    requests: tuple[UserRequest, ...], goals: Sequence[UserRequest], chars: int
) -> tuple[UserRequest, ...]:
    """Keep goals and what is open, and of the others the newest that have room, in the user's own words first.

    Of those before them that are short or that work followed a line is kept, as far as there is room.
    """
    keys = {one.key for one in goals}
    order = sorted(
        range(len(requests)), key=lambda at: (is_task(requests[at].text), f"\n{GAP}" not in requests[at].text, at)
    )
    kept: dict[int, UserRequest] = {}
    room = int(chars * WHOLE_SHARE)
    for at in reversed(order):
        one = requests[at]
        size = measure_request(one)
        if one.state == "open" or one.key in keys or size <= room:
            kept[at] = one
            room -= 0 if one.state == "open" else size
    room = max(0, room) + chars - int(chars * WHOLE_SHARE)
    for at in reversed(range(len(requests))):
        brief = requests[at] if at in kept else make_brief(requests[at])
        is_told = brief.text == requests[at].text or (brief.text and list_told_steps([brief]))
        if at not in kept and is_told and measure_request(brief) <= room:
            if measure_request(with_reply := add_reply(brief, requests[at])) <= room:
                brief = with_reply
            kept[at] = brief
            room -= measure_request(brief)
    return tuple(kept[at] for at in sorted(kept))


def _count_untold(ledger: Ledger, told: Sequence[UserRequest]) -> int:
    """Count the requests that say anything, and of which neither a line nor a constraint tells."""
    keys = {one.key for one in told}
    marks = list_constrained(ledger.constraints)
    return sum(
        one.key not in keys and mark(one.key) not in marks and is_substantial(one.text) and not is_nudge(one.text)
        for one in ledger.requests
    )


def _limit_goal(one: UserRequest, goals: Sequence[UserRequest]) -> int:
    """Return how many characters an answered request has as a goal; 0 if it is none."""
    if one not in goals:
        return 0
    return ANSWERED_GOAL_CHARS if one is goals[-1] else OLDER_GOAL_CHARS


def _shorten_request(one: UserRequest, goal_chars: int, age: int) -> UserRequest:
    if one.state == "open":
        is_long = len(one.text) > 1.25 * OPEN_CHARS
        return replace(one, text=condense_request(one.text, OPEN_CHARS)) if is_long else one
    chars = goal_chars or (ANSWERED_CHARS if age <= LATEST else OLD_CHARS)
    if len(one.text) <= 2 * chars:
        return one
    chars = PASTED_CHARS if len(one.text) > BRIEF_CHARS and not goal_chars else chars
    said = FENCED.sub(f"\n{GAP}\n", one.text)  # what was done needs no code to tell what was asked
    return replace(one, text=condense_request(said, chars))


def _select_tasks(ledger: Ledger) -> tuple[PlanItem, ...]:
    """Keep what is open and the newest that is done; what a newer plan left out was not done, and is not to be."""
    left = tuple(one for one in ledger.tasks if one.state != "superseded")
    if not any(one.state == "open" for one in left) and list_told_steps(ledger.requests):
        return ()  # the steps tell what was done
    return keep_last(left, MOST_DONE_TASKS, lambda one: one.state != "open")


def _select_commands(ledger: Ledger) -> tuple[Command, ...]:
    """Keep checks whose outcome matters, and commands that changed more than files."""
    told = [one for one in ledger.commands if one.ok is not None or one.stopped]
    known = {one.check for one in told if one.check and not one.scratch}
    kept = tuple(
        one
        for one in ledger.commands
        if (one.check and (one in told or (one.check not in known and not one.scratch)))
        or (not one.check and _is_lasting(one, ledger))
    )
    passed = [one for one in kept if one.check and one.ok]
    covered = {one.text for at, one in enumerate(passed) if is_overtaken(one, passed[at + 1 :])}
    stale = {one.check: one.text for one in passed if one.edited_since}  # of each kind the newest
    valid = [one for one in passed if not one.edited_since]
    failing = {one.check for one in kept if one.check and one.ok is False and not one.edited_since}
    kept = tuple(one for one in kept if one.text not in covered and not _is_outdated(one, valid))
    kept = tuple(one for one in kept if not (one.ok is False and _is_mended(one, valid)))
    kept = tuple(one for one in kept if not (one.ok and one.edited_since) or stale.get(one.check) == one.text)
    kept = tuple(one for one in kept if not (one.edited_since and one.ok is False and one.check in failing))
    few = keep_last(kept, MOST_SCRATCH_CHECKS, lambda one: one.scratch and bool(one.check))
    few = keep_last(few, MOST_PASSED_CHECKS, lambda one: one.ok is True and bool(one.check))
    few = tuple(one if one.check else replace(one, text=shorten_arguments(one.text)) for one in few)
    few = tuple(one for one in few if one.check or one.text)
    return keep_last(few, MOST_COMMANDS, lambda one: not one.check)


def _is_mended(one: Command, valid: Sequence[Command]) -> bool:
    """Whether a check never came to check anything, and another of its kind passed since the last change."""
    return is_slip(one.told, True) and any(run.check == one.check for run in valid)


def _is_outdated(one: Command, valid: Sequence[Command]) -> bool:
    """Whether code was changed behind a check that did not fail, and one of its kind or a test passed since."""
    is_old = bool(one.check) and one.ok is True and one.edited_since
    if one.check and one.ok is None and one.edited_since:
        return True  # of what is no more, nothing is known
    return is_old and any(run.check in (one.check, "test") or is_overtaken(one, [run]) for run in valid)


def _is_lasting(one: Command, ledger: Ledger) -> bool:
    """Whether a command left the machine, or changed what no step tells; a commit has its own line."""
    if one.scratch or (ledger.commits and re.search(r"\bgit\b.{0,40}\bcommit\b", one.text)):
        return False
    return is_outward(one.text) or is_task_run(one.text) or (not ledger.requests and is_lasting(one.text))


def _select_failures(ledger: Ledger, commands: Sequence[Command]) -> tuple[Failure, ...]:
    """Keep open errors of checks, and the newest others that were neither resolved on the way nor part of a trial."""
    told = {one.told for one in commands if one.check and one.ok is False}
    shown = {one.text for one in commands}
    is_answered = bool(ledger.requests) and all(one.state == "done" or is_nudge(one.text) for one in ledger.requests)
    kept = tuple(
        one
        for at, one in enumerate(ledger.failures)
        if not (one.resolved and (one.check or one.edit))
        and not (not one.check and is_slip(one.line, not one.edit))
        and not (one.scratch and one.during not in shown)
        and not (is_answered and not one.check)
        and one.line not in told
        and not _is_repeated(one, ledger.failures[:at])
    )
    has_current = any(one.check and one.ok is False and not one.edited_since for one in commands)
    runs = [one.during for one in kept]
    kept = tuple(one for at, one in enumerate(kept) if not one.during or runs[:at].count(one.during) < MOST_OF_RUN)
    few = keep_last(kept, 1, lambda one: has_current and one.check and one.edited_since and not one.resolved)
    return keep_last(few, MOST_ERRORS, lambda one: one.resolved or not one.check)


def _is_repeated(one: Failure, before: Sequence[Failure]) -> bool:
    """Whether an earlier error of the same run says the same after its name."""
    said = (other.line.partition(": ")[2] for other in before if other.during == one.during)
    return any(message and message in one.line for message in said) or any(one.line == other.line for other in before)
