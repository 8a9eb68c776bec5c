"""Messages requests with the recall tool: where it can be offered, and how hidden turns enter the history.

Rule: the tool comes after the client's own, so that the cached beginning stays unchanged. It is offered only in
addition to tools that the client itself runs, and if the model is free to call any of them or none.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Raw

from secateur.answers.recall import SCHEMA
from secateur.proxy.body_members import Members, encode_raw, join_elements, join_members, split_elements, split_members
from secateur.proxy.served.anthropic_turn import REASONING, AnthropicTurn, Block, describe_blocks, find_signature
from secateur.proxy.served.turns import DESCRIPTION, TOOL, Dialect, HiddenTurn, read_member

_OWN_TOOLS = ("custom", "bash_", "text_editor_", "computer_", "memory_")  # tools that the client runs, by their type
_FORBIDDEN = ("mcp_servers", "thread", "compaction", "output_format")  # with any of these members nothing is offered


class AnthropicDialect(Dialect):
    """Messages requests."""

    messages = "messages"
    ping = b'event: ping\ndata: {"type": "ping"}\n\n'

    def can_offer(self, members: Members) -> bool:
        """Whether all tools are the client's own, none is forced, and the answer has no prescribed form."""
        choice = msgspec.json.decode(members.get("tool_choice", Raw(b"null")))
        format = msgspec.json.decode(members.get("output_config", Raw(b"null")))
        if any(name in members for name in _FORBIDDEN) or (isinstance(format, dict) and format.get("format")):
            return False
        if choice is not None and (not isinstance(choice, dict) or choice.get("type") != "auto"):
            return False
        types = [read_member(tool, "type") or "custom" for tool in split_elements(members.get("tools", Raw(b"[]")))]
        return bool(types) and all(str(kind).startswith(_OWN_TOOLS) for kind in types)

    def add_tool(self, members: Members) -> Members:
        """The request with the tool behind its own."""
        tool = encode_raw({"name": TOOL, "description": DESCRIPTION, "input_schema": SCHEMA})
        return {**members, "tools": join_elements([*split_elements(members["tools"]), tool])}

    def match_turn(self, elements: Sequence[Raw], turn: HiddenTurn) -> int:
        """1 if the first message is the turn as the client saw it, else 0."""
        if not self.is_output(elements[0]):
            return 0
        blocks = _list_blocks(read_member(elements[0], "content"))
        if turn.lost:
            return int(any(find_signature(block) in turn.lost for block in blocks))
        return int(describe_blocks(blocks) == turn.seen)

    def expand_turn(self, own: Sequence[Raw], turn: HiddenTurn) -> list[Raw]:
        """The messages of the turn; without reasoning if the client left it out, or if it is lost."""
        if turn.lost:
            return _drop_lost(own[0], turn.lost)
        blocks = _list_blocks(read_member(own[0], "content"))
        if any(block.get("type") in REASONING for block in blocks):
            return [*turn.elements]
        return [left for element in turn.elements if (left := _drop_reasoning(element)) is not None]

    def insert_results(self, element: Raw, turn: HiddenTurn) -> Raw | None:
        """The user's message with the results of hidden calls before its own."""
        if not self.is_user(element):
            return None
        message = split_members(element)
        content = message.get("content", Raw(b'""'))
        if bytes(content).lstrip().startswith(b"["):
            own = split_elements(content)
        else:
            text = msgspec.json.decode(content)
            own = [encode_raw({"type": "text", "text": text})] if text else []
        return Raw(join_members({**message, "content": join_elements([*turn.results, *own])}))

    def start_turn(self) -> AnthropicTurn:
        """A reader for a new turn."""
        return AnthropicTurn()


def _drop_lost(element: Raw, lost: tuple[str, ...]) -> list[Raw]:
    """A message without some of its reasoning; none if nothing else is in it."""
    message = split_members(element)
    blocks = split_elements(message["content"])
    left = [block for block in blocks if find_signature(msgspec.json.decode(block)) not in lost]
    return [Raw(join_members({**message, "content": join_elements(left)}))] if left else []


def _drop_reasoning(element: Raw) -> Raw | None:
    """A message without its reasoning; None if nothing else is in it."""
    message = msgspec.json.decode(element)
    left = [block for block in message["content"] if block.get("type") not in REASONING]
    return encode_raw({**message, "content": left}) if left else None


def _list_blocks(content: Any) -> list[Block]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
