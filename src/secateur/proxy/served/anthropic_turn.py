"""A turn of the model in Anthropic's Messages: blocks of content, numbered in a stream.

Rule: blocks that the client can see pass unchanged; only numbers change after a hidden block. Reasoning goes back to
the provider unchanged, with its signature. A response with unknown content is not continued.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Raw

from secateur.proxy.body_members import encode_raw, join_elements, join_members, split_elements, split_members
from secateur.proxy.served.event_stream import build_event, read_event
from secateur.proxy.served.turns import (
    TOOL,
    HiddenTurn,
    RecallAnswer,
    RecallCall,
    RoundReader,
    describe_turn,
    read_arguments,
    read_error,
    sum_usage,
)

Block = dict[str, Any]
REASONING = ("thinking", "redacted_thinking")
_GROWS = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}
_JSON = "input_json_delta"
_COUNTED = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")


class AnthropicTurn(RoundReader):
    """Reads the responses of one turn."""

    def __init__(self) -> None:
        super().__init__()
        self._blocks: dict[int, Block] = {}  # of the response that is read, by the provider's numbers
        self._texts: dict[int, str] = {}  # arguments of calls, as far as received
        self._numbers: dict[int, int] = {}  # the client's, of the blocks that it sees
        self._done: set[int] = set()
        self._shown = 0  # blocks that the client has seen, of all responses
        self._seen: list[Block] = []
        self._usage: dict[str, Any] = {}
        self._usages: list[dict[str, Any]] = []
        self._stop = ""
        self._hidden: list[bytes] = []  # events of calls, for the case that they cannot be served
        self._is_known = True
        self._is_revealed = False
        self._message: dict[str, Any] = {}

    # --- one response --------------------------------------------------------------------------------------------

    def feed(self, event: bytes) -> list[bytes]:
        """Read an event of a stream; what the client gets of it."""
        data = read_event(event)
        if data is None:
            return [event]
        kind = data.get("type")
        if kind == "message_start":
            return self._begin(event, data)
        if kind in ("content_block_start", "content_block_delta", "content_block_stop"):
            return self._pass_block(event, data, str(kind))
        if kind == "message_delta":
            self._usage |= {name: value for name, value in (data.get("usage") or {}).items() if value is not None}
            self._stop = (data.get("delta") or {}).get("stop_reason") or self._stop
            return self._hold(event)
        return self._hold(event) if kind == "message_stop" else [event]

    def read_whole(self, body: bytes) -> None:
        """Read a response that is not streamed. Raises ValueError."""
        message = json.loads(body)
        if not isinstance(message, dict) or not isinstance(message.get("content"), list):
            raise ValueError("not a message")
        self._begin_round()
        self._message = self._message or message
        self._usage, self._stop = message.get("usage") or {}, str(message.get("stop_reason"))
        for number, block in enumerate(message["content"]):
            self._blocks[number] = block
            self._done.add(number)
            if not _is_recall(block):
                self._seen.append(block)
        self._usages.append(self._usage)

    def list_calls(self) -> tuple[RecallCall, ...]:
        """List the calls to serve before the turn continues."""
        calls = [block for block in self._blocks.values() if block.get("type") == "tool_use"]
        if self._stop != "tool_use" or not self._is_known or not all(map(_is_recall, calls)):
            return ()
        return tuple(map(_make_call, calls))

    def list_open_calls(self) -> tuple[RecallCall, ...]:
        """List hidden calls in a response that also has calls of the client's tools."""
        if self._stop != "tool_use" or not self._is_known or self.list_calls():
            return ()
        return tuple(map(_make_call, self._list_hidden()))

    def has_stuck_calls(self) -> bool:
        """Whether there are hidden calls that cannot be served."""
        return not self._is_known and self._stop == "tool_use" and bool(self._list_hidden())

    def build_continuation(self, body: bytes, answers: Sequence[RecallAnswer], forbids: bool) -> bytes:
        """The request that comes after `body`. Raises ValueError."""
        members = split_members(body)
        content, results = _drop_empty(self._blocks.values()), [_build_result(answer) for answer in answers]
        self._next = [{"role": "assistant", "content": content}, {"role": "user", "content": results}]
        more = map(encode_raw, self._next)
        members["messages"] = join_elements([*split_elements(members["messages"]), *more])
        if forbids:
            members["tool_choice"] = Raw(b'{"type":"none"}')
        return join_members(members)

    def _begin(self, event: bytes, data: dict[str, Any]) -> list[bytes]:
        self._begin_round()
        message = data.get("message") or {}
        self._usage = {name: value for name, value in (message.get("usage") or {}).items() if value is not None}
        self._usages.append(self._usage)
        return [] if self._rounds else [event]

    def _clear(self) -> None:
        self._blocks, self._texts, self._numbers, self._done = {}, {}, {}, set()
        self._stop, self._hidden = "", []

    def _pass_block(self, event: bytes, data: dict[str, Any], kind: str) -> list[bytes]:
        number = int(data.get("index", 0))
        if kind == "content_block_start":
            self._blocks[number] = block = dict(data.get("content_block") or {})
            if not _is_recall(block):
                self._numbers[number] = self._shown
                self._shown += 1
        elif kind == "content_block_delta":
            self._grow(number, data.get("delta") or {})
        else:
            self._end_block(number)
        if number not in self._numbers:
            self._hidden.append(event)
            return []
        return [_renumber(event, data, self._numbers[number])]

    def _grow(self, number: int, delta: dict[str, Any]) -> None:
        block, kind = self._blocks.setdefault(number, {}), str(delta.get("type"))
        if kind in _GROWS:
            name = _GROWS[kind]
            block[name] = (block.get(name) or "") + str(delta.get(name, ""))
        elif kind == _JSON:
            self._texts[number] = self._texts.get(number, "") + str(delta.get("partial_json", ""))
        elif kind == "citations_delta":
            block["citations"] = [*(block.get("citations") or ()), delta.get("citation")]
        else:
            self._is_known = False

    def _end_block(self, number: int) -> None:
        block = self._blocks.setdefault(number, {})
        if self._texts.get(number):
            arguments = read_arguments(self._texts[number])
            self._is_known = self._is_known and (arguments is not None or _is_recall(block))
            block["input"] = {} if arguments is None else arguments
        self._done.add(number)
        if number in self._numbers:
            self._seen.append(block)

    # --- the client's response -----------------------------------------------------------------------------------

    def reveal(self) -> list[bytes]:
        """Hidden calls as the client's own, and the end of the message."""
        self._is_revealed = True
        hidden = [number for number in self._blocks if number not in self._numbers]
        places = {number: self._shown + place for place, number in enumerate(hidden)}
        read = [(event, read_event(event) or {}) for event in self._hidden]
        return [*(_renumber(event, data, places[int(data.get("index", 0))]) for event, data in read), *self.finish()]

    def report_error(self, body: bytes) -> list[bytes]:
        """The provider's error as an event."""
        return [build_event({"type": "error", "error": read_error(body)}, "error")]

    def build_whole(self, reveals: bool = False) -> bytes:
        """One message of all responses."""
        self._is_revealed = reveals
        open_calls = self._list_hidden() if reveals else []
        whole = {**self._message, "content": [*self._seen, *open_calls], "stop_reason": self._stop}
        whole["usage"] = _sum_rounds(self._usages)
        return json.dumps(whole).encode()

    def list_bound(self) -> tuple[str, ...]:
        """Signatures of the reasoning that the client saw behind a hidden call."""
        first = len(_list_signatures(self._rounds[0]["content"])) if self._rounds else len(self._seen)
        return _list_signatures(self._seen)[first:]

    def make_turn(self, at: int, answers: Sequence[RecallAnswer]) -> HiddenTurn | None:
        """Make the record of what the client did not see; None if it saw everything."""
        last = [self._blocks[number] for number in sorted(self._blocks) if number in self._done]
        if not answers and not self._is_revealed:
            last = [block for block in last if not _is_recall(block)]
        if not self._rounds and not answers:
            return None
        seen = [*self._seen, *self._list_hidden()] if self._is_revealed else self._seen
        elements = [*self._rounds]
        kept = _drop_empty(last)
        if kept and kept[-1].get("type") not in REASONING:
            elements.append({"role": "assistant", "content": kept})
        found = tuple(encode_raw(_build_result(answer)) for answer in answers)
        return HiddenTurn(at, describe_blocks(seen), tuple(map(encode_raw, elements)), found)

    def _list_hidden(self) -> list[Block]:
        return [block for block in self._blocks.values() if _is_recall(block)]

    def _restate(self, event: bytes) -> bytes:
        data = read_event(event) or {}
        if data.get("type") != "message_delta":
            return event
        return build_event({**data, "usage": _sum_rounds(self._usages)}, "message_delta")


def find_signature(block: Block) -> str:
    """The signature that identifies a block of reasoning; "" for another block."""
    return str(block.get("signature") or block.get("data") or "") if block.get("type") in REASONING else ""


def describe_blocks(blocks: list[Block]) -> str:
    """The hash of a message by what a client keeps of it."""
    texts = [str(block.get("text", "")) for block in blocks if block.get("type") == "text"]
    return describe_turn(texts, [str(block.get("id", "")) for block in blocks if block.get("type") == "tool_use"])


def _list_signatures(blocks: list[Block]) -> tuple[str, ...]:
    return tuple(filter(None, map(find_signature, blocks)))


def _is_recall(block: Block) -> bool:
    return block.get("type") == "tool_use" and block.get("name") == TOOL


def _make_call(block: Block) -> RecallCall:
    return RecallCall(str(block.get("id", "")), read_arguments(block.get("input")))


def _build_result(answer: RecallAnswer) -> Block:
    result: Block = {"type": "tool_result", "tool_use_id": answer.call.id, "content": answer.text}
    return {**result, "is_error": True} if answer.is_error else result


def _drop_empty(blocks: Iterable[Block]) -> list[Block]:
    """Blocks as a request may have them: a text is not empty."""
    return [block for block in blocks if block.get("type") != "text" or str(block.get("text", "")).strip()]


def _renumber(event: bytes, data: dict[str, Any], number: int) -> bytes:
    return event if data.get("index") == number else build_event({**data, "index": number}, str(data.get("type")))


def _sum_rounds(usages: list[dict[str, Any]]) -> dict[str, Any]:
    """The usage of several responses, with each of them, as the API itself reports rounds of its own."""
    total = sum_usage([{name: value for name, value in usage.items() if name != "iterations"} for usage in usages])
    rounds: list[Any] = []
    for usage in usages:
        own = {name: usage[name] for name in _COUNTED if usage.get(name) is not None}
        rounds += usage.get("iterations") or [{"type": "message", **own}]
    return {**total, "iterations": rounds} if len(usages) > 1 else total
