"""Calls and results of chat messages: every call answered before anybody else speaks, every answer asked for.

Rules O1, O2, O4 and O7. A late result moves behind its call; a call without one gets a result that says so; a result
without a call becomes a message of the user. Pictures in results move to a message of the user behind them.
"""

from typing import Any

from secateur.api.editable import Node
from secateur.api.openai_chat.repairs_messages import calls_of
from secateur.api.repair_run import NO_RESULT, Work, quoted
from secateur.api.replacement_texts import flat, heading
from secateur.pairing import Pairing

_MEDIA = frozenset({"image_url", "input_audio", "file"})


def mend_pairs(work: Work) -> None:
    """Put all calls and results in pairs."""
    rounds = _rounds(work)
    orphans = _claimed(work, rounds)
    nodes: list[Node] = []
    waiting: list[Node] = []  # orphans and media that must not stand between results
    moved = {id(node) for one in rounds for _, node in one.calls.matched}
    by_call = {id(one.node): one for one in rounds}
    for node in work.nodes:
        if id(node) in moved:
            continue
        if id(node) in orphans:
            waiting.append(_told(work, node))
            continue
        nodes += [*waiting, node]
        waiting = []
        if id(node) in by_call:
            answers = _answers(work, by_call[id(node)])
            nodes += answers
            waiting = [shown for answer in answers for shown in _shown(work, answer)]
    work.nodes = nodes + waiting


class _Round:
    """The calls of one message, and their results by id."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.calls: Pairing[Any, Node] = Pairing(unique=True)  # ids, and the messages with their results
        for call in calls_of(node):
            self.calls.add_call(call.get("id"), call.get("id"))


def _rounds(work: Work) -> list[_Round]:
    """The rounds with the results that stand where they belong."""
    rounds: list[_Round] = []
    here: _Round | None = None
    for node in work.nodes:
        if node.role == "tool":
            name = node.get("tool_call_id")
            if here is not None and isinstance(name, str) and here.calls.is_waiting(name):
                here.calls.add_result(name, node)
            continue
        here = _Round(node) if calls_of(node) else None
        rounds += [here] if here else []
    return rounds


def _claimed(work: Work, rounds: list[_Round]) -> set[int]:
    """Give late results to the calls that wait for them; the rest are orphans."""
    placed = {id(node) for one in rounds for _, node in one.calls.matched}
    orphans: set[int] = set()
    before: list[_Round] = []
    by_call = {id(one.node): one for one in rounds}
    asked = ""
    for node in work.nodes:
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
                work.say("O2", node, f"the result of call {quoted(name)} came late and moved behind its call")
            else:
                orphans.add(id(node))
        legacy = node.get("function_call") if node.role == "assistant" else None
        asked = str(legacy.get("name")) if isinstance(legacy, dict) else ""
    return orphans


def _answers(work: Work, one: _Round) -> list[Node]:
    """The results of a round: those that are there in their order, then one for each call that has none."""
    answers = [node for _, node in one.calls.matched]
    for name in one.calls.open_calls:
        answers.append(Node({"role": "tool", "tool_call_id": name, "content": NO_RESULT}))
        work.say("O2", one.node, f"call {quoted(name)} had no result: it now has one that says so")
    return answers


def _told(work: Work, node: Node) -> Node:
    """An orphan result as a message of the user; its pictures stay pictures."""
    name, content = node.get("tool_call_id"), node.get("content")
    work.say("O1", node, f"the result of call {quoted(name)}, which is not there, became a message of the user")
    rest = [one for one in content if not _is_medium(one)] if isinstance(content, list) else content
    text = "\n".join(filter(None, (heading(name, str(node.get("name") or "")), flat(rest))))
    media = _media(node)
    if not media:
        return Node({"role": "user", "content": text})
    return Node({"role": "user"}, inner=[Node({"type": "text", "text": text}), *media], size=-1)


def _shown(work: Work, answer: Node) -> list[Node]:
    """A message of the user with the pictures of a result, in whose place a text points to it (O7)."""
    media = _media(answer)
    if not media:
        return []
    for number, one in enumerate(answer.get("content")):
        if _is_medium(one):
            answer.put(("content", number), {"type": "text", "text": f"[{one['type']}: see the message below]"})
    name = answer.get("tool_call_id")
    work.say("O7", answer, f"media in the result of call {quoted(name)} moved to a message of the user")
    head = Node({"type": "text", "text": f"[media of the result of call {name}]"})
    return [Node({"role": "user"}, inner=[head, *media], size=-1)]


def _media(node: Node) -> list[Node]:
    """The parts of a message that only a user may send, each with the place it stands in."""
    content = node.get("content")
    if not isinstance(content, list) or node.path is None:
        return []
    return [Node(one, (*node.path, "content", at)) for at, one in enumerate(content) if _is_medium(one)]


def _is_medium(block: Any) -> bool:
    return isinstance(block, dict) and isinstance(block.get("type"), str) and block["type"] in _MEDIA
