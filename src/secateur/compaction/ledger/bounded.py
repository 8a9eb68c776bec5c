"""How large a ledger may grow, and what goes first when it is larger.

Rule: constraints outlive everything: standing ones stay, then the newest; rules of the project's files go first. Of
files the changed ones outlive those that were only read, of commands the checks, of errors the open ones, of requests
the first and the newest. What went is counted, so that the reader knows. A ledger within its bounds comes back as is.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from secateur.compaction.ledger.entries import Constraint, FileEntry, Ledger, UserRequest
from secateur.compaction.ledger.runs.attempts import MOST_ATTEMPTS
from secateur.compaction.ledger.turns.basis import BASIS_CHARS, outline_quote
from secateur.compaction.ledger.turns.last_words import (
    LEAST_CHARS,
    MOST_CHARS,
    REPORT_CHARS,
    THOUGHT_CHARS,
    condense_quote,
)
from secateur.compaction.ledger.turns.progress import limit_progress, measure_request
from secateur.compaction.ledger.turns.reports import MOST_REPORTED
from secateur.compaction.ledger.user.brief_units import GAP
from secateur.compaction.ledger.user.briefs import condense_request
from secateur.compaction.ledger.user.goals import is_opening
from secateur.compaction.ledger.user.project_rules import is_rule
from secateur.compaction.ledger.user.protections import is_protective
from secateur.compaction.ledger.user.rules import is_prompt
from secateur.compaction.ledger.user.task_documents import shorten_document
from secateur.decoding import prepare_type
from secateur.text.own_text import replace_surrogates

_T = TypeVar("_T")

MOST_CONSTRAINTS, CONSTRAINT_CHARS = 200, 24_000
PROJECT_SHARE = 0.4  # of these, for rules of the project's own files
MOST_REQUESTS, REQUEST_CHARS, REQUESTS_FIRMNESS = 80, 32_000, 14
LONGEST_REQUEST_CHARS, LEAST_REQUEST_CHARS = 4_000, 200  # of a long request, where all have room and where few have
LEAST_STEPS, LEAST_REPLY_CHARS, REPLY_CHARS = 3, 120, 320  # of what followed a request, where few have room
LEAST_NEWEST_STEPS, FEW_SHARE = 8, 0.1  # of the newest request, unless next to nothing has room
LEAST_THOUGHT_CHARS = 200
WHOLE_REQUEST_CHARS = 500  # a request of no more is kept whole or not at all
FEWEST_SHARE, LEAST_FIRMNESS = 0.012, 4
MOST_FILES = 600
MOST_CHANGED_FILES, CHANGED_FIRMNESS = 80, 12  # that are listed, one name each, where other entries have little room
MOST_COMMANDS = 40
MOST_FAILURES = 30
MOST_TASKS = 60
MOST_QUESTIONS = 6
MOST_PENDING = 30
MOST_COMMITS, COMMITS_FIRMNESS = 40, 20  # they have a share of the room to themselves, and go late
MOST_NAMES = 80
MOST_VALUES = 40
MOST_ARRIVED = 60  # ids, not shown


def limit_ledger(ledger: Ledger, share: float = 1.0) -> Ledger:
    """Limit the ledger to its maximum number of entries, or to a share of them; constraints are cut last."""
    firm = min(1.0, 8 * share)
    cut: dict[str, tuple[Any, ...]] = {
        "constraints": _limit_constraints(ledger.constraints, firm, share),
        "requests": _limit_requests(ledger.requests, min(1.0, share * _get_firmness(share))),
        "attempts": _take_last(ledger.attempts, MOST_ATTEMPTS * firm),
        "values": _take_last(ledger.values, MOST_VALUES * share),
        "files": _limit_files(ledger.files, share),
        "commands": _take_highest(
            ledger.commands, MOST_COMMANDS * share, lambda one: 2 * bool(one.check) + (one.ok is False)
        ),
        "failures": _take_highest(
            ledger.failures, MOST_FAILURES * share, lambda one: (one.check + 1) * (not one.resolved)
        ),
        "tasks": _take_highest(ledger.tasks, MOST_TASKS * share, lambda one: _STATES.index(one.state)),
        "questions": _take_last(ledger.questions, MOST_QUESTIONS * firm),
        "pending": _take_last(ledger.pending, MOST_PENDING * firm),
        "commits": _take_last(ledger.commits, MOST_COMMITS * min(1.0, COMMITS_FIRMNESS * share)),
        "reported": ledger.reported[: max(1, int(MOST_REPORTED * min(1.0, COMMITS_FIRMNESS * share)))],
        "identifiers": ledger.identifiers[: int(MOST_NAMES * share)],
        "arrived": _take_last(ledger.arrived, MOST_ARRIVED),
    }
    firmest = min(1.0, COMMITS_FIRMNESS * share)
    brief = max(LEAST_THOUGHT_CHARS, int(THOUGHT_CHARS * firmest))
    quotes = {
        "last_words": condense_quote(ledger.last_words, max(LEAST_CHARS, int(MOST_CHARS * firmest))),
        "report": condense_quote(ledger.report, max(LEAST_CHARS, int(REPORT_CHARS * firmest))),
        "thought": condense_quote(ledger.thought, brief),
        "lead": condense_quote(ledger.lead, brief),
        "basis": outline_quote(ledger.basis, max(LEAST_CHARS, int(BASIS_CHARS * firmest))),
    }
    gone = {name: len(getattr(ledger, name)) - len(kept) for name, kept in cut.items() if name != "arrived"}
    document = shorten_document(ledger.document, firm)
    same = cut["arrived"] == ledger.arrived and cut["requests"] == ledger.requests and document == ledger.document
    same = same and all(quote == getattr(ledger, name) for name, quote in quotes.items())
    if not any(gone.values()) and same:
        return ledger
    counts = {name: ledger.omitted.get(name, 0) + gone.get(name, 0) for name in (*ledger.omitted, *gone)}
    return replace(
        ledger,
        **cut,
        **quotes,
        document=document,
        omitted={name: counts[name] for name in sorted(counts) if counts[name]},
    )


def keep_least(ledger: Ledger, chars: int, demand_chars: int) -> Ledger:
    """Keep so many characters of the newest request, and of the user's own demands those that have so much room."""
    newest = ledger.requests[-1]
    text = newest.text if len(newest.text) <= chars else f"{newest.text[:chars].rstrip()}…"
    own = tuple(one for one in ledger.constraints if one.scope != "project")
    demands = _limit_demands(own, MOST_CONSTRAINTS, demand_chars)
    return Ledger(requests=(replace(newest, text=text, progress=None),), constraints=demands)


def make_encodable(ledger: Ledger) -> Ledger:
    """Replace each lone surrogate in the ledger with a mark, so that it can be encoded as JSON."""
    try:
        msgspec.json.encode(ledger)
    except UnicodeEncodeError:
        return msgspec.convert(_replace_in_all(msgspec.to_builtins(ledger)), prepare_type(Ledger))
    return ledger


def _replace_in_all(value: Any) -> Any:
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, list | tuple):
        return [_replace_in_all(one) for one in value]
    return {name: _replace_in_all(one) for name, one in value.items()} if isinstance(value, dict) else value


_STATES = ("superseded", "done", "open")
_FILE_RANKS = {"discarded": 0, "read": 1}  # any other use ranks higher


def _take_last(entries: tuple[_T, ...], most: float) -> tuple[_T, ...]:
    return entries[max(0, len(entries) - max(1, int(most))) :]


def _take_highest(entries: Sequence[_T], most: float, rank: Callable[[_T], int]) -> tuple[_T, ...]:
    """Return the entries of highest rank, newest first among equals, in their original order."""
    order = sorted(range(len(entries)), key=lambda at: (rank(entries[at]), at), reverse=True)
    return tuple(entries[at] for at in sorted(order[: max(1, int(most))]))


def _limit_files(entries: tuple[FileEntry, ...], share: float) -> tuple[FileEntry, ...]:
    """Limit the files: of those that were changed, which many lines do not take, more are kept than of others."""
    changed = sum(_FILE_RANKS.get(one.use, 2) == 2 for one in entries)
    firm = min(changed, MOST_CHANGED_FILES, MOST_FILES * CHANGED_FIRMNESS * share)
    return _take_highest(entries, max(firm, MOST_FILES * share), lambda one: _FILE_RANKS.get(one.use, 2))


def _limit_constraints(entries: tuple[Constraint, ...], firm: float, share: float) -> tuple[Constraint, ...]:
    """Limit the user's own demands to one share, and to another the project's rules, which can be read again."""
    own = tuple(one for one in entries if one.scope != "project")
    rules = tuple(one for one in entries if one.scope == "project")
    ruled = min(firm, 4 * share) * PROJECT_SHARE
    kept = {
        *_limit_demands(own, int(MOST_CONSTRAINTS * firm), CONSTRAINT_CHARS * firm),
        *_limit_demands(rules, int(MOST_CONSTRAINTS * ruled), CONSTRAINT_CHARS * ruled),
    }
    return tuple(one for one in entries if one in kept)


def _limit_demands(entries: tuple[Constraint, ...], most: int, chars: float) -> tuple[Constraint, ...]:
    """Keep the newest of the user's demands, and of a project's rules, which are listed by force, the first."""
    order = sorted(
        range(len(entries)),
        key=lambda at: (_rank_constraint(entries[at]), -at if entries[at].scope == "project" else at),
        reverse=True,
    )
    ranked = [(at, len(entries[at].text)) for at in order[:most]]
    return tuple(entries[at] for at in _fit_in_room(ranked, chars))


def _rank_constraint(one: Constraint) -> int:
    """Rank standing ones first and what protects, rules of the project's own files last: those can be read again.

    Of these a host's come first, and those that are never shown last.
    """
    if one.scope == "project":
        return is_prompt(one.source) + is_rule(one) - 2
    return 2 if not one.replaced_by and (one.scope == "standing" or is_protective(one.text)) else 1


def _limit_requests(entries: tuple[UserRequest, ...], share: float) -> tuple[UserRequest, ...]:
    """Prefer the last request, the first, open ones, whole ones, then the newest; of long ones what says most stays."""
    longest = max(LEAST_REQUEST_CHARS, int(LONGEST_REQUEST_CHARS * min(1.0, share)))
    entries = tuple(
        replace(one, text=condense_request(one.text, longest))
        if len(one.text) > max(longest, WHOLE_REQUEST_CHARS) and share < 1
        else one
        for one in (_limit_progress(one, share, one is entries[-1]) for one in entries)
    )
    last = len(entries) - 1
    first = next((at for at, one in enumerate(entries) if is_opening(one)), 0)

    def rank(at: int) -> tuple[bool, bool, bool, int]:
        return (at in (first, last), entries[at].state == "open", f"\n{GAP}" not in entries[at].text, at)

    order = sorted(range(len(entries)), key=rank, reverse=True)
    ranked = [(at, measure_request(entries[at])) for at in order[: int(MOST_REQUESTS * share) + 2]]
    return tuple(entries[at] for at in _fit_in_room(ranked, REQUEST_CHARS * share))


def _get_firmness(share: float) -> int:
    """Return how much more of the requests stays than of others, unless next to nothing has room."""
    return REQUESTS_FIRMNESS if share >= FEWEST_SHARE else LEAST_FIRMNESS


def _limit_progress(one: UserRequest, share: float, is_newest: bool) -> UserRequest:
    """Limit what followed a request to a share of its steps; more stay of the newest."""
    if one.progress is None or share >= 1:
        return one
    least = LEAST_NEWEST_STEPS if is_newest and share >= FEW_SHARE else LEAST_STEPS
    steps = max(least, int(len(one.progress.steps) * share))
    return replace(one, progress=limit_progress(one.progress, steps, max(LEAST_REPLY_CHARS, int(REPLY_CHARS * share))))


def _fit_in_room(ranked: list[tuple[int, int]], room: float) -> list[int]:
    """Return places that fit the room, by rank; one that does not fit makes way for smaller later ones."""
    kept = []
    for at, size in ranked:
        if size <= room:
            room -= size
            kept.append(at)
    return sorted(kept)
