"""Anthropic Messages: a request body with `messages`, or the list alone.

Tool results are inside user messages; a message of results only has the role "tool". Cache markers do not count as
content. Signed reasoning is pinned, and bound to its prefix on the models of API rule A54.
"""

import re
from functools import partial
from typing import Any, Literal

from msgspec import UNSET, Struct

from secateur.formats.evidence import explain_claim
from secateur.formats.format import Format
from secateur.formats.native import (
    Calls,
    count_fixed_tokens,
    dump_canonical,
    find_array,
    find_provider_history,
    get_marker,
    get_model,
    hash_value,
    make_marked_block,
    read_medium,
    read_member,
)
from secateur.jsontext import Shape, Text
from secateur.lineage import assign_keys, find_chain_key
from secateur.model import Message, NewMessage, Origin, Part, Path, Role, Transcript

_ROLES = ("user", "assistant", "system")  # tuples: what a document says may be unhashable
_MEDIA = ("image", "document")

# API rule A54: reasoning of these and all later versions is bound to its prefix; of the ones before it is not.
_BOUND_FROM = {"opus": (5, 5), "sonnet": (5, 5), "haiku": (5, 5), "fable": (5, 1), "mythos": (5, 2)}
_FAMILY = re.compile(r"claude-(opus|sonnet|haiku|fable|mythos)-(\d{1,2})(?!\d)(?:-(\d{1,2})(?!\d))?")
_EARLY = re.compile(r"claude-(?:[123](?!\d)|instant|v[12])")


def is_bound(model: str) -> bool:
    """Whether a model's signed reasoning is bound to its prefix (API rule A54). Unknown models are taken as bound."""
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
        return explain_claim(native, self.name)

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of a body or of a list of messages."""
        at, items = find_array(native, "messages", need=self.name)
        model = model or get_model(native)
        reader = _Reader(is_bound(model), Calls.after(known))
        values = items.values(len(known), shape=_PLAIN) if isinstance(items, Text) else items[len(known) :]
        read = (reader.read_message((*at, number), item) for number, item in enumerate(values, len(known)))
        fresh = assign_keys(read, find_chain_key(known))
        fixed = count_fixed_tokens(native, "system", "tools")
        held = bool(find_provider_history(self.name, partial(read_member, native)))
        thinking = read_member(native, "thinking")  # enabled: the last tool loop begins with thinking (API rule A52)
        leads = isinstance(thinking, dict) and thinking.get("type") == "enabled"
        return Transcript(at, known + fresh, model, "anthropic", fixed, held, requires_leading_reasoning=leads)

    def replacement_body(self, part: Part, text: str) -> Any:
        """A string; for arguments the JSON as it is; for a medium a text block in its slot. Cache markers stay."""
        if part.kind == "tool_call":
            return Text.of(text.encode("utf-8", "surrogatepass"))
        if part.kind == "media":
            return make_marked_block(part, text)
        return [make_marked_block(part, text)] if part.marker else text

    def new_message(self, new: NewMessage) -> Any:
        """A message of one text; results and system texts become user texts here (API rule E8)."""
        role = "assistant" if new.role == "assistant" else "user"
        return {"role": role, "content": [{"type": "text", "text": new.text}]}


class _Text(Struct, tag_field="type", tag="text", gc=False):
    text: str
    citations: Any = UNSET


class _Call(Struct, tag_field="type", tag="tool_use", gc=False):
    id: Any = None
    name: Any = None
    input: Any = None


class _Result(Struct, tag_field="type", tag="tool_result", gc=False):
    tool_use_id: Any = None
    content: Any = None
    is_error: Any = None


class _Message(Struct, gc=False):
    """A message of nothing but texts, calls and results, as most are: parsed and read in half the time of a dict."""

    role: Literal["user", "assistant", "system"]
    content: str | list[_Text | _Call | _Result]


_PLAIN = Shape(_Message)


class _Reader:
    """One pass over messages. Unknown blocks become pinned parts of kind "other"."""

    def __init__(self, bound: bool, calls: Calls) -> None:
        self.bound = bound
        self.calls = calls

    def read_message(self, path: Path, item: Any) -> Message:
        if type(item) is _Message:
            return self.read_plain(path, item)
        role = item.get("role") if isinstance(item, dict) else None
        if role not in _ROLES:
            return Message("user", path, (Part("other", path, fingerprint=hash_value(item), pinned=True),), "harness")
        self.calls.speaks(role)
        content = item.get("content")
        inside: Path = (*path, "content")
        if isinstance(content, str):
            return Message(role, path, (Part("text", inside, content),), _detect_origin(role, (content,)))
        if not isinstance(content, list):
            odd = () if content is None else (Part("other", inside, fingerprint=hash_value(content), pinned=True),)
            return Message(role, path, odd, "user" if role == "user" else "harness")
        found: list[Part] = []
        results = 0
        for number, block in enumerate(content):
            kind = block.get("type") if isinstance(block, dict) else None
            if kind == "tool_result":
                results += 1
                id, said, error = block.get("tool_use_id"), block.get("content"), block.get("is_error")
                found += self.read_result(id, said, error, (*inside, number))
            else:
                found.append(self.block(kind, block, (*inside, number)))
        return _make_message(role, path, tuple(found), bool(results) and results == len(content))

    def read_plain(self, path: Path, item: _Message) -> Message:
        """The same as `read_message` makes of the same message as a dict."""
        role, content, calls = item.role, item.content, self.calls
        calls.speaks(role)
        if isinstance(content, str):
            return Message(role, path, (Part("text", (*path, "content"), content),), _detect_origin(role, (content,)))
        found: list[Part] = []
        results = 0
        for number, block in enumerate(content):
            if isinstance(block, _Call):
                found.append(self.call(block.id, block.name, block.input, (*path, "content", number, "input")))
            elif isinstance(block, _Result):
                results += 1
                at = (*path, "content", number)
                found += self.read_result(block.tool_use_id, block.content, block.is_error, at)
            else:
                at = (*path, "content", number, "text")
                found.append(Part("text", at, block.text, pinned=block.citations is not UNSET))
        return _make_message(role, path, tuple(found), bool(results) and results == len(content))

    def block(self, kind: Any, block: Any, path: Path) -> Part:
        if kind == "text" and isinstance(block.get("text"), str):
            return Part("text", (*path, "text"), block["text"], pinned="citations" in block)
        if kind == "tool_use":
            return self.call(block.get("id"), block.get("name"), block.get("input"), (*path, "input"))
        if kind == "thinking" or kind == "redacted_thinking":
            said = str(block.get("signature") or block.get("data") or "")
            text = str(block.get("thinking") or "")
            return Part("reasoning", path, text, fingerprint=said, pinned=True, prefix_bound=self.bound and bool(said))
        if kind in _MEDIA:
            return read_medium(block, path)
        return Part("other", path, fingerprint=hash_value(block), pinned=True)

    def call(self, id: Any, name: Any, given: Any, path: Path) -> Part:
        call, tool = str(id or ""), str(name or "")
        self.calls.add(call, tool)
        return Part("tool_call", path, dump_canonical(given), tool, call)

    def read_result(self, id: Any, content: Any, error: Any, path: Path) -> tuple[Part, ...]:
        call = str(id or "")
        tool, is_error = self.calls.take(call), error is True
        inside: Path = (*path, "content")
        if content is None or isinstance(content, str):
            return (Part("tool_result", inside, content or "", tool, call, is_error),)
        if not isinstance(content, list):
            return (Part("tool_result", inside, "", tool, call, is_error, hash_value(content), pinned=True),)
        return _read_blocks(content, inside, tool, call, is_error)


def _make_message(role: Role, path: Path, parts: tuple[Part, ...], is_answer: bool) -> Message:
    """The message of these parts; `is_answer`: each block is a result."""
    if role == "user" and is_answer:
        return Message("tool", path, parts, "harness")
    if role == "assistant":
        return Message(role, path, parts)
    texts = [part.text for part in parts if part.kind == "text"]
    return Message(role, path, parts, _detect_origin(role, texts, parts))


def _read_blocks(content: list[Any], inside: Path, tool: str, call: str, error: bool) -> tuple[Part, ...]:
    """Read a result as one part, whatever blocks it has; the media inside it refer to it."""
    texts, rest, media = [], [], []
    for number, block in enumerate(content):
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "text" and isinstance(block.get("text"), str):
            texts.append(block["text"])
            continue
        rest.append(hash_value(block))
        if kind in _MEDIA:
            media.append(read_medium(block, (*inside, number), within="result"))
    opaque = len(rest) > len(media)  # tool references and what is not known stay (API rule E5)
    path = (*inside, 0, "text") if len(texts) == 1 == len(content) else inside
    marker = get_marker(*content) if path is inside else ""  # a lone block of text keeps its own
    whole = Part("tool_result", path, "\n".join(texts), tool, call, error, "".join(rest), pinned=opaque, marker=marker)
    return (whole, *media)


def _detect_origin(role: str, texts: Any, parts: tuple[Part, ...] = ()) -> Origin:
    """Return the origin; user messages of nothing but reminders come from the harness."""
    if role == "assistant":
        return "user"
    if role == "system":
        return "harness"
    if any(part.kind in ("media", "other") and not part.container_key for part in parts) or not texts:
        return "user"
    return "harness" if all(text.lstrip().startswith("<system-reminder>") for text in texts) else "user"
