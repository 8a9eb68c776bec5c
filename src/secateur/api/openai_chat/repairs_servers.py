"""What strict servers ask for (rules O13, O15): roles that alternate, and content that is a string.

Rule: neighbours of one role become one message, with an empty line between their texts, lists of parts one behind the
other; messages with calls and results are never merged. The first message after the instructions is the user's.
"""

import re
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

from secateur.api.editable import Node
from secateur.api.openai_chat.repairs_messages import calls_of
from secateur.api.repair_run import BEGINNING, Work, quoted

_NO_ANSWER = "[no answer: the turn was interrupted]"
_NINE = re.compile("[a-zA-Z0-9]{9}")
_INSTRUCTIONS = ("system", "developer")
_NOT_TEXT = ("tool_calls", "function_call", "audio", "refusal")


def alternate(work: Work) -> None:
    """Make strings of lists, merge neighbours, and begin with the user."""
    nodes: list[Node] = []
    last: Node | None = None
    for node in work.nodes:
        _as_string(work, node)
        if last is not None and node.role in ("user", "assistant") and node.role == last.role and _merges(last, node):
            whole = _merged(last, node)
            if whole is node:  # calls stay before their results
                nodes = [one for one in nodes if one is not last] + [node]
            last = whole
            work.say("O13", node, f"two messages of the {node.role} in a row became one")
        else:
            nodes.append(node)
            last = last if node.role in _INSTRUCTIONS else node
    first = next((at for at, node in enumerate(nodes) if node.role not in _INSTRUCTIONS), len(nodes))
    if first < len(nodes) and nodes[first].role == "assistant":
        work.say("O13", nodes[first], "a message of the user was put before the first one of the assistant")
        nodes.insert(first, Node({"role": "user", "content": BEGINNING}))
    work.nodes = list(_answered(work, nodes))


def respell(work: Work) -> None:
    """Ids of nine letters or digits (O15, Mistral): one that is not becomes the start of its hash."""
    for node in work.nodes:
        for number, call in enumerate(calls_of(node) and node.get("tool_calls")):
            old = call.get("id") if isinstance(call, dict) else None
            if isinstance(old, str) and not _NINE.fullmatch(old):
                node.put(("tool_calls", number, "id"), _nine(old))
                work.say(
                    "O15", node, f"the id {quoted(old)} is not of nine letters or digits: it is now {_nine(old)!r}"
                )
        answers = node.get("tool_call_id")
        if node.role == "tool" and isinstance(answers, str) and not _NINE.fullmatch(answers):
            node.put(("tool_call_id",), _nine(answers))


def _nine(name: str) -> str:
    return blake2b(name.encode("utf-8", "surrogatepass")).hexdigest()[:9]


def _answered(work: Work, nodes: list[Node]) -> Iterator[Node]:
    """Templates count no calls: between a result and the user's next words the assistant must have said something."""
    counted = ""
    for node in nodes:
        counts = node.role == "user" or (node.role == "assistant" and not calls_of(node))
        if counts and node.role == "user" == counted:
            work.say("O13", node, "an answer that never came was put before a message of the user")
            yield Node({"role": "assistant", "content": _NO_ANSWER})
        counted = node.role if counts else counted
        yield node


def _as_string(work: Work, node: Node) -> None:
    """A list of texts becomes one string (O15); one that holds pictures stays a list."""
    content = node.get("content")
    if not isinstance(content, list) or not all(_is_text(one) for one in content) or node.inner is not None:
        return
    node.put(("content",), "\n".join(one["text"] for one in content))
    work.say("O15", node, "a list of texts became one string")


def _is_text(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)


def _merges(one: Node, other: Node) -> bool:
    """Two texts, or a text and what the assistant calls behind it."""
    plain = not any(one.get(name) for name in _NOT_TEXT) and (
        other.role == "assistant" or not any(other.get(name) for name in _NOT_TEXT)
    )
    return plain and all(isinstance(_content(node), str | list | None) for node in (one, other))


def _merged(one: Node, other: Node) -> Node:
    """The message that calls keeps its calls; else the first takes in the second."""
    said = _joined(_content(one) or "", _content(other) or "")
    node = other if any(other.get(name) for name in _NOT_TEXT) else one
    node.inner = None
    node.put(("content",), said)
    return node


def _content(node: Node) -> Any:
    return node.get("content") if node.inner is None else [one.value for one in node.inner]


def _joined(one: Any, other: Any) -> Any:
    if isinstance(one, str) and isinstance(other, str):
        return "\n\n".join(filter(None, (one, other)))
    return _parts(one) + _parts(other)


def _parts(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
