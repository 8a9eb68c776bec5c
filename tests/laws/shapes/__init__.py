"""A story in the words of an API: one module each, with `body(said, style)` and what a style may be.

Rule: a longer story's body begins with the shorter one's messages, wherever the story is cut before the assistant
speaks. Nothing here knows the code under test.
"""

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from laws.shapes import anthropic, bedrock, gemini, openai_chat, openai_responses
from laws.shapes.style import Style
from laws.stories import Story


class Shape(NamedTuple):
    """How one API's requests are made of stories."""

    format: str  # the reader's name
    family: str  # whose rules hold
    array: str  # the body's name for its messages
    body: Callable[[Story, int, Style], dict[str, Any]]  # of the first messages of a story
    models: tuple[str, ...]


SHAPES = (
    Shape("anthropic_messages", "anthropic", "messages", anthropic.body, anthropic.MODELS),
    Shape("openai_chat", "openai_chat", "messages", openai_chat.body, openai_chat.MODELS),
    Shape("openai_responses", "openai_responses", "input", openai_responses.body, openai_responses.MODELS),
    Shape("gemini", "gemini", "contents", gemini.body, gemini.MODELS),
    Shape("bedrock_converse", "bedrock", "messages", bedrock.body, bedrock.MODELS),
)


def style(shape: Shape, seed: int) -> Style:
    """How the client of this seed writes."""
    rng = Random(f"style {shape.format} {seed}")
    return Style(rng.choice(shape.models), rng.random() < 0.5, rng.random() < 0.5, rng.random() < 0.3)
