"""Hermes sessions: Chat Completions messages with what Hermes knows of the session around them.

`hermes` is the session's JSON document (`session_id`, `system_prompt`, `tools`, `messages`), `hermes_lines` its
transcript, one message a line behind a line of role session_meta. A compaction is an assistant message that begins as
Hermes words it. What Hermes keeps for itself (times, `finish_reason`) is left alone.
"""

from typing import Any

from msgspec.structs import replace

from secateur.formats import openai_chat
from secateur.formats.format import Format
from secateur.formats.logs import open_log, parse_timestamp, read_first_lines, refuse_new_message
from secateur.formats.native import Calls, count_fixed_tokens, get_model
from secateur.formats.session_files import (
    as_dict,
    as_string,
    get_elements,
    get_member,
    has,
    make_transcript,
    sample_objects,
)
from secateur.model import Message, NewMessage, Part, Path, Transcript

_SUMMARY = "[CONTEXT COMPACTION"  # how Hermes' compactions begin
_ROLES = frozenset({"system", "user", "assistant", "tool"})


class Hermes(Format):
    """Reader of Hermes' session documents."""

    name = "hermes"
    log = False

    def recognize(self, native: Any) -> str:
        """The names around the messages."""
        marked = has(native, "session_id", "session_start", "messages")
        spoken = marked and any(one.get("role") for one in sample_objects(native, "messages"))
        return "`session_id` and `session_start`" if spoken else ""

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of the messages; `known` is of no use here."""
        at, items = get_elements(native, "messages", need=self.name)
        calls = Calls()
        messages = [_read_message(as_dict(item), (*at, number), calls) for number, item in enumerate(items)]
        spoken = [message for message in messages if message is not None]
        stamped, fixed = parse_timestamp(get_member(native, "last_updated")), ["tools"]
        if not spoken or spoken[0].role != "system":
            fixed.append("system_prompt")
        return make_transcript(
            at, spoken, stamped, model=model or get_model(native), fixed_tokens=count_fixed_tokens(native, *fixed)
        )

    def replacement_body(self, part: Part, text: str) -> Any:
        """As in Chat Completions."""
        return openai_chat.OpenAIChat().replacement_body(part, text)

    def new_message(self, new: NewMessage) -> Any:
        """Raises EditError."""
        refuse_new_message(new, "Hermes")


class HermesLines(Hermes):
    """Reader of Hermes' transcripts."""

    name = "hermes_lines"
    log = True

    def recognize(self, native: Any) -> str:
        """The line of role session_meta that a transcript begins with; without one, lines of chat messages."""
        entries = read_first_lines(native)
        if any(entry.get("role") == "session_meta" for entry in entries):
            return "a line has the role session_meta"
        chat = sum(as_string(entry.get("role")) in _ROLES and "type" not in entry for entry in entries)
        return "lines are chat messages" if chat > 1 and 2 * chat > len(entries) else ""

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of the lines; `known` is of no use here."""
        log, calls = open_log(native, self.name), Calls()
        messages, fixed, named = [], 0, ""
        for line, entry in log.entries.items():
            if entry.get("role") == "session_meta":
                fixed, named = count_fixed_tokens(entry, "tools"), as_string(entry.get("model")) or named
                continue
            message = _read_message(entry, (line,), calls)
            if message is not None:
                messages.append(replace(message, lines=(line,)))
        return log.make_transcript(messages, model=model or named, fixed_tokens=fixed)


def _read_message(item: dict[str, Any], path: Path, calls: Calls) -> Message | None:
    """Read one message, or None for what Hermes writes in addition to the conversation."""
    if item.get("role") == "session_meta":
        return None
    message = replace(openai_chat.read_message(item, path, calls), recorded_ms=parse_timestamp(item.get("timestamp")))
    if message.role == "assistant" and as_string(item.get("content")).startswith(_SUMMARY):
        message = replace(message, origin="summary")
    return message if message.parts else None
