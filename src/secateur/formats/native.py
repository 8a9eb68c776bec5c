"""Shared by readers of request bodies: the array of messages, media, hashes, pairs of calls and results, and fields
which show that the provider keeps the history.

Rule: history that is not in a request can be neither read nor edited, and an edit of the rest would be judged against
the provider's copy. Such a request is observed and sent on as received. Items that only refer to what the API keeps
(`item_reference`) are reported by the readers, since they are among the messages.
"""

import json
from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec

from secateur.errors import FormatError
from secateur.jsontext import Text
from secateur.model import Message, Part, Path
from secateur.pairing import Pairing
from secateur.tokens import estimate, estimate_media_tokens

_ATTRIBUTION = "x-anthropic-billing-header:"  # a block that the provider takes off before it looks in its cache
_MARKERS = frozenset({"cache_control", "prompt_cache_breakpoint"})
_encode = msgspec.json.Encoder(order="sorted").encode

FIELDS: dict[str, tuple[str, ...]] = {
    "anthropic_messages": ("thread",),
    "openai_responses": ("previous_response_id", "conversation"),
    "gemini": ("cachedContent", "cached_content"),
}
_CONTINUES = "continue"  # a thread that is created brings all of its history


def find_array(native: Any, name: str, need: str = "") -> Any:
    """Where the messages are and what they are: `((name,), items)` in a body, `((), items)` for a plain list.

    None if there are none, or FormatError if the caller `need`s them for a format.
    """
    items, path = native, ()
    if isinstance(native, Text):
        if native.kind == "{":
            native.open_around(name)
            items, path = native.child(name), (name,)  # type: ignore[assignment]
        if items is not None and items.kind == "[" and not hasattr(items, "line"):
            return path, items
    elif isinstance(native, dict):
        items, path = native.get(name), (name,)  # type: ignore[assignment]
    if isinstance(items, list | tuple):
        return path, items
    if need:
        raise FormatError(
            f"{need} requires an array `{name}`, or the list of messages itself; this document has neither"
        )
    return None


def sample(items: Any, most: int = 6) -> list[Any]:
    """A few messages from both ends, parsed: enough to tell formats apart."""
    size = len(items)
    picked = sorted({*range(min(most, size)), *range(max(0, size - most), size)})
    found = [items.child(at) if isinstance(items, Text) else items[at] for at in picked]
    return [one.value() if isinstance(one, Text) else one for one in found]


def get_model(native: Any) -> str:
    """Return the body's `model` if it names one."""
    found = read_member(native, "model")
    return found if isinstance(found, str) else ""


def read_member(native: Any, name: str) -> Any:
    """The value of a member of a body, parsed; None where the document is not a body or has no such member."""
    if isinstance(native, Text):
        child = native.child(name) if native.kind == "{" else None
        return child.value() if child is not None else None
    return native.get(name) if isinstance(native, dict) else None


def count_elements_read(at: Path, known: tuple[Message, ...]) -> int:
    """Return how many array elements at `at` these leading messages cover: the next one to read."""
    if not known:
        return 0
    last = known[-1]
    place = (last.parts[-1] if last.parts else last).path[len(at)]
    return place + 1 if isinstance(place, int) else 0


def count_fixed_tokens(native: Any, *names: str) -> int:
    """Tokens of the other fields sent with every request, estimated on their JSON."""
    total = 0
    for name in names:
        if isinstance(native, Text) and native.kind == "{":
            child = native.child(name)
            total += estimate(child.raw.decode("utf-8", "replace")) if child is not None else 0
        elif isinstance(native, dict) and native.get(name):
            total += estimate(dump_canonical(native[name]))
    return total


def get_positive_integer(native: Any, name: str) -> int:
    """Return a positive number from the fields next to the messages; 0 if there is none."""
    if isinstance(native, Text):
        child = native.child(name) if native.kind == "{" else None
        value = child.value() if child is not None else None
    else:
        value = native.get(name) if isinstance(native, dict) else None
    return value if isinstance(value, int) and value > 0 else 0


def hash_value(value: Any) -> str:
    """A name for a value, cache markers aside; whatever order its members are in."""
    return blake2b(dump_canonical(_strip_markers(value)).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def hash_members(native: Any, *names: str) -> str:
    """A name for these members of a body, as a provider's cache compares them; "" where it has none of them.

    google-genai has them in a member `config`.
    """
    inner, found = _get_child(native, "config"), []
    for name in names:
        value = _get_child(native, name)
        value = _get_child(inner, name) if value is None and inner is not None else value
        if value is not None:
            is_text = isinstance(value, Text)
            data = value.raw if is_text else dump_canonical(value).encode("utf-8", "surrogatepass")
            found.append(_hash_cached(data))
    return "".join(found)


def _get_child(native: Any, name: str) -> Any:
    if isinstance(native, Text):
        return native.child(name) if native.kind == "{" else None
    return native.get(name) if isinstance(native, dict) else None


@lru_cache(maxsize=32)
def _hash_cached(data: bytes) -> str:
    """The hash of a value in JSON, without what is in no cached prefix; "" for an empty one, or what is not JSON."""
    try:
        value = Text.of(data).value()
        if isinstance(value, dict):  # Bedrock has the list of tools one level down
            value = value.get("tools", value)
        if isinstance(value, list):
            value = [one for one in value if not _is_outside_prefix(one)]
        return hash_value(value) if value else ""
    except (FormatError, RecursionError):
        return ""


def _is_outside_prefix(block: Any) -> bool:
    """Whether a block of a system prompt, or a tool, can come and go without a cached prefix being lost."""
    if not isinstance(block, dict):
        return False
    is_attribution = str(block.get("text", "")).startswith(_ATTRIBUTION)
    return is_attribution or block.get("defer_loading") is True or "cachePoint" in block


class MediaSource(NamedTuple):
    """A medium's type, its name or address, and how many characters of base64 it has here."""

    mime: str
    name: str = ""
    chars: int = 0

    @classmethod
    def of(cls, url: str, kind: str, name: str = "") -> "MediaSource":
        """Make it from an address, or from a `data:` address that holds the medium itself; `kind` if neither shows the
        type.
        """
        if not url.startswith("data:"):
            return cls(kind, name or url)
        head, _, data = url[5:].partition(",")
        return cls(head.partition(";")[0] or kind, name, len(data))


def make_medium(value: Any, source: MediaSource, path: Path, within: str = "") -> Part:
    """Make the part for a medium, which is described by its type and name."""
    named = " ".join(filter(None, (source.mime, source.name[:200])))
    tokens = estimate_media_tokens(source.mime, source.chars)
    said, marker = hash_value(value), get_marker(value)
    return Part(
        "media", path, named, fingerprint=said, container_key=within, tokens=tokens, size=source.chars, marker=marker
    )


def get_marker(*blocks: Any) -> str:
    """Return the last cache marker on these blocks as JSON; "" if there is none."""
    marks = [block["cache_control"] for block in blocks if isinstance(block, dict) and block.get("cache_control")]
    return dump_canonical(marks[-1]) if marks else ""


def make_marked_block(part: Part, text: str) -> dict[str, Any]:
    """Make a text block with the cache marker of the part it replaces (API rules 3.5)."""
    block: dict[str, Any] = {"type": "text", "text": text}
    return block | {"cache_control": json.loads(part.marker)} if part.marker else block


def read_medium(block: dict[str, Any], path: Path, within: str = "") -> Part:
    """An image or a document in a block with a `source`."""
    source = block.get("source")
    source = source if isinstance(source, dict) else {}
    mime = str(source.get("media_type") or block.get("type") or "media")
    data = source.get("data")
    size = len(data) if isinstance(data, str) else 0
    return make_medium(block, MediaSource(mime, str(block.get("title") or source.get("url") or ""), size), path, within)


def _strip_markers(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _strip_markers(one) for name, one in value.items() if name not in _MARKERS}
    return [_strip_markers(one) for one in value] if isinstance(value, list) else value


def dump_canonical(value: Any) -> str:
    """JSON with sorted names and no white space: equal values read alike."""
    try:
        return _encode(value).decode()
    except (UnicodeEncodeError, TypeError, RecursionError):
        return _encode_odd(value)


def _encode_odd(value: Any) -> str:
    """Encode a value that no JSON document holds: objects by class, endless values by their own class."""
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), default=_get_class_name)
    except (TypeError, ValueError, RecursionError):  # names that are not strings, cycles
        return _get_class_name(value)


def _get_class_name(value: Any) -> str:
    return f"<{type(value).__name__}>"


class Calls:
    """Pairs results with calls within their round: ids repeat over a document, and may be empty."""

    def __init__(self) -> None:
        self._calls: Pairing[tuple[str, str], None] = Pairing()  # ids and tools
        self._answering = False

    @classmethod
    def after(cls, messages: tuple[Message, ...]) -> "Calls":
        """The state after these messages; only the last round is examined."""
        calls = cls()
        first = len(messages)
        while first and messages[first - 1].role != "assistant":
            first -= 1
        while first and messages[first - 1].role == "assistant":
            first -= 1
        for message in messages[first:]:
            calls.speaks("assistant" if message.role == "assistant" else "user")
            for part in message.parts:
                if part.kind == "tool_call":
                    calls.add(part.call_id, part.tool)
                elif part.kind == "tool_result":
                    calls.take(part.call_id)
        return calls

    def speaks(self, role: str) -> None:
        """A message of this role begins; an assistant that speaks after results opens a new round."""
        if role == "assistant" and self._answering:
            self._calls.end_round()
        self._answering = role != "assistant"

    def add(self, call: str, tool: str) -> None:
        """The assistant called a tool."""
        self._calls.add_call(call, (call, tool))

    def waits(self, call: str) -> bool:
        """Whether a call of this id has no result yet."""
        return self._calls.is_waiting(call)

    def oldest(self, tool: str) -> str:
        """The id of the oldest call of this tool that has no result yet; "" if there is none."""
        return next((call for call, name in self._calls.open_calls if name == tool), "")

    def take(self, call: str) -> str:
        """The tool whose result this is; "" for an orphan."""
        found = self._calls.take(call)
        return found[1] if found else ""


def find_provider_history(format: str, field: Callable[[str], Any]) -> str:
    """Return the field saying that the provider keeps history, or "". `field` looks one up in the body."""
    for name in FIELDS.get(format, ()):
        value = field(name)
        is_thread = isinstance(value, dict) and value.get("type") == _CONTINUES
        if is_thread if name == "thread" else value:
            return name
    return ""
