"""SWE-agent trajectories (`.traj`): `history` is what the model saw; the steps beside it are for people, left alone.

Newer histories have calls and results with ids, as in Chat Completions. Older ones have neither: the command is in
the text of the assistant (`action` repeats it), and the user message after it is its result. Demonstrations stay.
"""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from secateur.formats import openai_chat
from secateur.formats.format import Format
from secateur.formats.native import Calls
from secateur.formats.session_files import (
    as_dict,
    as_list,
    as_string,
    get_elements,
    get_member,
    has,
    make_transcript,
    pin_parts,
    sample_objects,
)
from secateur.model import Message, NewMessage, Part, Path, Transcript


class SWEAgent(Format):
    """Reader of SWE-agent's trajectories."""

    name = "swe_agent"
    log = False

    def recognize(self, native: Any) -> str:
        """A `history` of chat messages with SWE-agent's marks."""
        if not has(native, "history"):
            return ""
        spoken = [one for one in sample_objects(native, "history") if "role" in one]
        marked = any("agent" in one or "message_type" in one for one in spoken)
        return "`history` of messages with a role" if marked or (spoken and has(native, "trajectory")) else ""

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of the history; `known` is of no use here."""
        at, items = get_elements(native, "history", need=self.name)
        calls, before, messages = Calls(), dict[str, Any](), list[Message]()
        for number, item in enumerate(map(as_dict, items)):
            messages += _read_messages(item, before, (*at, number), calls)
            before = item
        config = get_member(native, "replay_config")
        named = as_string(as_dict(as_dict(as_dict(config).get("agent")).get("model")).get("name"))
        return make_transcript(at, messages, model=model or named)

    def replacement_body(self, part: Part, text: str) -> Any:
        """As in Chat Completions."""
        return openai_chat.OpenAIChat().replacement_body(part, text)

    def new_message(self, new: NewMessage) -> Any:
        """A message of one text."""
        return {"role": "user" if new.role == "tool" else new.role, "content": new.text}


def _read_messages(item: dict[str, Any], before: dict[str, Any], path: Path, calls: Calls) -> Iterator[Message]:
    demo = item.get("is_demo") is True
    same = demo == (before.get("is_demo") is True)
    role, plain = item.get("role"), not as_list(item.get("tool_calls"))
    if role == "assistant" and plain and as_string(item.get("action")).strip():
        message = read_command(item, path, item["action"].strip(), calls)
    elif role == "user" and same and before.get("role") == "assistant" and not as_list(before.get("tool_calls")):
        message = read_command_result(item, path, calls)
    else:
        message = openai_chat.read_message(_with_id(item), path, calls)
    if demo:
        message = replace(message, parts=pin_parts(message.parts), origin="harness")
    elif role == "assistant" and as_string(item.get("action")).startswith("exit_"):
        message = replace(message, origin="harness")  # why the run was ended, in the agent's name
    yield message


def read_command(item: dict[str, Any], path: Path, action: str, calls: Calls) -> Message:
    """Read the assistant's text around a command, and the command as the call.

    Both are in one text, so neither is rewritten. The tool is the command's first word.
    """
    calls.speaks("assistant")
    content, inside = as_string(item.get("content")), (*path, "content")
    around, found, after = content.rpartition(action)
    said = (around + after) if found else content
    parts = [Part("text", inside, said, pinned=True)] if said.strip() else []
    tool = action.split(maxsplit=1)[0] if action else ""
    calls.add("", tool)
    return Message("assistant", path, (*parts, Part("tool_call", inside, action, tool, pinned=True)))


def read_command_result(item: dict[str, Any], path: Path, calls: Calls) -> Message:
    """Read the user message after a command as the command's result."""
    shaped = {"role": "tool", "content": item.get("content")}
    return openai_chat.read_message(shaped, path, calls)


def _with_id(item: dict[str, Any]) -> dict[str, Any]:
    """A result names its calls in a list; it answers the first."""
    ids = as_list(item.get("tool_call_ids"))
    if item.get("role") == "tool" and ids and "tool_call_id" not in item:
        return {**item, "tool_call_id": ids[0]}
    return item
