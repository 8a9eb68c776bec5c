"""Gemini CLI sessions: one JSON document; a call and its result stand together in `toolCalls` of a message.

A message of type gemini is read as one assistant message and one of its results. Notices (info, error, warning),
thoughts and what only the screen shows (`resultDisplay`, `displayContent`) are not sent and left alone.
"""

from collections.abc import Iterator
from typing import Any

from secateur.formats.format import Format
from secateur.formats.logs import moment, no_new_message, stranger
from secateur.formats.native import canonical, medium, value_digest
from secateur.formats.session_files import body_of, elements, gathered, has, member, rows, some_of, table, word
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
        some = some_of(native, "messages")
        known = [kind for one in some if (kind := word(one.get("type"))) in _TYPES]
        if known:
            return f"`sessionId`, and messages of type {known[0]}"
        return "`sessionId` and `projectHash`" if has(native, "projectHash") and not some else ""

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of the document; `known` is of no use here."""
        at, items = elements(native, "messages", need=self.name)
        named, messages = "", list[Message]()
        for number, item in enumerate(map(table, items)):
            named = word(item.get("model")) or named
            messages += _messages(item, (*at, number))
        stamped = moment(member(native, "lastUpdated"))
        return gathered(at, messages, stamped, model=model or named, provider="google")

    def replacement_body(self, part: Part, text: str) -> Any:
        """A string, or a response that holds it; arguments stay JSON; a medium becomes a text."""
        if part.kind == "media":
            return {"text": text}
        return {"output": text} if part.path[-1] == "response" else body_of(part, text)

    def new_message(self, new: NewMessage) -> Any:
        """Raises EditError."""
        no_new_message(new, "Gemini CLI")


def _messages(item: dict[str, Any], path: Path) -> Iterator[Message]:
    at = moment(item.get("timestamp"))
    spoken = tuple(_content(item.get("content"), (*path, "content")))
    if item.get("type") == "user":
        yield Message("user", path, spoken, recorded_ms=at)
    elif item.get("type") == "gemini":
        calls = [(table(call), (*path, "toolCalls", number)) for number, call in enumerate(rows(item.get("toolCalls")))]
        asked = tuple(_call(call, where) for call, where in calls)
        yield Message("assistant", path, spoken + asked, recorded_ms=at)
        found = tuple(part for call, where in calls for part in _result(call, where))
        yield Message("tool", path, found, "harness", recorded_ms=at)


def _content(content: Any, path: Path) -> Iterator[Part]:
    if isinstance(content, str):
        if content:
            yield Part("text", path, content)
        return
    for number, block in enumerate(rows(content)):
        where = (*path, number)
        if isinstance(block, str):
            yield Part("text", where, block)
        elif isinstance(table(block).get("text"), str):
            yield Part("text", (*where, "text"), block["text"])
        else:
            yield _medium(block, where) or stranger(block, where)


def _call(call: dict[str, Any], path: Path) -> Part:
    given = call.get("args")
    pinned = not isinstance(given, dict)
    where = path if pinned else (*path, "args")
    return Part("tool_call", where, canonical(given or {}), *_named(call), pinned=pinned)


def _named(call: dict[str, Any]) -> tuple[str, str]:
    return word(call.get("name")), word(call.get("id"))


def _result(call: dict[str, Any], path: Path) -> Iterator[Part]:
    """The response, and what media stand beside it; a call that was not answered has none."""
    found, inside = call.get("result"), (*path, "result")
    tool, said = _named(call)
    error = call.get("status") == "error"
    if isinstance(found, str):
        yield Part("tool_result", inside, found, tool, said, error)
    elif isinstance(found, list) and found:
        answer = table(table(found[0]).get("functionResponse"))
        media = [_medium(block, (*inside, number), "result") for number, block in enumerate(found)]
        held = [part for part in media if part is not None]
        opaque = len(found) > len(held) + 1 or not answer
        where, text, failed = _response(answer.get("response"), (*inside, 0, "functionResponse", "response"))
        digest = value_digest(found) if opaque else "".join(part.fingerprint for part in held)
        yield Part("tool_result", inside if opaque else where, text, tool, said, error or failed, digest, pinned=opaque)
        yield from held
    elif found is not None and found != []:
        yield Part("tool_result", inside, "", tool, said, error, value_digest(found), pinned=True)


def _response(response: Any, path: Path) -> tuple[Path, str, bool]:
    """Where the text of a response stands, the text, and whether it tells of an error."""
    for name in ("output", "error"):
        if isinstance(response, dict) and list(response) == [name] and isinstance(response[name], str):
            return (*path, name), response[name], name == "error"
    return path, canonical(response), False


def _medium(block: Any, path: Path, within: str = "") -> Part | None:
    inline = table(table(block).get("inlineData"))
    file = table(table(block).get("fileData"))
    if not inline and not file:
        return None
    mime = word(inline.get("mimeType") or file.get("mimeType"))
    source = {"media_type": mime, "data": inline.get("data"), "url": file.get("fileUri")}
    return medium({"type": "image", "source": source}, path, within)
