"""Codex rollout logs: `response_item` lines are the model's context, in order; a fork begins with its parent's lines.

The transcript is that context with compactions (`compacted`) and rollbacks applied. What the model says in one step
(reasoning, texts, calls) is one assistant message, up to the next result or input. `event_msg` lines repeat the same
things for the screen, outputs up to three times; the model does not see them, and they are left alone.
"""

import re
from collections.abc import Iterator
from typing import Any

from secateur.formats.codex_branch import History, Item, speaker, steps, texts_of
from secateur.formats.logs import first_lines, no_new_message, opened, result, stranger, text_of
from secateur.formats.native import Calls, canonical, medium
from secateur.formats.openai_chat import arguments
from secateur.model import Message, New, Origin, Part, Path, Role, Transcript

_TYPES = ("session_meta", "response_item", "turn_context", "event_msg", "compacted")
_INPUTS: dict[str, Role] = {"user": "user", "developer": "system", "system": "system"}
_EXIT = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,9})", re.MULTILINE)
_EXIT_FIELD = re.compile(r'"exit_code":\s*(-?\d{1,9})')
_FAILED = re.compile(r"[\w .-]{1,60} failed\b")


class Codex:
    """Reader of Codex's session files."""

    name = "codex"
    log = True

    def recognise(self, native: Any) -> str:
        """The envelope of every line."""
        for entry in first_lines(native):
            if entry.get("type") in _TYPES and isinstance(entry.get("payload"), dict):
                return f"lines have type ({entry['type']}) and payload"
        return ""

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of the context as it stands at the end; `known` is of no use here."""
        log = opened(native, self.name)
        history = History(log)
        calls = Calls()
        messages = [_message(step, calls) for step in steps(history.items)]
        messages = [message for message in messages if message.parts]
        return log.transcript(messages, model=model or history.model, provider=history.provider)

    def body(self, part: Part, text: str) -> Any:
        """A string, as outputs, freeform inputs and arguments (JSON in a string) are; a medium becomes a text."""
        return {"type": "input_text", "text": text} if part.kind == "media" else text

    def message(self, new: New) -> Any:
        """Raises EditError."""
        no_new_message(new, "Codex")


def _message(step: list[Item], calls: Calls) -> Message:
    first = step[0]
    role, origin = _speaker(first)
    calls.speaks(role)
    parts = tuple(part for item in step for part in _parts(item, calls))
    lines = tuple(dict.fromkeys(item.path[0] for item in step if isinstance(item.path[0], int)))
    return Message(role, first.whole, parts, origin, lines, step[-1].at)


def _speaker(item: Item) -> tuple[Role, Origin]:
    if item.spoken:
        return "assistant", "user"
    if item.kind.endswith("_output"):
        return "tool", "harness"
    if item.kind in ("compacted", "compaction", "compaction_summary", "context_compaction"):
        return "user", "summary"
    if item.kind != "message":
        return "user", "harness"
    role = _INPUTS.get(str(item.value.get("role")), "user")
    return role, speaker(texts_of(item.value)) if role == "user" else "harness"


def _parts(item: Item, calls: Calls) -> Iterator[Part]:
    value, path = item.value, item.path
    if item.kind == "message":
        yield from _content(value.get("content"), (*path, "content"))
    elif item.kind == "compacted":
        yield Part("text", (*path, "message"), str(value.get("message") or ""))
    elif item.kind == "reasoning":
        said = str(value.get("encrypted_content") or value.get("id") or "")
        yield Part("reasoning", item.whole, _thought(value), digest=said, pinned=True)
    elif item.spoken and "call_id" in value:
        yield _call(value, path, calls)
    elif item.kind.endswith("_output"):
        yield from _result(value, path, calls)
    else:
        yield stranger(value, path)


def _content(content: Any, path: Path) -> Iterator[Part]:
    if isinstance(content, str):
        yield Part("text", path, content)
    elif isinstance(content, list):
        for number, block in enumerate(content):
            said = text_of(block)
            if said is not None:
                yield Part("text", (*path, number, "text"), said)
            else:
                yield _medium(block, (*path, number)) or stranger(block, (*path, number))
    elif content is not None:
        yield stranger(content, path)


def _thought(value: dict[str, Any]) -> str:
    """Summaries and, where the model gives it, the reasoning itself."""
    lists = [value[name] for name in ("summary", "content") if isinstance(value.get(name), list)]
    texts = [block.get("text") for blocks in lists for block in blocks if isinstance(block, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def _call(value: dict[str, Any], path: Path, calls: Calls) -> Part:
    call, tool = str(value.get("call_id") or ""), str(value.get("name") or value.get("type") or "")
    calls.add(call, tool)
    if isinstance(value.get("input"), str):
        return Part("tool_call", (*path, "input"), value["input"], tool, call)
    if isinstance(value.get("arguments"), str):
        return Part("tool_call", (*path, "arguments"), arguments(value["arguments"]), tool, call)
    name = "action" if "action" in value else "arguments"  # a shell of the API itself; a search for tools
    return Part("tool_call", (*path, name), canonical(value.get(name)), tool, call, pinned=True)


def _result(value: dict[str, Any], path: Path, calls: Calls) -> tuple[Part, ...]:
    call = str(value.get("call_id") or "")
    tool = calls.take(call)
    if "output" not in value:  # tools found by a search: the API's own
        name = "tools" if "tools" in value else "result"
        text = canonical(value.get(name))
        return (Part("tool_result", (*path, name), text, tool, call, pinned=True),)
    output = value["output"]
    error = isinstance(output, str) and _failed(output)
    head = Part("tool_result", (*path, "output"), "", tool, call, error)
    return result(head, output, lambda block, where: _medium(block, where, "result"))


def _failed(output: str) -> bool:
    """Codex sets no flag: it states the exit code in the lines before the output, or in a field beside it."""
    stated = _EXIT_FIELD.search(output) if output.startswith("{") else None
    found = stated or _EXIT.search(output.partition("\nOutput:")[0])
    return int(found[1]) != 0 if found else _FAILED.match(output) is not None


def _medium(block: Any, path: Path, within: str = "") -> Part | None:
    if not isinstance(block, dict) or block.get("type") != "input_image":
        return None
    url = str(block.get("image_url") or "")
    head, _, data = url.partition(";base64,")
    source = {"media_type": head.removeprefix("data:"), "data": data} if data else {"media_type": "image", "url": url}
    return medium({"type": "image", "source": source}, path, within)
