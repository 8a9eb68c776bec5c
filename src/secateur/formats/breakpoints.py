"""Explicit cache breakpoints of Claude's APIs and of OpenAI's: where they stand in a body, and where one more may.

Rule: a marker is added, none is moved or taken away. Only a client that marks its messages itself gets one, in a slot
that it left free, before its own last marker and with that one's lifetime, in a message that is not the model's. Where
lifetimes would no longer fall (wire rules A20 to A23, B12 to B14), nothing is added. Nothing here knows what an edit
is.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

from msgspec import Struct

from secateur.formats.native import member
from secateur.jsontext import Text
from secateur.model import Message, Path
from secateur.patch import Op

SLOTS = 4  # docs: prompt caching; wire rules A20 and B14
_ORDER = ("1h", "5m")  # wire rule A21: the longer-lived first
_FIXED = (-1, 0)  # before all messages
_BEFORE = ("tools", "system", "toolConfig", "cache_control", "prompt_cache_options")
NEAR = 4  # newest messages among which a client's last markers stand
_HINTS = (b'"cache', b'"prompt_cache')  # a text without them holds no marker
_RETAINED = ("openai_chat", "openai_responses")
_END = (1 << 62, 0)  # behind all of them: automatic caching

Place = tuple[int, int]  # message, block


class _Mark(Struct, frozen=True):
    place: Place
    ttl: str  # "" where none is said: 5m


class _Api(Protocol):
    """How one API marks."""

    array: str  # the member of a body that holds the messages

    def fixed(self, body: Any) -> Iterator[_Mark]:
        """Markers outside the messages."""

    def held(self, content: list[Any]) -> dict[int, str]:
        """Lifetimes by the number of the block that they stand on, of one message."""

    def bears(self, block: dict[str, Any]) -> bool:
        """Whether a marker may stand on this block of the user's."""

    def op(self, path: Path, number: int, ttl: str) -> Op:
        """What puts a marker on a block of the content at `path`."""


def breakpoints(format: str, body: Any, before: Iterable[int]) -> list[Op]:
    """What puts a marker on the last block that may bear one before each of these messages, the most wanted first.

    Positions are those of the body's array of messages. None for other formats, for a bare list of messages (which does
    not say what its request marks beside them), and where a marker stands there already.
    """
    api = _APIS.get(format)
    messages = body.get(api.array) if api and isinstance(body, dict) and "thread" not in body else None
    if api is None or not isinstance(messages, list):
        return []
    marks = _in_order([*api.fixed(body), *_in_messages(api, messages)])
    if not {mark.place for mark in marks} - {_END} or marks[-1].place == _FIXED:
        return []
    last, found = marks[-1], []
    for number in before:
        place = _borne(api, messages, min(number, len(messages)), {mark.place for mark in marks})
        more = _in_order([*marks, _Mark(place, last.ttl)]) if place is not None and place < last.place else marks
        if more is marks or len(more) > SLOTS or not _falls(more):
            continue
        assert place is not None
        marks = more
        found.append(api.op((api.array, place[0], _held_by(messages[place[0]])), place[1], last.ttl))
    return found


def buys_longer(format: str, native: Any, messages: Sequence[Message]) -> bool:
    """Whether the request buys the longer of the two lives that its messages can have in the cache.

    The marker that stands last tells (wire rule A21: the longer-lived stand before it), where a body has one among its
    newest messages or marks itself as a whole; OpenAI's requests say it of themselves.
    """
    api = _APIS.get(format)
    if api is None or format in _RETAINED:
        return format in _RETAINED and member(native, "prompt_cache_retention") == "24h"
    whole = member(native, "cache_control")
    if whole is not None:
        return _ttl(whole) == "1h"
    for message in reversed(messages[-NEAR:]):
        marks = api.held(_content(_at(native, message.path)))
        if marks:
            return marks[max(marks)] == "1h"
    return False


def slots(format: str, native: Any, messages: Sequence[Message]) -> int:
    """How many of the slots for markers a request uses, before its messages and among these of them.

    0 where it marks none of its messages, neither one by one nor as a whole.
    """
    api = _APIS.get(format)
    if api is None:
        return 0
    places = dict.fromkeys(message.path for message in messages)
    inside = sum(len(api.held(_content(_at(native, path)))) for path in places)
    before = list(api.fixed({name: _marking(native, name) for name in _BEFORE}))
    whole = format not in _RETAINED and any(mark.place == _END for mark in before)  # OpenAI's end is implied
    return inside + len(before) if inside or whole else 0


def _marking(native: Any, name: str) -> Any:
    """The value of a member, where it may hold a marker."""
    if name == "cache_control" or not isinstance(native, Text) or native.kind != "{":
        return member(native, name)
    return _at(native, (name,))


def _at(native: Any, path: Path) -> Any:
    if isinstance(native, Text):
        found = native.at(path)
        return found.value() if found is not None and any(one in found.raw for one in _HINTS) else None
    for step in path:
        native = native[step]
    return native


def _in_order(marks: list[_Mark]) -> list[_Mark]:
    return sorted(marks, key=lambda mark: mark.place)  # those before the messages keep the order they stand in


def _in_messages(api: _Api, messages: list[Any]) -> Iterator[_Mark]:
    for number, message in enumerate(messages):
        for block, ttl in api.held(_content(message)).items():
            yield _Mark((number, block), ttl)


def _borne(api: _Api, messages: list[Any], before: int, marked: set[Place]) -> Place | None:
    """The last block before a message on which a marker may stand; None if one stands there or behind it already."""
    for number in range(before - 1, -1, -1):
        content = _content(messages[number])
        for at in range(len(content) - 1, -1, -1):
            if (number, at) in marked:
                return None
            block = content[at]
            if messages[number].get("role") != "assistant" and isinstance(block, dict) and api.bears(block):
                return number, at
    return None


def _falls(marks: list[_Mark]) -> bool:
    """Whether no marker outlives one before it (wire rule A21)."""
    lives = [_ORDER.index(mark.ttl or "5m") if (mark.ttl or "5m") in _ORDER else -1 for mark in marks]
    return -1 not in lives and lives == sorted(lives)


def _content(message: Any) -> list[Any]:
    content = message.get(_held_by(message)) if isinstance(message, dict) else None
    return content if isinstance(content, list) else []


def _held_by(message: Any) -> str:
    """The member that holds a message's blocks: of the items of OpenAI's Responses also an output."""
    return "output" if "content" not in message and "output" in message else "content"


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _ttl(marker: Any) -> str:
    return str(marker.get("ttl") or "") if isinstance(marker, dict) else ""


class _Anthropic:
    """`cache_control` on a block."""

    array = "messages"

    def fixed(self, body: Any) -> Iterator[_Mark]:
        for block in (*_list(body.get("tools")), *_list(body.get("system"))):
            if isinstance(block, dict) and block.get("cache_control") is not None:
                yield _Mark(_FIXED, _ttl(block["cache_control"]))
        if body.get("cache_control"):  # takes a slot, and marks the last block (wire rule A23)
            yield _Mark(_END, _ttl(body["cache_control"]))

    def held(self, content: list[Any]) -> dict[int, str]:
        found = {}
        for number, block in enumerate(content):
            inside = _list(block.get("content")) if isinstance(block, dict) else []
            for one in (*inside, block):
                if isinstance(one, dict) and one.get("cache_control") is not None:
                    found[number] = _ttl(one["cache_control"])
        return found

    def bears(self, block: dict[str, Any]) -> bool:
        if block.get("type") == "text":
            return isinstance(block.get("text"), str) and bool(block["text"].strip())
        return block.get("type") in ("tool_result", "image", "document", "search_result")

    def op(self, path: Path, number: int, ttl: str) -> Op:
        return Op((*path, number, "cache_control"), {"type": "ephemeral"} | ({"ttl": ttl} if ttl else {}))


class _Bedrock:
    """A `cachePoint` behind a block."""

    array = "messages"

    def fixed(self, body: Any) -> Iterator[_Mark]:
        tools = body.get("toolConfig")
        for block in (*_list(tools.get("tools") if isinstance(tools, dict) else None), *_list(body.get("system"))):
            if isinstance(block, dict) and "cachePoint" in block:
                yield _Mark(_FIXED, _ttl(block["cachePoint"]))

    def held(self, content: list[Any]) -> dict[int, str]:
        points = ((at, block) for at, block in enumerate(content) if isinstance(block, dict) and "cachePoint" in block)
        return {at: _ttl(block["cachePoint"]) for at, block in points}

    def bears(self, block: dict[str, Any]) -> bool:
        text, document = block.get("text"), block.get("document")
        if isinstance(document, dict):
            return document.get("format") == "pdf"  # wire rule B14
        return (isinstance(text, str) and bool(text.strip())) or "toolResult" in block or "image" in block

    def op(self, path: Path, number: int, ttl: str) -> Op:
        point = {"cachePoint": {"type": "default"} | ({"ttl": ttl} if ttl else {})}
        return Op(path, [point], (number + 1, number + 1))


_SHOWN = ("image_url", "file", "input_image", "input_file")


class _OpenAI:
    """A `prompt_cache_breakpoint` on a part, from GPT-5.6 on. One more is implied behind the newest message, unless the
    request says otherwise; all live equally long."""

    def __init__(self, array: str) -> None:
        self.array = array

    def fixed(self, body: Any) -> Iterator[_Mark]:
        options = body.get("prompt_cache_options")
        if not isinstance(options, dict) or options.get("mode") != "explicit":
            yield _Mark(_END, "")

    def held(self, content: list[Any]) -> dict[int, str]:
        marked = (isinstance(block, dict) and block.get("prompt_cache_breakpoint") is not None for block in content)
        return {number: "" for number, one in enumerate(marked) if one}

    def bears(self, block: dict[str, Any]) -> bool:
        text = block.get("text")
        return (isinstance(text, str) and bool(text.strip())) or block.get("type") in _SHOWN

    def op(self, path: Path, number: int, ttl: str) -> Op:
        return Op((*path, number, "prompt_cache_breakpoint"), {"mode": "explicit"})


_APIS: dict[str, _Api] = {
    "anthropic_messages": _Anthropic(),
    "bedrock_converse": _Bedrock(),
    "openai_chat": _OpenAI("messages"),
    "openai_responses": _OpenAI("input"),
}
MARKED = {name: api.array for name, api in _APIS.items()}  # formats whose requests may mark blocks, and where
