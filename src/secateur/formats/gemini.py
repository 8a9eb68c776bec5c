"""Gemini `generateContent`: a request body with `contents`, or the list alone; names in camelCase or snake_case.

Results are inside contents of role user; a message of results only has the role "tool". Calls pair by id; without ids,
by the tool's name and order within the round, with the name as id. A thought signature stays on its part as received
(API rules G10, G11). With `cachedContent` the API holds the older history.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from msgspec.structs import replace

from secateur.formats.evidence import explain_claim
from secateur.formats.format import Format
from secateur.formats.native import (
    Calls,
    MediaSource,
    count_fixed_tokens,
    dump_canonical,
    find_array,
    find_provider_history,
    get_model,
    hash_value,
    make_medium,
    read_member,
)
from secateur.jsontext import Text
from secateur.lineage import assign_keys, find_chain_key
from secateur.model import Message, NewMessage, Origin, Part, Path, Role, Transcript

_ROLES: dict[Any, Role] = {"user": "user", "model": "assistant", "function": "user", None: "user"}
_FIXED = ("systemInstruction", "system_instruction", "tools")
_TELLING = ("output", "result", "error", "content")  # names under which a response holds its text
_SUMMARY = "<state_snapshot>"  # how Gemini CLI begins a summary of older history
_HARNESS = ("<session_context>", "<system-reminder>", "<hook_context>")


class Gemini(Format):
    """Reader of generateContent requests."""

    name = "gemini"
    log = False
    family = "gemini"

    def recognize(self, native: Any) -> str:
        """Messages whose `parts` are a list."""
        return explain_claim(native, self.name)

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of a body or of a list of contents."""
        at, items = find_array(native, "contents", need=self.name)
        calls, first = Calls.after(known), len(known)
        values = items.values(first) if isinstance(items, Text) else items[first:]
        fresh = (read_content(item, (*at, number), calls) for number, item in enumerate(values, first))
        messages = known + assign_keys(fresh, find_chain_key(known))
        held = bool(find_provider_history(self.name, partial(read_member, native)))
        fixed = count_fixed_tokens(native, *_FIXED)
        return Transcript(at, messages, model or get_model(native), "google", fixed, held)

    def replacement_body(self, part: Part, text: str) -> Any:
        """A response is an object (API rule G4): the text under `output`, or under `error` if it had one."""
        if part.kind == "tool_result":
            return {"error" if part.is_error else "output": text}
        if part.kind == "tool_call":
            return Text.of(text.encode("utf-8", "surrogatepass"))
        return {"text": text} if part.kind == "media" else text

    def new_message(self, new: NewMessage) -> Any:
        """A content of one text; there are two roles only (API rule G6)."""
        return {"role": "model" if new.role == "assistant" else "user", "parts": [{"text": new.text}]}


def read_content(item: Any, path: Path, calls: Calls) -> Message:
    """Read one content as a message."""
    role = _get_role(item) if isinstance(item, dict) else None
    if role is None:
        return Message("user", path, (_make_other(item, path),), "harness")
    calls.speaks(role)
    blocks, inside = item.get("parts"), (*path, "parts")
    if not isinstance(blocks, list):
        odd = () if blocks is None else (_make_other(blocks, inside),)
        return Message(role, path, odd, "user" if role == "assistant" else "harness")
    found = [part for number, block in enumerate(blocks) for part in _read_parts(block, (*inside, number), calls)]
    results = [part for part in found if part.kind == "tool_result" or part.container_key]
    if role == "user" and found and len(results) == len(found):
        return Message("tool", path, tuple(found), "harness")
    return Message(role, path, tuple(found), "user" if role == "assistant" else _detect_origin(found))


def _read_parts(block: Any, path: Path, calls: Calls) -> Iterator[Part]:
    """Read one part, which holds one kind of data (API rule G7), whatever other fields it has."""
    if not isinstance(block, dict):
        yield _make_other(block, path)
        return
    signature = _get_either(block, "thoughtSignature", "thought_signature")
    signed = str(signature) if signature else ""
    if isinstance(block.get("text"), str):
        yield _read_text(block, path, signed)
        return
    for name in ("functionCall", "function_call"):
        if isinstance(block.get(name), dict):
            yield _call(block[name], (*path, name), signed, calls)
            return
    for name in ("functionResponse", "function_response"):
        if isinstance(block.get(name), dict):
            yield from _read_response(block[name], (*path, name), calls)
            return
    medium = None if signed else _read_medium(block, path)
    yield medium or _make_other(block, path)


def _read_text(block: dict[str, Any], path: Path, signed: str) -> Part:
    if block.get("thought") is True:
        return Part("reasoning", path, block["text"], fingerprint=signed, pinned=True, joined_to_next=bool(signed))
    return Part("text", (*path, "text"), block["text"], pinned=bool(signed))


def _call(value: dict[str, Any], path: Path, signed: str, calls: Calls) -> Part:
    tool = str(value.get("name") or "")
    call = str(value.get("id") or tool)
    calls.add(call, tool)
    arguments = dump_canonical(value.get("args") or {})
    return Part("tool_call", (*path, "args"), arguments, tool, call, pinned=bool(signed), joined_to_next=bool(signed))


def _read_response(value: dict[str, Any], path: Path, calls: Calls) -> Iterator[Part]:
    tool, call = str(value.get("name") or ""), str(value.get("id") or "")
    if not calls.waits(call):  # one side leaves its id out
        call = (tool if calls.waits(tool) else "" if call else calls.oldest(tool)) or call or tool
    calls.take(call)
    response = value.get("response")
    blocks = value.get("parts")
    places = [(block, (*path, "parts", n)) for n, block in enumerate(blocks if isinstance(blocks, list) else ())]
    media = [_read_inner_medium(block, where) for block, where in places]
    error = isinstance(response, dict) and "error" in response
    open_ = _get_either(value, "willContinue", "will_continue") is True  # more of it is still to come
    known = (response is None or isinstance(response, dict)) and all(one.kind == "media" for one in media)
    said = "".join(one.fingerprint for one in media)
    text = get_response_text(response)
    yield Part("tool_result", (*path, "response"), text, tool, call, error, said, pinned=open_ or not known)
    yield from media if known and not open_ else ()


def get_response_text(response: Any) -> str:
    """Return a response's text if that is its only member, else all of it as JSON."""
    if response is None or response == {}:
        return ""
    if isinstance(response, dict) and len(response) == 1:
        [(name, value)] = response.items()
        if name in _TELLING and isinstance(value, str):
            return value
    return dump_canonical(response)


def _read_medium(block: Any, path: Path, within: str = "") -> Part | None:
    if not isinstance(block, dict):
        return None
    data = _get_either(block, "inlineData", "inline_data")
    file = _get_either(block, "fileData", "file_data")
    held = data if isinstance(data, dict) else file
    if not isinstance(held, dict):
        return None
    mime = str(_get_either(held, "mimeType", "mime_type") or "media")
    name = str(_get_either(held, "displayName", "display_name") or _get_either(held, "fileUri", "file_uri") or "")
    return make_medium(block, MediaSource(mime, name, len(str(held.get("data") or ""))), path, within)


def _read_inner_medium(block: Any, path: Path) -> Part:
    """Read a medium inside a response: it cannot be replaced by text and goes only with the response."""
    medium = _read_medium(block, path, "result")
    return replace(medium, pinned=True) if medium else _make_other(block, path)


def _make_other(block: Any, path: Path) -> Part:
    return Part("other", path, fingerprint=hash_value(block), pinned=True)


def _get_either(value: dict[str, Any], camel: str, snake: str) -> Any:
    return value[camel] if camel in value else value.get(snake)


def _detect_origin(parts: list[Part]) -> Origin:
    texts = [part.text.lstrip() for part in parts if part.kind == "text"]
    if not texts or len(texts) < len(parts):
        return "user"
    if texts[0].startswith(_SUMMARY):
        return "summary"
    return "harness" if all(text.startswith(_HARNESS) for text in texts) else "user"


def _get_role(item: dict[str, Any]) -> Role | None:
    """Return who speaks, or None for an unknown role."""
    said = item.get("role")
    return _ROLES.get(said) if said is None or isinstance(said, str) else None
