"""Hermes sessions: Chat Completions messages with what Hermes knows of the session around them.

`hermes` is the session's JSON document (`session_id`, `system_prompt`, `tools`, `messages`), `hermes_lines` its
transcript, one message a line behind a line of role session_meta. A compaction is an assistant message that begins as
Hermes words it. What Hermes keeps for itself (times, `finish_reason`) is left alone.
"""

from typing import Any

from msgspec.structs import replace

from secateur.formats import openai_chat
from secateur.formats.format import Format
from secateur.formats.logs import first_lines, moment, no_new_message, opened
from secateur.formats.native import Calls, fixed_tokens, leading_model
from secateur.formats.session_files import elements, gathered, has, member, some_of, table, word
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
        spoken = marked and any(one.get("role") for one in some_of(native, "messages"))
        return "`session_id` and `session_start`" if spoken else ""

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of the messages; `known` is of no use here."""
        at, items = elements(native, "messages", need=self.name)
        calls = Calls()
        messages = [_message(table(item), (*at, number), calls) for number, item in enumerate(items)]
        spoken = [message for message in messages if message is not None]
        stamped, fixed = moment(member(native, "last_updated")), ["tools"]
        if not spoken or spoken[0].role != "system":
            fixed.append("system_prompt")
        return gathered(
            at, spoken, stamped, model=model or leading_model(native), fixed_tokens=fixed_tokens(native, *fixed)
        )

    def replacement_body(self, part: Part, text: str) -> Any:
        """As in Chat Completions."""
        return openai_chat.OpenAIChat().replacement_body(part, text)

    def new_message(self, new: NewMessage) -> Any:
        """Raises EditError."""
        no_new_message(new, "Hermes")


class HermesLines(Hermes):
    """Reader of Hermes' transcripts."""

    name = "hermes_lines"
    log = True

    def recognize(self, native: Any) -> str:
        """The line of role session_meta that a transcript begins with; without one, lines of chat messages."""
        entries = first_lines(native)
        if any(entry.get("role") == "session_meta" for entry in entries):
            return "a line has the role session_meta"
        chat = sum(word(entry.get("role")) in _ROLES and "type" not in entry for entry in entries)
        return "lines are chat messages" if chat > 1 and 2 * chat > len(entries) else ""

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of the lines; `known` is of no use here."""
        log, calls = opened(native, self.name), Calls()
        messages, fixed, named = [], 0, ""
        for line, entry in log.entries.items():
            if entry.get("role") == "session_meta":
                fixed, named = fixed_tokens(entry, "tools"), word(entry.get("model")) or named
                continue
            message = _message(entry, (line,), calls)
            if message is not None:
                messages.append(replace(message, lines=(line,)))
        return log.transcript(messages, model=model or named, fixed_tokens=fixed)


def _message(item: dict[str, Any], path: Path, calls: Calls) -> Message | None:
    """One message; None for what Hermes writes beside the conversation."""
    if item.get("role") == "session_meta":
        return None
    message = replace(openai_chat.message(item, path, calls), recorded_ms=moment(item.get("timestamp")))
    if message.role == "assistant" and word(item.get("content")).startswith(_SUMMARY):
        message = replace(message, origin="summary")
    return message if message.parts else None
