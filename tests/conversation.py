"""Conversations as literals, for tests of what works on transcripts. Keys are made as they are for real ones."""

from collections.abc import Sequence

from secateur.lineage import assign_keys
from secateur.model import Message, Origin, Part, Transcript


def user(text: str = "go on", origin: Origin = "user") -> Message:
    """A user message; of another origin, what a host says in the user's name."""
    return Message("user", (), (Part("text", (), text),), origin)


def assistant(*calls: tuple[str, str, str], text: str = "") -> Message:
    """An assistant message with calls (id, tool, arguments as JSON)."""
    parts = (Part("text", (), text),) if text or not calls else ()
    return Message("assistant", (), parts + tuple(Part("tool_call", (), args, tool, id) for id, tool, args in calls))


def result(text: str, tool: str = "bash", call: str = "", error: bool = False, image: str = "") -> Message:
    """A message of one tool result, which may hold an image."""
    held = (Part("media", (), "image/png", fingerprint=image, container_key="result"),) if image else ()
    return Message("tool", (), (Part("tool_result", (), text, tool, call, error), *held), "harness")


def results(*texts: str, tool: str = "bash") -> Message:
    """Several results in one message."""
    return Message("tool", (), tuple(Part("tool_result", (), text, tool) for text in texts), "harness")


def summary(text: str = "what happened so far") -> Message:
    """An assistant message that stands for older history."""
    return Message("assistant", (), (Part("text", (), text),), "summary")


def talk(*messages: Message, model: str = "", provider: str = "") -> Transcript:
    """The transcript of these messages."""
    return Transcript((), assign_keys(messages), model, provider)


def part(transcript: Transcript, number: int, place: int = 0) -> Part:
    """A part, by its message's number."""
    return transcript.messages[number].parts[place]


def in_order(goal: Sequence[str]) -> list[str]:
    """The lines under the goal in the order in which their requests were made, without the line between them."""
    head = [line for line in goal[:1] if line == "- every request was answered"]
    newest, *older = goal[len(head) :]
    return [*head, *older[1:], newest]
