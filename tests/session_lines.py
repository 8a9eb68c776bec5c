"""Session files as literals: values in, lines out; and what a transcript says, in a form that is easy to compare."""

import json
from typing import Any

from loaders.shown import Shown
from secateur.jsontext import Lines
from secateur.model import Message, Part, Transcript


def log(*values: Any) -> Lines:
    """A file with one JSON value on each line."""
    return Lines.of(b"".join(json.dumps(value).encode() + b"\n" for value in values))


def said(transcript: Transcript) -> list[tuple[str, str]]:
    """Role and texts of each message."""
    return [(message.role, " | ".join(part.text for part in message.parts)) for message in transcript.messages]


def parts(transcript: Transcript) -> list[Part]:
    """All parts, in order."""
    return [part for message in transcript.messages for part in message.parts]


def shown(transcript: Transcript) -> list[Shown]:
    """The transcript in the words of the second readers: no text for media, and none for what is not known."""
    return [
        Shown(
            message.role,
            part.kind,
            part.text if part.kind != "media" and (part.kind != "other" or message.role == "system") else "",
            part.call_id,
        )
        for message in transcript.messages
        for part in message.parts
    ]


def results(transcript: Transcript) -> list[Part]:
    """The results, in order."""
    return [part for part in parts(transcript) if part.kind == "tool_result"]


def only(transcript: Transcript) -> Message:
    """The message of a transcript that has one."""
    (message,) = transcript.messages
    return message
