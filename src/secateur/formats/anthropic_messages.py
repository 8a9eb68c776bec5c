"""Anthropic Messages: a request body with `messages`, or the list alone.

Tool results stand inside user messages; a message of results only has the role "tool". Cache markers are no part of
what was said. Signed reasoning is pinned, and bound to its prefix on the models of wire rule A54.
"""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from secateur.elsewhere import kept_elsewhere
from secateur.formats.evidence import claimed
from secateur.formats.format import Format
from secateur.formats.native import (
    Calls,
    array_at,
    canonical,
    fixed_tokens,
    leading_model,
    marked,
    marker_of,
    medium,
    member,
    value_digest,
)
from secateur.jsontext import Text
from secateur.lineage import assign_keys, chained
from secateur.model import Message, NewMessage, Origin, Part, Path, Transcript

_ROLES = ("user", "assistant", "system")  # tuples: what a document says may be unhashable
_MEDIA = ("image", "document")

# Wire rule A54: reasoning of these and all later versions is bound to its prefix; of the ones before it is not.
_BOUND_FROM = {"opus": (5, 5), "sonnet": (5, 5), "haiku": (5, 5), "fable": (5, 1), "mythos": (5, 2)}
_FAMILY = re.compile(r"claude-(opus|sonnet|haiku|fable|mythos)-(\d{1,2})(?!\d)(?:-(\d{1,2})(?!\d))?")
_EARLY = re.compile(r"claude-(?:[123](?!\d)|instant|v[12])")


def is_bound(model: str) -> bool:
    """Whether a model's signed reasoning is bound to its prefix (wire rule A54). Unknown models are taken as bound."""
    name = model.lower().replace(".", "-")
    found = _FAMILY.search(name)
    if found:
        return (int(found[2]), int(found[3] or 0)) >= _BOUND_FROM[found[1]]
    return not _EARLY.search(name)


class AnthropicMessages(Format):
    """Reader of Messages API requests."""

    name = "anthropic_messages"
    log = False
    family = "anthropic"

    def recognize(self, native: Any) -> str:
        """Blocks and fields that only this API has."""
        return claimed(native, self.name)

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of a body or of a list of messages."""
        at, items = array_at(native, "messages", need=self.name)
        model = model or leading_model(native)
        reader = _Reader(at, is_bound(model), Calls.after(known))
        values = items.values(len(known)) if isinstance(items, Text) else items[len(known) :]
        fresh = assign_keys(reader.messages(values, len(known)), chained(known))
        fixed = fixed_tokens(native, "system", "tools")
        held = bool(kept_elsewhere(self.name, partial(member, native)))
        return Transcript(
            at, known + fresh, model, "anthropic", fixed, held, requires_leading_reasoning=_thinks_first(native)
        )

    def replacement_body(self, part: Part, text: str) -> Any:
        """A string; for arguments the JSON as it is; for a medium a text block in its slot. Cache markers stay."""
        if part.kind == "tool_call":
            return Text.of(text.encode("utf-8", "surrogatepass"))
        if part.kind == "media":
            return marked(part, text)
        return [marked(part, text)] if part.marker else text

    def new_message(self, new: NewMessage) -> Any:
        """A message of one text; results and system texts are said by the user here (wire rule E8)."""
        role = "assistant" if new.role == "assistant" else "user"
        return {"role": role, "content": [{"type": "text", "text": new.text}]}


class _Reader:
    """One pass over messages. Unknown blocks become pinned parts of kind "other"."""

    def __init__(self, at: Path, bound: bool, calls: Calls) -> None:
        self.at = at
        self.bound = bound
        self.calls = calls

    def messages(self, values: Any, first: int) -> Iterator[Message]:
        for number, item in enumerate(values, first):
            yield self.message((*self.at, number), item)

    def message(self, path: Path, item: Any) -> Message:
        role = item.get("role") if isinstance(item, dict) else None
        if role not in _ROLES:
            return Message("user", path, (Part("other", path, fingerprint=value_digest(item), pinned=True),), "harness")
        self.calls.speaks(role)
        content = item.get("content")
        inside: Path = (*path, "content")
        if isinstance(content, str):
            return Message(role, path, (Part("text", inside, content),), _origin(role, (content,)))
        if not isinstance(content, list):
            odd = () if content is None else (Part("other", inside, fingerprint=value_digest(content), pinned=True),)
            return Message(role, path, odd, "user" if role == "user" else "harness")
        found: list[Part] = []
        results = 0
        for number, block in enumerate(content):
            kind = block.get("type") if isinstance(block, dict) else None
            if kind == "tool_result":
                results += 1
                found += self.result(block, (*inside, number))
            else:
                found.append(self.block(kind, block, (*inside, number)))
        parts = tuple(found)
        if results == len(content) and role == "user" and results:
            return Message("tool", path, parts, "harness")
        if role == "assistant":
            return Message(role, path, parts)
        texts = [part.text for part in parts if part.kind == "text"]
        return Message(role, path, parts, _origin(role, texts, parts))

    def block(self, kind: Any, block: Any, path: Path) -> Part:
        if kind == "text" and isinstance(block.get("text"), str):
            return Part("text", (*path, "text"), block["text"], pinned="citations" in block)
        if kind == "tool_use":
            return self.call(block, path)
        if kind == "thinking" or kind == "redacted_thinking":
            said = str(block.get("signature") or block.get("data") or "")
            text = str(block.get("thinking") or "")
            return Part("reasoning", path, text, fingerprint=said, pinned=True, prefix_bound=self.bound and bool(said))
        if kind in _MEDIA:
            return medium(block, path)
        return Part("other", path, fingerprint=value_digest(block), pinned=True)

    def call(self, block: dict[str, Any], path: Path) -> Part:
        call, tool = str(block.get("id") or ""), str(block.get("name") or "")
        self.calls.add(call, tool)
        return Part("tool_call", (*path, "input"), canonical(block.get("input")), tool, call)

    def result(self, block: dict[str, Any], path: Path) -> tuple[Part, ...]:
        call = str(block.get("tool_use_id") or "")
        tool, error = self.calls.take(call), block.get("is_error") is True
        content = block.get("content")
        inside: Path = (*path, "content")
        if content is None or isinstance(content, str):
            return (Part("tool_result", inside, content or "", tool, call, error),)
        if not isinstance(content, list):
            return (Part("tool_result", inside, "", tool, call, error, value_digest(content), pinned=True),)
        return _blocks(content, inside, tool, call, error)


def _blocks(content: list[Any], inside: Path, tool: str, call: str, error: bool) -> tuple[Part, ...]:
    """One result is one part, whatever blocks it holds; the media inside it name it."""
    texts, rest, media = [], [], []
    for number, block in enumerate(content):
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "text" and isinstance(block.get("text"), str):
            texts.append(block["text"])
            continue
        rest.append(value_digest(block))
        if kind in _MEDIA:
            media.append(medium(block, (*inside, number), within="result"))
    opaque = len(rest) > len(media)  # tool references and what is not known stay (wire rule E5)
    path = (*inside, 0, "text") if len(texts) == 1 == len(content) else inside
    marker = marker_of(*content) if path is inside else ""  # a lone block of text keeps its own
    whole = Part("tool_result", path, "\n".join(texts), tool, call, error, "".join(rest), pinned=opaque, marker=marker)
    return (whole, *media)


def _thinks_first(native: Any) -> bool:
    """Whether thinking has a budget of its own: the last tool loop then begins with thinking (wire rule A52)."""
    thinking = member(native, "thinking")
    return isinstance(thinking, dict) and thinking.get("type") == "enabled"


def _origin(role: str, texts: Any, parts: tuple[Part, ...] = ()) -> Origin:
    """User messages that hold nothing but reminders are the harness speaking."""
    if role == "assistant":
        return "user"
    if role == "system":
        return "harness"
    if any(part.kind in ("media", "other") and not part.container_key for part in parts) or not texts:
        return "user"
    return "harness" if all(text.lstrip().startswith("<system-reminder>") for text in texts) else "user"
