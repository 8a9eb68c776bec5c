"""The recall tool in Gemini's generateContent: parts of contents, and usage that grows with the stream.

Rule: parts go back to the provider unchanged, one by one, so that signatures stay on theirs. The tool comes after the
client's own functions, in the one list that the API accepts.
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

_LISTS = ("functionDeclarations", "function_declarations")
_FREE = (None, "AUTO", "MODE_UNSPECIFIED")
_FORMS = ("responseSchema", "responseJsonSchema", "response_schema", "response_json_schema")

Part = dict[str, Any]


class GeminiDialect(Dialect):
    """generateContent requests."""

    messages = "contents"
    ping = b""  # its clients know no events without data

    def can_offer(self, members: Members) -> bool:
        """Whether functions are the only tools, none is forced, and the answer has no prescribed form."""
        given = {
            name: msgspec.json.decode(members[name])
            for name in ("tools", "toolConfig", "generationConfig")
            if name in members
        }
        calling = (given.get("toolConfig") or {}).get("functionCallingConfig") or {}
        config = given.get("generationConfig") or {}
        if "cachedContent" in members or "tool_config" in members or "generation_config" in members:
            return False
        if calling.get("mode") not in _FREE or config.get("candidateCount", 1) != 1:
            return False
        if config.get("responseMimeType", "text/plain") != "text/plain" or any(name in config for name in _FORMS):
            return False
        tools = given["tools"]
        return isinstance(tools, list) and len(tools) == 1 and any([*tools[0]] == [name] for name in _LISTS)

    def add_tool(self, members: Members) -> Members:
        """The request with the tool behind its own functions."""
        [(name, functions)] = split_members(split_elements(members["tools"])[0]).items()
        tool = encode_raw({"name": TOOL, "description": DESCRIPTION, "parameters": SCHEMA})
        listed = join_members({name: join_elements([*split_elements(functions), tool])})
        return {**members, "tools": join_elements([Raw(listed)])}

    def is_output(self, element: Raw) -> bool:
        """Whether a content is the model's."""
        return bool(read_member(element, "role") == "model")

    def is_user(self, element: Raw) -> bool:
        """Whether a content is the user's; one without a role is."""
        return bool(read_member(element, "role") in ("user", None))

    def match_turn(self, elements: Sequence[Raw], turn: HiddenTurn) -> int:
        """How many contents form the turn as the client saw it: some clients keep each piece of a stream as one."""
        parts: list[Part] = []
        for count, element in enumerate(elements):
            if not self.is_output(element):
                return 0
            parts += [part for part in read_member(element, "parts") or () if isinstance(part, dict)]
            if _describe(parts) == turn.seen:
                return count + 1
        return 0

    def insert_results(self, element: Raw, turn: HiddenTurn) -> Raw | None:
        """The user's content with the results of hidden calls before its own."""
        if not self.is_user(element):
            return None
        content = split_members(element)
        parts = [*turn.results, *split_elements(content.get("parts", Raw(b"[]")))]
        return Raw(join_members({**content, "parts": join_elements(parts)}))

    def start_turn(self) -> "ServedGeminiTurn":
        """A reader for a new turn."""
        return ServedGeminiTurn()


class ServedGeminiTurn(RoundReader):
    """Reads the responses of one turn."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[Part] = []  # of the response that is read
        self._seen: list[Part] = []
        self._usages: list[dict[str, Any]] = [{}]
        self._stop = ""
        self._frame: dict[str, Any] = {}  # of the newest chunk
        self._is_revealed = False

    # --- one response --------------------------------------------------------------------------------------------

    def feed(self, event: bytes) -> list[bytes]:
        """Read an event of a stream; what the client gets of it."""
        data = read_event(event)
        if data is None or "error" in data:
            return [event]
        self._begin_round()
        shown = self._read(data)
        if (self._has_hidden() or self._rounds) and (self._stop or self._held):
            self._held.append(shown)
            return []
        if shown is data and not self._rounds:
            return [event]
        return [build_event(self._sum_up(shown))] if _list_parts(shown) else []

    def read_whole(self, body: bytes) -> None:
        """Read a response that is not streamed. Raises ValueError."""
        data = json.loads(body)
        if not isinstance(data, dict) or not data.get("candidates"):
            raise ValueError("not an answer")
        self._begin_round()
        self._held = [self._read(data)]

    def list_calls(self) -> tuple[RecallCall, ...]:
        """List the calls to serve before the turn continues."""
        calls = [part for part in self._parts if "functionCall" in part]
        if self._stop != "STOP" or not all(map(_is_recall, calls)):
            return ()
        return tuple(map(_make_call, calls))

    def list_open_calls(self) -> tuple[RecallCall, ...]:
        """List hidden calls in a response that also has calls of the client's tools."""
        if self._stop != "STOP" or self.list_calls():
            return ()
        return tuple(map(_make_call, filter(_is_recall, self._parts)))

    def build_continuation(self, body: bytes, answers: Sequence[RecallAnswer], forbids: bool) -> bytes:
        """The request that comes after `body`. Raises ValueError."""
        members = split_members(body)
        results = [_build_result(answer) for answer in answers]
        self._next = [{"role": "model", "parts": self._parts}, {"role": "user", "parts": results}]
        more = map(encode_raw, self._next)
        members["contents"] = join_elements([*split_elements(members["contents"]), *more])
        if forbids:
            config = msgspec.json.decode(members.get("toolConfig", Raw(b"{}")))
            members["toolConfig"] = encode_raw({**config, "functionCallingConfig": {"mode": "NONE"}})
        return join_members(members)

    def _clear(self) -> None:
        self._parts, self._stop = [], ""
        self._usages.append({})

    def _read(self, data: dict[str, Any]) -> dict[str, Any]:
        """Keep what came, and return what the client gets of it."""
        self._frame = data
        if isinstance(data.get("usageMetadata"), dict):
            self._usages[-1] = data["usageMetadata"]
        parts = _list_parts(data)
        self._parts += parts
        shown = [part for part in parts if not _is_recall(part)]
        self._seen += shown
        candidates = data.get("candidates") or [{}]
        self._stop = str(candidates[0].get("finishReason") or self._stop)
        return data if len(shown) == len(parts) else _with_parts(data, shown)

    def _has_hidden(self) -> bool:
        return any(map(_is_recall, self._parts))

    # --- the client's response -----------------------------------------------------------------------------------

    def finish(self) -> list[bytes]:
        """The end of the stream, with the usage of all responses."""
        return [build_event(self._sum_up(chunk)) for chunk in self._held]

    def reveal(self) -> list[bytes]:
        """Hidden calls as the client's own, and the end of the stream."""
        hidden = self._reveal()
        frame = {name: value for name, value in self._frame.items() if name != "usageMetadata"}
        frame["candidates"] = [{"content": {"role": "model", "parts": hidden}, "index": 0}]
        return [build_event(frame), *self.finish()]

    def report_error(self, body: bytes) -> list[bytes]:
        """The provider's error as an event."""
        return [build_event({"error": read_error(body)})]

    def build_whole(self, reveals: bool = False) -> bytes:
        """One answer of all responses."""
        if reveals:
            self._reveal()
        return json.dumps(self._sum_up(_with_parts(self._held[-1], self._seen))).encode()

    def make_turn(self, at: int, answers: Sequence[RecallAnswer]) -> HiddenTurn | None:
        """Make the record of what the client did not see; None if it saw everything."""
        if not self._rounds and not answers:
            return None
        keeps = bool(answers) or self._is_revealed
        last = [part for part in self._parts if keeps or not _is_recall(part)]
        elements = [*self._rounds, {"role": "model", "parts": last}] if last else self._rounds
        results = tuple(encode_raw(_build_result(answer)) for answer in answers)
        return HiddenTurn(at, _describe(self._seen), tuple(map(encode_raw, elements)), results)

    def _reveal(self) -> list[Part]:
        self._is_revealed = True
        hidden = [part for part in self._parts if _is_recall(part)]
        self._seen += hidden
        return hidden

    def _sum_up(self, data: dict[str, Any]) -> dict[str, Any]:
        if "usageMetadata" not in data or len(self._usages) == 1:
            return data
        return {**data, "usageMetadata": sum_usage([*self._usages[:-1], data["usageMetadata"]])}


def _list_parts(data: dict[str, Any]) -> list[Part]:
    candidates = data.get("candidates") or [{}]
    parts = (candidates[0].get("content") or {}).get("parts") or ()
    return [part for part in parts if isinstance(part, dict)]


def _with_parts(data: dict[str, Any], parts: list[Part]) -> dict[str, Any]:
    first, *others = data["candidates"]
    content = {**(first.get("content") or {"role": "model"}), "parts": parts}
    return {**data, "candidates": [{**first, "content": content}, *others]}


def _is_recall(part: Part) -> bool:
    return isinstance(part.get("functionCall"), dict) and part["functionCall"].get("name") == TOOL


def _make_call(part: Part) -> RecallCall:
    call = part["functionCall"]
    return RecallCall(str(call.get("id") or ""), read_arguments(call.get("args")))


def _build_result(answer: RecallAnswer) -> Part:
    said = {"error" if answer.is_error else "output": answer.text}
    id = {"id": answer.call.id} if answer.call.id else {}
    return {"functionResponse": {**id, "name": TOOL, "response": said}}


def _describe(parts: list[Part]) -> str:
    """The hash of parts by what a client keeps of them."""
    texts = [str(part["text"]) for part in parts if "text" in part and not part.get("thought")]
    calls = [part["functionCall"] for part in parts if isinstance(part.get("functionCall"), dict)]
    return describe_turn(texts, [json.dumps([call.get("name"), call.get("args")], sort_keys=True) for call in calls])
