"""What a wire format has to say about requests and answers."""

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from model_server.prompt_cache import Block, Usage
from model_server.script import Failure

Body = dict[str, Any]


class ReplyCall(Struct, frozen=True):
    """A tool call with the id that the provider gives it."""

    id: str
    name: str
    arguments: Body


class Reply(Struct, frozen=True):
    """One answer, before it is written in a wire format."""

    number: int  # in the order of answers
    request: Body
    usage: Usage
    text: str = ""
    thinking: str = ""
    calls: tuple[ReplyCall, ...] = ()

    @property
    def model(self) -> str:
        """The model that was asked."""
        return str(self.request.get("model", "scripted"))


class Api(Struct, frozen=True):
    """One wire format."""

    name: str
    routes: dict[str, str]  # pattern of a path: what is asked there
    tools: Callable[[Body], dict[str, Any]]  # name: JSON schema
    blocks: Callable[[Body], Iterator[Block]]
    needs_markers: bool
    items: str  # the member of the body that holds the conversation
    spoken: Callable[[Body], list[str]]  # the texts that the model has said, its calls included
    write: Callable[[Reply], Any]
    stream: Callable[[Reply], Iterator[bytes]]
    refuse: Callable[[Failure], Any]
    count: Callable[[int], Any]
    stream_kind: str = "text/event-stream"


def cut(text: str, size: int = 24) -> list[str]:
    """A text in the pieces in which it is streamed."""
    return [text[start : start + size] for start in range(0, len(text), size)] or [""]
