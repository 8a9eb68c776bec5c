"""Pi's messages as a list, the way its extensions get them before a call; OpenAI's may stand among them (SEEDS 2.3).

A list holds message by message what a `pi` log holds line by line. Results are messages of role toolResult, calls are
blocks of type toolCall.
"""

from typing import Any

from secateur.errors import FormatError
from secateur.formats import openai_chat
from secateur.formats.evidence import explain_claim
from secateur.formats.format import Format
from secateur.formats.native import find_array
from secateur.formats.pi import ROLES, Pi, Reader
from secateur.jsontext import Text
from secateur.lineage import assign_keys
from secateur.model import Message, NewMessage, Part, Path, Transcript


class PiMessages(Format):
    """Reader of Pi's message lists."""

    name = "pi_messages"
    log = False

    def recognize(self, native: Any) -> str:
        """Roles or blocks that only Pi has."""
        return explain_claim(native, self.name)

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of a list; `known` is of no use here."""
        found = find_array(native, "messages")
        if found is None:
            raise FormatError(f"{self.name} requires a list of messages, and this document is not one")
        at, items = found
        reader = Reader({}, model)
        values = items.values() if isinstance(items, Text) else items
        messages = assign_keys(_read_message(reader, item, (*at, number)) for number, item in enumerate(values))
        return Transcript(at, messages, model or reader.model, reader.provider)

    def replacement_body(self, part: Part, text: str) -> Any:
        """As in a log of Pi; OpenAI's arguments are a string, and its results take blocks of text as well."""
        return text if part.path[-2:] == ("function", "arguments") else Pi().replacement_body(part, text)

    def new_message(self, new: NewMessage) -> Any:
        """A message of one text; a summary gets Pi's own role."""
        if new.origin == "summary":
            return {"role": "compactionSummary", "summary": new.text}
        return {"role": "user" if new.role == "tool" else new.role, "content": [{"type": "text", "text": new.text}]}


def _read_message(reader: Reader, item: Any, path: Path) -> Message:
    if (
        not isinstance(item, dict)
        or item.get("role") in ("tool", "function", "system", "developer")
        or item.get("tool_calls")
    ):
        return openai_chat.read_message(item, path, reader.calls)
    role = str(item.get("role"))
    speaker, origin = ROLES.get(role, ("user", "harness"))
    reader.calls.speaks(speaker)
    if speaker == "assistant":
        reader.model, reader.provider = (
            str(item.get("model") or reader.model),
            str(item.get("provider") or reader.provider),
        )
    return Message(speaker, path, tuple(reader.read_parts(role, item, path)), origin)
