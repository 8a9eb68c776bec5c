"""Repairs messages (missing content and ids, empty lists of calls, arguments that are not JSON), then pairs calls.

Rule: missing content is replaced with a text that says so. Each call is answered before any other message: a late
result moves to its call, a call without a result gets one that says so, and a result without a call becomes a user
message. Images in results move to a user message behind them.
"""

from typing import Any

from secateur.api.editable import Node
from secateur.api.repair_run import NO_CONTENT, NO_OUTPUT, NO_RESULT, RepairRun, quote, register_repair
from secateur.api.replacements import FreshIds, fix_arguments, flatten_text, write_heading
from secateur.pairing import Pairing

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_SAYS = ("refusal", "audio", "function_call")  # what an assistant may have instead of content

_MEDIA = frozenset({"image_url", "input_audio", "file"})


def get_calls(node: Node) -> list[dict[str, Any]]:
    """The calls of an assistant message that can be paired."""
    found = node.get("tool_calls") if node.role == "assistant" else None
    return [call for call in found if isinstance(call, dict)] if isinstance(found, list) else []


@register_repair("O5", "O6", "O8")
def repair_content(repair: RepairRun) -> None:
    """Give empty messages a text, and make arguments a string of JSON."""
    for node in repair.nodes:
        if not isinstance(node.value, dict) or node.role not in _ROLES:
            continue  # what it is cannot be known
        if "tool_calls" in node.value and node.get("tool_calls") in (None, []):
            node.drop("tool_calls")
            repair.record("O5", node, "an empty `tool_calls` was removed")
        for number, call in enumerate(get_calls(node) and node.get("tool_calls")):
            _repair_arguments(repair, node, number, call)
        _repair_nothing(repair, node)


def _repair_arguments(repair: RepairRun, node: Node, number: int, call: Any) -> None:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return  # a custom tool's call: its input is any text
    mended = fix_arguments(function.get("arguments"))
    if mended is not None:
        path = ("tool_calls", number, "function", "arguments")
        node.put(path, mended)
        kept = "are now under `_raw`" if "_raw" in mended else "became a string of JSON"
        repair.record("O8", node, f"the arguments of call {quote(call.get('id'))} were not JSON and {kept}", path)


def _repair_nothing(repair: RepairRun, node: Node) -> None:
    """Content that is null, missing or an empty list where this is rejected (O6)."""
    content = node.get("content")
    silent = node.role == "assistant" and (get_calls(node) or any(node.get(name) for name in _SAYS))
    if content in (None, []) and not silent:
        said = NO_OUTPUT if node.role in ("tool", "function") else NO_CONTENT
        node.put(("content",), said)
        repair.record("O6", node, f"a message without content now reads {said}")


@register_repair("O3", "O4")
def repair_ids(repair: RepairRun) -> None:
    """Give each call of a message an id of its own, and each result the id of its call."""
    fresh_ids = FreshIds(
        name
        for node in repair.nodes
        for name in (node.get("tool_call_id"), *(call.get("id") for call in get_calls(node)))
    )
    for number, node in enumerate(repair.nodes):
        if get_calls(node):
            answers = []
            for other in repair.nodes[number + 1 :]:
                if other.role != "tool":
                    break
                answers.append(other)
            _repair_round(repair, node, answers, fresh_ids)


def _repair_round(repair: RepairRun, node: Node, answers: list[Node], fresh_ids: FreshIds) -> None:
    new_ids: Pairing[str, None] = Pairing()
    seen: set[str] = set()
    for number, call in enumerate(node.get("tool_calls")):
        if not isinstance(call, dict):
            continue
        old = call.get("id")
        new = old if isinstance(old, str) and old and old not in seen else fresh_ids.make(old)
        if new != old:
            path = ("tool_calls", number, "id")
            node.put(path, new)
            rule, why = ("O4", "is already used") if old else ("O3", "is none")
            repair.record(rule, node, f"the id {quote(old)} {why}: this call and its result are now {new!r}", path)
        seen.add(new)
        new_ids.add_call(repr(old), new)
    for answer in answers:
        _follow(repair, answer, new_ids)


def _follow(repair: RepairRun, answer: Node, new_ids: Pairing[str, None]) -> None:
    """A result takes the next call that had its id; one without an id takes the next call of all."""
    old = answer.get("tool_call_id")
    new = new_ids.take(repr(old))
    if new is None and not isinstance(old, str):
        new = new_ids.take_any()
        if new is not None:
            repair.record("O3", answer, f"a result without an id was given that of call {quote(new)}")
    if new is not None and new != old:
        answer.put(("tool_call_id",), new)


@register_repair("O1", "O2", "O4", "O7")
def repair_pairs(repair: RepairRun) -> None:
    """Pair each call with a result directly behind it, and move media out of results."""
    rounds = _list_rounds(repair)
    orphans = _place_late(repair, rounds)
    nodes: list[Node] = []
    waiting: list[Node] = []  # orphans and media that must not come between results
    moved = {id(node) for one in rounds for _, node in one.calls.matched}
    by_call = {id(one.node): one for one in rounds}
    for node in repair.nodes:
        if id(node) in moved:
            continue
        if id(node) in orphans:
            waiting.append(_convert_orphan(repair, node))
            continue
        nodes += [*waiting, node]
        waiting = []
        if id(node) in by_call:
            answers = _collect_answers(repair, by_call[id(node)])
            nodes += answers
            waiting = [shown for answer in answers for shown in _move_media(repair, answer)]
    repair.nodes = nodes + waiting


class _Round:
    """The calls of one message, with their results."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.calls: Pairing[Any, Node] = Pairing(unique=True)  # ids, and the messages with their results
        for call in get_calls(node):
            self.calls.add_call(call.get("id"), call.get("id"))


def _list_rounds(repair: RepairRun) -> list[_Round]:
    """Return the rounds with the results that are in place."""
    rounds: list[_Round] = []
    here: _Round | None = None
    for node in repair.nodes:
        if node.role == "tool":
            name = node.get("tool_call_id")
            if here is not None and isinstance(name, str) and here.calls.is_waiting(name):
                here.calls.add_result(name, node)
            continue
        here = _Round(node) if get_calls(node) else None
        rounds += [here] if here else []
    return rounds


def _place_late(repair: RepairRun, rounds: list[_Round]) -> set[int]:
    """Give late results to the calls that wait for them. Returns the identities of the others."""
    placed = {id(node) for one in rounds for _, node in one.calls.matched}
    orphans: set[int] = set()
    before: list[_Round] = []
    by_call = {id(one.node): one for one in rounds}
    asked = ""
    for node in repair.nodes:
        if id(node) in by_call:
            before.append(by_call[id(node)])
        if node.role == "function" and node.get("name") != asked:
            orphans.add(id(node))
        elif node.role == "tool" and id(node) not in placed:
            name = node.get("tool_call_id")
            waiting = (one for one in reversed(before) if isinstance(name, str) and one.calls.is_waiting(name))
            late = next(waiting, None)
            if late is not None:
                late.calls.add_result(name, node)
                repair.record("O2", node, f"the result of call {quote(name)} was late and moved behind its call")
            else:
                orphans.add(id(node))
        legacy = node.get("function_call") if node.role == "assistant" else None
        asked = str(legacy.get("name")) if isinstance(legacy, dict) else ""
    return orphans


def _collect_answers(repair: RepairRun, one: _Round) -> list[Node]:
    """The results of a round in their order, then one for each call that has none."""
    answers = [node for _, node in one.calls.matched]
    for name in one.calls.open_calls:
        answers.append(Node({"role": "tool", "tool_call_id": name, "content": NO_RESULT}))
        repair.record("O2", one.node, f"call {quote(name)} had no result: it now has one that says so")
    return answers


def _convert_orphan(repair: RepairRun, node: Node) -> Node:
    """A user message that replaces a result without a call; its images stay images."""
    name, content = node.get("tool_call_id"), node.get("content")
    repair.record("O1", node, f"the result of call {quote(name)} has no call and became a user message")
    rest = [one for one in content if not _is_medium(one)] if isinstance(content, list) else content
    text = "\n".join(filter(None, (write_heading(name, str(node.get("name") or "")), flatten_text(rest))))
    media = _list_user_media(node)
    if not media:
        return Node({"role": "user", "content": text})
    return Node({"role": "user"}, inner=[Node({"type": "text", "text": text}), *media], size=-1)


def _move_media(repair: RepairRun, answer: Node) -> list[Node]:
    """A user message with the images of a result, where a text then points to it (O7)."""
    media = _list_user_media(answer)
    if not media:
        return []
    for number, one in enumerate(answer.get("content")):
        if _is_medium(one):
            answer.put(("content", number), {"type": "text", "text": f"[{one['type']}: see the message below]"})
    name = answer.get("tool_call_id")
    repair.record("O7", answer, f"media in the result of call {quote(name)} moved to a user message")
    head = Node({"type": "text", "text": f"[media of the result of call {name}]"})
    return [Node({"role": "user"}, inner=[head, *media], size=-1)]


def _list_user_media(node: Node) -> list[Node]:
    """Return the parts of a message that only a user message may contain, each with its path."""
    content = node.get("content")
    if not isinstance(content, list) or node.path is None:
        return []
    return [Node(one, (*node.path, "content", at)) for at, one in enumerate(content) if _is_medium(one)]


def _is_medium(block: Any) -> bool:
    return isinstance(block, dict) and isinstance(block.get("type"), str) and block["type"] in _MEDIA
