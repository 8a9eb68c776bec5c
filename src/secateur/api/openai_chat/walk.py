"""One walk over chat messages: notes what its rules need to know.

Rule: rules on blocks get messages as "@role", calls as "@call", and parts of a content by their type.
"""

from typing import Any

from secateur.api.walker import CheckBlock, CheckInput, Walker, get_fields, get_items, get_text
from secateur.model import Path
from secateur.pairing import Pairing

ROLES = frozenset({"developer", "system", "user", "assistant", "tool", "function"})


class ChatWalker(Walker):
    """Notes on a Chat Completions request."""

    def __init__(self, given: CheckInput) -> None:
        super().__init__(given)
        self.roles: list[str] = []  # "" for an unknown one
        self.odd: list[tuple[Path, str]] = []  # what is not a valid message, part or call: path, violation
        self.calls: Pairing[tuple[Path, str], tuple[Path, str]] = Pairing(unique=True)  # path and id, of both
        self.repeated: list[tuple[Path, str]] = []  # calls whose id another call of the round has
        self.calling: set[int] = set()  # numbers of messages with calls
        self.media: list[tuple[Path, str, str]] = []  # parts other than text: path, type, role
        self.wants_json = get_fields(self.request.get("response_format")).get("type") == "json_object"
        self.says_json = False

    def walk(self, check_block: CheckBlock) -> None:
        for number, message in enumerate(self.messages):
            path: Path = (self.array, number)
            role = message.get("role") if isinstance(message, dict) else None
            if not isinstance(role, str) or role not in ROLES:
                self.roles.append("")
                self.odd.append((path, "a message has no role of this API: add one, or remove it"))
                self.calls.end_round()
                continue
            self.roles.append(role)
            if role != "tool":
                self.calls.end_round()
            check_block(f"@{role}", message, path)
            content = message.get("content")
            if isinstance(content, list | tuple):
                self._walk_parts(role, content, (*path, "content"), check_block)
            elif self.wants_json and isinstance(content, str):
                self.says_json = self.says_json or "json" in content.lower()
            if role == "tool":
                self._record_result(message, path)
            elif role == "assistant" and "tool_calls" in message:
                self._walk_calls(message["tool_calls"], (*path, "tool_calls"), check_block)
        self.calls.end_round()

    def _walk_parts(self, role: str, parts: Any, path: Path, check_block: CheckBlock) -> None:
        for number, part in enumerate(parts):
            inside = (*path, number)
            kind = get_text(part.get("type")) if isinstance(part, dict) else ""
            if not kind:
                self.odd.append((inside, "a part of a content is not an object with a type: add one"))
                continue
            if kind[0] != "@":
                check_block(kind, part, inside)
            if kind not in ("text", "refusal"):
                self.media.append((inside, kind, role))
            elif self.wants_json and "json" in get_text(part.get("text")).lower():
                self.says_json = True

    def _walk_calls(self, calls: Any, path: Path, check_block: CheckBlock) -> None:
        if get_items(calls):
            self.calling.add(path[1])  # type: ignore[arg-type]
        for number, call in enumerate(get_items(calls)):
            inside = (*path, number)
            id = get_text(call.get("id")) if isinstance(call, dict) else ""
            if not id:
                self.odd.append((inside, "a call has no id: add the id of its result"))
                continue
            check_block("@call", call, inside)
            if not self.calls.add_call(id, (inside, id)):
                self.repeated.append((inside, id))

    def _record_result(self, message: Any, path: Path) -> None:
        id = get_text(message.get("tool_call_id"))
        if id:
            self.calls.add_result(id, (path, id))
