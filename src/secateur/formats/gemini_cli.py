"""Gemini CLI sessions: one JSON document; a call and its result are together in `toolCalls` of a message.

A message of type gemini is read as one assistant message and one of its results. Notices (info, error, warning),
thoughts and screen-only text (`resultDisplay`, `displayContent`) are not sent and left alone.
"""

from collections.abc import Iterator
from typing import Any

from secateur.formats.format import Format
from secateur.formats.logs import make_opaque, parse_timestamp, refuse_new_message
from secateur.formats.native import dump_canonical, hash_value, read_medium
from secateur.formats.session_files import (
    as_dict,
    as_list,
    as_string,
    get_elements,
    get_member,
    has,
    make_body,
    make_transcript,
    sample_objects,
)
from secateur.model import Message, NewMessage, Part, Path, Transcript

_TYPES = frozenset({"user", "gemini", "info", "error", "warning"})


class GeminiCLI(Format):
    """Reader of Gemini CLI's session files."""

    name = "gemini_cli"
    log = False

    def recognize(self, native: Any) -> str:
        """The names of the document, and the types of its messages."""
        if not has(native, "sessionId", "messages"):
            return ""
        some = sample_objects(native, "messages")
        known = [kind for one in some if (kind := as_string(one.get("type"))) in _TYPES]
        if known:
            return f"`sessionId`, and messages of type {known[0]}"
        return "`sessionId` and `projectHash`" if has(native, "projectHash") and not some else ""

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of the document; `known` is of no use here."""
        at, items = get_elements(native, "messages", need=self.name)
        named, messages = "", list[Message]()
        for number, item in enumerate(map(as_dict, items)):
            named = as_string(item.get("model")) or named
            messages += _read_messages(item, (*at, number))
        stamped = parse_timestamp(get_member(native, "lastUpdated"))
        return make_transcript(at, messages, stamped, model=model or named, provider="google")

    def replacement_body(self, part: Part, text: str) -> Any:
        """A string, or a response that holds it; arguments stay JSON; a medium becomes a text."""
        if part.kind == "media":
            return {"text": text}
        return {"output": text} if part.path[-1] == "response" else make_body(part, text)

    def new_message(self, new: NewMessage) -> Any:
        """Raises EditError."""
        refuse_new_message(new, "Gemini CLI")


def _read_messages(item: dict[str, Any], path: Path) -> Iterator[Message]:
    at = parse_timestamp(item.get("timestamp"))
    spoken = tuple(_read_content(item.get("content"), (*path, "content")))
    if item.get("type") == "user":
        yield Message("user", path, spoken, recorded_ms=at)
    elif item.get("type") == "gemini":
        calls = [
            (as_dict(call), (*path, "toolCalls", number)) for number, call in enumerate(as_list(item.get("toolCalls")))
        ]
        asked = tuple(_call(call, where) for call, where in calls)
        yield Message("assistant", path, spoken + asked, recorded_ms=at)
        found = tuple(part for call, where in calls for part in _read_result(call, where))
        yield Message("tool", path, found, "harness", recorded_ms=at)


def _read_content(content: Any, path: Path) -> Iterator[Part]:
    if isinstance(content, str):
        if content:
            yield Part("text", path, content)
        return
    for number, block in enumerate(as_list(content)):
        where = (*path, number)
        if isinstance(block, str):
            yield Part("text", where, block)
        elif isinstance(as_dict(block).get("text"), str):
            yield Part("text", (*where, "text"), block["text"])
        else:
            yield _read_medium(block, where) or make_opaque(block, where)


def _call(call: dict[str, Any], path: Path) -> Part:
    given = call.get("args")
    pinned = not isinstance(given, dict)
    where = path if pinned else (*path, "args")
    return Part("tool_call", where, dump_canonical(given or {}), *_get_name_and_id(call), pinned=pinned)


def _get_name_and_id(call: dict[str, Any]) -> tuple[str, str]:
    return as_string(call.get("name")), as_string(call.get("id"))


def _read_result(call: dict[str, Any], path: Path) -> Iterator[Part]:
    """Yield the response and its media; an unanswered call has none."""
    found, inside = call.get("result"), (*path, "result")
    tool, said = _get_name_and_id(call)
    error = call.get("status") == "error"
    if isinstance(found, str):
        yield Part("tool_result", inside, found, tool, said, error)
    elif isinstance(found, list) and found:
        answer = as_dict(as_dict(found[0]).get("functionResponse"))
        media = [_read_medium(block, (*inside, number), "result") for number, block in enumerate(found)]
        held = [part for part in media if part is not None]
        opaque = len(found) > len(held) + 1 or not answer
        where, text, failed = _locate_response_text(
            answer.get("response"), (*inside, 0, "functionResponse", "response")
        )
        digest = hash_value(found) if opaque else "".join(part.fingerprint for part in held)
        yield Part("tool_result", inside if opaque else where, text, tool, said, error or failed, digest, pinned=opaque)
        yield from held
    elif found is not None and found != []:
        yield Part("tool_result", inside, "", tool, said, error, hash_value(found), pinned=True)


def _locate_response_text(response: Any, path: Path) -> tuple[Path, str, bool]:
    """Return where a response's text is, the text, and whether it reports an error."""
    for name in ("output", "error"):
        if isinstance(response, dict) and list(response) == [name] and isinstance(response[name], str):
            return (*path, name), response[name], name == "error"
    return path, dump_canonical(response), False


def _read_medium(block: Any, path: Path, within: str = "") -> Part | None:
    inline = as_dict(as_dict(block).get("inlineData"))
    file = as_dict(as_dict(block).get("fileData"))
    if not inline and not file:
        return None
    mime = as_string(inline.get("mimeType") or file.get("mimeType"))
    source = {"media_type": mime, "data": inline.get("data"), "url": file.get("fileUri")}
    return read_medium({"type": "image", "source": source}, path, within)
