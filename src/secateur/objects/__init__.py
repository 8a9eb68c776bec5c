"""Requests that hold objects: those of the providers' packages, pydantic models, dataclasses, attrs, Structs.

Rule: objects are looked at, never converted. `looked` gives the JSON shape that a request has on the wire, for the
rest of the program to read and edit; `Looked.given` carries what was edited over to the request as it came: what was
not edited is the very same object, what was is a copy of the same class with all that nobody named. No package is
imported here: an object's class says how it is read. What is read once is remembered by identity, and checked.
"""

from typing import Any

from msgspec import Struct

from secateur.objects.kinds import kind_of
from secateur.objects.plain import is_plain
from secateur.objects.request import ARRAYS, members_of, read
from secateur.objects.returning import returned
from secateur.objects.seeing import Eyes, Seen, SeenList

__all__ = ["Eyes", "Looked", "Seen", "SeenList", "format_of", "looked", "looked_at", "shared"]

_FORMATS = {
    "anthropic_messages": "anthropic.",
    "openai_chat": "openai.types.chat.",
    "openai_responses": "openai.types.responses.",
    "gemini": "google.genai.",
}


class Looked(Struct, frozen=True):
    """A request as it came, and the JSON shape in which it was seen."""

    request: Any
    native: Any  # a `Seen` or a `SeenList`; the request itself where there is nothing more to it

    def given(self, view: Any) -> Any:
        """The view of this request, as `view` of its JSON shape is: the very request if nothing was edited."""
        if view is self.native:
            return self.request
        objects = isinstance(self.native, Seen | SeenList)
        return returned(self.request, self.native, view) if objects else view

    def strangers(self) -> str:
        """What to do where no format knows the objects among the messages; "" where there are none."""
        held = members_of(self.request) or {}
        messages = next((held[name] for name in ARRAYS if name in held), self.request)
        some = messages if isinstance(messages, list | tuple) else [messages]
        classes = {f"{type(one).__module__}.{type(one).__qualname__}": 0 for one in some if kind_of(type(one))}
        if not classes:
            return ""
        return (
            f"; its messages are objects of {', '.join(sorted(classes)[:3])}: give them in the shape in which a "
            "provider's client takes them"
        )


def looked(request: Any, eyes: Eyes) -> Looked | None:
    """What a request holds, if that is more than plain JSON values; None where it is not. Raises FormatError."""
    if isinstance(request, bytes | bytearray | memoryview | str) or is_plain(request):
        return None
    with eyes.lock:
        return Looked(request, read(request, eyes))


def looked_at(request: Any) -> Looked:
    """What a request is, whatever it holds. Raises FormatError."""
    return looked(request, Eyes()) or Looked(request, request)


def shared(old: Any, new: Any, at: tuple[str | int, ...]) -> int:
    """How many leading messages of two requests are the very same shapes; `at` is where the old one has them."""
    if type(old) is not type(new) or type(old) not in (Seen, SeenList):
        return 0
    before, after = (native.get(at[0]) if at else native for native in (old, new))
    if not isinstance(before, list) or not isinstance(after, list):
        return 0
    differ = (n for n, (one, other) in enumerate(zip(before, after, strict=False)) if one is not other)
    return next(differ, min(len(before), len(after)))


def format_of(native: Any) -> str:
    """The format that the packages of a request's objects tell; "" where none does, or several do."""
    packages = native.packages if isinstance(native, Seen | SeenList) else ()
    found = {format for name in packages for format, package in _FORMATS.items() if f"{name}.".startswith(package)}
    return found.pop() if len(found) == 1 else ""
