"""Messages and texts of a recorded conversation."""

from secateur.api.json_checks import is_json
from secateur.api.rule import Found, rule
from secateur.api.transcript.walk import Conversation
from secateur.model import Message, Part

_TEXTS = ("text", "reasoning", "tool_call", "tool_result")


@rule("L5", "the user speaks before the assistant", "rules A7, G1, B4", whole=True)
def first(history: Conversation) -> Found:
    for number, message in enumerate(history.messages):
        role = getattr(message, "role", "")
        if role != "system":
            if role in ("assistant", "tool"):
                yield (history.array, number), "the conversation does not begin with the user: put a message before"
            return


@rule("L6", "no text is blank", "rules A11, G5, B8", blocks=("text",), severity="warning")
def blank_text(part: Part, history: Conversation) -> Found:
    if part.text and not part.text.isspace():
        return ()
    return [((), "a text is blank: take it out, or give it a text if it is the message's only one")]


@rule("L7", "a call's arguments are whole JSON", "rules A6, O8, B11", blocks=("tool_call",))
def arguments(part: Part, history: Conversation) -> Found:
    if part.pinned or not part.text.startswith("{") or is_json(part.text):
        return ()  # what does not begin as an object is the free text of a custom tool
    return [
        ((), f"the arguments of call {part.call_id[:60]!r} are cut or broken JSON: mend them, or empty them to {{}}")
    ]


@rule("L8", "no text holds half a surrogate pair", "rule A71", blocks=_TEXTS)
def surrogates(part: Part, history: Conversation) -> Found:
    if part.text.isascii():
        return ()
    try:
        part.text.encode()
    except UnicodeEncodeError:
        return [((), "a text holds half a surrogate pair, which no UTF-8 can carry: put U+FFFD in its place")]
    return ()


@rule("L9", "a message holds something", "rules A12, B8", blocks=("message",), severity="warning")
def empty(message: Message, history: Conversation) -> Found:
    return () if message.parts else [((), "a message holds nothing: take it out, or give it a text")]
