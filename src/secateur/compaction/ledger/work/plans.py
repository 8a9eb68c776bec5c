"""The agent's own plan: its items as the plan tools were last told them, and as what followed shows them.

Rule: the newest plan counts; an item that vanished from it unfinished is superseded, one that vanished when it was
done stays done. Items are the agent's words, never the user's. Tools are known by what they are given (`roles`). Of a
plan in prose only its boxes are items; a plain list is a plan where it holds nothing else. An item that asks for one
thing only (a commit, a push, a pull request) is done where a later call did that, and one that asks for a report where
the agent ended its turn and nothing else was left.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from secateur.compaction.ledger.entries import PlanItem, State, UserRequest, mark
from secateur.compaction.ledger.repository.commits import COMMITTED, find_commits
from secateur.model import Message
from secateur.redact import redact
from secateur.toolcalls.actions import Action, clip_text, collapse_whitespace, normalize_name
from secateur.toolcalls.commands import ExecutedCommand

MAX_CHARS = 240  # of one item
_PAST_PLAN = "replies to several requests, the newest "


def extract_plans(done: Iterable[Action]) -> tuple[tuple[PlanItem, ...], bool]:
    """Return every plan item of these calls in order of first mention, and whether a whole plan was given."""
    whole = False
    found: dict[str, PlanItem] = {}
    names: dict[str, str] = {}  # of tasks that are made and changed one by one: their id → their text
    for action in done:
        if action.kind != "plan" or not action.ok:
            continue
        if listed := _parse_list(action.given):
            _replace(found, listed, action.call.key)
            whole = True
        elif action.given:
            _apply_task(found, names, action)
    return tuple(found.values()), whole


_LISTS = frozenset({"todos", "todolist", "plan", "tasks", "items", "steps"})
_TEXTS = ("content", "step", "text", "title", "subject", "task", "name", "description", "activeform")
_DONE = frozenset({"completed", "complete", "done", "finished", "closed"})
_DROPPED = frozenset({"cancelled", "canceled", "deleted", "skipped", "abandoned", "superseded", "removed"})
_BEGUN = frozenset({"inprogress", "active", "doing", "started", "running", "working", "wip"})
_LINE = re.compile(r"^\s*(?:[-*•]|\d{1,3}[.)])\s*(?:\[(?P<box>[ xX~>-])\]\s*)?(?P<text>\S.*)$", re.M)


def _parse_list(given: dict[str, Any]) -> list[PlanItem]:
    for name, value in given.items():
        if normalize_name(name) in _LISTS and isinstance(value, list):
            return [item for one in value if (item := _parse_item(one))]
        if normalize_name(name) in _LISTS and isinstance(value, str):
            return list(_parse_lines(value))
    return []


def _parse_item(one: Any) -> PlanItem | None:
    if isinstance(one, str):
        return PlanItem(text) if (text := _clean_text(one)) else None
    if not isinstance(one, dict):
        return None
    said = next((one[name] for name in _TEXTS if isinstance(one.get(name), str) and one[name].strip()), "")
    text = _clean_text(said)
    state, begun = _parse_status(one)
    return PlanItem(text, state, begun=begun) if text else None


def list_later_commits(
    tasks: Sequence[PlanItem], done: Sequence[Action], ran: Iterable[ExecutedCommand]
) -> Iterator[str]:
    """Yield the newest commit that came after the plan was last told, while items of it are open."""
    places = {action.call.key: number for number, action in enumerate(done)}
    told = max((places.get(one.key, -1) for one in tasks), default=-1)
    if told >= 0 and any(one.state == "open" for one in tasks):
        later = [run for run in ran if places.get(run.action.call.key, -1) > told]
        commits = [commit for run in later for commit in find_commits((run,))]
        yield from (f"{COMMITTED}{commit}" for commit in commits[-1:])


def is_past_plan(line: str) -> bool:
    """Whether a line on what came after the plan says that the agent replied to several requests since."""
    return line.startswith(_PAST_PLAN)


def find_later_reply(
    tasks: Sequence[PlanItem], messages: Sequence[Message], requests: Sequence[UserRequest]
) -> Iterator[str]:
    """Yield the newest reply to a request that came after the plan was last told, while items of it are open.

    Where the agent replied to several, the line says so by its beginning.
    """
    keys = {one.key for one in tasks}
    places = {message.key: at for at, message in enumerate(messages)}
    told = max((at for at, one in enumerate(messages) if any(part.key in keys for part in one.parts)), default=-1)
    later = [one for one in requests if told >= 0 and places.get(one.key, -1) > told and one.state == "done"]
    if later and any(one.state == "open" for one in tasks):
        yield f"{_PAST_PLAN if len(later) > 1 else ''}the reply to [{mark(later[-1].key)}]"


def settle_tasks(
    tasks: Iterable[PlanItem], done: Sequence[Action], ran: Iterable[ExecutedCommand], has_reported: bool
) -> tuple[PlanItem, ...]:
    """Return the items, those done that calls behind them did, and reports with which the agent ended its turn."""
    places = {action.call.key: number for number, action in enumerate(done)}
    runs = [(places.get(run.action.call.key, -1), run) for run in ran if run.ok]

    def is_done(one: PlanItem) -> bool:
        place = places.get(one.key, len(done))
        acts = [acts for asks, acts in _DEEDS if asks.fullmatch(one.text)]
        return any(at > place and acts[0].search(run.line) for at, run in runs) if acts else False

    settled = [end_task(one) if one.state == "open" and is_done(one) else one for one in tasks]
    left = [one for one in settled if one.state == "open"]
    if has_reported and all(_REPORTS.match(one.text) for one in left):  # nothing else was left to do
        return tuple(end_task(one) if one in left else one for one in settled)
    return tuple(settled)


def end_task(one: PlanItem, state: State = "done") -> PlanItem:
    """Return an item that nobody is at work on any more."""
    return replace(one, state=state, begun=False)


_REPORTS = re.compile(
    r"(?i)(?:summari[sz]e|report(?: back)?|tell the user|present|write (?:a |the |up )*(?:final )?(?:summary|report)"
    r"|(?:final|give a?) (?:summary|report|answer)|hand (?:off|over)|answer the user|communicate)\b"
    r"(?![^\n]*\b(?:and|then) (?:re-?)?(?:commit|push|run|open|create|fix|update|implement|deploy|test|merge|add"
    r"|review)\b)"
)
_DEEDS = (  # one thing only: what asks for it, and the command that does it
    (re.compile(r"(?i)commit\b(?:(?! and | then |[,;+&]).)*"), re.compile(r"\bgit (?:-\S+ \S+ )?commit\b")),
    (re.compile(r"(?i)push\b(?:(?! and | then |[,;+&]).)*"), re.compile(r"\bgit (?:-\S+ \S+ )?push\b")),
    (
        re.compile(
            r"(?i)(?:open|create|submit) (?:a |the )?(?:draft )?(?:PR|pull request)\b(?:(?! and | then |[,;+&]).)*"
        ),
        re.compile(r"\bgh pr create\b"),
    ),
)


def _parse_lines(plan: str) -> Iterator[PlanItem]:
    hits = list(_LINE.finditer(plan))
    has_boxes = any(found["box"] for found in hits)
    if not has_boxes and _LINE.sub("", plan).strip():
        return  # prose, in which lists are no plans
    for found in hits:
        if (found["box"] or not has_boxes) and (text := _clean_text(found["text"])):
            box = found["box"] or ""
            yield PlanItem(text, "done" if box in ("x", "X") else "open", begun=box in ("~", ">"))


def _parse_status(one: dict[str, Any]) -> tuple[State, bool]:
    """Return the state that an item is given, and whether the agent is at work on it."""
    status = str(one.get("status", one.get("state", ""))).lower()
    if status in _DONE or one.get("done") is True or one.get("completed") is True:
        return "done", False
    return ("superseded", False) if status in _DROPPED else ("open", normalize_name(status) in _BEGUN)


def _replace(found: dict[str, PlanItem], listed: Sequence[PlanItem], key: str) -> None:
    """The plan now reads so."""
    there = {one.text for one in listed}
    for text, task in found.items():
        if text not in there and task.state == "open":
            found[text] = PlanItem(text, "superseded", key)
    for one in listed:
        found[one.text] = replace(one, key=key)


def _apply_task(found: dict[str, PlanItem], names: dict[str, str], action: Action) -> None:
    """Create one task or change its state."""
    given = action.given
    number = str(next((given[name] for name in given if normalize_name(name) in ("taskid", "id", "todoid")), ""))
    item = _parse_item(given)
    if number and number in names:
        text = names[number]
        before = found.get(text, PlanItem(text))
        told = _parse_status(given) if "status" in given else (before.state, before.begun)
        found[text] = PlanItem(text, told[0], action.call.key, number, told[1])
    elif item and not given.get("prompt"):
        made = re.search(r"#(\w{1,12})\b", action.said[:200])
        number = number or (made[1] if made else "")
        names[number] = item.text
        found[item.text] = replace(item, key=action.call.key, id=number)
    elif number and "status" in given:
        state, begun = _parse_status(given)
        found[f"#{number}"] = PlanItem("", state, action.call.key, number, begun)


def _clean_text(said: str) -> str:
    return clip_text(collapse_whitespace(redact(said)), MAX_CHARS)
