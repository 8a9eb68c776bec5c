"""OpenAI Chat Completions: a request body with `messages`, or the list alone.

Reads what compatible servers and hosts make of it too: list or string content, the legacy `function_call`, and results
that name their tool in `metadata.toolName` (with a place for the time of clearing) and need no call id. Reasoning under
any of its names stays unchanged (API rule O14); signed by Anthropic it is bound to its prefix as there (A54). Calls
and texts that carry another provider's signature, refusals and spoken answers stay too (O11, O16).
"""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from secateur.errors import FormatError
from secateur.formats import json_word
from secateur.formats.anthropic_messages import is_bound
from secateur.formats.evidence import explain_claim
from secateur.formats.format import Format
from secateur.formats.native import (
    Calls,
    MediaSource,
    count_fixed_tokens,
    dump_canonical,
    find_array,
    get_marker,
    get_model,
    get_positive_integer,
    hash_value,
    make_marked_block,
    make_medium,
)
from secateur.jsontext import Text, loads
from secateur.lineage import assign_keys, find_chain_key
from secateur.model import Message, NewMessage, Part, Path, Role, Transcript

_ROLES: dict[Any, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
EXAMPLES = {"user": "example_user", "assistant": "example_assistant"}  # names of speakers of a demonstration, by custom
_MEDIA = frozenset({"image_url", "input_audio", "file"})
_THOUGHTS = ("reasoning_content", "reasoning")  # texts
_THOUGHT_BLOCKS = ("reasoning_details", "thinking_blocks")  # lists of blocks, each with a signature of its own
_THINKING = frozenset({"thinking", "redacted_thinking", "reasoning"})
_SIGNED = ("extra_content", "provider_specific_fields", "thought_signature")  # where others' signatures are kept


class OpenAIChat(Format):
    """Reader of Chat Completions requests."""

    name = "openai_chat"
    log = False
    family = "openai_chat"
    may_alternate = True  # some servers want user and assistant to take turns: who does, keeps to it (API rule O13)

    def recognize(self, native: Any) -> str:
        """Roles and fields that only this API has, or plain chat messages."""
        return explain_claim(native, self.name)

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of a body or of a list of messages."""
        at, items = find_array(native, "messages", need=self.name)
        calls = Calls.after(known)
        model = model or get_model(native)
        binds = is_bound(model)
        values = items.values(len(known)) if isinstance(items, Text) else items[len(known) :]
        fresh = (read_message(item, (*at, number), calls, binds) for number, item in enumerate(values, len(known)))
        messages = known + assign_keys(
            json_word.pin_json_word(fresh, known, json_word.IN_MESSAGES)
            if json_word.is_json_requested(native)
            else fresh,
            find_chain_key(known),
        )
        window = get_positive_integer(native, "context_window")  # LiteLLM's logs
        return Transcript(
            at, messages, model, "openai", count_fixed_tokens(native, "tools", "functions"), window=window
        )

    def replacement_body(self, part: Part, text: str) -> Any:
        """A string; for a medium a text part in its slot. Cache markers stay."""
        if part.kind == "media":
            return make_marked_block(part, text)
        return [make_marked_block(part, text)] if part.marker else text

    def new_message(self, new: NewMessage) -> Any:
        """A message of one text."""
        return {"role": "user" if new.role == "tool" else new.role, "content": new.text}


def read_message(item: Any, path: Path, calls: Calls, binds: bool = False) -> Message:
    """Read one message; `binds` if the model's signed reasoning is bound to its prefix."""
    role = _ROLES.get(str(item.get("role"))) if isinstance(item, dict) else None
    if role is None:
        return Message("user", path, (Part("other", path, fingerprint=hash_value(item), pinned=True),), "harness")
    calls.speaks(role)
    if role == "tool":
        return Message("tool", path, _read_result(item, path, calls), "harness")
    parts = tuple(_read_parts(item, path, binds))
    if role == "assistant":
        parts += tuple(_read_calls(item, path, calls))
    is_example = "name" in item and item["name"] == EXAMPLES.get(role)
    return Message(role, path, parts, "harness" if role == "system" or is_example else "user")


def _read_parts(item: dict[str, Any], path: Path, binds: bool) -> Iterator[Part]:
    yield from _read_reasoning(item, path, binds)
    content, inside = item.get("content"), (*path, "content")
    if isinstance(content, str):
        if content or not item.get("tool_calls"):
            yield Part("text", inside, content, pinned=_is_signed(item))
    elif isinstance(content, list):
        for number, block in enumerate(content):
            where = (*inside, number)
            kind = str(block.get("type")) if isinstance(block, dict) else ""
            yield _read_reasoning_block(block, where, binds) if kind in _THINKING else _block(block, where)
    elif content is not None:
        yield Part("other", inside, fingerprint=hash_value(content), pinned=True)
    if isinstance(item.get("refusal"), str):
        yield Part("text", (*path, "refusal"), item["refusal"], pinned=True)
    spoken = item.get("audio")
    if isinstance(spoken, dict):
        yield Part(
            "other",
            (*path, "audio"),
            str(spoken.get("transcript") or ""),
            fingerprint=hash_value(spoken),
            pinned=True,
        )


def _read_reasoning(item: dict[str, Any], path: Path, binds: bool) -> Iterator[Part]:
    """Read reasoning next to the content: a text or blocks; servers that send both repeat themselves."""
    told = [name for name in _THOUGHTS if isinstance(item.get(name), str) and item[name]]
    for name in told:
        yield Part("reasoning", (*path, name), item[name], pinned=True, joined_to_next=bool(item.get("tool_calls")))
    for name in _THOUGHT_BLOCKS:
        blocks = item.get(name)
        for number, block in enumerate(blocks if isinstance(blocks, list) else ()):
            part = _read_reasoning_block(block, (*path, name, number), binds)
            yield replace(part, text="") if told else part


def _read_reasoning_block(block: Any, path: Path, binds: bool) -> Part:
    value = block if isinstance(block, dict) else {}
    said = next((value[name] for name in ("thinking", "text", "summary") if value.get(name)), "")
    if isinstance(said, list):
        said = "\n".join(str(one.get("text") or "") for one in said if isinstance(one, dict))
    signature = value.get("signature") or (value.get("data") if value.get("type") == "redacted_thinking" else "")
    digest = str(signature or "") or hash_value(block)
    return Part("reasoning", path, str(said), fingerprint=digest, pinned=True, prefix_bound=binds and bool(signature))


def _is_signed(value: dict[str, Any]) -> bool:
    """Return whether a message or a call carries another provider's signature (API rule O16)."""
    return any(value.get(name) for name in _SIGNED)


def _block(block: Any, path: Path, within: str = "") -> Part:
    kind = str(block.get("type")) if isinstance(block, dict) else ""
    if kind == "text" and isinstance(block.get("text"), str):
        return Part("text", (*path, "text"), block["text"])
    if kind == "refusal" and isinstance(block.get("refusal"), str):
        return Part("text", (*path, "refusal"), block["refusal"], pinned=True)
    if kind in _MEDIA:
        return _read_medium(block, path, within)
    return Part("other", path, fingerprint=hash_value(block), container_key=within, pinned=True)


def _read_medium(block: dict[str, Any], path: Path, within: str) -> Part:
    """Read a medium as its type and, if short, its name or address."""
    inner = block.get(block["type"])
    inner = inner if isinstance(inner, dict) else {}
    url = str(inner.get("url") or inner.get("file_data") or inner.get("data") or "")
    mime = url[5:].partition(";")[0] if url.startswith("data:") else str(inner.get("format") or block["type"])
    name = str(inner.get("filename") or ("" if url.startswith("data:") else url[:200]))
    size = len(url) if url.startswith("data:") else 0
    return make_medium(block, MediaSource(mime, name, size), path, within)


def _read_calls(item: dict[str, Any], path: Path, calls: Calls) -> Iterator[Part]:
    tool_calls = item.get("tool_calls")
    for number, call in enumerate(tool_calls if isinstance(tool_calls, list) else ()):
        inside: Path = (*path, "tool_calls", number)
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("arguments"), str):
            yield _read_odd_call(call, inside, calls)
            continue
        name, said = str(function.get("name") or ""), str(call.get("id") or "")
        calls.add(said, name)
        place, signed = (*inside, "function", "arguments"), _is_signed(call) or _is_signed(function)
        yield Part(
            "tool_call",
            place,
            normalize_arguments(function["arguments"]),
            name,
            said,
            pinned=signed,
            joined_to_next=signed,
        )
    legacy = item.get("function_call")
    if isinstance(legacy, dict):
        name = str(legacy.get("name") or "")
        calls.add("", name)
        yield Part(
            "tool_call", (*path, "function_call", "arguments"), normalize_arguments(legacy.get("arguments")), name
        )


def _read_odd_call(call: Any, path: Path, calls: Calls) -> Part:
    """Read a call of another shape (custom tools): it stays, and still pairs with its result."""
    said, name = "", ""
    if isinstance(call, dict):
        custom = call.get("custom") or call.get("function")
        name = str(custom.get("name") or "") if isinstance(custom, dict) else ""
        said = str(call.get("id") or "")
        calls.add(said, name)
    return Part("tool_call", path, dump_canonical(call), name, said, pinned=True)


def normalize_arguments(text: Any) -> str:
    """Return a call's arguments as canonical JSON; what is not JSON stays unchanged."""
    if not isinstance(text, str):
        return dump_canonical(text)
    try:
        return dump_canonical(loads(text.encode("utf-8", "surrogatepass")))
    except FormatError:
        return text


def _read_result(item: dict[str, Any], path: Path, calls: Calls) -> tuple[Part, ...]:
    call = str(item.get("tool_call_id") or "")
    metadata = item.get("metadata")
    named = metadata.get("toolName") if isinstance(metadata, dict) else None
    tool = calls.take(call) or str(item.get("name") or named or "")
    stamp: Path = (*path, "metadata", "time", "compacted") if isinstance(metadata, dict) else ()
    content, inside = item.get("content"), (*path, "content")
    texts, rest, media = [], [], []
    marker = ""
    if isinstance(content, list):
        marker = get_marker(*content)
        for number, block in enumerate(content):
            part = _block(block, (*inside, number), within="result")
            if part.kind == "text":
                texts.append(part.text)
                continue
            rest.append(part.fingerprint)
            media += [part] if part.kind == "media" else []
        if len(texts) == 1 == len(content):
            inside, marker = (*inside, 0, "text"), ""  # a lone block of text keeps its own
    elif isinstance(content, str):
        texts.append(content)
    elif content is not None:
        rest.append(hash_value(content))
    opaque = len(rest) > len(media)
    whole = Part(
        "tool_result",
        inside,
        "\n".join(texts),
        tool,
        call,
        fingerprint="".join(rest),
        pinned=opaque,
        marker=marker,
        cleared_at_path=stamp,
    )
    return (whole, *media)
