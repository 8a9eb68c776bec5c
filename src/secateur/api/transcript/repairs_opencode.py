"""A session that opencode exported, mended so that it loads and can be sent again: calls that never ended, ids, texts.

Rule: a call and its result are one part, so each mend stays inside a part, or takes one out; opencode keeps the parts
of a message in the order of their ids, so a new id begins with the old one. Ids of messages are not mended.
"""

from collections.abc import Iterator
from typing import Any

from secateur.api.call_arguments import object_of
from secateur.api.editable import Node
from secateur.api.fresh_ids import Names
from secateur.api.repair_run import NO_CONTENT, NO_OUTPUT, NO_RESULT, Work, quoted
from secateur.api.surrogates import halves
from secateur.formats.native import canonical
from secateur.formats.opencode_window import window
from secateur.formats.session_files import table
from secateur.patch import apply

BLOCKS = "parts"  # the member of a message that holds its parts

_SAYS = {"completed": "output", "error": "error"}  # where a call that ended has its result
_WORDLESS = frozenset({"step-start", "step-finish", "snapshot", "patch", "agent", "retry"})  # parts that are not sent


def mend(work: Work) -> None:
    """Mend all that opencode could not load, or its provider would refuse (rules L, F3)."""
    for node in work.nodes:
        node.name = BLOCKS
        _drop_copies(work, node)
    _mend_ids(work)
    for node in work.nodes:
        info = table(node.get("info"))
        for part in node.inner or ():
            if part.role == "tool":
                _mend_call(work, part, table(info.get("time")))
        _mend_texts(work, node)


def _drop_copies(work: Work, node: Node) -> None:
    """A part that stands there twice, all of it the same: opencode would load one of them."""
    kept: dict[Any, Node] = {}
    for number, part in enumerate(node.inner or ()):
        name = part.get("id")
        first = kept.setdefault(name if isinstance(name, str) else number, part)
        if first is part:
            continue
        if first.value == part.value:
            work.say("F3", part, f"the part {quoted(name)} stood there twice: one was taken out")
        else:
            kept[number] = part
    if node.inner is not None and len(kept) < len(node.inner):
        stay = {id(part) for part in kept.values()}
        node.inner = [part for part in node.inner if id(part) in stay]


def _mend_ids(work: Work) -> None:
    """Ids of parts, and of the calls that opencode sends together: the first keeps its own (rules F3, A4)."""
    _own_ids(work, "id", [part for _, part in work.blocks() if isinstance(part.get("id"), str)])
    sent = {id(work.nodes[number]) for number in window([node.value for node in work.nodes])}
    _own_ids(work, "callID", [part for node, part in work.blocks() if part.role == "tool" and id(node) in sent])


def _own_ids(work: Work, name: str, parts: list[Node]) -> None:
    names = Names(part.get(name) for part in parts)
    seen: set[str] = set()
    for part in parts:
        old = part.get(name)
        new = old
        if not isinstance(old, str) or not old or old in seen:
            new = names.fresh(old)
            why = "was taken" if old else "was missing"
            part.put((name,), new)
            work.say("F3", part, f"the `{name}` {quoted(old or '')} {why}: it is now {quoted(new)}")
        seen.add(new)


def _mend_call(work: Work, part: Node, around: dict[str, Any]) -> None:
    """Let a call have an input that is an object, and an end. `around`: the times of its message."""
    state = part.get("state")
    if not isinstance(state, dict):
        part.put(("state",), {"status": "error", "input": {}, "error": NO_RESULT, "time": _times({}, around)})
        work.say("L1", part, "a call without a state: it now says that it was interrupted")
        return
    if not isinstance(state.get("input"), dict):
        given = object_of(state.get("input"))
        part.put(("state", "input"), apply(given, list(halves(given))))
        work.say("L7", part, "the input of a call was no object and became one")
    status = state.get("status")
    if not isinstance(status, str) or status not in _SAYS:
        part.put(("state", "status"), "error")
        part.put(("state", "error"), NO_RESULT)
        work.say("L1", part, f"call {quoted(part.get('callID'))} never ended: it now says that it was interrupted")
    elif not isinstance(state.get(_SAYS[status]), str):
        _say_something(work, part, status, state.get(_SAYS[status]))
    for name, when in _times(table(state.get("time")), around).items():
        if _moment(table(part.value["state"].get("time")).get(name)) is None:
            _put_time(part, name, when)
            work.say("L1", part, f"a call without the time of its {name} has one now")


def _say_something(work: Work, part: Node, status: str, said: Any) -> None:
    nothing = NO_OUTPUT if status == "completed" else NO_RESULT
    part.put(("state", _SAYS[status]), nothing if said is None else canonical(said))
    work.say("L1", part, f"the {_SAYS[status]} of a call was no text and became one")


def _put_time(part: Node, name: str, when: int | float) -> None:
    if isinstance(part.value["state"].get("time"), dict):
        part.put(("state", "time", name), when)
    else:
        part.put(("state", "time"), {name: when})


def _times(own: dict[str, Any], around: dict[str, Any]) -> dict[str, int | float]:
    """When a call began and ended, in milliseconds: as it says, else as far as its message tells."""
    start = next(_known(own.get("start"), around.get("created"), around.get("completed")), 0)
    end = next(_known(own.get("end"), around.get("completed")), start)
    return {"start": start, "end": end if _moment(own.get("end")) is not None else max(start, end)}


def _known(*moments: Any) -> Iterator[int | float]:
    yield from (one for one in map(_moment, moments) if one is not None)


def _moment(value: Any) -> int | float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _mend_texts(work: Work, node: Node) -> None:
    """Blank texts go where something else is said, else one says that there is nothing (rules L6, A11)."""
    parts = node.inner or []
    blank = [part for part in parts if _is_blank(part)]
    said = [part for part in parts if part.role not in _WORDLESS and part.get("ignored") is not True]
    spared = blank[:1] if len(blank) == len(said) else []
    for part in spared:
        part.put(("text",), NO_CONTENT)
        work.say("L6", part, f"an empty text now reads {NO_CONTENT}")
    gone = {id(part) for part in blank if part not in spared}
    for part in blank[len(spared) :]:
        work.say("L6", part, "an empty text was taken out")
    if gone:
        node.inner = [part for part in parts if id(part) not in gone]


def _is_blank(part: Node) -> bool:
    """A text of white space alone that is sent; one that carries a signature stays (rule G5)."""
    if part.role != "text" or part.get("ignored") is True or part.get("metadata"):
        return False
    text = part.get("text")
    return text is None or (isinstance(text, str) and not text.strip())
