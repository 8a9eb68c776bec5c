"""The ledger that rendered lines say.

Rule: a line that is not of a rendered shape is left alone, never an error. The user's words are taken from the sections
of the user's words only, so that no finding can pose as one. Sources are known by their marks from then on.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast

from msgspec.structs import replace

from secateur.compaction.ledger.course import OLDER_GOALS, split_gaps
from secateur.compaction.ledger.demand_lines import parse_constraints
from secateur.compaction.ledger.entries import (
    Attempt,
    Command,
    Failure,
    Ledger,
    Pending,
    PlanItem,
    Question,
    Quote,
    Standing,
    StandingKind,
    State,
    TaskDocument,
    Ticket,
    Undelivered,
    UserRequest,
    ValueChange,
)
from secateur.compaction.ledger.files.lines import COMMON, SCRATCH_FILES, complete_path, parse_files, split_names
from secateur.compaction.ledger.files.selection import SCRATCH
from secateur.compaction.ledger.next_lines import (
    AS_DRAFT,
    BASIS,
    CALLED,
    EARLIER_WORDS,
    IN_PROGRESS,
    LAST_WORDS,
    LEAD,
    OUTCOME_WORDS,
    PENDING,
    SUCH,
    THOUGHT,
    UNDELIVERED,
)
from secateur.compaction.ledger.read_course import parse_course, parse_requests, replace_older, split_bullets
from secateur.compaction.ledger.render import ADDED, EARLIER_COMMITS, REPORTED, TAKEN_BACK, TASK_DOCUMENT, UNLISTED
from secateur.compaction.ledger.repository.branches import complete_commits
from secateur.compaction.ledger.repository.commits import COMMITTED
from secateur.compaction.ledger.repository.status import DIRTY, ELSEWHERE, STRAYS, read_place
from secateur.compaction.ledger.turns.outcomes import SEPARATOR, STOPPED
from secateur.compaction.ledger.turns.progress import list_told_steps
from secateur.compaction.ledger.work.open_work import CI, NEVER_COMMITTED, NOT_TO_COMMIT, PUSHED, UNCOMMITTED, UNPUSHED
from secateur.compaction.ledger.work.standing import STANDING
from secateur.compaction.ledger.work.verdict import WHERE, find_ending, find_question, find_settled
from secateur.toolcalls.commands import Check


def read_back(sections: Mapping[str, Sequence[str]]) -> Ledger:
    """The ledger of these sections' lines; bullets may stand whole, or cut at their line ends."""
    sections = {id: tuple(replace_older(lines)) for id, lines in sections.items()}
    goal = [replace(one, goal=True) for one in _parse_goals(sections.get("goal", ()))]
    constraints = [
        *parse_constraints(split_bullets(sections.get("instructions", ())), has_plain=False),
        *parse_constraints(split_bullets(sections.get("constraints", ()))),
    ]
    rest = [
        *parse_course(sections.get("accomplished", ()), {one.key: one for one in goal}, constraints),
        *parse_requests(sections.get("instructions", ())),
    ]
    first = goal[:1] if len(goal) > 1 else []  # the goals are the oldest request and the newest ones
    known = {one.key or one.text for one in rest}
    requests = [
        *(one for one in first if (one.key or one.text) not in known),
        *rest,
        *(one for one in goal[len(first) :] if (one.key or one.text) not in known),
    ]
    found: dict[str, Any] = {"requests": requests, "constraints": constraints}
    steps = list_told_steps(requests)
    if commits := [step.removeprefix(COMMITTED) for step in steps if step.startswith(COMMITTED)]:
        found["commits"] = commits
    for text in split_bullets(sections.get("goal", ())):
        if told := _DOCUMENT.fullmatch(text):
            found["document"] = TaskDocument(told[1], told[2])
    for text in split_bullets(sections.get("constraints", ())):
        if text.startswith(f"{UNLISTED}: "):
            _parse_fact(found, text)
    for text in (one for id in _FACTS for one in split_bullets(sections.get(id, ()))):
        for fact in _split_report(text):
            _parse_fact(found, fact)
    root = _get_base(found)
    found.pop(COMMON, None)
    found["uncommitted"] = [complete_path(path, root) for path in found.get("uncommitted", ())]
    found["values"] = [replace(one, path=complete_path(one.path, root)) for one in found.get("values", ())]
    fields: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in found.items()}
    return complete_commits(Ledger(**fields))


def _parse_goals(lines: Sequence[str]) -> list[UserRequest]:
    """Parse the goals in the order in which they were said: the newest stands first, before a line on the others."""
    at = next((at for at, line in enumerate(lines) if line == f"- {OLDER_GOALS}"), len(lines))
    return [*parse_requests(lines[at:]), *parse_requests(lines[:at])]


_FACTS = ("discoveries", "accomplished", "files", "questions", "next")
_DOCUMENT = re.compile(rf"{TASK_DOCUMENT} ([^\n:]+): (.*)", re.S)
_OUTCOMES: dict[str, bool | None] = {word: ok for ok, word in OUTCOME_WORDS.items()} | {STOPPED: None}
_ENDS = "|".join(_OUTCOMES)
_COMMAND = re.compile(
    rf"(ran|test|build|lint), ({_ENDS})(?: \((-?\d+)\))?( \(edited since\))?"
    r": (.*?)(?: — said: (.*))?"
)
_LAST_CALL = re.compile(rf"{CALLED}, ({_ENDS})(?: \((-?\d+)\))?: (.*?)(?: — said: (.*))?")
_VALUE = re.compile(rf"value: (\S+) in (.+): (?:{ADDED}|(.*) → )(.*)")
_WORDS = re.compile(rf"({LAST_WORDS}|{EARLIER_WORDS}): (.*)", re.S)
_ERROR = re.compile(r"error, (open|resolved|not tried again)( \(edited since\))?: (.*?)(?: — during: (.*))?")
_SCRATCH_LABEL = re.compile(rf"{SCRATCH_FILES}(?:, (\d{{1,4}}) of (\d{{1,4}}))?")
_TICKET = re.compile(r"(ticket|pull request), (open|done)(" + AS_DRAFT + r")?: (\S+)(?: — (.*))?")
_TASK = re.compile(r"task(s)?, (open|done|superseded|in progress): (.*)")


def _split_report(text: str) -> list[str]:
    """Split a bullet of several things that the agent reports into one of each; any other is one."""
    lead, *items = text.split("\n")
    return [f"{REPORTED}: {item}" for item in items] if items and lead == f"{REPORTED}:" else [text]


def _parse_fact(found: dict[str, Any], text: str) -> None:
    """Add what one bullet says if it has a known shape."""
    found.update(read_place(text))
    head, _, rest = text.partition(": ")
    if head == WHERE and (asked := find_question(rest)):
        known = found.get("questions", ())
        found["questions"] = (*known, *([] if Question(asked) in known else [Question(asked)]))
    _count_omitted(found, _parse_counts(rest) if head == UNLISTED else {})
    if head in (UNCOMMITTED, PUSHED):
        found["delivered"] = (*found.get("delivered", ()), "push" if head == PUSHED else "commit")
    if head in _FIELDS:
        name, read = _FIELDS[head]
        found[name] = read(rest)
    elif hit := _SCRATCH_LABEL.fullmatch(head):
        found.setdefault("files", []).extend(parse_files(text, _get_base(found)))
        _count_omitted(found, {SCRATCH: int(hit[2]) - int(hit[1])} if hit[1] else {})
    elif head in _SEVERAL:
        name, split = _SEVERAL[head]
        found.setdefault(name, []).extend(split(rest))
    elif head in _LISTS:
        name, made = _LISTS[head]
        found.setdefault(name, []).append(made(rest))
    elif hit := _LAST_CALL.fullmatch(text):
        exit_ = int(hit[2]) if hit[2] else None
        call = Command(hit[3], _OUTCOMES[hit[1]], exit_, told=hit[4] or "", stopped=hit[1] == STOPPED)
        found.setdefault("last_calls", []).append(call)
    else:
        _parse_shaped_fact(found, text)


def _count_omitted(found: dict[str, Any], counts: Mapping[str, int]) -> None:
    if counts:
        found["omitted"] = {**found.get("omitted", {}), **counts}


def _get_base(found: Mapping[str, Any]) -> str:
    """Return the folder that `./` stands for."""
    return str(found.get("root") or found.get("folder") or found.get(COMMON, ""))


def _parse_shaped_fact(found: dict[str, Any], text: str) -> None:
    """Add what one bullet says if it has the shape of an entry of several fields."""
    if files := list(parse_files(text, _get_base(found))):
        found.setdefault("files", []).extend(files)
    elif hit := _TASK.fullmatch(text):
        texts = hit[3].split(SEPARATOR) if hit[1] else [hit[3]]
        begun = hit[2] == IN_PROGRESS
        state = "open" if begun else cast(State, hit[2])
        found.setdefault("tasks", []).extend(PlanItem(one, state, begun=begun) for one in texts)
    elif hit := _TICKET.fullmatch(text):
        ticket = Ticket(hit[4], hit[5] or "", cast(Any, hit[2]), cast(Any, hit[1]), draft=bool(hit[3]))
        found.setdefault("tickets", []).append(ticket)
    elif hit := _ERROR.fullmatch(text):
        is_open = hit[1] == "open"
        failure = Failure(hit[3], hit[4] or "", hit[1] == "resolved", check=is_open, edited_since=bool(hit[2]))
        found.setdefault("failures", []).append(failure)
    elif hit := _VALUE.fullmatch(text):
        found.setdefault("values", []).append(ValueChange(hit[2], hit[1], hit[3] or "", hit[4]))
    elif hit := _WORDS.fullmatch(text):
        is_earlier = hit[1] == EARLIER_WORDS
        name = "report" if is_earlier and "last_words" in found else "last_words"
        found[name] = Quote(split_gaps(hit[2]), is_answered=is_earlier)
    elif hit := _COMMAND.fullmatch(text):
        found.setdefault("commands", []).append(_parse_command(hit))


def _parse_command(hit: re.Match[str]) -> Command:
    check = None if hit[1] == "ran" else cast(Check, hit[1])
    exit_ = int(hit[3]) if hit[3] else None
    is_stopped = hit[2] == STOPPED
    return Command(hit[5], _OUTCOMES[hit[2]], exit_, check, hit[6] or "", edited_since=bool(hit[4]), stopped=is_stopped)


def _parse_verdict(rest: str) -> list[Standing]:
    """Parse how the session ended; whose turn it is and what is open follows from the other lines."""
    told: tuple[tuple[StandingKind, str], ...] = (("ended", find_ending(rest)), ("settled", find_settled(rest)))
    return [Standing(kind, text) for kind, text in told if text]


def _parse_pending(rest: str) -> list[Pending]:
    rest, _, number = rest.partition(SUCH)
    tool, _, target = rest.partition(" — ")
    return [Pending(tool, target)] * int(number or 1)


def _parse_paths(rest: str) -> tuple[str, ...]:
    return tuple(split_names(rest))


def _parse_undelivered(rest: str) -> Undelivered:
    kind, _, said = rest.partition(" — ")
    return Undelivered(kind, said)


def _parse_counts(rest: str) -> dict[str, int]:
    found = re.findall(r"(\d{1,2}) (\w+)", rest)
    return {f"{name}s" if count == "1" and not name.endswith("ing") else name: int(count) for count, name in found}


_FIELDS: dict[str, tuple[str, Callable[[str], Any]]] = {
    WHERE: ("standing", _parse_verdict),  # stands before the other lines on it
    CI: ("ci", str),
    DIRTY: ("dirty", _parse_paths),
    STRAYS: ("strays", _parse_paths),
    UNPUSHED: ("unpushed", lambda rest: tuple(rest.split(" · "))),
    THOUGHT: ("thought", lambda rest: Quote(split_gaps(rest))),
    LEAD: ("lead", lambda rest: Quote(split_gaps(rest))),
    BASIS: ("basis", lambda rest: Quote(split_gaps(rest))),
    "names": ("identifiers", lambda rest: tuple(rest.split(" · "))),
    UNCOMMITTED: ("uncommitted", _parse_paths),
    NEVER_COMMITTED: ("uncommitted", _parse_paths),
    NOT_TO_COMMIT: ("uncommitted", _parse_paths),
}
_SEVERAL: dict[str, tuple[str, Callable[[str], Any]]] = {
    EARLIER_COMMITS: ("commits", lambda rest: rest.split(" · ")),
    PENDING: ("pending", _parse_pending),
}
_LISTS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "commit": ("commits", str),
    REPORTED: ("reported", Quote),
    TAKEN_BACK: ("attempts", Attempt),
    ELSEWHERE: ("elsewhere", str),
    "asked the user": ("questions", Question),
    UNDELIVERED: ("undelivered", _parse_undelivered),
    **{head: ("standing", partial(Standing, kind)) for kind, head in STANDING.items()},
}
