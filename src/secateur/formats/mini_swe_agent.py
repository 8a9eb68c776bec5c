"""mini-swe-agent trajectories: Chat Completions messages with an `extra` object that is not sent, or, before tool
calls, texts with one fenced command each.

The last message, of role exit, says how the run ended and was never sent. A failed command is known by its return
code, in `extra` or at the head of its output. Where commands are in fences, the user message after one is its result.
"""

import re
from itertools import pairwise
from typing import Any

from msgspec.structs import replace

from secateur.formats import openai_chat
from secateur.formats.format import Format
from secateur.formats.native import Calls, find_array, sample
from secateur.formats.session_files import as_dict, as_list, as_string, get_elements, get_member, has, make_transcript
from secateur.formats.swe_agent import read_command, read_command_result
from secateur.model import Message, NewMessage, Part, Path, Transcript

_FENCE = re.compile(r"```(?:mswea_bash_command|bash)[ \t]*\n(.*?)\n```", re.DOTALL)
_CODE = re.compile(r"\s*<returncode>(-?\d{1,9})</returncode>")
_OUTPUT = re.compile(r"\s*<(?:returncode|output|exception)>")


class MiniSWEAgent(Format):
    """Reader of mini-swe-agent's trajectories."""

    name = "mini_swe_agent"
    log = False

    def recognize(self, native: Any) -> str:
        """The name of the format in the document; for a bare list the way in which commands and outputs are marked."""
        named = (
            as_string(get_member(native, "trajectory_format")) if has(native, "trajectory_format", "messages") else ""
        )
        if named.startswith("mini-swe-agent"):
            return f"`trajectory_format` is {named}"
        found = find_array(native, "messages")
        if found is None or found[0]:
            return ""
        some = list(map(as_dict, sample(found[1])))
        marked = any(_is_step(one, after) for one, after in pairwise(some))
        return "fenced commands, outputs with a return code" if marked else ""

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of the messages; `known` is of no use here."""
        at, items = get_elements(native, "messages", need=self.name)
        calls, waiting, messages = Calls(), False, []
        for number, item in enumerate(map(as_dict, items)):
            if item.get("role") == "exit":
                continue
            messages.append(_read_message(item, (*at, number), calls, waiting))
            waiting = messages[-1].parts[-1:] != () and messages[-1].parts[-1].kind == "tool_call"
        config = as_dict(as_dict(as_dict(get_member(native, "info")).get("config")).get("model"))
        return make_transcript(at, messages, model=model or as_string(config.get("model_name")))

    def replacement_body(self, part: Part, text: str) -> Any:
        """As in Chat Completions."""
        return openai_chat.OpenAIChat().replacement_body(part, text)

    def new_message(self, new: NewMessage) -> Any:
        """A message of one text."""
        return {"role": "user" if new.role == "tool" else new.role, "content": new.text}


def _is_step(one: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether these messages are a fenced command and its output."""
    asks = one.get("role") == "assistant" and _FENCE.search(as_string(one.get("content")))
    return bool(asks) and after.get("role") == "user" and _OUTPUT.match(as_string(after.get("content"))) is not None


def _read_message(item: dict[str, Any], path: Path, calls: Calls, waiting: bool) -> Message:
    role, content = item.get("role"), as_string(item.get("content"))
    commands = _FENCE.findall(content) if role == "assistant" and not as_list(item.get("tool_calls")) else []
    if len(commands) == 1 and commands[0].strip():
        return read_command(item, path, commands[0], calls)
    message = openai_chat.read_message(item, path, calls)
    if role == "user" and waiting:
        message = read_command_result(item, path, calls)
    code = as_dict(item.get("extra")).get("returncode")
    stated = _CODE.match(content)
    failed = code not in (None, 0) or (stated is not None and int(stated[1]) != 0)
    if message.role == "tool" and failed:
        message = replace(message, parts=tuple(replace(part, is_error=True) for part in message.parts))
    return message
