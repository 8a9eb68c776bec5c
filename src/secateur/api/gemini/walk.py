"""One walk over contents: what the rules of this API need to know.

Rule: names are read in camelCase and snake_case alike; contents of one role in a row are one turn. Block rules look at
parts by the name of their data ("text", "functionCall" ...), at contents as "content".
"""

from typing import Any

from secateur.api.accessors import fields, items, word
from secateur.api.walker import Asked, History, Look
from secateur.elsewhere import kept_elsewhere
from secateur.model import Path

_SNAKE = {
    "inline_data": "inlineData",
    "file_data": "fileData",
    "function_call": "functionCall",
    "function_response": "functionResponse",
    "executable_code": "executableCode",
    "code_execution_result": "codeExecutionResult",
    "tool_call": "toolCall",
    "tool_response": "toolResponse",
}
KINDS = {**_SNAKE, **{name: name for name in ("text", *_SNAKE.values())}}  # the name of a datum as it came -> its kind
_BESIDE = frozenset(
    {
        "thought",
        "mediaResolution",
        "media_resolution",
        "videoMetadata",
        "video_metadata",
        "partMetadata",
        "part_metadata",
    }
)

_NONE: list[Any] = []  # never added to


class Turn:
    """Contents of one role in a row, and the calls or responses in them; lists are made when something is in them."""

    __slots__ = ("calls", "path", "responses", "role", "speaks")

    def __init__(self, role: str, path: Path) -> None:
        self.role = role
        self.path = path
        self.calls: list[tuple[Path, Any, Any]] = _NONE  # place, part, call
        self.responses: list[tuple[Path, Any]] = _NONE
        self.speaks = False  # holds text or media: a user's turn then begins anew

    def call(self, path: Path, part: Any, value: Any) -> None:
        """A call in it."""
        self.calls = self.calls or []
        self.calls.append((path, part, value))

    def response(self, path: Path, value: Any) -> None:
        """A response in it."""
        self.responses = self.responses or []
        self.responses.append((path, value))


class Contents(History):
    """What is noticed of a generateContent request."""

    array = "contents"

    def __init__(self, asked: Asked) -> None:
        super().__init__(asked)
        self.partial = bool(kept_elsewhere("gemini", self.request.get))
        self.turns: list[Turn] = []
        self.odd: list[tuple[Path, str]] = []
        self.open: dict[str, list[Path]] = {}  # server tools and code without their result
        self.astray: list[Path] = []  # such results without a use before them

    def field(self, name: str) -> Any:
        """A field of the request under either spelling."""
        found = self.request.get(name)
        return (
            self.request.get("".join(f"_{c.lower()}" if c.isupper() else c for c in name)) if found is None else found
        )

    def walk(self, look: Look) -> None:
        for number, content in enumerate(self.messages):
            path: Path = (self.array, number)
            if not isinstance(content, dict):
                self.odd.append((path, "a content is not an object: give it a role and parts, or take it out"))
                continue
            look("content", content, path)
            role = "model" if content.get("role") == "model" else "user"
            if not self.turns or self.turns[-1].role != role:
                self.turns.append(Turn(role, path))
            for at, part in enumerate(items(content.get("parts"))):
                self._part(part, (*path, "parts", at), self.turns[-1], look)

    def _part(self, part: Any, path: Path, turn: Turn, look: Look) -> None:
        if not isinstance(part, dict):
            self.odd.append((path, "a part is not an object: give it a text, or take it out"))
            return
        kinds = data_of(part)
        if len(kinds) != 1:
            look("part", part, path)
            return
        name = kinds[0]
        kind = KINDS[name]
        if kind == "text":
            look(kind, part, path)
        else:
            look(kind, part[name], path, name)
        if kind == "functionCall":
            turn.call(path, part, fields(part[name]))
        elif kind == "functionResponse":
            turn.response(path, fields(part[name]))
        elif turn.role == "user":
            turn.speaks = True
        elif kind != "text":
            self._server(kind, path)

    def _server(self, kind: str, path: Path) -> None:
        if kind == "executableCode" or kind == "toolCall":
            self.open.setdefault(kind, []).append(path)
        elif kind == "codeExecutionResult" or kind == "toolResponse":
            waiting = self.open.get("executableCode" if kind == "codeExecutionResult" else "toolCall")
            if waiting:
                waiting.pop()
            else:
                self.astray.append(path)


def data_of(part: dict[str, Any]) -> list[str]:
    """The names of the data that a part holds, as they came."""
    return [name for name in part if name in KINDS and part[name] is not None]


def is_void(part: dict[str, Any]) -> bool:
    """Whether a part holds no datum, and nothing that might be one: a signature, or what nobody knows yet."""
    return not data_of(part) and all(name in _BESIDE for name in part if part[name] is not None)


def is_blank(part: dict[str, Any]) -> bool:
    """Whether a part is an empty text that no signature needs (G11)."""
    return part.get("text") == "" and not (part.get("thoughtSignature") or part.get("thought_signature"))


def name_of(value: Any) -> str:
    """The name of a call or of a response."""
    return word(value.get("name"))


def id_and_name(value: Any) -> tuple[str, str]:
    """The id, which may be "", and the name of a call or of a response."""
    return word(value.get("id")), word(value.get("name"))
