"""A ledger as Markdown lines under section ids, and the ledger that such lines say.

Rule: one entry, one bullet; what goes on over several lines is indented by four blanks, so that no text can open a
section or another bullet. Words before the colon are fixed and say what kind of entry it is; texts are verbatim, and
what is next is quoted, never composed. Keys are shown as marks. Lines read back give the same lines again. Read only
what was rendered here: in a model's own prose no one can tell the user's words from others'.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from msgspec.structs import replace

from secateur.compaction.ledger.bounded import keep_least, limit_ledger
from secateur.compaction.ledger.course import (
    format_bullet,
    is_in_course,
    render_course,
    render_goals,
    render_request,
)
from secateur.compaction.ledger.demand_lines import list_constraints, render_constraints
from secateur.compaction.ledger.entries import Constraint, Ledger, Quote
from secateur.compaction.ledger.files.lines import find_base, find_tops, list_file_lines, shorten_path
from secateur.compaction.ledger.files.selection import SCRATCH
from secateur.compaction.ledger.files.short_notes import limit_notes
from secateur.compaction.ledger.next_lines import EDITED_SINCE, render_command, render_next, render_tickets
from secateur.compaction.ledger.relevance import BRIEF, WHOLE, is_long, select_relevant
from secateur.compaction.ledger.repository.branches import shorten_commits
from secateur.compaction.ledger.repository.commits import COMMITTED
from secateur.compaction.ledger.repository.status import list_place_lines
from secateur.compaction.ledger.turns.outcomes import SEPARATOR
from secateur.compaction.ledger.turns.progress import list_told_steps
from secateur.compaction.ledger.turns.reports import list_unquoted
from secateur.compaction.ledger.turns.step_kinds import is_step
from secateur.compaction.ledger.user.goals import list_goals
from secateur.compaction.ledger.work.open_work import (
    list_failing,
)
from secateur.compaction.ledger.work.verdict import render_verdict
from secateur.compaction.template import SECTIONS

_SHARES = (
    *(1.0, 0.6, 0.4, 0.3, 0.2, 0.15, 0.11, 0.08, 0.065, 0.05, 0.04, 0.03, 0.025, 0.02, 0.017, 0.014, 0.012, 0.01),
    *(0.007, 0.004, 0.002, 0.001),
)
REQUESTS_SHARE = 0.35  # of the room, for requests that were answered, with what followed them
COMMITS_SHARE = 0.2  # of the room, for commits
ROOMY_SHARE = 0.75  # of the room, that a ledger may take which tells in full what else is shortened
NOTES_SHARE = 0.16  # of the room, for what changed files now have
_CHARS_PER_TOKEN, _LEAST_CHARS_PER_TOKEN = 4.0, 2.0
_SAMPLE_CHARS = 4_000  # of the ledger, by which its tokens are measured
_LEAST_CHARS = (300, 120, 40, 12)  # of the newest request, where nothing else has room
REPORTED = "the agent reports"
TAKEN_BACK = "tried and taken back"
EARLIER_COMMITS = "earlier commits"
ADDED = "added: "
TASK_DOCUMENT = "task document"
COUNTED = {
    "constraints": "constraints",
    **dict.fromkeys(("requests", "commits", "tasks"), "accomplished"),
    "questions": "questions",
    "pending": "next",
}  # of what has no room, by the section that it belongs to
UNLISTED = "left out to save room"


def render_ledger(ledger: Ledger) -> dict[str, tuple[str, ...]]:
    """Return the lines of each non-empty section by section ID."""
    ledger = shorten_commits(ledger)
    lines: dict[str, list[str]] = {id: [] for id in SECTIONS}
    constraints, reported = list_constraints(ledger), list_unquoted(ledger)
    for id, made in (
        ("goal", _render_goal(ledger)),
        ("instructions", _render_instructions(ledger)),
        ("constraints", render_constraints(ledger, constraints)),
        ("discoveries", _render_discoveries(ledger)),
        ("accomplished", _render_accomplished(ledger, constraints, reported)),
        ("files", _render_files(ledger)),
        ("questions", _render_questions(ledger)),
        ("next", render_next(ledger, reported)),
    ):
        lines[id] += [*made, *_render_counts(ledger, id)]
    return {id: tuple(found) for id, found in lines.items() if found}


def fit_ledger(ledger: Ledger, max_tokens: int, count: Callable[[str], int]) -> Ledger:
    """Limit the ledger to what is relevant, and to as many entries as fit these tokens; constraints go last.

    Where not even one entry of each kind has room, the user's own demands and the beginning of the newest request; then
    that beginning alone; an empty one without room.
    """
    chars = int(max_tokens * _measure_chars_per_token(ledger, count))
    shares = int(chars * REQUESTS_SHARE), int(chars * COMMITS_SHARE)
    if _has_more(ledger):
        full = _limit(select_relevant(ledger, *shares, WHOLE), 1.0, chars)
        if _measure(full, count) <= max_tokens * ROOMY_SHARE:
            return full
    ledger = select_relevant(ledger, *shares)
    shorter = (_limit(ledger, share, chars) for share in _SHARES)
    shortest = (keep_least(ledger, text, room) for room in (chars // 2, chars // 4, 0) for text in _LEAST_CHARS)
    for made in chain(shorter, shortest) if ledger.requests else shorter:  # most fit at once: the rest is not made
        if _measure(made, count) <= max_tokens:
            return made
    return Ledger()


def _has_more(ledger: Ledger) -> bool:
    """Whether a ledger has what is told in full where nothing else needs the room."""
    return any(is_long(one, BRIEF.open_chars) for one in ledger.requests) or any(
        one.scope == "project" for one in ledger.constraints
    )


def _measure_chars_per_token(ledger: Ledger, count: Callable[[str], int]) -> float:
    """Return how many characters of the user's words and of paths make a token by this counter."""
    texts = (*(one.text for one in ledger.requests), *(one.path for one in ledger.files))
    sample = "\n".join(texts)[:_SAMPLE_CHARS]
    return min(_CHARS_PER_TOKEN, max(_LEAST_CHARS_PER_TOKEN, len(sample) / max(1, count(sample))))


def _measure(ledger: Ledger, count: Callable[[str], int]) -> int:
    return sum(count(line) + 1 for lines in render_ledger(ledger).values() for line in lines)


def _limit(ledger: Ledger, share: float, chars: int) -> Ledger:
    """Limit the ledger to a share of its entries, and what is noted of files to as much of its room."""
    made = limit_ledger(ledger, share)
    return replace(made, files=limit_notes(made.files, int(min(1.0, 20 * share) * NOTES_SHARE * chars)))


def _render_counts(ledger: Ledger, section: str) -> Iterator[str]:
    """Render how many entries of a section had no room."""
    left = [(min(n, 99), name) for name, n in ledger.omitted.items() if COUNTED.get(name) == section]
    counts = [f"{n} {name.removesuffix('s') if n == 1 else name}" for n, name in left]
    if counts:
        yield f"- {UNLISTED}: {', '.join(counts)}"  # two digits: more would read as a number of the conversation


def _render_goal(ledger: Ledger) -> Iterator[str]:
    """Render the task that the work belongs to, then what the user wants now."""
    yield from render_goals(ledger)
    if ledger.document:
        yield format_bullet(f"{TASK_DOCUMENT} {ledger.document.name}: {ledger.document.text}")


def _render_instructions(ledger: Ledger) -> Iterator[str]:
    """Render the open requests that are no goals and that nothing followed."""
    goals = list_goals(ledger)
    yield from (render_request(one) for one in ledger.requests if one not in goals and not is_in_course(one))


def _render_discoveries(ledger: Ledger) -> Iterator[str]:
    yield from _render_failures(ledger)
    if ledger.identifiers:
        yield f"- names: {' · '.join(ledger.identifiers)}"


def _render_failures(ledger: Ledger) -> Iterator[str]:
    """Render the errors, and the approaches that failed."""
    for one in ledger.failures:
        during = f" — during: {one.during}" if one.during else ""
        state = "resolved" if one.resolved else "open" if one.check else "not tried again"
        state += EDITED_SINCE if one.edited_since else ""
        yield f"- error, {state}: {one.line}{during}"
    for attempt in ledger.attempts:
        yield f"- {TAKEN_BACK}: {attempt.text}"


def _render_accomplished(ledger: Ledger, constraints: Sequence[Constraint], reported: Sequence[Quote]) -> Iterator[str]:
    yield from render_course(ledger, constraints)
    steps = list_told_steps(ledger.requests)
    yield from _render_done_tasks(ledger)
    failing = list_failing(ledger)
    for run in ledger.commands:
        is_passing = run.check and run.ok is not False and run not in failing
        if (is_passing or (not run.check and run.ok is not None)) and not is_step(run.text, steps):
            yield render_command(run)
    base = find_base(ledger)
    tops = find_tops(ledger.files, base)
    for value in ledger.values:
        change = f"{value.old} → {value.new}" if value.old else f"{ADDED}{value.new}"
        yield f"- value: {value.name} in {shorten_path(value.path, base, tops)}: {change}"
    yield from render_tickets(ledger, "done")
    yield from _render_commits(ledger, steps)
    items = [item.text for item in reported]
    if items:
        yield format_bullet("\n".join((f"{REPORTED}:", *items)) if len(items) > 1 else f"{REPORTED}: {items[0]}")


def _render_done_tasks(ledger: Ledger) -> Iterator[str]:
    """Render the tasks that are not open in one line for each state."""
    for state in ("done", "superseded"):
        texts = [task.text for task in ledger.tasks if task.state == state and task.text]
        if any(SEPARATOR in text for text in texts):
            yield from (f"- task, {state}: {text}" for text in texts)
        elif texts:
            yield f"- task{'s' * (len(texts) > 1)}, {state}: {SEPARATOR.join(texts)}"


def _render_commits(ledger: Ledger, steps: Sequence[str]) -> Iterator[str]:
    """Render the commits that no step tells; of those whose subjects had no room, the hashes in one line."""
    left = [commit for commit in ledger.commits if f"{COMMITTED}{commit}" not in steps]
    told = " ".join(step for step in steps if step.startswith(COMMITTED))
    hashes = [commit for commit in left if " " not in commit and commit not in told]
    if hashes:
        yield f"- {EARLIER_COMMITS}: {' · '.join(hashes)}"
    yield from (f"- commit: {commit}" for commit in left if " " in commit)


def _render_files(ledger: Ledger) -> Iterator[str]:
    yield from list_place_lines(ledger)
    yield from list_file_lines(ledger.files, find_base(ledger), ledger.omitted.get(SCRATCH, 0))


def _render_questions(ledger: Ledger) -> Iterator[str]:
    verdict = render_verdict(ledger)
    for one in ledger.questions:
        if one is not ledger.questions[-1] or f"“{one.text}”" not in verdict:  # which asks it
            yield f"- asked the user: {one.text}"
