"""Copilot CLI sessions (`events.jsonl`): one event a line; calls are in `assistant.message`, results in
`tool.execution_complete`.

The model gets a user's `transformedContent` and a result's `content`; `detailedContent` repeats it for the screen. A
finished compaction starts the history again with its summary, behind the system message. Events of sub-agents
(`parentToolCallId`), hooks, permissions and notices are left alone, and so are lines of types that are not known.
"""

from collections.abc import Iterator
from typing import Any

from secateur.formats.anthropic_messages import is_bound
from secateur.formats.format import Format
from secateur.formats.logs import make_result, open_log, parse_timestamp, read_first_lines, refuse_new_message
from secateur.formats.native import Calls, dump_canonical
from secateur.formats.session_files import as_dict, as_list, as_string, make_body
from secateur.model import Message, NewMessage, Origin, Part, Path, Role, Transcript

_SPOKEN: dict[str, tuple[Role, Origin]] = {
    "system.message": ("system", "harness"),
    "user.message": ("user", "user"),
    "assistant.message": ("assistant", "user"),
    "tool.execution_complete": ("tool", "harness"),
    "session.compaction_complete": ("user", "summary"),
}
_KNOWN = frozenset(_SPOKEN) | {"session.start", "assistant.turn_start", "session.model_change", "session.resume"}


class CopilotCLI(Format):
    """Reader of Copilot CLI's session files."""

    name = "copilot_cli"
    log = True

    def recognize(self, native: Any) -> str:
        """The envelope of its events; what it streams while it runs is not its session file."""
        entries = read_first_lines(native)
        if any(entry.get("ephemeral") is True for entry in entries):
            return ""
        for entry in entries:
            if as_string(entry.get("type")) in _KNOWN and isinstance(entry.get("data"), dict) and "parentId" in entry:
                return f"lines have type ({entry['type']}), data and parentId"
        return ""

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of the events; `known` is of no use here."""
        log = open_log(native, self.name)
        calls, messages, named = Calls(), list[Message](), ""
        for line, entry in log.entries.items():
            data, spoken = as_dict(entry.get("data")), _SPOKEN.get(as_string(entry.get("type")))
            if spoken is None or data.get("parentToolCallId"):
                continue
            role, origin = spoken
            if origin == "summary":
                if data.get("success") is False or not as_string(data.get("summaryContent")):
                    continue
                messages = [message for message in messages if message.role == "system"]
            calls.speaks(role)
            named = as_string(data.get("model")) or named
            parts = tuple(_read_parts(entry, (line, "data"), calls, model or named))
            if parts:
                at = parse_timestamp(entry.get("timestamp"))
                messages.append(Message(role, (line,), parts, origin, (line,), at))
        return log.make_transcript(messages, model=model or named, provider=_guess_provider(model or named))

    def replacement_body(self, part: Part, text: str) -> Any:
        """A text replaces a text; arguments stay JSON, except for tools that take plain text."""
        return text if part.kind == "tool_call" and part.fingerprint == "text" else make_body(part, text)

    def new_message(self, new: NewMessage) -> Any:
        """Raises EditError."""
        refuse_new_message(new, "Copilot CLI")


def _guess_provider(model: str) -> str:
    return "anthropic" if "claude" in model.lower() else "openai" if model else ""


def _read_parts(entry: dict[str, Any], path: Path, calls: Calls, model: str) -> Iterator[Part]:
    data, kind = as_dict(entry.get("data")), entry["type"]
    if kind == "tool.execution_complete":
        yield from _read_result(data, path, calls)
    elif kind == "assistant.message":
        yield from _read_assistant(data, path, calls, model)
    else:
        for name in ("summaryContent", "transformedContent", "content"):
            if isinstance(data.get(name), str):
                yield Part("text", (*path, name), data[name])
                return


def _read_assistant(data: dict[str, Any], path: Path, calls: Calls, model: str) -> Iterator[Part]:
    thought, opaque = as_string(data.get("reasoningText")), as_string(data.get("reasoningOpaque"))
    if thought or opaque:  # taken out where it is signed: without that the host has nothing to send
        where = "reasoningOpaque" if opaque else "reasoningText"
        bound = bool(opaque) and "claude" in model.lower() and is_bound(model)
        yield Part("reasoning", (*path, where), thought, fingerprint=opaque, pinned=True, prefix_bound=bound)
    if as_string(data.get("content")):
        yield Part("text", (*path, "content"), data["content"])
    for number, request in enumerate(map(as_dict, as_list(data.get("toolRequests")))):
        inside: Path = (*path, "toolRequests", number)
        tool, call, given = (
            as_string(request.get("name")),
            as_string(request.get("toolCallId")),
            request.get("arguments"),
        )
        calls.add(call, tool)
        if isinstance(given, str):
            yield Part("tool_call", (*inside, "arguments"), given, tool, call, fingerprint="text")
        else:
            pinned = not isinstance(given, dict)
            place = inside if pinned else (*inside, "arguments")
            yield Part("tool_call", place, dump_canonical(given), tool, call, pinned=pinned)


def _read_result(data: dict[str, Any], path: Path, calls: Calls) -> tuple[Part, ...]:
    call = as_string(data.get("toolCallId"))
    error = data.get("success") is False
    holder, name = ("error", "message") if isinstance(data.get("error"), dict) else ("result", "content")
    where: Path = (*path, holder, name) if name in as_dict(data.get(holder)) else path
    head = Part("tool_result", where, "", calls.take(call), call, error, pinned=where == path)
    return make_result(head, as_dict(data.get(holder)).get(name), lambda block, where: None)
