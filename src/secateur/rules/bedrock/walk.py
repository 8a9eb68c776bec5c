"""One walk over Converse messages: what the rules of this API need to know.

Rule: a block is a union with one member; block rules look at the member's value by its name, at messages as "message".
"""

from typing import Any

from secateur.model import Path
from secateur.rules.history import Asked, History, Look
from secateur.rules.values import fields, items, word

_ROLES = ("user", "assistant", "system")


class Converse(History):
    """What is noticed of a Converse request."""

    def __init__(self, asked: Asked) -> None:
        super().__init__(asked)
        self.roles: list[str] = []  # "" where it is none
        self.odd: list[tuple[Path, str]] = []
        self.unanswered: list[tuple[Path, str]] = []  # calls without a result in the next message
        self.excess: list[tuple[Path, str]] = []  # results without a call in the message before, or a second time
        self.media: list[tuple[Path, str, str]] = []  # image, document or video; role
        self.documents: list[tuple[Path, Any, bool]] = []  # whether a text stands in the same message
        self.points: list[tuple[Path, str, Any]] = []  # cache points: the member before, and its value
        self.tools_used: Path = ()  # the first block of a tool
        self._open: dict[str, Path] = {}

    def walk(self, look: Look) -> None:
        self._fixed("system", items(self.request.get("system")))
        self._fixed("toolConfig", items(fields(self.request.get("toolConfig")).get("tools")))
        for number, message in enumerate(self.messages):
            path: Path = (self.array, number)
            role = message.get("role") if isinstance(message, dict) else None
            self.roles.append(role if isinstance(role, str) and role in _ROLES else "")
            if not self.roles[-1]:
                self.odd.append((path, "a message has no role of user or assistant: give it one, or take it out"))
                continue
            look("message", message, path)
            self._message(self.roles[-1], items(message.get("content")), path, look)
        self.unanswered += [(path, id) for id, path in self._open.items()]

    def _fixed(self, name: str, blocks: Any) -> None:
        for at, block in enumerate(blocks):
            if isinstance(block, dict) and "cachePoint" in block:
                self.points.append(((name, at) if name == "system" else (name, "tools", at), "", None))

    def _message(self, role: str, content: Any, path: Path, look: Look) -> None:
        waiting, self._open = self._open, {}
        texts = any(isinstance(block, dict) and "text" in block for block in content)
        before: tuple[str, Any] = ("", None)
        for at, block in enumerate(content):
            inside = (*path, "content", at)
            kind = next(iter(block)) if isinstance(block, dict) and len(block) == 1 else ""
            if not isinstance(kind, str) or not kind:
                self.odd.append((inside, "a block has not exactly one member: make it as many blocks"))
                continue
            value = block[kind]
            look(kind, value, (*inside, kind))
            self._block(role, kind, value, inside)
            if kind == "toolResult" and role == "user":
                self._result(value, (*inside, kind), waiting)
            elif kind == "document":
                self.documents.append(((*inside, kind), value, texts))
            elif kind == "cachePoint":
                self.points.append((inside, *before))
            before = kind, value
        self.unanswered += [(place, id) for id, place in waiting.items()]

    def _block(self, role: str, kind: str, value: Any, path: Path) -> None:
        if kind == "toolUse" and role == "assistant":
            self._open[word(fields(value).get("toolUseId"))] = (*path, kind)
        if kind == "toolUse" or kind == "toolResult":
            self.tools_used = self.tools_used or path
        elif kind in ("image", "document", "video"):
            self.media.append(((*path, kind), kind, role))

    def _result(self, value: Any, path: Path, waiting: dict[str, Path]) -> None:
        id = word(fields(value).get("toolUseId"))
        if waiting.pop(id, None) is None:
            self.excess.append((path, id))
