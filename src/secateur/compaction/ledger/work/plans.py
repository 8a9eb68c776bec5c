"""The agent's own plan: its items as the plan tools were last told them.

Rule: the newest plan counts; an item that vanished from it unfinished is superseded, one that vanished when it was
done stays done. Items are the agent's words, never the user's. Tools are known by what they are given (`roles`).
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from secateur.compaction.ledger.entries import PlanItem, State
from secateur.redact import redact
from secateur.toolcalls.actions import Action, clip_text, collapse_whitespace, normalize_name

MAX_CHARS = 240  # of one item


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
_LINE = re.compile(r"^\s*(?:[-*•]|\d{1,3}[.)])\s*(?:\[(?P<box>[ xX~>-])\]\s*)?(?P<text>\S.*)$", re.M)


def _parse_list(given: dict[str, Any]) -> list[tuple[str, State]]:
    for name, value in given.items():
        if normalize_name(name) in _LISTS and isinstance(value, list):
            return [item for one in value if (item := _parse_item(one))]
        if normalize_name(name) in _LISTS and isinstance(value, str):
            return list(_parse_lines(value))
    return []


def _parse_item(one: Any) -> tuple[str, State] | None:
    if isinstance(one, str):
        return (_clean_text(one), "open") if _clean_text(one) else None
    if not isinstance(one, dict):
        return None
    said = next((one[name] for name in _TEXTS if isinstance(one.get(name), str) and one[name].strip()), "")
    text = _clean_text(said)
    return (text, _state(one)) if text else None


def _parse_lines(plan: str) -> Iterator[tuple[str, State]]:
    for found in _LINE.finditer(plan):
        if text := _clean_text(found["text"]):
            yield text, "done" if (found["box"] or "").lower() == "x" else "open"


def _state(one: dict[str, Any]) -> State:
    status = str(one.get("status", one.get("state", ""))).lower()
    if status in _DONE or one.get("done") is True or one.get("completed") is True:
        return "done"
    return "superseded" if status in _DROPPED else "open"


def _replace(found: dict[str, PlanItem], listed: list[tuple[str, State]], key: str) -> None:
    """The plan now reads so."""
    there = {text for text, _ in listed}
    for text, task in found.items():
        if text not in there and task.state == "open":
            found[text] = PlanItem(text, "superseded", key)
    for text, state in listed:
        found[text] = PlanItem(text, state, key)


def _apply_task(found: dict[str, PlanItem], names: dict[str, str], action: Action) -> None:
    """Create one task or change its state."""
    given = action.given
    number = str(next((given[name] for name in given if normalize_name(name) in ("taskid", "id", "todoid")), ""))
    item = _parse_item(given)
    if number and number in names:
        text, before = names[number], found.get(names[number])
        state = _state(given) if "status" in given else before.state if before else "open"
        found[text] = PlanItem(text, state, action.call.key, number)
    elif item and not given.get("prompt"):
        made = re.search(r"#(\w{1,12})\b", action.said[:200])
        number = number or (made[1] if made else "")
        names[number] = item[0]
        found[item[0]] = PlanItem(*item, action.call.key, number)
    elif number and "status" in given:
        found[f"#{number}"] = PlanItem("", _state(given), action.call.key, number)


def _clean_text(said: str) -> str:
    return clip_text(collapse_whitespace(redact(said)), MAX_CHARS)
