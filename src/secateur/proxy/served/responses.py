"""Responses requests with the recall tool: where it may be, and how hidden turns go into the history.

Rule: it is offered only where the request has the whole history (`store` is false), so that every call and its result
are in it. Items of the model's are put back as received, encrypted reasoning included.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Raw

from secateur.answers.recall import SCHEMA
from secateur.proxy.body_members import Members, encode_raw, join_elements, split_elements
from secateur.proxy.served.responses_turn import Item, ResponsesTurn, describe_items
from secateur.proxy.served.turns import DESCRIPTION, TOOL, Dialect, HiddenTurn, read_member

_TOOLS = ("function", "custom", "local_shell", "shell", "apply_patch", "namespace", "web_search")  # beginnings of types
_HELD = ("previous_response_id", "conversation", "background", "prompt")  # the provider has what is not here


class ResponsesDialect(Dialect):
    """Responses requests."""

    messages = "input"
    ping = b": waiting\n\n"

    def can_offer(self, members: Members) -> bool:
        """Whether the history is here, no tool is forced, and the answer has no prescribed form."""
        names = (*_HELD, "store", "tool_choice")
        given = {name: msgspec.json.decode(members[name]) for name in names if name in members}
        form = read_member(members.get("text", Raw(b"{}")), "format")
        if given.get("store") is not False or any(given.get(name) for name in _HELD):
            return False
        if given.get("tool_choice") not in (None, "auto") or (isinstance(form, dict) and form.get("type") != "text"):
            return False
        types = [read_member(tool, "type") for tool in split_elements(members["tools"])]
        return bool(types) and all(str(kind).startswith(_TOOLS) for kind in types)

    def add_tool(self, members: Members) -> Members:
        """The request with the tool behind its own."""
        tool = {"type": "function", "name": TOOL, "description": DESCRIPTION, "strict": False, "parameters": SCHEMA}
        return {**members, "tools": join_elements([*split_elements(members["tools"]), encode_raw(tool)])}

    def is_output(self, element: Raw) -> bool:
        """Whether an item is the model's."""
        kind = str(read_member(element, "type") or "message")
        if kind == "message":
            return bool(read_member(element, "role") == "assistant")
        return kind == "reasoning" or kind.endswith("_call")

    def match_turn(self, elements: Sequence[Raw], turn: HiddenTurn) -> int:
        """How many items form the turn as the client saw it; results of its calls can be between them."""
        items: list[Item] = []
        for count, element in enumerate(elements):
            if self.is_output(element):
                items.append(_decode(element))
                if describe_items(items) == turn.seen:
                    return count + 1
            elif not _is_result(element):
                return 0
        return 0

    def expand_turn(self, own: Sequence[Raw], turn: HiddenTurn) -> list[Raw]:
        """The items of the turn, and the client's results; without reasoning if the client left it out."""
        results = [element for element in own if _is_result(element)]
        if any(_decode(element).get("type") == "reasoning" for element in own):
            return [*turn.elements, *results]
        return [*(one for one in turn.elements if _decode(one).get("type") != "reasoning"), *results]

    def start_turn(self) -> ResponsesTurn:
        """A reader for a new turn."""
        return ResponsesTurn()


def _is_result(element: Raw) -> bool:
    return str(read_member(element, "type") or "").endswith("_call_output")


def _decode(element: Raw) -> dict[str, Any]:
    found = msgspec.json.decode(element)
    return found if isinstance(found, dict) else {}
