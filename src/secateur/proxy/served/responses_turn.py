"""A turn of the model in OpenAI's Responses: items of output, and events that name them by their place.

Rule: events that the client may see pass as they come; only places and sequence numbers change behind a hidden item.
The response that ends the turn lists what the client saw.
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

_BEGINNINGS = ("response.created", "response.in_progress", "response.queued")
_ENDS = ("response.completed", "response.incomplete", "response.failed")

Item = dict[str, Any]


class ResponsesTurn(RoundReader):
    """Reads the responses of one turn."""

    def __init__(self) -> None:
        super().__init__()
        self._items: dict[int, Item] = {}  # of the response that is read, complete ones, by the provider's places
        self._hidden: dict[int, list[bytes]] = {}  # events of hidden items
        self._places: dict[int, int] = {}  # the client's, of the items that it sees
        self._shown = 0  # items that the client has seen begin, of all responses
        self._seen: list[Item] = []
        self._first: Item = {}  # the first response, as it began
        self._ended: Item = {}  # the last one, as it ended
        self._usages: list[Item] = []
        self._sequence = -1  # of the last event that the client got

    # --- one response --------------------------------------------------------------------------------------------

    def feed(self, event: bytes) -> list[bytes]:
        """Read an event of a stream; what the client gets of it."""
        data = read_event(event)
        if data is None:
            return [event]
        kind = str(data.get("type"))
        if kind in _BEGINNINGS:
            self._begin_round()
            self._first = self._first or data.get("response") or {}
            return [] if self._rounds else [self._number(event, data)]
        if kind in _ENDS:
            return self._end(event, data)
        if "output_index" not in data:
            return [self._number(event, data)]
        return self._pass_item(event, data, kind)

    def read_whole(self, body: bytes) -> None:
        """Read a response that is not streamed. Raises ValueError."""
        response = json.loads(body)
        if not isinstance(response, dict) or not isinstance(response.get("output"), list):
            raise ValueError("not a response")
        self._begin_round()
        self._first = self._first or response
        self._ended = response
        self._usages.append(response.get("usage") or {})
        self._items = dict(enumerate(response["output"]))
        visible = {place: item for place, item in self._items.items() if not _is_recall(item)}
        self._places = dict.fromkeys(visible, 0)
        self._seen += visible.values()

    def list_calls(self) -> tuple[RecallCall, ...]:
        """List the calls to serve before the turn continues."""
        calls = [item for item in self._items.values() if "call_id" in item]
        if self._ended.get("status") != "completed" or not all(map(_is_recall, calls)):
            return ()
        return tuple(map(_make_call, calls))

    def list_open_calls(self) -> tuple[RecallCall, ...]:
        """List hidden calls in a response that also has calls of the client's tools."""
        if self._ended.get("status") != "completed" or self.list_calls():
            return ()
        return tuple(_make_call(item) for item in self._items.values() if _is_recall(item))

    def build_continuation(self, body: bytes, answers: Sequence[RecallAnswer], forbids: bool) -> bytes:
        """The request that comes after `body`. Raises ValueError."""
        members = split_members(body)
        self._next = [*self._items.values(), *map(_build_result, answers)]
        members["input"] = join_elements([*split_elements(members["input"]), *map(encode_raw, self._next)])
        if forbids:
            members["tool_choice"] = Raw(b'"none"')
        return join_members(members)

    def _clear(self) -> None:
        self._items, self._hidden, self._places, self._ended = {}, {}, {}, {}

    def _pass_item(self, event: bytes, data: Item, kind: str) -> list[bytes]:
        place, item = int(data["output_index"]), data.get("item")
        if isinstance(item, dict) and place not in self._places and place not in self._hidden:
            if _is_recall(item):
                self._hidden[place] = []
            else:
                self._places[place] = self._shown
                self._shown += 1
        if kind == "response.output_item.done" and isinstance(item, dict):
            self._items[place] = item
            if place in self._places:
                self._seen.append(item)
        if place in self._hidden:
            self._hidden[place].append(event)
            return []
        own = self._places.get(place, place)
        return [self._number(event, {**data, "output_index": own}, own != place)]

    def _end(self, event: bytes, data: Item) -> list[bytes]:
        self._ended = data.get("response") or {}
        self._usages.append(self._ended.get("usage") or {})
        return [self._number(event, data)] if self._hold(event) else []

    def _number(self, event: bytes, data: Item, is_changed: bool = False) -> bytes:
        """The event with the next sequence number, if it has one."""
        given = data.get("sequence_number")
        if isinstance(given, int):
            self._sequence = self._sequence + 1 if self._rounds or self._hidden else given
            is_changed = is_changed or self._sequence != given
            data = {**data, "sequence_number": self._sequence}
        return build_event(data, str(data.get("type"))) if is_changed else event

    # --- the client's response -----------------------------------------------------------------------------------

    def finish(self) -> list[bytes]:
        """The end of the stream, with what the client saw."""
        made = []
        for event in self._held:
            data = read_event(event) or {}
            made.append(self._number(event, {**data, "response": self._build_response()}, True))
        return made

    def reveal(self) -> list[bytes]:
        """Hidden calls as the client's own, and the end of the stream."""
        made = []
        for place, hidden in sorted(self._hidden.items()):
            for event in hidden:
                data = read_event(event) or {}
                made.append(self._number(event, {**data, "output_index": self._shown}, True))
            self._shown += 1
            self._reveal(place)
        self._hidden = {}
        return [*made, *self.finish()]

    def report_error(self, body: bytes) -> list[bytes]:
        """The provider's error, as the end of the stream."""
        error = read_error(body)
        code = str(error.get("code") or error.get("type") or "server_error")
        failed = {**self._first, "status": "failed", "error": {"code": code, "message": str(error.get("message"))}}
        data = {"type": "response.failed", "sequence_number": 0, "response": failed}
        return [self._number(b"", data, True)]

    def build_whole(self, reveals: bool = False) -> bytes:
        """One response of all."""
        for place in sorted(self._items) if reveals else ():
            self._reveal(place)
        return json.dumps(self._build_response()).encode()

    def make_turn(self, at: int, answers: Sequence[RecallAnswer]) -> HiddenTurn | None:
        """Make the record of what the client did not see; None if it saw everything."""
        if not self._rounds and not answers:
            return None
        last = [item for place, item in sorted(self._items.items()) if answers or place in self._places]
        elements = [*self._rounds, *last, *map(_build_result, answers)]
        return HiddenTurn(at, describe_items(self._seen), tuple(map(encode_raw, elements)))

    def _reveal(self, place: int) -> None:
        if place not in self._places:
            self._places[place] = self._shown
            self._seen.append(self._items[place])

    def _build_response(self) -> Item:
        named: Item = {name: self._first[name] for name in ("id", "created_at") if name in self._first}
        return {**self._ended, **named, "output": self._seen, "usage": sum_usage(self._usages)}


def describe_items(items: Iterable[Item]) -> str:
    """The hash of items of output by what a client keeps of them."""
    texts, calls = [], []
    for item in items:
        content = item.get("content")
        if item.get("type") != "reasoning" and isinstance(content, list):
            texts += [str(part.get("text", "")) for part in content if isinstance(part, dict)]
        elif item.get("type") != "reasoning" and isinstance(content, str):
            texts.append(content)
        if "call_id" in item:
            calls.append(str(item["call_id"]))
    return describe_turn(texts, calls)


def _is_recall(item: Item) -> bool:
    return item.get("type") == "function_call" and item.get("name") == TOOL


def _make_call(item: Item) -> RecallCall:
    return RecallCall(str(item.get("call_id", "")), read_arguments(item.get("arguments")))


def _build_result(answer: RecallAnswer) -> Item:
    return {"type": "function_call_output", "call_id": answer.call.id, "output": answer.text}
