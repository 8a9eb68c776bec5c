"""How a history begins and ends, and that nothing in it is empty."""

from typing import Any

from secateur.api.accessors import blank, items, word
from secateur.api.anthropic.models import at_least
from secateur.api.anthropic.walk import Messages
from secateur.api.rule import Found, rule


@rule("A7", "the first message is the user's, or begins with a compaction", "general knowledge", whole=True)
def first(history: Messages) -> Found:
    if history.roles[:1] == ["assistant"] and history.first_kind != "compaction" and not history.partial:
        yield (history.array, 0), "the history begins with the assistant: begin it with a user message"


@rule("A11", "no text is empty or white space", "reported: claude-code #62150, #53436", blocks=("text",))
def empty_text(block: Any, history: Messages) -> Found:
    text = block.get("text")
    if isinstance(text, str) and (not text or text.isspace()):
        return [((), "a text block is empty: take it out, or give it a text if it is the message's only one")]
    return ()


@rule("A12", "no message is empty but a last one of the assistant", "reported: claude-code #6774, langchain #35676")
def empty_message(history: Messages) -> Found:
    for path in history.empty:
        last = path[1] == len(history.messages) - 1 and history.ends
        if not (last and history.roles[-1] == "assistant"):
            yield path, "a message has no content: take it out, or give it a text"


@rule(
    "A13",
    "a last text of the assistant does not end in white space",
    "reported: forgecode #1872",
    whole=True,
    tail=True,
)
def trailing_space(history: Messages) -> Found:
    text = _last_text(history)
    if not blank(text) and text[-1].isspace():
        yield _end(history), "the assistant's last text ends in white space: cut that off"


@rule("A14", "the models from 4.6 on do not go on writing an assistant's message", "docs", whole=True, tail=True)
def prefill(history: Messages) -> Found:
    if _last_text(history) and at_least(history.model, (4, 6)):
        yield (
            _end(history),
            f"{history.model} takes no history that ends with the assistant: end it with a user message",
        )


@rule("A15", "an assistant message does not end with thinking", "reported: forgecode #2107, hermes-agent #13010")
def thought_last(history: Messages) -> Found:
    for path in history.rounds.thought_last:
        yield path, "thinking is the last block of an assistant message: take it out, or keep what followed it"


def _last_text(history: Messages) -> str:
    """The text at the very end of the history if the assistant says it; a paused turn of server tools is none."""
    if history.roles[-1:] != ["assistant"] or history.turns.pending:
        return ""
    content = history.messages[-1].get("content")
    if isinstance(content, str):
        return content
    last = items(content)[-1:]
    block = last[0] if last and isinstance(last[0], dict) else {}
    return word(block.get("text")) if block.get("type") == "text" else ""


def _end(history: Messages) -> tuple[str, int]:
    return history.array, len(history.messages) - 1
