"""Codex rollout logs: `response_item` lines are the model's context, in order; a fork begins with its parent's lines.

The transcript is that context with compactions (`compacted`) and rollbacks applied. What the model says in one step
(reasoning, texts, calls) is one assistant message, up to the next result or input. `event_msg` lines repeat the same
things for the screen, outputs up to three times; the model does not see them, and they are left alone.
"""

from typing import Any

from secateur.formats.appending import Appending
from secateur.formats.codex_branch import CodexHistory
from secateur.formats.codex_entry import build_entries
from secateur.formats.format import Format
from secateur.formats.host_lines import CODEX
from secateur.formats.item_outputs import make_output_body
from secateur.formats.items import group_steps, read_step
from secateur.formats.logs import open_log, read_first_lines, refuse_new_message
from secateur.formats.native import Calls
from secateur.model import Message, NewMessage, Part, Transcript


class Codex(Format):
    """Reader of Codex's session files."""

    name = "codex"
    log = True
    has_host_entry = True

    def recognize(self, native: Any) -> str:
        """The envelope of every line."""
        for entry in read_first_lines(native):
            if entry.get("type") in CODEX and isinstance(entry.get("payload"), dict):
                return f"lines have type ({entry['type']}) and payload"
        return ""

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of the context as it stands at the end; `known` is of no use here."""
        log = open_log(native, self.name)
        history = CodexHistory(log)
        calls = Calls()
        messages = [read_step(step, calls, logged=True) for step in group_steps(history.items)]
        messages = [one for one in messages if one.parts]
        window = history.window if model in ("", history.model) else 0  # of another model it says nothing
        return log.make_transcript(messages, model=model or history.model, provider=history.provider, window=window)

    def replacement_body(self, part: Part, text: str) -> Any:
        """A string, as outputs, freeform inputs and arguments (JSON in a string) are; a medium becomes a text."""
        return {"type": "input_text", "text": text} if part.kind == "media" else make_output_body(part, text)

    def host_entry(self, native: Any, made: Appending) -> list[Any]:
        """The lines that are Codex's own compaction (`codex_entry`)."""
        return build_entries(made, open_log(native, self.name).entries.values())

    def new_message(self, new: NewMessage) -> Any:
        """Raises EditError."""
        refuse_new_message(new, "Codex")
