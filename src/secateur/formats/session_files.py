"""What readers of session files share that are one JSON document: members, elements, and the transcript at the end.

Such a file is the host's: messages in it are not what an API counts (call and result in one element, lines for the
screen between them), so parts are rewritten where they stand and nothing is spliced. Which elements a host sends is
each format's own affair. A shape that is not what it should be reads as nothing, never as an error.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from secateur.formats.logs import encode_arguments
from secateur.formats.native import find_array, sample
from secateur.jsontext import Text
from secateur.lineage import assign_keys
from secateur.model import Message, Part, Path, Transcript


def get_member(native: Any, *names: str) -> Any:
    """Return the value below a document by names, or None. Nothing else of it is parsed."""
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


def get_first_value(native: Any, name: str) -> Any:
    """Return the first element of the array under `name`, or of the document itself, or None."""
    found = find_array(native, name)
    if found is None or not len(found[1]):
        return None
    item = found[1].child(0) if isinstance(found[1], Text) else found[1][0]
    return item.value() if isinstance(item, Text) else item


def get_first_object(native: Any, name: str) -> dict[str, Any]:
    """Return the first element if it is an object, else {}."""
    return as_dict(get_first_value(native, name))


def sample_objects(native: Any, name: str) -> list[dict[str, Any]]:
    """Return a few objects from both ends of an array: enough to detect its kind."""
    found = find_array(native, name)
    return [item for item in sample(found[1], 2) if isinstance(item, dict)] if found is not None else []


def get_elements(native: Any, name: str, need: str) -> tuple[Path, list[Any]]:
    """Return the path of the array under `name` (or the document itself) and its values, or raise FormatError."""
    at, items = find_array(native, name, need=need)
    return at, list(items.values() if isinstance(items, Text) else items)


def as_dict(value: Any) -> dict[str, Any]:
    """Return the value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """Return the value if it is an array, else an empty one."""
    return value if isinstance(value, list) else []


def as_string(value: Any) -> str:
    """Return the value if it is a string, else ""."""
    return value if isinstance(value, str) else ""


def make_transcript(at: Path, messages: Iterable[Message], stamped: int = 0, **known: Any) -> Transcript:
    """Build the transcript of new messages edited in place; `last_call_ms` is the newest assistant's time.

    Messages without parts were never sent and are dropped.
    """
    kept = [message for message in messages if message.parts]
    known.setdefault("last_call_ms", next((one.recorded_ms for one in reversed(kept) if one.role == "assistant"), 0))
    stamped = max(stamped, max((one.recorded_ms for one in kept), default=0))
    return Transcript(at, assign_keys(kept), last_timestamp_ms=stamped, parts_only=True, **known)


def pin_parts(parts: Sequence[Part] | Iterator[Part]) -> tuple[Part, ...]:
    """Return the same parts, pinned so that they are never rewritten."""
    return tuple(replace(part, pinned=True) for part in parts)


def make_body(part: Part, text: str) -> Any:
    """Return text, or JSON for arguments. Raises EditError for arguments that are not JSON."""
    return encode_arguments(text) if part.kind == "tool_call" else text
