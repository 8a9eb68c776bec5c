"""Explicit cache breakpoints of Claude's APIs and of OpenAI's: where they are in a body, and where one more may.

Rule: a marker is added, none is moved or taken away. Only a client that marks its messages itself gets one, in a slot
that it left free, before its own last marker and with that one's lifetime, in a message that is not the model's. Where
lifetimes would no longer fall (API rules A20 to A23, B12 to B14), nothing is added. Nothing here knows what an edit
is.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

from msgspec import Struct

from secateur.formats.native import read_member
from secateur.jsontext import Text
from secateur.model import Message, Path
from secateur.patch import Op

SLOTS = 4  # docs: prompt caching; API rules A20 and B14
_ORDER = ("1h", "5m")  # API rule A21: the longer-lived first
_FIXED = (-1, 0)  # before all messages
_BEFORE = ("tools", "system", "toolConfig", "cache_control", "prompt_cache_options")
NEAR = 4  # newest messages that contain a client's last markers
_HINTS = (b'"cache', b'"prompt_cache')  # a text without them holds no marker
_NAMES = (b'"cache_control"', b'"cachePoint"', b'"prompt_cache_breakpoint"')
_RETAINED = ("openai_chat", "openai_responses")
_END = (1 << 62, 0)  # behind all of them: automatic caching

Place = tuple[int, int]  # message, block


class _Mark(Struct, frozen=True):
    place: Place
    ttl: str  # "" if not stated: 5m


class _Api(Protocol):
    """How one API marks blocks."""

    array: str  # the member of a body that holds the messages

    def iterate_fixed(self, body: Any) -> Iterator[_Mark]:
        """Yield the breakpoints outside the messages."""

    def get_held(self, content: list[Any]) -> list[tuple[int, str]]:
        """Return one message's breakpoints in order: block number and lifetime. A block may have several inside."""

    def can_mark(self, block: dict[str, Any]) -> bool:
        """Return whether this block of the user's may have a breakpoint."""

    def make_op(self, path: Path, number: int, ttl: str) -> Op:
        """Return the operation that puts a breakpoint on a block of the content at `path`."""


def has_marks(text: bytes) -> bool:
    """Return whether a body in JSON may hold a breakpoint; where it holds none, none is added."""
    return any(hint in text for hint in _HINTS) and any(name in text for name in _NAMES)


def place_breakpoints(format: str, body: Any, before: Iterable[int]) -> list[Op]:
    """Return operations that put breakpoints before each of these messages, most wanted first.

    Positions are those of the body's array of messages. None for other formats, for a plain list of messages (which
    does not show the other marks of its request), and where a marker exists already.
    """
    api = _APIS.get(format)
    messages = body.get(api.array) if api and isinstance(body, dict) and "thread" not in body else None
    if api is None or not isinstance(messages, list):
        return []
    inside = [
        _Mark((number, block), ttl)
        for number, message in enumerate(messages)
        for block, ttl in api.get_held(_get_content(message))
    ]
    marks = _sort_marks([*api.iterate_fixed(body), *inside])
    if not {mark.place for mark in marks} - {_END} or marks[-1].place == _FIXED:
        return []
    last, found = marks[-1], []
    for number in before:
        place = _find_markable(api, messages, min(number, len(messages)), {mark.place for mark in marks})
        more = _sort_marks([*marks, _Mark(place, last.ttl)]) if place is not None and place < last.place else marks
        if more is marks or len(more) > SLOTS or not _is_descending(more):
            continue
        assert place is not None
        marks = more
        found.append(api.make_op((api.array, place[0], _get_content_name(messages[place[0]])), place[1], last.ttl))
    return found


def has_long_retention(format: str, native: Any, messages: Sequence[Message]) -> bool:
    """Return whether the request buys the longer of the two possible cache lifetimes for its messages.

    The last marker decides (by API rule A21 longer-lived ones precede it), if a body has one among its newest messages
    or marks itself as a whole; OpenAI's requests have a field for it.
    """
    api = _APIS.get(format)
    if api is None or format in _RETAINED:
        return format in _RETAINED and read_member(native, "prompt_cache_retention") == "24h"
    whole = read_member(native, "cache_control")
    if whole is not None:
        return _get_ttl(whole) == "1h"
    for message in reversed(messages[-NEAR:]):
        marks = api.get_held(_get_content(_get_at_path(native, message.path)))
        if marks:
            return marks[-1][1] == "1h"
    return False


def count_slots(format: str, native: Any, messages: Sequence[Message]) -> int:
    """Return how many breakpoint slots a request uses, before its messages and among these messages.

    0 where it marks none of its messages, neither one by one nor as a whole.
    """
    api = _APIS.get(format)
    if api is None:
        return 0
    places = dict.fromkeys(message.path for message in messages)
    inside = sum(len(api.get_held(_get_content(_get_at_path(native, path)))) for path in places)
    is_shut = isinstance(native, Text) and native.kind == "{"  # most members hold no breakpoint, and are not parsed
    held = {
        name: _get_at_path(native, (name,)) if is_shut and name != "cache_control" else read_member(native, name)
        for name in _BEFORE
    }
    before = list(api.iterate_fixed(held))
    whole = format not in _RETAINED and any(mark.place == _END for mark in before)  # OpenAI's end is implied
    return inside + len(before) if inside or whole else 0


def _get_at_path(native: Any, path: Path) -> Any:
    if isinstance(native, Text):
        found = native.at(path)
        if found is None or not any([found.data.find(one, found.start, found.end) >= 0 for one in _HINTS]):
            return None
        return found.value()
    for step in path:
        native = native[step]
    return native


def _sort_marks(marks: list[_Mark]) -> list[_Mark]:
    return sorted(marks, key=lambda mark: mark.place)  # those before the messages keep the order they are in


def _find_markable(api: _Api, messages: list[Any], before: int, marked: set[Place]) -> Place | None:
    """Return the last block before a message that can be marked; None if it or a later one already is."""
    for number in range(before - 1, -1, -1):
        content = _get_content(messages[number])
        for at in range(len(content) - 1, -1, -1):
            if (number, at) in marked:
                return None
            block = content[at]
            if messages[number].get("role") != "assistant" and isinstance(block, dict) and api.can_mark(block):
                return number, at
    return None


def _is_descending(marks: list[_Mark]) -> bool:
    """Return whether no breakpoint outlives an earlier one (API rule A21)."""
    lives = [_ORDER.index(mark.ttl or "5m") if (mark.ttl or "5m") in _ORDER else -1 for mark in marks]
    return -1 not in lives and lives == sorted(lives)


def _get_content(message: Any) -> list[Any]:
    content = message.get(_get_content_name(message)) if isinstance(message, dict) else None
    return content if isinstance(content, list) else []


def _get_content_name(message: Any) -> str:
    """Return the member that holds a message's blocks; for items of OpenAI's Responses also an output."""
    return "output" if "content" not in message and "output" in message else "content"


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _get_ttl(marker: Any) -> str:
    return str(marker.get("ttl") or "") if isinstance(marker, dict) else ""


class _Anthropic:
    """`cache_control` on a block."""

    array = "messages"

    def iterate_fixed(self, body: Any) -> Iterator[_Mark]:
        for block in (*_list(body.get("tools")), *_list(body.get("system"))):
            if isinstance(block, dict) and block.get("cache_control") is not None:
                yield _Mark(_FIXED, _get_ttl(block["cache_control"]))
        if body.get("cache_control"):  # takes a slot, and marks the last block (API rule A23)
            yield _Mark(_END, _get_ttl(body["cache_control"]))

    def get_held(self, content: list[Any]) -> list[tuple[int, str]]:
        found = []
        for number, block in enumerate(content):
            inside = _list(block.get("content")) if isinstance(block, dict) else []
            for one in (*inside, block):
                if isinstance(one, dict) and one.get("cache_control") is not None:
                    found.append((number, _get_ttl(one["cache_control"])))
        return found

    def can_mark(self, block: dict[str, Any]) -> bool:
        if block.get("type") == "text":
            return isinstance(block.get("text"), str) and bool(block["text"].strip())
        return block.get("type") in ("tool_result", "image", "document", "search_result")

    def make_op(self, path: Path, number: int, ttl: str) -> Op:
        return Op((*path, number, "cache_control"), {"type": "ephemeral"} | ({"ttl": ttl} if ttl else {}))


class _Bedrock:
    """A `cachePoint` behind a block."""

    array = "messages"

    def iterate_fixed(self, body: Any) -> Iterator[_Mark]:
        tools = body.get("toolConfig")
        for block in (*_list(tools.get("tools") if isinstance(tools, dict) else None), *_list(body.get("system"))):
            if isinstance(block, dict) and "cachePoint" in block:
                yield _Mark(_FIXED, _get_ttl(block["cachePoint"]))

    def get_held(self, content: list[Any]) -> list[tuple[int, str]]:
        points = ((at, block) for at, block in enumerate(content) if isinstance(block, dict) and "cachePoint" in block)
        return [(at, _get_ttl(block["cachePoint"])) for at, block in points]

    def can_mark(self, block: dict[str, Any]) -> bool:
        text, document = block.get("text"), block.get("document")
        if isinstance(document, dict):
            return document.get("format") == "pdf"  # API rule B14
        return (isinstance(text, str) and bool(text.strip())) or "toolResult" in block or "image" in block

    def make_op(self, path: Path, number: int, ttl: str) -> Op:
        point = {"cachePoint": {"type": "default"} | ({"ttl": ttl} if ttl else {})}
        return Op(path, [point], (number + 1, number + 1))


_SHOWN = ("image_url", "file", "input_image", "input_file")


class _OpenAI:
    """A `prompt_cache_breakpoint` on a part, from GPT-5.6 on. One more is implied behind the newest message, unless the
    request says otherwise; all live equally long."""

    def __init__(self, array: str) -> None:
        self.array = array

    def iterate_fixed(self, body: Any) -> Iterator[_Mark]:
        options = body.get("prompt_cache_options")
        if not isinstance(options, dict) or options.get("mode") != "explicit":
            yield _Mark(_END, "")

    def get_held(self, content: list[Any]) -> list[tuple[int, str]]:
        marked = (isinstance(block, dict) and block.get("prompt_cache_breakpoint") is not None for block in content)
        return [(number, "") for number, one in enumerate(marked) if one]

    def can_mark(self, block: dict[str, Any]) -> bool:
        text = block.get("text")
        return (isinstance(text, str) and bool(text.strip())) or block.get("type") in _SHOWN

    def make_op(self, path: Path, number: int, ttl: str) -> Op:
        return Op((*path, number, "prompt_cache_breakpoint"), {"mode": "explicit"})


_APIS: dict[str, _Api] = {
    "anthropic_messages": _Anthropic(),
    "bedrock_converse": _Bedrock(),
    "openai_chat": _OpenAI("messages"),
    "openai_responses": _OpenAI("input"),
}
MARKED = {name: api.array for name, api in _APIS.items()}  # formats whose requests may mark blocks, and where
