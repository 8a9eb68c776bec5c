"""How a client writes: what two clients of one API do differently."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from laws.stories import Block, Said


class Style(NamedTuple):
    """Choices of one client, the same for all its messages."""

    model: str
    brief: bool  # the shortest form that the API takes: strings for lists, no ids where none are needed
    apart: bool  # messages of one role in a row stay messages of their own, where the API takes that
    extra: bool  # fields that not everyone sends


def texts(blocks: list[Block]) -> Iterator[str]:
    """What the texts among blocks say, the empty ones left out."""
    return (block["text"] for block in blocks if block["is"] == "text" and block["text"])


def runs(said: list[Said]) -> Iterator[tuple[str, list[Block]]]:
    """Messages of one role in a row as one: for APIs where the roles alternate."""
    role, blocks = "", []
    for one in said:
        now = "assistant" if one.by == "assistant" else "user"
        if role and now != role:
            yield role, blocks
            blocks = []
        role, blocks = now, [*blocks, *one.blocks]
    if role:
        yield role, blocks


def tools(said: list[Said]) -> list[str]:
    """Names of the tools that are called."""
    found: dict[str, Any] = {block["tool"]: None for one in said for block in one.blocks if "tool" in block}
    return list(found)
