"""Repairs what stricter servers reject: roles that do not alternate, content that is a list, long ids, and the end.

Rule: these passes run only under the profile of such a server, because merging moves what the user said. Texts of
merged messages are separated by an empty line; messages with calls and results are never merged.
"""

import re
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

from secateur.api.anthropic.models import is_prefill_rejected
from secateur.api.editable import Node
from secateur.api.openai_chat.repairs_messages import get_calls
from secateur.api.repair_run import BEGINNING, GO_ON, RepairRun, quote, register_repair

_NO_ANSWER = "[no answer: the turn was interrupted]"
_NINE = re.compile("[a-zA-Z0-9]{9}")
_INSTRUCTIONS = ("system", "developer")
_NOT_TEXT = ("tool_calls", "function_call", "audio", "refusal")


@register_repair("O13", "O15")
def repair_alternation(repair: RepairRun) -> None:
    """For strict servers: make content a string, merge consecutive messages of one role, and begin with the user."""
    if repair.options.profile not in ("strict", "mistral"):
        return
    # Each message is merged into the last one of its role, as long as neither has calls or results: these keep their
    # place. Where only the later message has calls, it takes in the earlier one, so that its results stay behind it.
    # Instructions between two messages do not separate them.
    nodes: list[Node] = []
    last: Node | None = None
    for node in repair.nodes:
        _make_string(repair, node)
        if (
            last is not None
            and node.role in ("user", "assistant")
            and node.role == last.role
            and _can_merge(last, node)
        ):
            whole = _merge(last, node)
            if whole is node:  # calls stay before their results
                nodes = [one for one in nodes if one is not last] + [node]
            last = whole
            repair.record("O13", node, f"two {node.role} messages in a row were merged")
        else:
            nodes.append(node)
            last = last if node.role in _INSTRUCTIONS else node
    first = next((at for at, node in enumerate(nodes) if node.role not in _INSTRUCTIONS), len(nodes))
    if first < len(nodes) and nodes[first].role == "assistant":
        repair.record("O13", nodes[first], "a user message was put before the first assistant message")
        nodes.insert(first, Node({"role": "user", "content": BEGINNING}))
    repair.nodes = list(_with_answers(repair, nodes))


@register_repair("O15")
def repair_long_ids(repair: RepairRun) -> None:
    """For Mistral: replace an id that is not nine letters or digits with the start of its hash."""
    for node in repair.nodes if repair.options.profile == "mistral" else ():
        for number, call in enumerate(get_calls(node) and node.get("tool_calls")):
            old = call.get("id") if isinstance(call, dict) else None
            if isinstance(old, str) and not _NINE.fullmatch(old):
                node.put(("tool_calls", number, "id"), _hash_to_nine(old))
                repair.record(
                    "O15",
                    node,
                    f"the id {quote(old)} is not of nine letters or digits: it is now {_hash_to_nine(old)!r}",
                )
        answers = node.get("tool_call_id")
        if node.role == "tool" and isinstance(answers, str) and not _NINE.fullmatch(answers):
            node.put(("tool_call_id",), _hash_to_nine(answers))


@register_repair("A14", "O13")
def repair_ending(repair: RepairRun) -> None:
    """Add a user message after an assistant message at the end, if the model or server needs it."""
    last = repair.nodes[-1] if repair.nodes else None
    refused = is_prefill_rejected(repair.options.model) or repair.options.profile == "mistral"
    if last is not None and last.role == "assistant" and refused:
        repair.nodes.append(Node({"role": "user", "content": GO_ON}))
        repair.record("A14", last, f"this model does not continue its own message: the user now says {GO_ON!r}")


def _hash_to_nine(name: str) -> str:
    return blake2b(name.encode("utf-8", "surrogatepass")).hexdigest()[:9]


def _with_answers(repair: RepairRun, nodes: list[Node]) -> Iterator[Node]:
    """Put an answer between a result and the next user message, because chat templates do not count calls."""
    counted = ""
    for node in nodes:
        counts = node.role == "user" or (node.role == "assistant" and not get_calls(node))
        if counts and node.role == "user" == counted:
            repair.record("O13", node, "an assistant message was put before a user message: the turn was interrupted")
            yield Node({"role": "assistant", "content": _NO_ANSWER})
        counted = node.role if counts else counted
        yield node


def _make_string(repair: RepairRun, node: Node) -> None:
    """Join a list of texts to one string (O15); a list with images stays a list."""
    content = node.get("content")
    if not isinstance(content, list) or not all(_is_text(one) for one in content) or node.inner is not None:
        return
    node.put(("content",), "\n".join(one["text"] for one in content))
    repair.record("O15", node, "a list of texts was joined to one string")


def _is_text(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)


def _can_merge(one: Node, other: Node) -> bool:
    """Whether two messages can be merged: two texts, or a text and the calls behind it."""
    plain = not any(one.get(name) for name in _NOT_TEXT) and (
        other.role == "assistant" or not any(other.get(name) for name in _NOT_TEXT)
    )
    return plain and all(isinstance(_get_content(node), str | list | None) for node in (one, other))


def _merge(one: Node, other: Node) -> Node:
    """The message with calls keeps its calls; otherwise the first message takes in the second."""
    said = _join(_get_content(one) or "", _get_content(other) or "")
    node = other if any(other.get(name) for name in _NOT_TEXT) else one
    node.inner = None
    node.put(("content",), said)
    return node


def _get_content(node: Node) -> Any:
    return node.get("content") if node.inner is None else [one.value for one in node.inner]


def _join(one: Any, other: Any) -> Any:
    if isinstance(one, str) and isinstance(other, str):
        return "\n\n".join(filter(None, (one, other)))
    return _make_parts(one) + _make_parts(other)


def _make_parts(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
