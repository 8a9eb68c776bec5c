"""Which of the agent's last words and last calls are shown under what is next: those that no other line tells.

Rule: what the agent says that it did stands under what was accomplished and beside the files, so that of its last words
that stays which says how things stand, what is left and what it asks. Words from before the open request are shown
while nothing was done for it, or where they tell of something that is left. A call that went well is shown only where
the last words announce something, where no step and no file tells it, where it is the newest edit of work in progress,
or where nothing else tells that the agent has begun.
"""

from msgspec.structs import replace

from secateur.compaction.ledger.entries import Command, Ledger, Quote, UserRequest
from secateur.compaction.ledger.runs.last_calls import NO_OUTPUT, get_call_kind
from secateur.compaction.ledger.turns.announcements import is_announcing
from secateur.compaction.ledger.turns.outcomes import READ_ONLY
from secateur.compaction.ledger.turns.progress import has_changed, list_told_steps
from secateur.compaction.ledger.turns.replies import condense_reply
from secateur.compaction.ledger.turns.reports import drop_deeds
from secateur.compaction.ledger.turns.step_kinds import LOOKS, is_step, name_line
from secateur.compaction.ledger.work.said_open import is_said_undone

UNDONE_CHARS = 400  # of a report before the last words that says what was not done: steps tell the rest
MOST_ITEMS = 5  # of a report of which no item is listed as what the agent reports
_READING = frozenset({"read", "search"})
_TOLD_KINDS = _READING | {"edit"}  # of tools whose calls the steps and the files tell


def select_quotes(ledger: Ledger) -> Ledger:
    """Return the ledger without what its quotes say that other lines tell as well."""
    newest = ledger.requests[-1] if ledger.requests else None
    words, report = ledger.last_words, ledger.report
    if report and list_told_steps(ledger.requests):
        report = replace(report, text=condense_reply(report.text, UNDONE_CHARS)) if is_said_undone(report) else None
    if words and words.is_answered and newest and _is_begun(newest) and not is_said_undone(words):
        words = None
    elif words and not words.is_answered and newest and newest.state == "done" and has_changed(newest.progress):
        words = _shorten_report(words, 0 if ledger.reported else MOST_ITEMS)
    basis = ledger.basis if newest and newest.state == "open" else None
    if basis and report and report.key == basis.key:
        report = None
    requests = ledger.requests
    if words and newest and newest.progress and newest.state == "done" and not words.is_answered:
        told = replace(newest, progress=replace(newest.progress, reply=""))  # it is what the agent said last
        requests = (*requests[:-1], told)
    return replace(
        ledger, requests=requests, last_words=words, report=report, basis=basis, last_calls=_select_calls(ledger)
    )


def _is_begun(one: UserRequest) -> bool:
    """Whether a request is open, and something was done for it."""
    return one.state == "open" and one.progress is not None and bool(one.progress.steps)


def _shorten_report(words: Quote, most: int) -> Quote:
    text = drop_deeds(words.text, most)
    return words if text == words.text else replace(words, text=text)


def _select_calls(ledger: Ledger) -> tuple[Command, ...]:
    """Return the last calls that failed, that nothing else tells, or that followed an announcement, but reading."""
    words = ledger.last_words
    is_announced = words is not None and not words.is_answered and is_announcing(words.text)
    steps = list_told_steps(ledger.requests)
    calls = [one for one in ledger.last_calls if get_call_kind(one) != "plan"]  # tasks are told anyway
    kept = [one for one in calls if not one.ok or not (get_call_kind(one) in _TOLD_KINDS or is_step(one.text, steps))]
    if kept and calls[-1] not in kept:
        kept = [*kept, calls[-1]]  # a call that failed before it is not the last one
    is_open = bool(ledger.requests) and ledger.requests[-1].state == "open"
    if is_open and calls and calls[-1] not in kept and get_call_kind(calls[-1]) == "edit":
        kept = [*kept, calls[-1]]  # which of several edits was the last one nothing else tells
    if is_announced:
        kept = [one for one in calls if one in kept or get_call_kind(one) not in _READING] or list(calls[:1])
    edits = [one for one in kept if one.ok and get_call_kind(one) == "edit"]
    kept = [one for one in kept if one is kept[-1] or not (_is_look(one) or one in edits[:-1])]
    is_untold = is_open and list_told_steps(ledger.requests[-1:]) in ([], [READ_ONLY])  # else steps tell of calls
    return tuple(kept or (calls[-1:] if is_untold else ()))


def _is_look(one: Command) -> bool:
    """Whether a call went well that only looks at something, and nothing of what it showed is told."""
    return one.ok is True and one.told in ("", NO_OUTPUT) and LOOKS.match(name_line(one.text)) is not None
