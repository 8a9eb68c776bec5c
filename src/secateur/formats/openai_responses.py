"""OpenAI Responses: a request body with `input` (items, or one text), or the list of items alone.

What the model says in one go is one message, whatever items it takes (`items`). Reasoning is pinned and tied to what
follows it (API rules R3, R4), but not bound to its prefix: where a model's reasoning depends on what was before it,
the API leaves it out by itself and refuses nothing (R17). A request that continues a response or a conversation which
the API keeps, or refers to items that it keeps, is partial.
"""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from msgspec.structs import replace

from secateur.formats import json_word
from secateur.formats.evidence import explain_claim
from secateur.formats.format import Format
from secateur.formats.item_outputs import make_output_body
from secateur.formats.items import Item, group_steps, read_step
from secateur.formats.native import (
    Calls,
    count_elements_read,
    count_fixed_tokens,
    find_array,
    find_provider_history,
    get_model,
    hash_value,
    read_member,
)
from secateur.jsontext import Text
from secateur.lineage import assign_keys, find_chain_key
from secateur.model import Message, NewMessage, Part, Path, Transcript

_REFERENCE = re.compile(rb'"type"[ \t\n\r]*:[ \t\n\r]*"item_reference"')


class OpenAIResponses(Format):
    """Reader of Responses requests."""

    name = "openai_responses"
    log = False
    family = "openai_responses"

    def recognize(self, native: Any) -> str:
        """An `input` of items, or items that only this API has."""
        return explain_claim(native, self.name)

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of a body or of a list of items."""
        model = model or get_model(native)
        fixed = count_fixed_tokens(native, "instructions", "tools")
        kept = bool(find_provider_history(self.name, partial(read_member, native)))
        text = _get_text_input(native)
        if text is not None:
            only = assign_keys([Message("user", ("input",), (Part("text", ("input",), text),))])
            return Transcript((), only, model, "openai", fixed, kept)
        at, items = find_array(native, "input", need=self.name)
        said = _read_messages(items, at, known)
        fresh = assign_keys(
            json_word.pin_json_word(said, known, json_word.IN_INPUT) if json_word.is_json_requested(native) else said,
            find_chain_key(known),
        )
        return Transcript(at, known + fresh, model, "openai", fixed, kept or _has_references(items))

    def replacement_body(self, part: Part, text: str) -> Any:
        """A string, as outputs, inputs and arguments (JSON in a string) are; a medium becomes a text."""
        return {"type": "input_text", "text": text} if part.kind == "media" else make_output_body(part, text)

    def new_message(self, new: NewMessage) -> Any:
        """A message of one text, without an id: only the API gives ids (API rule R6)."""
        role = "user" if new.role == "tool" else new.role
        kind = "output_text" if role == "assistant" else "input_text"
        return {"type": "message", "role": role, "content": [{"type": kind, "text": new.text}]}


def _read_messages(items: Any, at: Path, known: tuple[Message, ...]) -> Iterator[Message]:
    first, calls = count_elements_read(at, known), Calls.after(known)
    values = items.values(first) if isinstance(items, Text) else items[first:]
    for step in group_steps(_iterate_items(values, at, first)):
        said = read_step(step, calls)
        if not said.parts:  # an empty message still has a place
            value, path = step[0].value, step[0].path
            said = replace(said, parts=(Part("other", path, fingerprint=hash_value(value), pinned=True),))
        yield said


def _iterate_items(values: Any, at: Path, first: int) -> Iterator[Item]:
    for number, value in enumerate(values, first):
        yield Item(value if isinstance(value, dict) else {"type": "", "value": value}, (*at, number))


def _get_text_input(native: Any) -> str | None:
    """Return the single text of an `input`, or None for anything else."""
    if isinstance(native, Text):
        child = native.child("input") if native.kind == "{" else None
        said = child.value() if child is not None and child.kind == '"' else None
    else:
        said = native.get("input") if isinstance(native, dict) else None
    return said if isinstance(said, str) else None


def _has_references(items: Any) -> bool:
    """Return whether some item only refers to one that the API stores."""
    if isinstance(items, Text):  # within a string its quotes were escaped
        near = items.data.find(b'"item_reference"', items.start, items.end) >= 0
        return near and _REFERENCE.search(items.data, items.start, items.end) is not None
    return any(isinstance(item, dict) and item.get("type") == "item_reference" for item in items)
