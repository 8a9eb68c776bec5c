"""One walk over contents: notes what its rules need to know.

Rule: names are read in camelCase and in snake_case; consecutive contents of one role are one turn. Rules on blocks get
parts under the name of their data ("text", "functionCall" ...) and contents as "content".
"""

from functools import cached_property
from typing import Any

from secateur.api.walker import CheckBlock, CheckInput, Walker, get_fields, get_items, get_text
from secateur.formats.native import find_provider_history
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
KINDS = {**_SNAKE, **{name: name for name in ("text", *_SNAKE.values())}}  # the name of a datum as received -> its kind
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


class GeminiTurn:
    """Consecutive contents of one role, and the calls or responses in them."""

    __slots__ = ("calls", "path", "responses", "role", "speaks")

    def __init__(self, role: str, path: Path) -> None:
        self.role = role
        self.path = path
        self.calls: list[tuple[Path, Any, Any]] = _NONE  # place, part, call
        self.responses: list[tuple[Path, Any]] = _NONE
        self.speaks = False  # contains text or media: then a new user turn begins

    def call(self, path: Path, part: Any, value: Any) -> None:
        """Add a call."""
        if self.calls:
            self.calls.append((path, part, value))
        else:
            self.calls = [(path, part, value)]

    def add_response(self, path: Path, value: Any) -> None:
        """Add a response."""
        if self.responses:
            self.responses.append((path, value))
        else:
            self.responses = [(path, value)]


class ContentsWalker(Walker):
    """Notes on a generateContent request."""

    array = "contents"

    def __init__(self, given: CheckInput) -> None:
        super().__init__(given)
        self.partial = bool(find_provider_history("gemini", self.request.get))
        self.turns: list[GeminiTurn] = []
        self.odd: list[tuple[Path, str]] = []
        self.open: dict[str, list[Path]] = {}  # server tools and code without their result
        self.astray: list[Path] = []  # such results without a use before them

    @cached_property
    def rounds(self) -> list[tuple[GeminiTurn, GeminiTurn]]:
        """Each turn with calls of the model, and the turn that must answer them."""
        both = zip(self.turns, self.turns[1:], strict=False)
        return [(turn, after) for turn, after in both if turn.calls and turn.role == "model"]

    def get_field(self, name: str) -> Any:
        """Return a field of the request in either spelling."""
        found = self.request.get(name)
        return (
            self.request.get("".join(f"_{c.lower()}" if c.isupper() else c for c in name)) if found is None else found
        )

    def walk(self, check_block: CheckBlock) -> None:
        for number, content in enumerate(self.messages):
            path: Path = (self.array, number)
            if not isinstance(content, dict):
                self.odd.append((path, "a content is not an object: give it a role and parts, or remove it"))
                continue
            check_block("content", content, path)
            role = "model" if content.get("role") == "model" else "user"
            if not self.turns or self.turns[-1].role != role:
                self.turns.append(GeminiTurn(role, path))
            turn = self.turns[-1]
            for at, part in enumerate(get_items(content.get("parts"))):
                self._walk_part(part, (*path, "parts", at), turn, check_block)

    def _walk_part(self, part: Any, path: Path, turn: GeminiTurn, check_block: CheckBlock) -> None:
        if not isinstance(part, dict):
            self.odd.append((path, "a part is not an object: give it a text, or remove it"))
            return
        name = next(iter(part), "")
        if len(part) > 1 or name not in KINDS or part[name] is None:  # most parts are one datum
            kinds = find_data(part)
            if len(kinds) != 1:
                check_block("part", part, path)
                return
            name = kinds[0]
        kind = KINDS[name]
        if kind == "text":
            check_block(kind, part, path)
            turn.speaks = turn.speaks or turn.role == "user"
            return
        check_block(kind, part[name], path, name)
        if kind == "functionCall":
            turn.call(path, part, get_fields(part[name]))
        elif kind == "functionResponse":
            turn.add_response(path, get_fields(part[name]))
        elif turn.role == "user":
            turn.speaks = True
        else:
            self._record_server_part(kind, path)

    def _record_server_part(self, kind: str, path: Path) -> None:
        if kind == "executableCode" or kind == "toolCall":
            self.open.setdefault(kind, []).append(path)
        elif kind == "codeExecutionResult" or kind == "toolResponse":
            waiting = self.open.get("executableCode" if kind == "codeExecutionResult" else "toolCall")
            if waiting:
                waiting.pop()
            else:
                self.astray.append(path)


def find_data(part: dict[str, Any]) -> list[str]:
    """The names of the data of a part, as spelled in it."""
    return [name for name, value in part.items() if name in KINDS and value is not None]


def is_void(part: dict[str, Any]) -> bool:
    """Whether a part has no data, and nothing that might be data: a signature, or an unknown field."""
    return not find_data(part) and all(name in _BESIDE for name in part if part[name] is not None)


def is_blank(part: dict[str, Any]) -> bool:
    """Whether a part is an empty text without a signature (G11)."""
    return part.get("text") == "" and not (part.get("thoughtSignature") or part.get("thought_signature"))


def get_name(value: Any) -> str:
    """The name of a call or of a response."""
    return get_text(value.get("name"))


def get_id_and_name(value: Any) -> tuple[str, str]:
    """The id, which may be "", and the name of a call or of a response."""
    return get_text(value.get("id")), get_text(value.get("name"))
