"""What readers of session files share that are one JSON document: members, elements, and the transcript at the end.

Such a file is the host's: messages in it are not what an API counts (call and result in one element, lines for the
screen between them), so parts are rewritten where they stand and nothing is spliced. Which elements a host sends is
each format's own affair. A shape that is not what it should be reads as nothing, never as an error.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from secateur.formats.logs import arguments_body
from secateur.formats.native import array_at, sample
from secateur.jsontext import Text
from secateur.lineage import assign_keys
from secateur.model import Message, Part, Path, Transcript


def member(native: Any, *names: str) -> Any:
    """The value below a document, by names; None where there is none. Nothing else of it is parsed."""
    for name in names:
        if isinstance(native, Text):
            native = native.child(name) if native.kind == "{" else None
        else:
            native = native.get(name) if isinstance(native, dict) else None
    return native.value() if isinstance(native, Text) else native


def has(native: Any, *names: str) -> bool:
    """Whether a document is an object with all these names."""
    if isinstance(native, Text):
        return native.kind == "{" and all(native.child(name) is not None for name in names)
    return isinstance(native, dict) and all(name in native for name in names)


def first_value(native: Any, name: str) -> Any:
    """The first element of the array under `name`, or of the document itself; None where there is none."""
    found = array_at(native, name)
    if found is None or not len(found[1]):
        return None
    item = found[1].child(0) if isinstance(found[1], Text) else found[1][0]
    return item.value() if isinstance(item, Text) else item


def first_of(native: Any, name: str) -> dict[str, Any]:
    """The same where it is an object; {} where it is not."""
    return table(first_value(native, name))


def some_of(native: Any, name: str) -> list[dict[str, Any]]:
    """A few objects from both ends of the array under `name`, or of the document itself: enough to tell its kind."""
    found = array_at(native, name)
    return [item for item in sample(found[1], 2) if isinstance(item, dict)] if found is not None else []


def elements(native: Any, name: str, need: str) -> tuple[Path, list[Any]]:
    """Where the array under `name` (or the document itself) stands, and its values. Raises FormatError without one."""
    at, items = array_at(native, name, need=need)
    return at, list(items.values() if isinstance(items, Text) else items)


def table(value: Any) -> dict[str, Any]:
    """The object, or an empty one."""
    return value if isinstance(value, dict) else {}


def rows(value: Any) -> list[Any]:
    """The array, or an empty one."""
    return value if isinstance(value, list) else []


def word(value: Any) -> str:
    """The string, or an empty one."""
    return value if isinstance(value, str) else ""


def gathered(at: Path, messages: Iterable[Message], stamped: int = 0, **known: Any) -> Transcript:
    """The transcript of new messages that are edited in place; `last_call_ms` is the newest assistant message's time.

    Messages without parts were never sent and are dropped.
    """
    kept = [message for message in messages if message.parts]
    known.setdefault("last_call_ms", next((one.recorded_ms for one in reversed(kept) if one.role == "assistant"), 0))
    stamped = max(stamped, max((one.recorded_ms for one in kept), default=0))
    return Transcript(at, assign_keys(kept), last_timestamp_ms=stamped, parts_only=True, **known)


def frozen(parts: Sequence[Part] | Iterator[Part]) -> tuple[Part, ...]:
    """The same parts, never to be rewritten."""
    return tuple(replace(part, pinned=True) for part in parts)


def body_of(part: Part, text: str) -> Any:
    """Text where text stands; arguments stay JSON. Raises EditError for arguments that would not be."""
    return arguments_body(text) if part.kind == "tool_call" else text
