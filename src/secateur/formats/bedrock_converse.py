"""Bedrock Converse: a request body with `messages` whose blocks name their kind by their one key, or the list alone.

Results are inside user messages; a message of results only has the role "tool". Cache points do not count as content.
Signed reasoning is pinned, and bound to its prefix on the models of API rule A54. The model's id is in the address of
the request and not in its body, so the caller names it, and without a name the reasoning is assumed to be bound.
"""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from secateur.formats.anthropic_messages import is_bound
from secateur.formats.evidence import explain_claim
from secateur.formats.format import Format
from secateur.formats.native import (
    Calls,
    MediaSource,
    count_fixed_tokens,
    dump_canonical,
    find_array,
    hash_value,
    make_medium,
    read_member,
)
from secateur.jsontext import Text
from secateur.lineage import assign_keys, find_chain_key
from secateur.model import Message, NewMessage, Part, Path, Transcript

_ROLES = ("user", "assistant", "system")  # a tuple: what a document says may be unhashable
_MEDIA = frozenset({"image", "document", "video", "audio"})
_MARKER = "cachePoint"


class BedrockConverse(Format):
    """Reader of Converse requests."""

    name = "bedrock_converse"
    log = False
    family = "bedrock"
    must_alternate = True  # user and assistant take turns (API rule B3): no message goes as a whole

    def recognize(self, native: Any) -> str:
        """Blocks that are keyed by their kind and have no `type`."""
        return explain_claim(native, self.name)

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of a body or of a list of messages."""
        at, items = find_array(native, "messages", need=self.name)
        model = model or str(read_member(native, "modelId") or "")
        reader = _Reader(is_bound(model), Calls.after(known))
        values = items.values(len(known)) if isinstance(items, Text) else items[len(known) :]
        fresh = (reader.read_message(item, (*at, number)) for number, item in enumerate(values, len(known)))
        messages = known + assign_keys(fresh, find_chain_key(known))
        return Transcript(at, messages, model, "bedrock", count_fixed_tokens(native, "system", "toolConfig"))

    def replacement_body(self, part: Part, text: str) -> Any:
        """A result holds a list of blocks; where it held one text, that text is what is there."""
        if part.kind == "tool_call":
            return Text.of(text.encode("utf-8", "surrogatepass"))
        if part.kind == "media":
            return {"text": text}
        return [{"text": text}] if part.kind == "tool_result" and part.path[-1] == "content" else text

    def new_message(self, new: NewMessage) -> Any:
        """A message of one text; results and system texts become user texts here (API rule E8)."""
        return {"role": "assistant" if new.role == "assistant" else "user", "content": [{"text": new.text}]}


class _Reader:
    """One pass over messages."""

    def __init__(self, bound: bool, calls: Calls) -> None:
        self.bound = bound
        self.calls = calls

    def read_message(self, item: Any, path: Path) -> Message:
        role = item.get("role") if isinstance(item, dict) else None
        if role not in _ROLES:
            return Message("user", path, (_make_other(item, path),), "harness")
        self.calls.speaks(role)
        content, inside = item.get("content"), (*path, "content")
        if not isinstance(content, list):
            odd = () if content is None else (_make_other(content, inside),)
            return Message(role, path, odd, "user" if role == "user" else "harness")
        found: list[Part] = []
        for number, block in enumerate(content):
            found += self.block(block, (*inside, number))
        results = [part for part in found if part.kind == "tool_result" or part.container_key]
        if role == "assistant" and results:
            found = _pin_server_parts(found)
        if role == "user" and found and len(results) == len(found):
            return Message("tool", path, tuple(found), "harness")
        return Message(role, path, tuple(found), "harness" if role == "system" else "user")

    def block(self, block: Any, path: Path) -> Iterator[Part]:
        kind = _get_kind(block)
        value = block[kind] if kind else None
        if kind == "text" and isinstance(value, str):
            yield Part("text", (*path, "text"), value)
        elif kind == "toolUse" and isinstance(value, dict):
            yield self.call(value, (*path, kind))
        elif kind == "toolResult" and isinstance(value, dict):
            yield from self.read_result(value, (*path, kind))
        elif kind == "reasoningContent" and isinstance(value, dict):
            yield self.read_reasoning(value, path)
        elif kind in _MEDIA and isinstance(value, dict):
            yield _read_medium(block, kind, path)
        elif kind != _MARKER:
            yield _make_other(block, path)

    def call(self, value: dict[str, Any], path: Path) -> Part:
        call, tool = str(value.get("toolUseId") or ""), str(value.get("name") or "")
        self.calls.add(call, tool)
        server = bool(value.get("type"))  # a tool of the API's own
        return Part("tool_call", (*path, "input"), dump_canonical(value.get("input")), tool, call, pinned=server)

    def read_result(self, value: dict[str, Any], path: Path) -> Iterator[Part]:
        call = str(value.get("toolUseId") or "")
        tool, error = self.calls.take(call), value.get("status") == "error"
        content: Any = value.get("content")
        inside: Path = (*path, "content")
        texts, rest, media = [], [], []
        for number, block in enumerate(content if isinstance(content, list) else [content]):
            kind = _get_kind(block)
            if kind == "text" and isinstance(block["text"], str):
                texts.append(block["text"])
            elif kind == "json":
                texts.append(dump_canonical(block["json"]))
            elif block is not None:
                rest.append(hash_value(block))
                media += [_read_medium(block, kind, (*inside, number), "result")] if kind in _MEDIA else []
        if isinstance(content, list) and len(content) == 1 and _get_kind(content[0]) == "text" and texts:
            inside = (*inside, 0, "text")
        opaque = len(rest) > len(media) or bool(value.get("type"))
        yield Part("tool_result", inside, "\n".join(texts), tool, call, error, "".join(rest), pinned=opaque)
        yield from media

    def read_reasoning(self, value: dict[str, Any], path: Path) -> Part:
        told = value.get("reasoningText")
        told = told if isinstance(told, dict) else {}
        said = str(told.get("signature") or value.get("redactedContent") or "")
        return Part(
            "reasoning",
            path,
            str(told.get("text") or ""),
            fingerprint=said,
            pinned=True,
            prefix_bound=self.bound and bool(said),
        )


def _pin_server_parts(parts: list[Part]) -> list[Part]:
    """Pin the calls and results of the API's own tools in one assistant message."""
    calls = {part.call_id for part in parts if part.kind == "tool_result"}
    return [replace(part, pinned=True) if part.container_key or part.call_id in calls else part for part in parts]


def _read_medium(block: dict[str, Any], kind: str, path: Path, within: str = "") -> Part:
    value = block[kind] if isinstance(block[kind], dict) else {}
    source = value.get("source")
    source = source if isinstance(source, dict) else {}
    where = source.get("s3Location")
    name = str(value.get("name") or (where.get("uri") if isinstance(where, dict) else "") or "")
    told = f"{kind}/{value.get('format') or 'unknown'}"
    return make_medium(block, MediaSource(told, name, len(str(source.get("bytes") or ""))), path, within)


def _make_other(value: Any, path: Path) -> Part:
    return Part("other", path, fingerprint=hash_value(value), pinned=True)


def _get_kind(block: Any) -> str:
    """Return the one key that names the kind of a block; "" if it is not such a union."""
    return next(iter(block)) if isinstance(block, dict) and len(block) == 1 else ""
