"""Rules for the calls, results, texts and messages of a recorded conversation, and the walk that serves them.

Rule: a call at the end is waiting and breaks nothing. Ids repeat over a session and may be empty, so a result answers
the oldest open call with its id. A command in the text of a message is not a call to an API. Places also name the lines
of the session file.
"""

from secateur.api.json_checks import is_json
from secateur.api.rule import Found, rule
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


@rule("L1", "a call with later messages has its result", "rules A1, O2, R1, G3, B1")
def unanswered(history: TranscriptWalker) -> Found:
    for path, part in history.calls.unanswered:
        if not is_text(part):
            yield path, f"call {_describe_part(part)} has no result: add one that says the call was interrupted"


@rule(
    "L10",
    "a call at the end of a session has its result",
    "rules A1, O2, R1, G3, B1",
    severity="warning",
    no_repair="its result may still arrive",
)
def waiting(history: TranscriptWalker) -> Found:
    for path, part in history.calls.open_calls if history.ends else ():
        if not is_text(part):
            yield path, f"call {_describe_part(part)} is waiting for its result: add it before the next message"


@rule("L2", "a result has its call before it", "rules A2, O1, R2, G2, B2")
def orphans(history: TranscriptWalker) -> Found:
    unnamed = [(path, part) for path, part in history.calls.doubles if not part.call_id]
    for path, part in (*history.calls.orphans, *unnamed):
        yield path, f"result {_describe_part(part)} has no call before it: restore the call, or remove the result"


@rule("L3", "a call has one result", "rules A4, O4", no_repair="which of the results counts cannot be known")
def doubles(history: TranscriptWalker) -> Found:
    for path, part in history.calls.doubles:
        if part.call_id:
            yield path, f"call {_describe_part(part)} has a second result: keep one of them"


@rule(
    "L4",
    "no message comes between a call and its result",
    "rules A1, O1",
    no_repair="a session file's order is its history",
)
def apart(history: TranscriptWalker) -> Found:
    for path, part in history.apart:
        yield path, f"a message comes between call {_describe_part(part)} and its result: move it behind the result"


def _describe_part(part: Part) -> str:
    return f"{part.call_id[:60]!r} ({part.tool[:60] or 'no name'})"


_TEXTS = ("text", "reasoning", "tool_call", "tool_result")


@rule(
    "L5",
    "the first message is a user message",
    "rules A7, G1, B4",
    whole=True,
    no_repair="hosts begin their own requests",
)
def first(history: TranscriptWalker) -> Found:
    for number, message in enumerate(history.messages):
        role = getattr(message, "role", "")
        if role != "system":
            if role in ("assistant", "tool"):
                yield (
                    (history.array, number),
                    "the conversation does not begin with the user: add a user message before it",
                )
            return


@rule("L6", "no text is blank", "rules A11, G5, B8", blocks=("text",), severity="warning")
def blank_text(part: Part, history: TranscriptWalker) -> Found:
    if part.text and not part.text.isspace():
        return ()
    return [((), "a text is blank: remove it, or give it a text if it is the only one of its message")]


@rule("L7", "the arguments of a call are complete JSON", "rules A6, O8, B11", blocks=("tool_call",))
def arguments(part: Part, history: TranscriptWalker) -> Found:
    if part.pinned or not part.text.startswith("{") or is_json(part.text):
        return ()  # what does not begin as an object is the free text of a custom tool
    return [
        (
            (),
            f"the arguments of call {part.call_id[:60]!r} are cut off or not JSON: correct them, or write {{}} instead",
        )
    ]


@rule("L8", "no text contains half a surrogate pair", "rule A71", blocks=_TEXTS)
def surrogates(part: Part, history: TranscriptWalker) -> Found:
    if part.text.isascii():
        return ()
    try:
        part.text.encode()
    except UnicodeEncodeError:
        return [((), "a text contains half a surrogate pair, which UTF-8 cannot encode: replace it with U+FFFD")]
    return ()


@rule(
    "L9",
    "a message is not empty",
    "rules A12, B8",
    blocks=("message",),
    severity="warning",
    no_repair="hosts skip such messages",
)
def empty(message: Message, history: TranscriptWalker) -> Found:
    return () if message.parts else [((), "a message is empty: remove it, or give it a text")]
