"""One walk over chat messages: what the rules of this API need to know.

Rule: block rules look at messages as "@role", at calls as "@call", at parts of a content by their type.
"""

from typing import Any

from secateur.api.accessors import fields, items, word
from secateur.api.walker import Asked, History, Look
from secateur.model import Path
from secateur.pairing import Pairing

ROLES = frozenset({"developer", "system", "user", "assistant", "tool", "function"})


class Chat(History):
    """What is noticed of a Chat Completions request."""

    def __init__(self, asked: Asked) -> None:
        super().__init__(asked)
        self.roles: list[str] = []  # "" where it is none
        self.odd: list[tuple[Path, str]] = []  # what has not the shape of a message, part or call
        self.calls: Pairing[tuple[Path, str], tuple[Path, str]] = Pairing(unique=True)  # path and id, of both
        self.repeated: list[tuple[Path, str]] = []  # calls whose id another call of the round has
        self.calling: set[int] = set()  # numbers of messages with calls
        self.media: list[tuple[Path, str, str]] = []  # parts that are no text: type, role
        self.wants_json = fields(self.request.get("response_format")).get("type") == "json_object"
        self.says_json = False

    def walk(self, look: Look) -> None:
        for number, message in enumerate(self.messages):
            path: Path = (self.array, number)
            role = message.get("role") if isinstance(message, dict) else None
            if not isinstance(role, str) or role not in ROLES:
                self.roles.append("")
                self.odd.append((path, "a message has no role of this API: give it one, or take it out"))
                self.calls.end_round()
                continue
            self.roles.append(role)
            if role != "tool":
                self.calls.end_round()
            look(f"@{role}", message, path)
            content = message.get("content")
            if isinstance(content, list | tuple):
                self._parts(role, content, (*path, "content"), look)
            elif self.wants_json and isinstance(content, str):
                self.says_json = self.says_json or "json" in content.lower()
            if role == "tool":
                self._result(message, path)
            elif role == "assistant" and "tool_calls" in message:
                self._calls(message["tool_calls"], (*path, "tool_calls"), look)
        self.calls.end_round()

    def _parts(self, role: str, parts: Any, path: Path, look: Look) -> None:
        for number, part in enumerate(parts):
            inside = (*path, number)
            kind = word(part.get("type")) if isinstance(part, dict) else ""
            if not kind:
                self.odd.append((inside, "a part of a content is not an object with a type: give it one"))
                continue
            if kind[0] != "@":
                look(kind, part, inside)
            if kind not in ("text", "refusal"):
                self.media.append((inside, kind, role))
            elif self.wants_json and "json" in word(part.get("text")).lower():
                self.says_json = True

    def _calls(self, calls: Any, path: Path, look: Look) -> None:
        if items(calls):
            self.calling.add(path[1])  # type: ignore[arg-type]
        for number, call in enumerate(items(calls)):
            inside = (*path, number)
            id = word(call.get("id")) if isinstance(call, dict) else ""
            if not id:
                self.odd.append((inside, "a call has no id: give it one, the same as its result has"))
                continue
            look("@call", call, inside)
            if not self.calls.add_call(id, (inside, id)):
                self.repeated.append((inside, id))

    def _result(self, message: Any, path: Path) -> None:
        id = word(message.get("tool_call_id"))
        if id:
            self.calls.add_result(id, (path, id))
