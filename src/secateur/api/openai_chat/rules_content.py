"""What a content may be, and where pictures, sounds and files may stand."""

from typing import Any

from secateur.api.openai_chat.walk import Chat
from secateur.api.rule import Found, rule

_INSTEAD = ("tool_calls", "function_call", "refusal", "audio")


@rule(
    "O6",
    "an assistant message without content has calls, a refusal or audio",
    "general knowledge",
    blocks=("@assistant",),
)
def silent(message: Any, history: Chat) -> Found:
    if message.get("content") is not None or any(message.get(name) is not None for name in _INSTEAD):
        return ()
    return [((), "an assistant message has neither content nor calls: give it a text, or take it out")]


@rule("O7", "pictures, sounds and files stand in user messages only", "SDK types")
def media(history: Chat) -> Found:
    for path, kind, role in history.media:
        if role != "user" and kind in ("image_url", "input_audio", "file"):
            yield path, f"a part of type {kind} stands in a {role} message: put a text in its place"


@rule("O9", "with `json_object` the word json stands in a message", "general knowledge", whole=True)
def word_json(history: Chat) -> Found:
    if history.wants_json and not history.says_json:
        yield ("response_format",), "`json_object` is wanted and no message says json: say it in one"
