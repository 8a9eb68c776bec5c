"""The recall tool in OpenAI's Chat Completions: one assistant message, with calls numbered in a stream.

Rule: chunks that the client can see pass unchanged; only the numbers of calls change after a hidden one. Additional
data of a server (its reasoning, signatures of calls) goes back to it unchanged.
"""

import json
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Raw

from secateur.answers.recall import SCHEMA
from secateur.proxy.body_members import Members, encode_raw, join_elements, join_members, split_elements, split_members
from secateur.proxy.served.event_stream import build_event, read_event
from secateur.proxy.served.turns import (
    DESCRIPTION,
    TOOL,
    Dialect,
    HiddenTurn,
    RecallAnswer,
    RecallCall,
    RoundReader,
    describe_turn,
    read_arguments,
    read_error,
    read_member,
    sum_usage,
)

_FORBIDDEN = (
    "functions",
    "function_call",
    "web_search_options",
    "audio",
)  # with any of these members nothing is offered
_CALLING = ("tool_calls", "stop")  # some servers say the second, also after calls
_DONE = b"[DONE]"

Object = dict[str, Any]


class ChatDialect(Dialect):
    """Chat Completions requests."""

    messages = "messages"
    ping = b": waiting\n\n"

    def can_offer(self, members: Members) -> bool:
        """Whether all tools are the client's own, none is forced, and there is one answer without a prescribed form."""
        found = {name: msgspec.json.decode(members[name]) for name in ("tool_choice", "n") if name in members}
        form = read_member(members.get("response_format", Raw(b"{}")), "type") or "text"
        if any(name in members for name in _FORBIDDEN) or form != "text":
            return False
        if found.get("tool_choice") not in (None, "auto") or found.get("n") not in (None, 1):
            return False
        types = [read_member(tool, "type") for tool in split_elements(members["tools"])]
        return bool(types) and all(kind in ("function", "custom") for kind in types)

    def add_tool(self, members: Members) -> Members:
        """The request with the tool behind its own."""
        function = {"name": TOOL, "description": DESCRIPTION, "parameters": SCHEMA}
        tool = encode_raw({"type": "function", "function": function})
        return {**members, "tools": join_elements([*split_elements(members["tools"]), tool])}

    def match_turn(self, elements: Sequence[Raw], turn: HiddenTurn) -> int:
        """1 if the first message is the turn as the client saw it, else 0."""
        if not self.is_output(elements[0]):
            return 0
        content, calls = read_member(elements[0], "content"), read_member(elements[0], "tool_calls")
        if isinstance(content, list):
            content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
        return int(_describe(content, calls) == turn.seen)

    def start_turn(self) -> "ChatTurn":
        """A reader for a new turn."""
        return ChatTurn()


class ChatTurn(RoundReader):
    """Reads the responses of one turn."""

    def __init__(self) -> None:
        super().__init__()
        self._message: Object = {}  # of the current response: its strings and lists, as far as received
        self._calls: dict[int, Object] = {}  # its calls, by the server's numbers
        self._numbers: dict[int, int] = {}  # the client's, of the calls that it sees
        self._seen: Object = {}  # what the client saw, joined
        self._seen_calls: list[Object] = []
        self._usages: list[Object] = [{}]
        self._stop = ""
        self._hidden: list[Object] = []  # chunks of hidden calls
        self._first: Object = {}

    # --- one response --------------------------------------------------------------------------------------------

    def feed(self, event: bytes) -> list[bytes]:
        """Read an event of a stream; what the client gets of it."""
        data = read_event(event)
        if data is None:
            return self._hold(event) if _DONE in event else [event]
        self._begin_round()
        self._first = self._first or data
        if isinstance(data.get("usage"), dict):
            self._usages[-1] = data["usage"]
        choices = data.get("choices") or []
        if not choices or not isinstance(choices[0], dict):
            return self._hold(event)
        choice = choices[0]
        delta = choice.get("delta") or {}
        shown = self._read_delta(delta)
        self._stop = choice.get("finish_reason") or self._stop
        if shown != delta or self._rounds:
            if not shown and not choice.get("finish_reason"):
                return []
            event = build_event({**data, "id": self._first.get("id"), "choices": [{**choice, "delta": shown}]})
        return self._hold(event) if choice.get("finish_reason") else [event]

    def read_whole(self, body: bytes) -> None:
        """Read a response that is not streamed. Raises ValueError."""
        data = json.loads(body)
        choices = data.get("choices") if isinstance(data, dict) else None
        if not choices or not isinstance(choices[0].get("message"), dict):
            raise ValueError("not a completion")
        self._begin_round()
        self._first = self._first or data
        self._usages[-1] = data.get("usage") or {}
        self._stop = str(choices[0].get("finish_reason"))
        message = choices[0]["message"]
        calls = [{**call, "index": number} for number, call in enumerate(message.get("tool_calls") or ())]
        self._read_delta({**message, "tool_calls": calls})

    def list_calls(self) -> tuple[RecallCall, ...]:
        """List the calls to serve before the turn continues."""
        if self._stop not in _CALLING or self._numbers:
            return ()
        return tuple(map(_make_call, self._calls.values()))

    def list_open_calls(self) -> tuple[RecallCall, ...]:
        """List hidden calls in a response that also has calls of the client's tools."""
        if self._stop not in _CALLING or not self._numbers:
            return ()
        return tuple(_make_call(call) for number, call in self._calls.items() if number not in self._numbers)

    def build_continuation(self, body: bytes, answers: Sequence[RecallAnswer], forbids: bool) -> bytes:
        """The request that comes after `body`. Raises ValueError."""
        members = split_members(body)
        self._next = [_build_message(self._message, [*self._calls.values()]), *map(_build_result, answers)]
        more = map(encode_raw, self._next)
        members["messages"] = join_elements([*split_elements(members["messages"]), *more])
        if forbids:
            members["tool_choice"] = Raw(b'"none"')
        return join_members(members)

    def _clear(self) -> None:
        self._message, self._calls, self._numbers = {}, {}, {}
        self._stop, self._hidden = "", []
        self._usages.append({})

    def _read_delta(self, delta: Object) -> Object:
        """Keep what came, and return what the client gets of it."""
        shown = {name: value for name, value in delta.items() if name != "tool_calls"}
        if self._rounds:
            shown.pop("role", None)
        for name, value in shown.items():
            if isinstance(value, str | list) and name != "role":
                self._message[name] = self._message[name] + value if self._message.get(name) else value
                self._seen[name] = self._seen[name] + value if self._seen.get(name) else value
        calls = [made for call in delta.get("tool_calls") or () if (made := self._read_call(call)) is not None]
        if calls or ("tool_calls" in delta and not delta["tool_calls"]):
            shown["tool_calls"] = calls
        return shown

    def _read_call(self, piece: Object) -> Object | None:
        number = int(piece.get("index") or 0)
        call = self._calls.setdefault(number, {})
        _grow_call(call, piece)
        if call.get("function", {}).get("name") == TOOL:
            self._hidden.append(piece)
            return None
        if number not in self._numbers:
            self._numbers[number] = len(self._seen_calls)
            self._seen_calls.append(call)
        return {**piece, "index": self._numbers[number]} if "index" in piece else piece

    # --- the client's response -----------------------------------------------------------------------------------

    def reveal(self) -> list[bytes]:
        """Hidden calls as the client's own, and the end of the stream."""
        self._reveal()
        calls = [{**piece, "index": self._numbers[int(piece.get("index") or 0)]} for piece in self._hidden]
        frame = {name: value for name, value in self._first.items() if name != "usage"}
        choice = {"index": 0, "delta": {"tool_calls": calls}, "finish_reason": None}
        return [*([build_event({**frame, "choices": [choice]})] if calls else []), *self.finish()]

    def report_error(self, body: bytes) -> list[bytes]:
        """The provider's error as an event."""
        return [build_event({"error": read_error(body)})]

    def build_whole(self, reveals: bool = False) -> bytes:
        """One completion of all responses."""
        if reveals:
            self._reveal()
        choice = {**self._first["choices"][0], "finish_reason": self._stop}
        message = {name: value for name, value in choice["message"].items() if name != "tool_calls"}
        message |= self._seen
        if self._seen_calls:
            message["tool_calls"] = [_strip_index(call) for call in self._seen_calls]
        whole = {**self._first, "choices": [{**choice, "message": message}], "usage": sum_usage(self._usages)}
        return json.dumps(whole).encode()

    def make_turn(self, at: int, answers: Sequence[RecallAnswer]) -> HiddenTurn | None:
        """Make the record of what the client did not see; None if it saw everything."""
        if not self._rounds and not answers:
            return None
        calls = [call for number, call in self._calls.items() if answers or number in self._numbers]
        elements = [*self._rounds]
        if calls or self._message.get("content"):
            elements.append(_build_message(self._message, calls))
        elements += map(_build_result, answers)
        return HiddenTurn(at, _describe(self._seen.get("content"), self._seen_calls), tuple(map(encode_raw, elements)))

    def _reveal(self) -> None:
        for number, call in self._calls.items():
            if number not in self._numbers:
                self._numbers[number] = len(self._seen_calls)
                self._seen_calls.append(call)

    def _restate(self, event: bytes) -> bytes:
        data = read_event(event)
        if data is None or not isinstance(data.get("usage"), dict):
            return event
        return build_event({**data, "id": self._first.get("id"), "usage": sum_usage(self._usages)})


def _grow_call(call: Object, piece: Object) -> None:
    """Add a piece of a call to what came of it."""
    for name, value in piece.items():
        if isinstance(value, dict):
            _grow_call(call.setdefault(name, {}), value)
        elif name == "arguments" or name == "input":
            call[name] = str(call.get(name) or "") + str(value or "")
        elif name != "index" and value is not None:
            call[name] = value


def _strip_index(call: Object) -> Object:
    return {name: value for name, value in call.items() if name != "index"}


def _make_call(call: Object) -> RecallCall:
    return RecallCall(str(call.get("id", "")), read_arguments(call.get("function", {}).get("arguments")))


def _build_message(message: Object, calls: list[Object]) -> Object:
    """An assistant's message as a request has it."""
    kept = {name: value for name, value in message.items() if value and name not in ("content", "annotations")}
    built = {"role": "assistant", "content": message.get("content") or None, **kept}
    return {**built, "tool_calls": [_strip_index(call) for call in calls]} if calls else built


def _build_result(answer: RecallAnswer) -> Object:
    return {"role": "tool", "tool_call_id": answer.call.id, "content": answer.text}


def _describe(content: Any, calls: Any) -> str:
    ids = [str(call.get("id", "")) for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    return describe_turn([content if isinstance(content, str) else ""], ids)
