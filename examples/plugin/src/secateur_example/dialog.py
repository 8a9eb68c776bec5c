"""A format: `{"dialog": [{"who": "human", "says": "hello"}, ...]}`, with calls of tools and what they returned.

Rule: it points at values and never converts them. A turn of a shape that it does not know stays unchanged.
"""

from collections.abc import Iterator
from typing import Any

from secateur.plugins import (
    Format,
    FormatError,
    Message,
    NewMessage,
    Part,
    Path,
    Role,
    Text,
    Transcript,
    assign_keys,
    dump_canonical,
    find_array,
    find_chain_key,
    hash_value,
    read_member,
)

_ROLES: dict[str, Role] = {"human": "user", "agent": "assistant", "tool": "tool"}


class Dialog(Format):
    """Reader of dialogs."""

    name = "dialog"
    telltale_names = frozenset({"dialog", "agent"})

    def recognize(self, native: Any) -> str:
        """An array `dialog` of turns that say who speaks."""
        try:
            _, items = find_array(native, "dialog", need=self.name)
        except FormatError:
            return ""
        values = items.values() if isinstance(items, Text) else items
        is_one = isinstance(native, dict | Text) and not isinstance(native, list)
        return "`dialog` of turns" if is_one and any(_role(value) for value in values) else ""

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of a dialog."""
        at, items = find_array(native, "dialog", need=self.name)
        values = items.values(len(known)) if isinstance(items, Text) else items[len(known) :]
        fresh = (_message(value, (*at, number)) for number, value in enumerate(values, len(known)))
        messages = known + assign_keys(fresh, find_chain_key(known))
        return Transcript(at, messages, model or str(read_member(native, "agent") or ""))

    def new_message(self, new: NewMessage) -> Any:
        """A turn that says one text."""
        return {"who": "agent" if new.role == "assistant" else "human", "says": new.text}


def _role(value: Any) -> Role | None:
    who = value.get("who") if isinstance(value, dict) else None
    return _ROLES.get(who) if isinstance(who, str) else None


def _message(value: Any, path: Path) -> Message:
    role = _role(value)
    if role is None:
        odd = Part("other", path, dump_canonical(value), fingerprint=hash_value(value), pinned=True)
        return Message("user", path, (odd,), "harness")
    parts = tuple(_parts(value, role, path))
    return Message(role, path, parts, "harness" if role == "tool" else "user")


def _parts(value: dict[str, Any], role: Role, path: Path) -> Iterator[Part]:
    says, id = value.get("says"), value.get("id")
    call = id if isinstance(id, str) else ""
    tool = value.get("calls")
    if isinstance(says, str) and role == "tool":
        yield Part("tool_result", (*path, "says"), says, call_id=call)
    elif isinstance(says, str):
        yield Part("text", (*path, "says"), says)
    if isinstance(tool, str) and role == "assistant":
        given = value.get("with")
        yield Part("tool_call", (*path, "with"), dump_canonical(given), tool=tool, call_id=call, pinned=True)
    elif not isinstance(says, str):
        yield Part("other", path, dump_canonical(value), fingerprint=hash_value(value), pinned=True)
