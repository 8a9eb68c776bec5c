"""Claude Code session logs: one line per content block, a tree by `uuid` and `parentUuid`.

The transcript is the active branch as Claude Code would send it: lines of one API message merged, compactions and
micro-compactions applied (`claude_code_branch` walks the tree). Lines that were never sent (API errors, `<synthetic>`
models, progress, telemetry) are not read. `toolUseResult` repeats a result for the screen and agent progress repeats a
sub-agent's messages; the model sees neither, and both are left alone.
"""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from secateur.formats.anthropic_messages import is_bound
from secateur.formats.claude_code_branch import get_content, iterate_steps
from secateur.formats.claude_code_entry import CLEARED, build_entries
from secateur.formats.format import Appending, Format
from secateur.formats.logs import (
    encode_arguments,
    get_block_text,
    make_opaque,
    make_result,
    open_log,
    parse_timestamp,
    read_first_lines,
    refuse_new_message,
)
from secateur.formats.native import Calls, dump_canonical, read_medium
from secateur.model import Message, NewMessage, Origin, Part, Path, Transcript

_MEDIA = ("image", "document")
_HARNESS = (
    "<command-name>",
    "<command-message>",
    "<local-command-",
    "<system-reminder>",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<task-notification>",
    "[Request interrupted by user",
)
_UNSAID = ("hook_system_message", "command_permissions")  # attachments for the screen


class ClaudeCode(Format):
    """Reader of Claude Code's session files."""

    name = "claude_code"
    log = True
    has_host_entry = True
    entry_words = ""  # its compaction entry contains only the summary

    def recognize(self, native: Any) -> str:
        """Ids that link lines to a tree, around a message of the Messages API."""
        for entry in read_first_lines(native):
            if "uuid" not in entry or "parentUuid" not in entry:
                continue
            message = entry.get("message")
            if entry.get("type") in ("user", "assistant") and isinstance(message, dict) and "role" in message:
                return "lines have uuid, parentUuid and message.role"
            if "sessionId" in entry:
                return "lines have uuid, parentUuid and sessionId"
        return ""

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of the active branch; `known` is of no use here."""
        log = open_log(native, self.name)
        reader = _Reader(log.entries, model)
        for lines in iterate_steps(log):
            reader.read_step(lines)
        return log.make_transcript(reader.messages, model=model or reader.model, provider="anthropic")

    def replacement_body(self, part: Part, text: str) -> Any:
        """A text replaces a text; arguments stay JSON; a medium becomes a block of text in its slot.

        A result is a string, except that a list of one text block keeps its shape: its path leads to that text.
        """
        if part.kind == "tool_call":
            return encode_arguments(text)
        return {"type": "text", "text": text} if part.kind == "media" else text

    def host_entry(self, native: Any, made: Appending) -> list[Any]:
        """The lines that are Claude Code's own compaction (`claude_code_entry`)."""
        lines = (native.line(at) for at in range(len(native) - 1, -1, -1))
        return build_entries(made, next((line for line in lines if isinstance(line, dict) and line.get("uuid")), {}))

    def new_message(self, new: NewMessage) -> Any:
        """Raises EditError."""
        refuse_new_message(new, "Claude Code")


class _Reader:
    """Messages from the steps of a branch, in order. A model that the caller names decides what is bound."""

    def __init__(self, entries: dict[int, dict[str, Any]], model: str) -> None:
        self.entries = entries
        self._named = model
        self.calls = Calls()
        self.messages: list[Message] = []
        self.model = ""
        self._results: dict[str, int] = {}  # the message with the newest result of each call id

    def read_step(self, lines: tuple[int, ...]) -> None:
        entry = self.entries[lines[0]]
        match entry.get("type"):
            case "assistant":
                self._read_assistant(tuple(line for line in lines if not _is_unsent(self.entries[line])))
            case "user":
                self._read_user(lines[0], entry)
            case "attachment":
                self._read_attachment(lines[0], entry)
            case "queue-operation":
                parts = (Part("text", (lines[0], "content"), entry["content"]),)
                at = parse_timestamp(entry.get("timestamp"))
                self.messages.append(Message("user", lines, parts, "user", lines, at))
            case "system" if isinstance(entry.get("microcompactMetadata"), dict):
                self._clear(entry["microcompactMetadata"].get("compactedToolIds"))

    def _read_assistant(self, lines: tuple[int, ...]) -> None:
        if not lines:
            return
        self.calls.speaks("assistant")
        self.model = str(self.entries[lines[0]]["message"].get("model") or self.model)
        parts = tuple(part for line in lines for part in self._read_parts(line))
        at = max(parse_timestamp(self.entries[line].get("timestamp")) for line in lines)
        if parts:
            self.messages.append(Message("assistant", lines[:1], parts, "user", lines, at))

    def _read_user(self, line: int, entry: dict[str, Any]) -> None:
        self.calls.speaks("user")
        parts = tuple(self._read_parts(line))
        if not parts:
            return
        self._results |= {part.call_id: len(self.messages) for part in parts if part.kind == "tool_result"}
        only_results = all(part.kind == "tool_result" or part.container_key for part in parts)
        origin: Origin = "harness" if only_results else _detect_origin(entry, parts)
        at = parse_timestamp(entry.get("timestamp"))
        self.messages.append(Message("tool" if only_results else "user", (line,), parts, origin, (line,), at))

    def _read_attachment(self, line: int, entry: dict[str, Any]) -> None:
        """Read what the host inserts between messages: queued prompts are the user's, the rest are reminders."""
        attachment = entry.get("attachment")
        if not isinstance(attachment, dict) or attachment.get("type") in _UNSAID:
            return
        at, path = parse_timestamp(entry.get("timestamp")), (line, "attachment")
        if attachment.get("type") == "queued_command":
            if parts := tuple(self._read_content(attachment.get("prompt"), (*path, "prompt"))):
                self.messages.append(Message("user", (line,), parts, _detect_origin(entry, parts), (line,), at))
        elif said := _get_attachment_text(attachment):
            part = make_opaque(attachment, path, said)
            self.messages.append(Message("system", (line,), (part,), "harness", (line,), at))

    def _clear(self, calls: Any) -> None:
        """Results that a micro-compaction took read as the host's placeholder."""
        gone = {call for call in calls if isinstance(call, str)} if isinstance(calls, list) else set()
        for number in {self._results[call] for call in gone if call in self._results}:
            message = self.messages[number]
            self.messages[number] = replace(message, parts=tuple(_clear_results(message.parts, gone)))

    def _read_parts(self, line: int) -> Iterator[Part]:
        yield from self._read_content(get_content(self.entries[line]), (line, "message", "content"))

    def _read_content(self, said: Any, path: Path) -> Iterator[Part]:
        if isinstance(said, str):
            yield Part("text", path, said)
        elif isinstance(said, list):
            for number, block in enumerate(said):
                yield from self._block(block, (*path, number))
        elif said is not None:
            yield make_opaque(said, path)

    def _block(self, block: Any, path: Path) -> tuple[Part, ...]:
        said = get_block_text(block)
        if said is not None:
            return (Part("text", (*path, "text"), said, pinned="citations" in block),)
        kind = block.get("type") if isinstance(block, dict) else None
        if kind in ("thinking", "redacted_thinking"):
            text, signature = str(block.get("thinking") or ""), str(block.get("signature") or block.get("data") or "")
            bound = bool(signature) and is_bound(self._named or self.model)
            return (Part("reasoning", path, text, fingerprint=signature, pinned=True, prefix_bound=bound),)
        if kind == "tool_use":
            call, tool = str(block.get("id") or ""), str(block.get("name") or "")
            self.calls.add(call, tool)
            return (Part("tool_call", (*path, "input"), dump_canonical(block.get("input")), tool, call),)
        if kind == "tool_result":
            call = str(block.get("tool_use_id") or "")
            head = Part(
                "tool_result", (*path, "content"), "", self.calls.take(call), call, block.get("is_error") is True
            )
            return make_result(head, block.get("content"), _read_inner_medium)
        return (read_medium(block, path) if kind in _MEDIA else make_opaque(block, path),)


def _is_unsent(entry: dict[str, Any]) -> bool:
    """Return whether the host wrote a line in the assistant's name; the API never saw it."""
    message = entry.get("message")
    return (
        not isinstance(message, dict) or message.get("model") == "<synthetic>" or bool(entry.get("isApiErrorMessage"))
    )


def _read_inner_medium(block: dict[str, Any], path: Path) -> Part | None:
    return read_medium(block, path, "result") if block.get("type") in _MEDIA else None


def _clear_results(parts: tuple[Part, ...], gone: set[str]) -> Iterator[Part]:
    """Yield the parts with the results of these calls cleared, together with the media inside them."""
    going = False
    for part in parts:
        if part.kind == "tool_result":
            going = part.call_id in gone
        if not going:
            yield part
        elif part.kind == "tool_result":
            yield replace(part, text=CLEARED, fingerprint="", pinned=True)
        elif not part.container_key:
            going = False
            yield part


def _detect_origin(entry: dict[str, Any], parts: tuple[Part, ...]) -> Origin:
    """Return who speaks in a user line: a human, the host or a summary."""
    if entry.get("isCompactSummary"):
        return "summary"
    source = entry.get("origin")
    if entry.get("isMeta") or (isinstance(source, dict) and source.get("kind") not in ("human", None)):
        return "harness"
    texts = [part.text for part in parts if part.kind == "text"]
    if not texts or any(part.kind in ("media", "other") and not part.container_key for part in parts):
        return "user"
    return "harness" if all(text.lstrip().startswith(_HARNESS) for text in texts) else "user"


def _get_attachment_text(attachment: dict[str, Any]) -> str:
    """Return an attachment's text; the host's wording around it is not in the log."""
    texts: list[str] = []
    for name in ("content", "snippet", "addedBlocks", "addedLines"):
        value = attachment.get(name)
        file = value.get("file") if isinstance(value, dict) else None
        value = file.get("content") if isinstance(file, dict) else value
        values = value if isinstance(value, list) else [value]
        texts += [one for one in values if isinstance(one, str) and one]
    return "\n".join(texts)
