"""Rules for the calls, results, texts and messages of a recorded conversation."""

from secateur.api.json_checks import is_json
from secateur.api.rule import Found, rule
from secateur.api.transcript.walk import TranscriptWalker, is_text
from secateur.model import Message, Part


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
