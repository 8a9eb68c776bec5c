"""Requests that contain objects: those of the providers' packages, pydantic models, dataclasses, attrs, Structs.

Rule: objects are read, never converted. `inspect_objects` gives the JSON shape that a request has on the wire, for the
rest of the program to read and edit; `Looked.restore` applies the edits to the request as received: an unedited value
is the very same object, an edited one is a copy of the same class that keeps all other attributes. No package is
imported here: an object's class shows how to read it. Objects that were read once are remembered by identity, and
checked.
"""

from typing import Any

from msgspec import Struct

from secateur.objects.kinds import get_kind, is_plain
from secateur.objects.request import ARRAYS, get_members, read
from secateur.objects.returning import apply_view
from secateur.objects.seeing import Eyes, Seen, SeenList

__all__ = ["Eyes", "Looked", "Seen", "SeenList", "format_of", "inspect_objects", "inspect_request", "count_shared"]

_FORMATS = {
    "anthropic_messages": "anthropic.",
    "openai_chat": "openai.types.chat.",
    "openai_responses": "openai.types.responses.",
    "gemini": "google.genai.",
}


class Looked(Struct, frozen=True):
    """A request as received, and the JSON shape in which it was seen."""

    request: Any
    native: Any  # a `Seen` or a `SeenList`; the request itself where there is nothing more to it

    def restore(self, view: Any) -> Any:
        """Convert a view of the JSON shape back to the request's own shape; unedited, the request itself."""
        if view is self.native:
            return self.request
        objects = isinstance(self.native, Seen | SeenList)
        return apply_view(self.request, self.native, view) if objects else view

    def describe_unknown(self) -> str:
        """What to do if no format knows the objects among the messages; "" if there are none."""
        held = get_members(self.request) or {}
        messages = next((held[name] for name in ARRAYS if name in held), self.request)
        some = messages if isinstance(messages, list | tuple) else [messages]
        classes = {f"{type(one).__module__}.{type(one).__qualname__}": 0 for one in some if get_kind(type(one))}
        if not classes:
            return ""
        return (
            f"; its messages are objects of {', '.join(sorted(classes)[:3])}: give them in the shape in which a "
            "provider's client takes them"
        )


def inspect_objects(request: Any, eyes: Eyes) -> Looked | None:
    """Read a request that holds more than plain JSON values; None if it does not. Raises FormatError."""
    if isinstance(request, bytes | bytearray | memoryview | str) or is_plain(request):
        return None
    with eyes.lock:
        return Looked(request, read(request, eyes))


def inspect_request(request: Any) -> Looked:
    """Inspect a request, whatever it holds. Raises FormatError."""
    return inspect_objects(request, Eyes()) or Looked(request, request)


def count_shared(old: Any, new: Any, at: tuple[str | int, ...]) -> int:
    """Count leading messages of two requests that are the same objects; `at` is their path in the old one."""
    if type(old) is not type(new) or type(old) not in (Seen, SeenList):
        return 0
    before, after = (native.get(at[0]) if at else native for native in (old, new))
    if not isinstance(before, list) or not isinstance(after, list):
        return 0
    differ = (n for n, (one, other) in enumerate(zip(before, after, strict=False)) if one is not other)
    return next(differ, min(len(before), len(after)))


def format_of(native: Any) -> str:
    """The format implied by the packages of a request's objects; "" if none or several are."""
    packages = native.packages if isinstance(native, Seen | SeenList) else ()
    found = {format for name in packages for format, package in _FORMATS.items() if f"{name}.".startswith(package)}
    return found.pop() if len(found) == 1 else ""
