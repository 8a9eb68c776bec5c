"""Repairs a session that opencode exported: calls that never ended, ids, and texts.

Rule: a call and its result are one part, so each repair stays inside a part or removes one. opencode orders the parts
of a message by their ids, so a new id begins with the old one. Ids of messages are not repaired.
"""

from collections.abc import Iterator
from typing import Any

from secateur.api.editable import Node
from secateur.api.json_checks import replace_surrogates
from secateur.api.repair_run import NO_CONTENT, NO_OUTPUT, NO_RESULT, RepairRun, quote, register_repair
from secateur.api.replacements import FreshIds, parse_object
from secateur.formats.native import dump_canonical
from secateur.formats.opencode import find_window
from secateur.formats.session_files import as_dict
from secateur.patch import apply

BLOCKS = "parts"  # the member of a message that holds its parts

_SAYS = {"completed": "output", "error": "error"}  # where a call that ended has its result
_WORDLESS = frozenset({"step-start", "step-finish", "snapshot", "patch", "agent", "retry"})  # parts that are not sent


@register_repair("F3")
def remove_copies(repair: RepairRun) -> None:
    """Remove parts that are in a message twice."""
    for node in repair.nodes:
        node.name = BLOCKS
        _drop_copies(repair, node)


def _drop_copies(repair: RepairRun, node: Node) -> None:
    """Remove parts that are identical; opencode would load one of them."""
    kept: dict[Any, Node] = {}
    for number, part in enumerate(node.inner or ()):
        name = part.get("id")
        first = kept.setdefault(name if isinstance(name, str) else number, part)
        if first is part:
            continue
        if first.value == part.value:
            repair.record("F3", part, f"the part {quote(name)} was there twice: one was removed")
        else:
            kept[number] = part
    if node.inner is not None and len(kept) < len(node.inner):
        stay = {id(part) for part in kept.values()}
        node.inner = [part for part in node.inner if id(part) in stay]


@register_repair("F3")
def repair_ids(repair: RepairRun) -> None:
    """Give parts, and the calls that opencode sends together, ids of their own. The first keeps its id."""
    _make_ids_unique(repair, "id", [part for _, part in repair.iterate_blocks() if isinstance(part.get("id"), str)])
    sent = {id(repair.nodes[number]) for number in find_window([node.value for node in repair.nodes])}
    _make_ids_unique(
        repair, "callID", [part for node, part in repair.iterate_blocks() if part.role == "tool" and id(node) in sent]
    )


def _make_ids_unique(repair: RepairRun, name: str, parts: list[Node]) -> None:
    fresh_ids = FreshIds(part.get(name) for part in parts)
    seen: set[str] = set()
    for part in parts:
        old = part.get(name)
        new = old
        if not isinstance(old, str) or not old or old in seen:
            new = fresh_ids.make(old)
            why = "is already used" if old else "was missing"
            part.put((name,), new)
            repair.record("F3", part, f"the `{name}` {quote(old or '')} {why}: it is now {quote(new)}")
        seen.add(new)


@register_repair("L1", "L6", "L7")
def repair_parts(repair: RepairRun) -> None:
    """Give each call an end and an input that is an object, and remove blank texts."""
    for node in repair.nodes:
        info = as_dict(node.get("info"))
        for part in node.inner or ():
            if part.role == "tool":
                _repair_call(repair, part, as_dict(info.get("time")))
        _repair_texts(repair, node)


def _repair_call(repair: RepairRun, part: Node, around: dict[str, Any]) -> None:
    """Give a call an input that is an object, and an end. `around` are the times of its message."""
    state = part.get("state")
    if not isinstance(state, dict):
        part.put(("state",), {"status": "error", "input": {}, "error": NO_RESULT, "time": _derive_times({}, around)})
        repair.record("L1", part, "a call without a state: it now says that it was interrupted")
        return
    if not isinstance(state.get("input"), dict):
        given = parse_object(state.get("input"))
        part.put(("state", "input"), apply(given, list(replace_surrogates(given))))
        repair.record("L7", part, "the input of a call was not an object and became one")
    status = state.get("status")
    if not isinstance(status, str) or status not in _SAYS:
        part.put(("state", "status"), "error")
        part.put(("state", "error"), NO_RESULT)
        repair.record("L1", part, f"call {quote(part.get('callID'))} never ended: it now says that it was interrupted")
    elif not isinstance(state.get(_SAYS[status]), str):
        _say_something(repair, part, status, state.get(_SAYS[status]))
    for name, when in _derive_times(as_dict(state.get("time")), around).items():
        if _read_moment(as_dict(part.value["state"].get("time")).get(name)) is None:
            _put_time(part, name, when)
            repair.record("L1", part, f"a call without the time of its {name} now has one")


def _say_something(repair: RepairRun, part: Node, status: str, said: Any) -> None:
    nothing = NO_OUTPUT if status == "completed" else NO_RESULT
    part.put(("state", _SAYS[status]), nothing if said is None else dump_canonical(said))
    repair.record("L1", part, f"the {_SAYS[status]} of a call was not a text and became one")


def _put_time(part: Node, name: str, when: int | float) -> None:
    if isinstance(part.value["state"].get("time"), dict):
        part.put(("state", "time", name), when)
    else:
        part.put(("state", "time"), {name: when})


def _derive_times(own: dict[str, Any], around: dict[str, Any]) -> dict[str, int | float]:
    """Return when a call began and ended, in milliseconds, as stated or derived from its message."""
    start = next(_filter_moments(own.get("start"), around.get("created"), around.get("completed")), 0)
    end = next(_filter_moments(own.get("end"), around.get("completed")), start)
    return {"start": start, "end": end if _read_moment(own.get("end")) is not None else max(start, end)}


def _filter_moments(*moments: Any) -> Iterator[int | float]:
    yield from (one for one in map(_read_moment, moments) if one is not None)


def _read_moment(value: Any) -> int | float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _repair_texts(repair: RepairRun, node: Node) -> None:
    """Remove blank texts if something else remains; otherwise let one say so (rules L6, A11)."""
    parts = node.inner or []
    blank = [part for part in parts if _is_blank(part)]
    said = [part for part in parts if part.role not in _WORDLESS and part.get("ignored") is not True]
    spared = blank[:1] if len(blank) == len(said) else []
    for part in spared:
        part.put(("text",), NO_CONTENT)
        repair.record("L6", part, f"an empty text now reads {NO_CONTENT}")
    gone = {id(part) for part in blank if part not in spared}
    for part in blank[len(spared) :]:
        repair.record("L6", part, "an empty text was removed")
    if gone:
        node.inner = [part for part in parts if id(part) not in gone]


def _is_blank(part: Node) -> bool:
    """Whether a text that is sent is only white space; one with a signature stays (rule G5)."""
    if part.role != "text" or part.get("ignored") is True or part.get("metadata"):
        return False
    text = part.get("text")
    return text is None or (isinstance(text, str) and not text.strip())
