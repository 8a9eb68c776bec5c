"""What is next as lines: where the session stands, the agent's last words, and what is open.

Rule: in the words of whoever said it, quoted and never composed; words before the colon are fixed. What the goal has is
named by its mark, and what the line on where the session stands says is not said again.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from secateur.compaction.ledger.course import format_bullet
from secateur.compaction.ledger.entries import Command, Ledger, Quote, StandingKind, mark
from secateur.compaction.ledger.files.lines import find_base
from secateur.compaction.ledger.runs.last_calls import get_call_kind
from secateur.compaction.ledger.said import split_sentences
from secateur.compaction.ledger.turns.announcements import UNBEGUN, is_announcing
from secateur.compaction.ledger.turns.outcomes import STOPPED
from secateur.compaction.ledger.turns.reports import strip_reported
from secateur.compaction.ledger.user.briefs import find_decisive_sentence
from secateur.compaction.ledger.user.goals import list_goals
from secateur.compaction.ledger.work.open_work import (
    find_open_request,
    find_submission,
    list_failing,
    render_undelivered_work,
)
from secateur.compaction.ledger.work.standing import STANDING
from secateur.compaction.ledger.work.verdict import render_verdict
from secateur.toolcalls.actions import collapse_whitespace

IN_PROGRESS = "in progress"  # of a task, as the newest plan has it
OUTCOME_WORDS = {True: "ok", False: "failed", None: "ended, outcome unknown"}
LAST_WORDS = "the agent said last"
EARLIER_WORDS = "before that the agent said"
EDITED_SINCE = " (edited since)"
AS_DRAFT = " as a draft"
THOUGHT = "the agent was thinking"
BASIS = "the newest request takes up what the agent said before it"
LEAD = "earlier in this turn the agent said"
UNDELIVERED = "asked for, and not done yet"
CALLED = "then called"
PENDING, SUCH = "no result yet", " — such calls: "
_ON_FILES = tuple(f"- {head}" for head in (STANDING["unchecked"], CALLED, PENDING))


def render_next(ledger: Ledger, reported: Sequence[Quote]) -> Iterator[str]:
    """Render where the session stands, the agent's last words, then what is open, in the words of whoever said it.

    In lines on files and calls `./` stands for the root of the work, as where the files are listed.
    """
    base = find_base(ledger)
    for line in _render_lines(ledger, reported):
        yield line.replace(f" {base}/", " ./") if base and line.startswith(_ON_FILES) else line


def _render_lines(ledger: Ledger, reported: Sequence[Quote]) -> Iterator[str]:
    verdict = render_verdict(ledger)
    if verdict:
        yield verdict
    yield from _render_standing(ledger, "edits", "unchecked")
    said = ledger.last_words
    if ledger.basis:
        yield format_bullet(f"{BASIS}: {ledger.basis.text}")
    if ledger.lead:
        yield format_bullet(f"{LEAD}: {ledger.lead.text}")
    if said and not said.is_answered:
        yield format_bullet(f"{LAST_WORDS}: {strip_reported(said.text, reported, ledger.commits)}")
        yield from _render_standing(ledger, "announced", "untouched", "refuted")
        yield from _render_last_calls(ledger)
    if waited := _quote_waited(ledger, verdict):
        yield f"- the user waits for: {waited}"
    yield from _render_earlier_words(ledger, reported)
    if not said or said.is_answered:
        yield from _render_last_calls(ledger)
    yield from _render_open(ledger)
    yield from _render_standing(ledger, "outdated", "failed", "declined", "begun", "running", "diagnosis")
    yield from render_undelivered_work(ledger)
    yield from _render_standing(ledger, "later")


def _render_earlier_words(ledger: Ledger, reported: Sequence[Quote]) -> Iterator[str]:
    """Render words of the agent before the user's newest ones, and what it was thinking last."""
    said = ledger.last_words
    answered = said if said and said.is_answered else None
    for one in filter(None, (answered, ledger.report if said else None)):
        yield format_bullet(f"{EARLIER_WORDS}: {strip_reported(one.text, reported, ledger.commits)}")
    if thought := _strip_announcement(ledger):
        yield format_bullet(f"{THOUGHT}: {thought}")


def _strip_announcement(ledger: Ledger) -> str:
    """Return the agent's reasoning while a request is open, without the call that it announces and made since."""
    is_open = bool(ledger.requests) and ledger.requests[-1].state == "open"
    text = ledger.thought.text if ledger.thought and is_open else ""
    if not ledger.last_calls or ledger.pending:
        return text
    last = ledger.last_calls[-1]
    if last.ok and get_call_kind(last) == "edit" and _AT_WORK.match(text):
        return ""  # it wrote what it was about to write
    sentences = list(split_sentences(text))
    while sentences and (is_announcing(sentences[-1]) or _BEGINS.match(sentences[-1])):
        sentences.pop()
    left = text[: text.rfind(sentences[-1]) + len(sentences[-1])] if sentences else ""
    has_said = ledger.last_words is not None and not ledger.last_words.is_answered
    return left if len(left) >= _FEWEST_THOUGHT else "" if has_said else text


_AT_WORK = re.compile(  # as some models sum up what they think, each time under a heading
    r"(?i)\s*(?:\*\*[^*\n]{1,120}\*\*\s*)?i['’]m (?:now |currently )?"
    r"(?:focused on |(?:focus|implement|creat|writ|build|add|defin)ing\b)"
)
_FEWEST_THOUGHT = 25  # characters: less only cries out
_BEGINS = re.compile(
    r"(?i)\W*(?:(?:good|great|ok(?:ay)?|perfect|so)\W+)?(?:now|next|first)\b,? i (?:need|have|want|should|can)\b"
)


def _quote_waited(ledger: Ledger, verdict: str) -> str:
    """Quote what the user waits for, unless the goal has it and the line on where the session stands names it."""
    waited = find_open_request(ledger)
    if waited is None or waited.text.endswith("…"):
        return ""
    is_named = (bool(waited.key) and f"[{mark(waited.key)}]" in verdict) or UNBEGUN in verdict
    is_named = is_named and waited in list_goals(ledger)
    return "" if is_named else find_decisive_sentence(waited.text)


def _render_standing(ledger: Ledger, *kinds: StandingKind) -> Iterator[str]:
    return (f"- {STANDING[one.kind]}: {one.text}" for one in ledger.standing if one.kind in kinds)


def _render_last_calls(ledger: Ledger) -> Iterator[str]:
    """Render what was called after the agent's last words."""
    submitted = find_submission(ledger)
    failing = {one.text for one in list_failing(ledger)}
    for call in ledger.last_calls if ledger.last_words or ledger.requests else ():
        if submitted and call.text.strip() and call.text.strip() in submitted:
            continue
        if call.ok is False and call.text in failing:
            continue
        yield render_command(call, CALLED)


def _render_open(ledger: Ledger) -> Iterator[str]:
    yield from map(render_command, list_failing(ledger))
    waiting = collapse_whitespace("\n".join(one.text for one in ledger.requests if one.state == "open"))
    for asked in ledger.undelivered:
        is_told = collapse_whitespace(asked.text) in waiting  # the goal has the sentence
        yield f"- {UNDELIVERED}: {asked.kind}" + ("" if is_told else f" — {asked.text}")
    yield from _render_standing(ledger, "planned")
    for task in ledger.tasks:
        if task.state == "open" and task.text:
            yield f"- task, {IN_PROGRESS if task.begun else task.state}: {task.text}"
    yield from render_tickets(ledger, "open")
    calls = Counter(one.tool + (f" — {one.target}" if one.target else "") for one in ledger.pending)
    for call, number in calls.items():
        yield f"- {PENDING}: {call}" + (f"{SUCH}{number}" if number > 1 else "")


def render_tickets(ledger: Ledger, state: str) -> Iterator[str]:
    for one in ledger.tickets:
        if one.state == state:
            draft = AS_DRAFT if one.draft and state == "open" else ""
            yield f"- {one.kind}, {state}{draft}: {one.id}" + (f" — {one.title}" if one.title else "")


def render_command(one: Command, label: str = "") -> str:
    status = f" ({one.exit})" if one.exit else ""
    status += EDITED_SINCE if one.edited_since else ""
    told = f" — said: {one.told}" if one.told else ""
    outcome = STOPPED if one.stopped else OUTCOME_WORDS[one.ok]
    return f"- {label or one.check or 'ran'}, {outcome}{status}: {one.text}{told}"
