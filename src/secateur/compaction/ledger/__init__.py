"""The ledger: what code can say for certain about a history, so that no model has to remember it.

Rule: deterministic, and by origin: only what a user said can become a demand of the user's or a request, whatever tools
return; rules of the project name their source.
It is read from messages, merged span by span, kept as JSON, shown as Markdown lines under stable section ids, and read
back from either. Prose is not written here.
"""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from secateur.compaction.ledger.bounded import limit_ledger, make_encodable
from secateur.compaction.ledger.course import format_bullet
from secateur.compaction.ledger.entries import (
    Command,
    Constraint,
    Failure,
    FileEntry,
    Ledger,
    Pending,
    PlanItem,
    Question,
    Quote,
    Undelivered,
    UserRequest,
    ValueChange,
)
from secateur.compaction.ledger.files.aims import describe_aim
from secateur.compaction.ledger.files.notes import describe_changes, drop_undone
from secateur.compaction.ledger.files.touched import describe_target, trace_files
from secateur.compaction.ledger.files.values import list_values
from secateur.compaction.ledger.merge import merge
from secateur.compaction.ledger.names import list_names
from secateur.compaction.ledger.read_back import read_back
from secateur.compaction.ledger.render import fit_ledger, render_ledger
from secateur.compaction.ledger.repository.branches import find_branch, find_told_branch, settle_steps
from secateur.compaction.ledger.repository.ci import find_ci
from secateur.compaction.ledger.repository.commits import trace_commits
from secateur.compaction.ledger.repository.last_status import drop_dirty_again, find_dirty, find_status, list_strays
from secateur.compaction.ledger.repository.places import drop_scratch_repositories, find_place, list_runs_here
from secateur.compaction.ledger.repository.repository import (
    add_unpaired_commits,
    list_elsewhere,
    list_tickets,
)
from secateur.compaction.ledger.repository.status import add_shown
from secateur.compaction.ledger.repository.ticket_states import list_shown, merge_shown
from secateur.compaction.ledger.runs.attempts import list_attempts
from secateur.compaction.ledger.runs.checks import list_commands
from secateur.compaction.ledger.runs.failures import list_failures
from secateur.compaction.ledger.runs.last_calls import list_last_calls, list_told_lines
from secateur.compaction.ledger.runs.scripts import drop_empty_checks
from secateur.compaction.ledger.said import get_agent_text
from secateur.compaction.ledger.settle import settle_states
from secateur.compaction.ledger.turns.basis import BASIS_CHARS, find_basis, outline_quote
from secateur.compaction.ledger.turns.last_words import (
    DELIVERY_CHARS,
    MOST_CHARS,
    REPORT_CHARS,
    THOUGHT_CHARS,
    WORKING_CHARS,
    condense_quote,
)
from secateur.compaction.ledger.turns.lead import find_lead
from secateur.compaction.ledger.turns.progress import add_progress, has_changed
from secateur.compaction.ledger.turns.reports import list_reported, without_rewritten
from secateur.compaction.ledger.user.answers import add_questions, list_rulings
from secateur.compaction.ledger.user.constraints import extract_constraints
from secateur.compaction.ledger.user.permissions import mark_lifted
from secateur.compaction.ledger.user.requests import close_open, extract_question, extract_requests
from secateur.compaction.ledger.user.retractions import mark_removed
from secateur.compaction.ledger.user.taken_back import mark_taken_back
from secateur.compaction.ledger.user.task_documents import find_task_document, list_document_rules
from secateur.compaction.ledger.work.circumstances import mark_circumstances, mark_scratch_files
from secateur.compaction.ledger.work.deliveries import extract_deliveries
from secateur.compaction.ledger.work.endings import SUBMITTED
from secateur.compaction.ledger.work.plans import extract_plans, settle_tasks
from secateur.compaction.ledger.work.settled import list_settled
from secateur.compaction.ledger.work.standing import list_standing
from secateur.model import Message
from secateur.redact import redact
from secateur.toolcalls.actions import Action, clip_text, collapse_whitespace, find_late_results, list_actions
from secateur.toolcalls.commands import MAX_CHARS, iterate_runs

__all__ = [
    "Command",
    "Constraint",
    "Failure",
    "FileEntry",
    "Ledger",
    "Pending",
    "Question",
    "Quote",
    "Undelivered",
    "UserRequest",
    "ValueChange",
    "PlanItem",
    "format_bullet",
    "fit_ledger",
    "build_ledger",
    "merge",
    "read_back",
    "render_ledger",
    "settle_states",
]


def build_ledger(messages: Iterable[Message]) -> Ledger:
    """Build the ledger of these messages: a transcript or any range that splits no round. Never raises.

    What a harness wrote in the agent's name, such as a demonstration, is no work of this session.
    """
    messages = tuple(messages)
    said = tuple(one for one in messages if one.role != "assistant" or one.origin != "harness")
    made_calls = list_actions(said)
    done = add_unpaired_commits(made_calls, said)
    done, ran = drop_scratch_repositories(done, tuple(drop_empty_checks(tuple(iterate_runs(done)), done)))
    told = extract_requests(said)
    tasks, replanned = extract_plans(done)
    history = trace_files(done)
    place = find_place(said, done, ran, history.files)
    here = list_runs_here(ran, place)
    commits = trace_commits(ran)
    status = find_status(here)
    shown = merge_shown(list_shown(said, ran))
    dirty = () if _is_continued(messages) else find_dirty(here, done, status)
    waiting = [action for action in done if not action.result and not _is_abandoned(action, said)]
    put = [Question(text, action.call.key) for action in waiting if (text := extract_question(action))]
    undelivered, delivered = extract_deliveries(said, done, ran)
    traced = tuple(drop_dirty_again(history.files, status))
    files = mark_scratch_files(traced, said, done, ran)
    requests, progress = add_progress(told.requests, said, done, ran, replace(history, files=files))
    found = extract_constraints(said, done)
    known = {one.key for one in found}
    called = list_last_calls(said, done, told.last_words.key if told.last_words else "")
    rulings = (one for one in list_rulings(told.requests) if one.key not in known)
    demands = (*list_document_rules(done, told.requests), *found, *rulings)
    made = Ledger(
        requests=settle_steps(requests, commits),
        progress=progress,
        constraints=add_questions(_mark_past(demands, told.requests), told.requests),
        files=files,
        uncommitted=add_shown(history, status, place.root or place.folder),
        commands=list_commands(ran),
        failures=list_failures(done, ran),
        tasks=settle_tasks(tasks, done, ran, bool(told.last_words and not told.last_words.is_answered and not called)),
        questions=(*told.questions, *put),
        pending=tuple(_make_pending(action) for action in waiting),
        values=_without_gone(list_values(done, is_qualified=True), history.files),
        last_words=told.last_words,
        thought=told.thought,
        lead=find_lead(said, told.last_words),
        basis=find_basis(said),
        last_calls=called,
        commits=commits.listed,
        identifiers=list_names(said, done),
        status=status,
        strays=list_strays(status, traced, history.taken, dirty),
        dirty=dirty,
        branch=find_branch(here) or find_told_branch(said),
        root=place.root,
        folder=place.folder,
        elsewhere=list_elsewhere(ran, place),
        unpushed=commits.unpushed,
        tickets=list_tickets(ran, said, shown),
        shown_tickets=shown,
        ci=find_ci(ran),
        attempts=list_attempts(said, done),
        before=told.before,
        replanned=replanned,
        arrived=find_late_results(said, made_calls),
        report=told.report,
        reported=without_rewritten(list_reported(_take_newest_work(said, requests)), done, said),
        document=find_task_document(done, told.requests),
        undelivered=undelivered,
        delivered=delivered,
    )
    made = mark_circumstances(made, said, done, ran)
    described = describe_changes(made.files, said, done, history.settled)
    standing = list_standing(messages, done, ran, made)
    standing = (*standing, *list_settled(made, standing))
    is_handed_in = any(one.kind == "ended" and one.text.startswith(SUBMITTED) for one in standing)
    made = replace(
        made,
        files=described,
        requests=close_open(made.requests) if is_handed_in else made.requests,
        pending=() if is_handed_in else made.pending,
        uncommitted=drop_undone(made.uncommitted, described, bool(commits.listed)),
        standing=standing,
        last_words=condense_quote(made.last_words, _limit_words(made, is_handed_in)),
        report=condense_quote(made.report, REPORT_CHARS),
        thought=condense_quote(made.thought, THOUGHT_CHARS),
        lead=condense_quote(made.lead, THOUGHT_CHARS),
        basis=outline_quote(made.basis, BASIS_CHARS),
    )
    return limit_ledger(make_encodable(made))


def _is_continued(messages: Sequence[Message]) -> bool:
    """Whether work was done before these messages: a summary tells of it, or the agent's answers are not there."""
    first = next((at for at, one in enumerate(messages) if one.role == "assistant"), len(messages))
    asked = [one for one in messages[:first] if one.role == "user" and one.origin == "user"]
    return len(asked) > 1 or any(one.origin == "summary" for one in messages)


def _limit_words(ledger: Ledger, is_handed_in: bool) -> int:
    """Return how many characters the agent's last words have: an answer more than a report of listed changes."""
    if ledger.last_calls or is_handed_in:
        return WORKING_CHARS
    return DELIVERY_CHARS if ledger.requests and has_changed(ledger.requests[-1].progress) else MOST_CHARS


def _mark_past(demands: Iterable[Constraint], requests: Sequence[UserRequest]) -> tuple[Constraint, ...]:
    """Mark the demands that later requests take back."""
    return mark_taken_back(mark_lifted(mark_removed(demands, requests), requests), requests)


def _without_gone(values: Iterable[ValueChange], files: Iterable[FileEntry]) -> tuple[ValueChange, ...]:
    """Return the values without those in files that were deleted or taken back."""
    gone = {one.path for one in files if one.use in ("deleted", "discarded", "restored")}
    return tuple(one for one in values if one.path not in gone)


def _take_newest_work(messages: Sequence[Message], requests: Sequence[UserRequest]) -> Sequence[Message]:
    """Return the messages from the last but one request on that something was changed for."""
    newest = [one.key for one in requests if has_changed(one.progress)][-2:-1]
    return messages[next((at for at, one in enumerate(messages) if one.key in newest), 0) :]


def _is_abandoned(action: Action, messages: Sequence[Message]) -> bool:
    """Whether the agent ended its turn without the result of a call that has one at once: it was interrupted."""
    if action.kind not in ("run", "edit", "read", "search"):
        return False
    for message in reversed(messages):
        if any(part.key == action.call.key for part in message.parts):
            return False
        calls = any(part.kind == "tool_call" for part in message.parts)
        if message.role == "assistant" and message.parts and not calls and get_agent_text(message):
            return True
    return False


def _make_pending(action: Action) -> Pending:
    about = list_told_lines(action) or [
        describe_target(action).removeprefix(collapse_whitespace(action.call.tool)).strip()
    ]
    return Pending(
        collapse_whitespace(action.call.tool),
        clip_text(collapse_whitespace(redact(about[0])), MAX_CHARS) + describe_aim(action),
        action.call.key,
        action.call.call_id,
    )
