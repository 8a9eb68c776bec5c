"""One walk over the messages of a transcript: notes rounds and what is in them.

Rule: a call at the end is waiting and breaks nothing. Ids repeat over a session and may be empty, so a result answers
the oldest open call with its id. A command in the text of a message is not a call to an API. Places also name the lines
of the session file.
"""

from secateur.api.walker import CheckBlock, CheckInput, Walker
from secateur.model import Message, Part, Path
from secateur.pairing import Pairing

Placed = tuple[Path, Part]

_IN_TEXT = (("content",), ("message",), ("text",))  # where a message has its text


class TranscriptWalker(Walker):
    """Notes on a transcript; `messages` are those of the model."""

    def __init__(self, given: CheckInput) -> None:
        super().__init__(given)
        self.calls: Pairing[Placed, Placed] = Pairing()
        self.apart: list[Placed] = []  # results behind a message that is neither a call nor a result
        self._spoken = False  # the user spoke since the open calls

    def walk(self, check_block: CheckBlock) -> None:
        for number, message in enumerate(self.messages):
            path: Path = (self.array, number)
            if isinstance(message, Message):
                check_block("message", message, path)
                self._walk_message(message, path, check_block)
        if self._spoken:
            self.calls.end_round()

    def describe(self, path: Path) -> str:
        message = self.messages[path[1]] if len(path) > 1 and isinstance(path[1], int) else None
        lines = getattr(message, "lines", ())
        return f"message {path[1]}, line {lines[0] + 1}" if lines else super().describe(path)

    def _walk_message(self, message: Message, path: Path, check_block: CheckBlock) -> None:
        results = any(part.kind == "tool_result" for part in message.parts)
        if message.role == "assistant" and not results:
            self._start_next_round()
        for at, part in enumerate(message.parts):
            inside = (*path, "parts", at)
            check_block(part.kind, part, inside)
            if part.kind == "tool_call":
                self.calls.add_call(part.call_id, (inside, part))
            elif part.kind == "tool_result":
                self._record_result(part, inside)
        if message.role == "user" and not results and self.calls.open_calls:
            self._spoken = True

    def _start_next_round(self) -> None:
        """End the round of open calls at an assistant message if results or a user message came since."""
        if self._spoken or self.calls.has_results:
            self.calls.end_round()
            self._spoken = False

    def _record_result(self, part: Part, path: Path) -> None:
        if self.calls.add_result(part.call_id, (path, part)) is not None and self._spoken:
            self.apart.append((path, part))


def is_text(call: Part) -> bool:
    """Whether a call is only words of a message, for which no API needs a result."""
    return call.pinned and not call.call_id and call.path[-1:] in _IN_TEXT
