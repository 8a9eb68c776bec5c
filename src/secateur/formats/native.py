"""What readers of request bodies share: finding the array, media, digests, and pairing calls with results."""

import json
from collections.abc import Callable
from hashlib import blake2b
from typing import Any

import msgspec

from secateur.errors import FormatError
from secateur.jsontext import Text
from secateur.model import Message, Part, Path
from secateur.tokens import counter, media_tokens

_encode = msgspec.json.Encoder(order="sorted").encode


def array_at(native: Any, name: str, need: str = "") -> Any:
    """Where the messages stand and what they are: `((name,), items)` in a body, `((), items)` for a bare list.

    None where there are none, or FormatError where the caller `need`s them for a format.
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
        raise FormatError(f"{need} wants an array `{name}`, or the list of messages itself; this document has neither")
    return None


def sample(items: Any) -> list[Any]:
    """A few messages from both ends, parsed: enough to tell formats apart."""
    size = len(items)
    picked = sorted({*range(min(6, size)), *range(max(0, size - 6), size)})
    found = [items.child(at) if isinstance(items, Text) else items[at] for at in picked]
    return [one.value() if isinstance(one, Text) else one for one in found]


def leading_model(native: Any) -> str:
    """The body's `model`, if it names one."""
    found = native.get("model") if isinstance(native, dict) else None
    if isinstance(native, Text) and native.kind == "{":
        child = native.child("model")
        found = child.value() if child is not None else None
    return found if isinstance(found, str) else ""


def fixed_tokens(native: Any, *names: str) -> int:
    """Tokens of what goes with every request beside the messages, estimated on its JSON."""
    count: Callable[[str], int] = counter("estimate")
    total = 0
    for name in names:
        if isinstance(native, Text) and native.kind == "{":
            child = native.child(name)
            total += count(child.raw.decode("utf-8", "replace")) if child is not None else 0
        elif isinstance(native, dict) and native.get(name):
            total += count(canonical(native[name]))
    return total


def value_digest(value: Any) -> str:
    """A name for a value, cache markers aside; whatever order its members stand in."""
    return blake2b(canonical(_unmarked(value)).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def medium(block: dict[str, Any], path: Path, within: str = "") -> Part:
    """A picture or a document: what the model is told of it here is its type and name."""
    source = block.get("source")
    source = source if isinstance(source, dict) else {}
    mime = str(source.get("media_type") or block.get("type") or "media")
    data = source.get("data")
    size = len(data) if isinstance(data, str) else 0
    named = " ".join(filter(None, (mime, str(block.get("title") or source.get("url") or "")[:200])))
    return Part("media", path, named, digest=value_digest(block), within=within, tokens=media_tokens(mime, size))


def _unmarked(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _unmarked(one) for name, one in value.items() if name != "cache_control"}
    return [_unmarked(one) for one in value] if isinstance(value, list) else value


def canonical(value: Any) -> str:
    """JSON with sorted names and no white space: equal values read alike."""
    try:
        return _encode(value).decode()
    except (UnicodeEncodeError, TypeError, RecursionError):
        return json.dumps(value, sort_keys=True, separators=(",", ":"), default=repr)


class Calls:
    """Pairs results with calls within their round: ids repeat over a document, and may be empty."""

    def __init__(self) -> None:
        self._open: dict[str, list[str]] = {}
        self._answering = False

    @classmethod
    def after(cls, messages: tuple[Message, ...]) -> "Calls":
        """As it stands after these messages; only the last round is looked at."""
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
                    calls.add(part.call, part.tool)
                elif part.kind == "tool_result":
                    calls.take(part.call)
        return calls

    def speaks(self, role: str) -> None:
        """A message of this role begins; an assistant that speaks after results opens a new round."""
        if role == "assistant" and self._answering:
            self._open = {}
        self._answering = role != "assistant"

    def add(self, call: str, tool: str) -> None:
        """The assistant called a tool."""
        self._open.setdefault(call, []).append(tool)

    def take(self, call: str) -> str:
        """The tool whose result this is; "" for an orphan."""
        waiting = self._open.get(call)
        return waiting.pop(0) if waiting else ""
