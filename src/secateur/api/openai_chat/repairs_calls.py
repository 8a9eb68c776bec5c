"""Pairs calls with results: each call is answered before any other message, each result has its call.

Rule: a late result moves to its call, a call without a result gets one that says so, and a result without a call
becomes a user message. Images in results move to a user message behind them.
"""

from typing import Any

from secateur.api.editable import Node
from secateur.api.openai_chat.repairs_messages import get_calls
from secateur.api.repair_run import NO_RESULT, RepairRun, quote, register_repair
from secateur.api.replacement_texts import flatten_text, write_heading
from secateur.pairing import Pairing

_MEDIA = frozenset({"image_url", "input_audio", "file"})


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
