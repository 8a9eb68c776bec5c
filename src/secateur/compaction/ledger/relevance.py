"""What of a ledger whoever goes on from it has to know; the rest is left out before room is counted.

Rule: what is open, changed, demanded or undecided is always kept. Left out is what says nothing any more: agreement and
thanks, questions that were answered long ago, errors of checks and edits that were resolved, trials that were
overtaken, commands that only prepared something, and names that stand in the user's own words anyway. An answered
request that is long is cut to its ends: such are mostly pasted. The whole ledger is still kept for later compactions.
"""

from collections.abc import Collection, Iterator, Sequence, Set
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from secateur.compaction.ledger.brevity import (
    LATEST,
    PAST_AGE,
    add_reply,
    drop_plain,
    drop_told_runs,
    is_undone,
    list_constrained,
    make_brief,
    shorten_courses,
    take_first_line,
)
from secateur.compaction.ledger.demand_lines import drop_listed
from secateur.compaction.ledger.entries import (
    FileEntry,
    Ledger,
    PlanItem,
    Quote,
    UserRequest,
    ValueChange,
    mark,
)
from secateur.compaction.ledger.files.aims import drop_told_aims
from secateur.compaction.ledger.files.selection import SCRATCH, count_scratch, keep_last, select_files
from secateur.compaction.ledger.files.short_notes import drop_idle_notes, drop_reported, shorten_committed
from secateur.compaction.ledger.files.values import select_values
from secateur.compaction.ledger.quotes import select_quotes
from secateur.compaction.ledger.repository.branches import limit_commits
from secateur.compaction.ledger.runs.selection import join_errors, select_commands
from secateur.compaction.ledger.said import split_sentences
from secateur.compaction.ledger.turns.progress import (
    has_changed,
    list_commits_of,
    list_replies,
    list_told_steps,
    measure_request,
)
from secateur.compaction.ledger.turns.reports import is_committed
from secateur.compaction.ledger.user.answers import is_choice, shorten_question
from secateur.compaction.ledger.user.brief_units import GAP, drop_code
from secateur.compaction.ledger.user.briefs import condense_request
from secateur.compaction.ledger.user.force import select_constraints
from secateur.compaction.ledger.user.goals import BRIEF_CHARS, is_answered_review, is_fleeting, list_goals
from secateur.compaction.ledger.user.project_rules import LEAST_PROJECT_RULES, MOST_PROJECT_RULES
from secateur.compaction.ledger.user.requests import MAX_CHARS, is_substantial, is_task
from secateur.compaction.ledger.user.topics import extract_topic
from secateur.compaction.ledger.work.open_work import has_committed, list_open_acts
from secateur.compaction.ledger.work.plans import is_past_plan
from secateur.text.host_texts import is_nudge

_T = TypeVar("_T")

MOST_DONE_TASKS, MOST_VALUES = 8, 3
OPEN_CHARS = 1_800  # of an open request, unless it is little longer
ANSWERED_CHARS, ANSWERED_GOAL_CHARS = 400, 900  # of an answered one
OLDER_GOAL_CHARS = 450  # of an answered goal before the newest one
OLD_CHARS = 140  # of one before the latest
_FEWEST_WORDS = 5  # of the first request, to be told whatever it is
WHOLE_SHARE = 0.7  # of the room of answered requests, for those that are not told in a line
SAID_SHARE, _FEWEST_STEMS = 0.75, 3  # of the stems of a report's line, where the last words say the same
PASTED_CHARS = 200  # of one that is longer than what people type


class Detail(Struct, frozen=True):
    """How many rules of the project's files are listed, and how many characters an open request may have."""

    project_rules: int
    open_chars: int


BRIEF, WHOLE = Detail(LEAST_PROJECT_RULES, OPEN_CHARS), Detail(MOST_PROJECT_RULES, MAX_CHARS)


def select_relevant(ledger: Ledger, chars: int, commit_chars: int, detail: Detail = BRIEF) -> Ledger:
    """Return the ledger without what says nothing any more.

    `chars`: most that answered requests may take; `commit_chars`: most that commits may take, the newest first.
    """
    ledger = select_quotes(ledger)
    telling = _select_requests(ledger, detail.open_chars)
    goals = list_goals(ledger)
    requests = _limit_answered(telling, goals, chars)
    work = "\n".join((*(one.path for one in ledger.files), *(one.text for one in ledger.commands)))
    acts = list_open_acts(ledger)
    constraints = select_constraints(ledger.constraints, requests, detail.project_rules, work, acts)
    requests = tuple(drop_listed(one, constraints) if one.goal else one for one in requests)
    commands, failures = join_errors(ledger, select_commands(ledger))
    commits = limit_commits(ledger.commits, commit_chars)
    left_out = len(ledger.commits) - len(commits)
    files = select_files(ledger)
    noted = drop_idle_notes(files)
    noted = shorten_committed(noted, ledger.uncommitted) if has_committed(ledger) else noted
    demanding = list_constrained(constraints)
    kept = {one.key for one in requests if mark(one.key) in demanding}
    requests = drop_plain(requests, kept | {one.key for one in goals}, files, frozenset(commits))
    dropped = ledger.omitted.get("requests", 0) + _count_untold(ledger, requests, demanding, frozenset(commits))
    counts = {"requests": dropped, SCRATCH: count_scratch(ledger, files)}
    if left_out:
        counts["commits"] = ledger.omitted.get("commits", 0) + left_out
    reported = tuple(one for one in _list_unrepeated(ledger) if not is_committed(one.text, commits))
    tasks = _select_tasks(ledger)
    listed = (one.text for some in (requests, ledger.constraints, commands, reported) for one in some)
    said = "\n".join((*listed, *commits, *(one.id for one in ledger.tickets)))
    quoted = [line for one in (ledger.last_words, ledger.report) if one for line in split_sentences(one.text)]
    asked = "\n".join(one.text for one in ledger.requests)
    waiting = "\n".join(one.text for one in ledger.requests if one.state == "open")
    made = replace(
        ledger,
        requests=requests,
        constraints=constraints,
        files=drop_reported(
            noted,
            [*(one.text for one in reported), *list_replies(replace(ledger, requests=requests)), *quoted],
        ),
        reported=reported,
        commands=commands,
        failures=failures,
        last_calls=drop_told_aims(ledger.last_calls, files),
        tasks=tasks,
        standing=tuple(one for one in ledger.standing if tasks or one.kind != "planned"),
        identifiers=tuple(
            name for name in ledger.identifiers if name not in said and (name in waiting or name not in asked)
        ),
        values=_drop_noted(select_values(ledger.values, asked), noted)[-MOST_VALUES:],
        commits=commits,
        omitted={**ledger.omitted, **{name: n for name, n in counts.items() if n}},
    )
    return drop_told_runs(made)


def _list_unrepeated(ledger: Ledger) -> Iterator[Quote]:
    """Yield what the agent reported, but what its last words in a later message say again."""
    last = ledger.last_words
    said = extract_topic(last.text) if last and ledger.reported else frozenset[str]()
    for one in ledger.reported:
        topic = extract_topic(one.text)
        is_said = len(topic) >= _FEWEST_STEMS and len(topic & said) >= SAID_SHARE * len(topic)
        if not is_said or last is None or last.key == one.key:
            yield one


def _drop_noted(values: Sequence[ValueChange], files: Sequence[FileEntry]) -> tuple[ValueChange, ...]:
    """Return the values but those that the note of their file shows."""
    notes = {one.path: one.about for one in files}
    return tuple(
        one
        for one in values
        if not all(part in notes.get(one.path, "") for part in (one.name.rpartition(".")[2], one.new))
    )


def _select_requests(ledger: Ledger, open_chars: int) -> tuple[UserRequest, ...]:
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
            _shorten_request(one, _limit_goal(one, goals), len(ledger.requests) - at, open_chars),
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


def _count_untold(ledger: Ledger, told: Sequence[UserRequest], demanding: Collection[str], commits: Set[str]) -> int:
    """Count the requests that say anything, and of which neither a line nor a constraint nor a commit tells.

    `demanding`: marks of those of which a constraint tells; `commits`: those that are listed.
    """
    committed = (one for one in ledger.requests if not commits.isdisjoint(list_commits_of(one)))
    keys = {one.key for some in (told, committed) for one in some}
    return sum(
        one.key not in keys and mark(one.key) not in demanding and is_substantial(one.text) and not is_nudge(one.text)
        for one in ledger.requests
    )


def _limit_goal(one: UserRequest, goals: Sequence[UserRequest]) -> int:
    """Return how many characters an answered request has as a goal; 0 if it is none."""
    if one not in goals:
        return 0
    return ANSWERED_GOAL_CHARS if one is goals[-1] else OLDER_GOAL_CHARS


def is_long(one: UserRequest, open_chars: int) -> bool:
    """Whether an open request is more than a little longer than this."""
    return one.state == "open" and len(one.text) > 1.25 * open_chars


def _shorten_request(one: UserRequest, goal_chars: int, age: int, open_chars: int) -> UserRequest:
    if one.state == "open":
        return replace(one, text=condense_request(one.text, open_chars)) if is_long(one, open_chars) else one
    if age > LATEST and not goal_chars and not one.answers and has_changed(one.progress):
        return replace(one, text=take_first_line(one.text, OLD_CHARS))  # the steps tell what came of it
    chars = goal_chars or (ANSWERED_CHARS if age <= LATEST else OLD_CHARS)
    if len(one.text) <= 2 * chars:
        return one
    chars = PASTED_CHARS if len(one.text) > BRIEF_CHARS and not goal_chars else chars
    said = drop_code(one.text)  # what was done needs no code to tell what was asked
    return replace(one, text=condense_request(said, chars))


def _select_tasks(ledger: Ledger) -> tuple[PlanItem, ...]:
    """Keep what is open and the newest that is done; what a newer plan left out was not done, and is not to be.

    A plan after which the agent replied to several requests, and changed files for other ones, is none any more.
    """
    is_past = any(one.kind == "planned" and is_past_plan(one.text) for one in ledger.standing)
    if is_past and any(has_changed(one.progress) for one in ledger.requests[-LATEST:]):
        return ()
    left = tuple(one for one in ledger.tasks if one.state != "superseded")
    if not any(one.state == "open" for one in left) and list_told_steps(ledger.requests):
        return ()  # the steps tell what was done
    plans = [one.key for one in left if one.state == "open"]
    if len(plans) > 1 and len({*plans}) == 1:  # the newest plan was told as a whole: what an older one had is past
        left = tuple(one for one in left if one.state == "open" or one.key == plans[0])
    return keep_last(left, MOST_DONE_TASKS, lambda one: one.state != "open")
