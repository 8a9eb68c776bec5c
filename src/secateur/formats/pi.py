"""Pi session logs (also OpenClaw's): one entry a line, a tree by `id` and `parentId`; linear where there are no ids.

The transcript is what Pi builds for the model (`logs` says from which lines). A result's `details` and a call's
`partialJson` are for Pi's screen, the model never sees them: they are left alone. Messages with no content (an
assistant aborted before its first block) are not sent and not read.
"""

from collections.abc import Iterator
from typing import Any

from secateur.formats.anthropic_messages import is_bound
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
from secateur.formats.native import Calls, read_medium
from secateur.formats.openai_chat import normalize_arguments
from secateur.formats.pi_entry import branch, build_entries
from secateur.model import Message, NewMessage, Origin, Part, Path, Role, Transcript

ROLES: dict[str, tuple[Role, Origin]] = {
    "user": ("user", "user"),
    "assistant": ("assistant", "user"),
    "toolResult": ("tool", "harness"),
    "bashExecution": ("user", "harness"),
    "custom": ("user", "harness"),
    "hookMessage": ("user", "harness"),  # the name of `custom` before version 3
    "branchSummary": ("user", "summary"),
    "compactionSummary": ("user", "summary"),
}


class Pi(Format):
    """Reader of Pi's session files."""

    name = "pi"
    log = True
    has_host_entry = True
    entry_words = ""  # its compaction entry says nothing beside the summary

    def recognize(self, native: Any) -> str:
        """Pi's header line, or its roles."""
        for entry in read_first_lines(native):
            if entry.get("type") == "session" and isinstance(entry.get("id"), str):
                return "the header line has type session and an id"
            message = entry.get("message")
            if entry.get("type") == "message" and isinstance(message, dict) and str(message.get("role")) in ROLES:
                return "lines have type message and a message.role of Pi"
        return ""

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of the active branch; `known` is of no use here."""
        log = open_log(native, self.name)
        reader = Reader(log.entries, model)
        for line in branch(log):
            reader.read_step(line)
        return log.make_transcript(reader.messages, model=model or reader.model, provider=reader.provider)

    def replacement_body(self, part: Part, text: str) -> Any:
        """Text where text stands; a result of several blocks becomes one block of text; arguments stay JSON."""
        if part.kind == "tool_call":
            return encode_arguments(text)
        if part.kind == "media":
            return {"type": "text", "text": text}
        if part.kind == "tool_result" and part.path[-1] != "text":
            return [{"type": "text", "text": text}]
        return text

    def host_entry(self, native: Any, made: Appending) -> list[Any]:
        """The lines that are Pi's own compaction (`pi_entry`)."""
        return build_entries(made, open_log(native, self.name))

    def new_message(self, new: NewMessage) -> Any:
        """Raises EditError."""
        refuse_new_message(new, "Pi")


class Reader:
    """Messages from the lines of a branch, in order. A model that the caller names decides what is bound."""

    def __init__(self, entries: dict[int, dict[str, Any]], model: str) -> None:
        self.entries = entries
        self.calls = Calls()
        self.messages: list[Message] = []
        self.model = ""
        self.provider = ""
        self._named = model

    def read_step(self, line: int) -> None:
        """Read one line, skipping bookkeeping, empty messages and what Pi does not send."""
        entry = self.entries[line]
        role, said, path = _get_role_and_content(entry, line)
        if said is None or said.get("excludeFromContext"):
            return
        speaker, origin = ROLES.get(role, ("user", "harness"))
        self.calls.speaks(speaker)
        if speaker == "assistant":
            self.model = str(said.get("model") or self.model)
            self.provider = str(said.get("provider") or self.provider)
        parts = tuple(self.read_parts(role, said, path))
        if parts:
            at = parse_timestamp(entry.get("timestamp") or said.get("timestamp"))
            self.messages.append(Message(speaker, (line,), parts, origin, (line,), at))

    def read_parts(self, role: str, said: dict[str, Any], path: Path) -> Iterator[Part]:
        """Yield the parts of the Pi message at `path`."""
        if role == "toolResult":
            yield from self._read_result(said, path)
        elif role == "bashExecution":  # Pi words it as one user text; the command and its output are what stands here
            for name in ("command", "output"):
                yield Part("text", (*path, name), str(said.get(name) or ""), pinned=True)
        elif role in ("branchSummary", "compactionSummary"):
            yield Part("text", (*path, "summary"), str(said.get("summary") or ""))
        elif role in ROLES:
            yield from self._read_content(said, path)
        else:
            yield make_opaque(said, path)

    def _read_content(self, said: dict[str, Any], path: Path) -> Iterator[Part]:
        content, inside = said.get("content"), (*path, "content")
        if isinstance(content, str):
            yield Part("text", inside, content)
        elif isinstance(content, list):
            claude = str(said.get("api") or "").startswith("anthropic")
            bound = claude and is_bound(self._named or str(said.get("model") or ""))
            for number, block in enumerate(content):
                yield self._block(block, (*inside, number), bound)
        elif content is not None:
            yield make_opaque(content, inside)

    def _block(self, block: Any, path: Path, bound: bool) -> Part:
        said = get_block_text(block)
        if said is not None:
            return Part("text", (*path, "text"), said, pinned=bool(block.get("textSignature")))
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "thinking":
            text, signature = str(block.get("thinking") or ""), str(block.get("thinkingSignature") or "")
            return Part(
                "reasoning", path, text, fingerprint=signature, pinned=True, prefix_bound=bound and bool(signature)
            )
        if kind == "toolCall":
            call, tool = str(block.get("id") or ""), str(block.get("name") or "")
            self.calls.add(call, tool)
            given = block.get("arguments")
            pinned = bool(block.get("thoughtSignature")) or not isinstance(given, dict)  # Gemini signs the call itself
            return Part("tool_call", (*path, "arguments"), normalize_arguments(given), tool, call, pinned=pinned)
        return _read_medium(block, path) or make_opaque(block, path)

    def _read_result(self, said: dict[str, Any], path: Path) -> tuple[Part, ...]:
        call = str(said.get("toolCallId") or "")
        tool = self.calls.take(call) or str(said.get("toolName") or "")
        head = Part("tool_result", (*path, "content"), "", tool, call, said.get("isError") is True)
        return make_result(head, said.get("content"), lambda block, where: _read_medium(block, where, "result"))


def _get_role_and_content(entry: dict[str, Any], line: int) -> tuple[str, dict[str, Any] | None, Path]:
    """Return the role on a line, what holds its content, and its path; None for bookkeeping."""
    message = entry.get("message")
    match entry.get("type"):
        case "message" if isinstance(message, dict):
            return str(message.get("role")), message, (line, "message")
        case "custom_message":
            return "custom", entry, (line,)
        case "compaction" | "branch_summary":
            return "compactionSummary", entry, (line,)
    return "", None, ()


def _read_medium(block: Any, path: Path, within: str = "") -> Part | None:
    if not isinstance(block, dict) or block.get("type") != "image":
        return None
    source = {"media_type": block.get("mimeType"), "data": block.get("data")}
    return read_medium({"type": "image", "source": source}, path, within)
