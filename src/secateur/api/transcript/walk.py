"""One walk over the messages of a transcript: rounds, and what stands in them.

Rule: a call that nothing came after waits and breaks nothing; ids repeat over a session and may be empty, so a result
belongs to the oldest open call with its id. A command in the text of a message is no call to an API. Lines of a
session file are told beside the message.
"""

from secateur.api.walker import Asked, History, Look
from secateur.model import Message, Part, Path
from secateur.pairing import Pairing

Placed = tuple[Path, Part]

_IN_TEXT = (("content",), ("message",), ("text",))  # where the text of a message stands


class Conversation(History):
    """What is noticed of a transcript; `messages` are those of the model."""

    def __init__(self, asked: Asked) -> None:
        super().__init__(asked)
        self.calls: Pairing[Placed, Placed] = Pairing()
        self.apart: list[Placed] = []  # results behind a message that is neither a call nor a result
        self._spoken = False  # somebody spoke since the open calls

    def walk(self, look: Look) -> None:
        for number, message in enumerate(self.messages):
            path: Path = (self.array, number)
            if isinstance(message, Message):
                look("message", message, path)
                self._message(message, path, look)
        if self._spoken:
            self.calls.end_round()

    def where(self, path: Path) -> str:
        message = self.messages[path[1]] if len(path) > 1 and isinstance(path[1], int) else None
        lines = getattr(message, "lines", ())
        return f"message {path[1]}, line {lines[0] + 1}" if lines else super().where(path)

    def _message(self, message: Message, path: Path, look: Look) -> None:
        results = any(part.kind == "tool_result" for part in message.parts)
        if message.role == "assistant" and not results:
            self._next_round()
        for at, part in enumerate(message.parts):
            inside = (*path, "parts", at)
            look(part.kind, part, inside)
            if part.kind == "tool_call":
                self.calls.add_call(part.call_id, (inside, part))
            elif part.kind == "tool_result":
                self._result(part, inside)
        if message.role == "user" and not results and self.calls.open_calls:
            self._spoken = True

    def _next_round(self) -> None:
        """An assistant message: calls that are open now stay without a result, if results of theirs or words came."""
        if self._spoken or self.calls.has_results:
            self.calls.end_round()
            self._spoken = False

    def _result(self, part: Part, path: Path) -> None:
        if self.calls.add_result(part.call_id, (path, part)) is not None and self._spoken:
            self.apart.append((path, part))


def is_text(call: Part) -> bool:
    """Whether a call is no more than words of a message, of which no API asks for a result."""
    return call.pinned and not call.call_id and call.path[-1:] in _IN_TEXT
