"""One walk over the messages of a transcript: rounds, and what stands in them.

Rule: a call that nothing came after waits and breaks nothing; ids repeat over a session and may be empty, so a result
belongs to the oldest open call with its id. A command in the text of a message is no call to an API. Lines of a
session file are told beside the message.
"""

from secateur.api.walker import Asked, History, Look
from secateur.model import Message, Part, Path

Placed = tuple[Path, Part]

_IN_TEXT = (("content",), ("message",), ("text",))  # where the text of a message stands


class Conversation(History):
    """What is noticed of a transcript; `messages` are those of the model."""

    def __init__(self, asked: Asked) -> None:
        super().__init__(asked)
        self.unanswered: list[Placed] = []
        self.waiting: list[Placed] = []  # calls at the end
        self.orphans: list[Placed] = []
        self.doubles: list[Placed] = []
        self.apart: list[Placed] = []  # results behind a message that is neither a call nor a result
        self._open: list[Placed] = []
        self._answered: list[Part] = []
        self._spoken = False  # somebody spoke since the open calls

    def walk(self, look: Look) -> None:
        for number, message in enumerate(self.messages):
            path: Path = (self.array, number)
            if isinstance(message, Message):
                look("message", message, path)
                self._message(message, path, look)
        if self._spoken:
            self._give_up()
        else:
            self.waiting = [one for one in self._open if not _is_text(one[1])]

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
                self._open.append((inside, part))
            elif part.kind == "tool_result":
                self._result(part, inside)
        if message.role == "user" and self._open and not results:
            self._spoken = True

    def _next_round(self) -> None:
        """An assistant message: calls that are open now stay without a result, if results of theirs or words came."""
        if self._spoken or self._answered:
            self._give_up()
            self._open, self._answered, self._spoken = [], [], False

    def _give_up(self) -> None:
        """The open calls stay without a result."""
        self.unanswered += [one for one in self._open if not _is_text(one[1])]

    def _result(self, part: Part, path: Path) -> None:
        for at, (_, call) in enumerate(self._open):
            if call.call == part.call:
                del self._open[at]
                self._answered.append(part)
                if self._spoken:
                    self.apart.append((path, part))
                return
        again = bool(part.call) and any(one.call == part.call for one in self._answered)
        (self.doubles if again else self.orphans).append((path, part))


def _is_text(call: Part) -> bool:
    """Whether a call is no more than words of a message, of which no API asks for a result."""
    return call.pinned and not call.call and call.path[-1:] in _IN_TEXT
