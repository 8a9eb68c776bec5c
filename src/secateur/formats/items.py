"""Items of the Responses API, as requests carry them and Codex's logs keep them: their roles and their content.

Rule: consecutive items of the model (reasoning, texts, calls) are one assistant message, so that reasoning and what
follows it stay one unit (API rules R3, R4). Items made by the API's own servers stay unchanged. The content of outputs
is read in `item_outputs`.
"""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from secateur.formats.item_outputs import is_output, read_item_medium, read_output
from secateur.formats.logs import get_block_text, make_opaque
from secateur.formats.native import Calls, dump_canonical
from secateur.formats.openai_chat import normalize_arguments
from secateur.model import Message, Origin, Part, Path, Role
from secateur.text.host_texts import CODEX_OPENINGS
from secateur.text.own_text import is_summary

_INPUTS: dict[str, Role] = {"user": "user", "developer": "system", "system": "system"}
_SUMMARIES = frozenset({"compacted", "compaction", "compaction_summary", "context_compaction"})
_SAID = frozenset({"reasoning", "mcp_list_tools", "mcp_approval_request", "program"})
_ASKED = ("action", "actions", "operation", "arguments")  # where calls of the API's own tools say what they want

_SUMMARY = "Another language model started to solve this problem"


class Item(Struct, frozen=True):
    """One item of the model's context and its place."""

    value: dict[str, Any]
    path: Path
    at: int = 0  # when it was recorded, in ms

    @property
    def whole(self) -> Path:
        """The place of the whole item: its line of a log, which is removed with it, or its place in a list."""
        return self.path[:1] if self.path[1:] == ("payload",) else self.path

    @property
    def kind(self) -> str:
        """The item's type; the short form of a message leaves it unsaid."""
        return str(self.value.get("type") or ("message" if "role" in self.value else ""))

    @property
    def spoken(self) -> bool:
        """Whether the model wrote it."""
        kind = self.kind
        if kind == "message":
            return self.value.get("role") == "assistant"
        return kind.endswith("_call") or kind in _SAID


def group_steps(items: Iterator[Item] | list[Item]) -> Iterator[list[Item]]:
    """Group consecutive items from the model; everything else comes alone."""
    step: list[Item] = []
    for item in items:
        if step and not (item.spoken and step[-1].spoken):
            yield step
            step = []
        step.append(item)
    if step:
        yield step


def read_step(step: list[Item], calls: Calls, logged: bool = False) -> Message:
    """Read these items as a message; `logged` items are lines of a log."""
    first = step[0]
    role, origin = _get_role_and_origin(first)
    calls.speaks(role)
    parts = tuple(part for item in step for part in _read_parts(item, calls))
    lines = tuple(dict.fromkeys(item.path[0] for item in step if isinstance(item.path[0], int))) if logged else ()
    return Message(role, first.whole, parts, origin, lines, step[-1].at)


def detect_speaker(texts: list[str]) -> Origin:
    """Return who speaks in a message of role user: a human, Codex or a summary."""
    if texts and (texts[0].startswith(_SUMMARY) or is_summary(texts[0])):
        return "summary"
    return "harness" if texts and all(text.lstrip().startswith(CODEX_OPENINGS) for text in texts) else "user"


def list_texts(item: dict[str, Any]) -> list[str]:
    """Return the texts of a message."""
    content = item.get("content")
    if isinstance(content, str):
        return [content]
    found = [get_block_text(block) for block in content] if isinstance(content, list) else []
    return [text for text in found if text is not None]


def _get_role_and_origin(item: Item) -> tuple[Role, Origin]:
    if item.spoken:
        return "assistant", "user"
    if is_output(item.kind):
        return "tool", "harness"
    if item.kind in _SUMMARIES:
        return "user", "summary"
    if item.kind != "message":
        return "user", "harness"
    role = _INPUTS.get(str(item.value.get("role")), "user")
    return role, detect_speaker(list_texts(item.value)) if role == "user" else "harness"


def _read_parts(item: Item, calls: Calls) -> Iterator[Part]:
    value, path = item.value, item.path
    if item.kind == "message":
        yield from _read_content(value.get("content"), (*path, "content"))
    elif item.kind == "compacted":
        yield Part("text", (*path, "message"), str(value.get("message") or ""))
    elif item.kind == "reasoning":
        said = str(value.get("encrypted_content") or value.get("id") or "")
        yield Part(
            "reasoning", item.whole, _get_reasoning_text(value), fingerprint=said, pinned=True, joined_to_next=True
        )
    elif item.spoken and "call_id" in value:
        yield _call(value, path, calls)
    elif is_output(item.kind):
        yield from read_output(value, path, calls)
    else:
        yield make_opaque(value, path)


def _read_content(content: Any, path: Path) -> Iterator[Part]:
    if isinstance(content, str):
        yield Part("text", path, content)
    elif isinstance(content, list):
        for number, block in enumerate(content):
            yield _block(block, (*path, number))
    elif content is not None:
        yield make_opaque(content, path)


def _block(block: Any, path: Path) -> Part:
    said = get_block_text(block)
    if said is not None:
        return Part("text", (*path, "text"), said, pinned=bool(block.get("annotations")))
    if isinstance(block, dict) and isinstance(block.get("refusal"), str):
        return Part("text", (*path, "refusal"), block["refusal"], pinned=True)
    return read_item_medium(block, path) or make_opaque(block, path)


def _get_reasoning_text(value: dict[str, Any]) -> str:
    """Return the summaries and, if the model gives it, the reasoning itself."""
    lists = [value[name] for name in ("summary", "content") if isinstance(value.get(name), list)]
    texts = [block.get("text") for blocks in lists for block in blocks if isinstance(block, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def _call(value: dict[str, Any], path: Path, calls: Calls) -> Part:
    call, tool = str(value.get("call_id") or ""), str(value.get("name") or value.get("type") or "")
    calls.add(call, tool)
    if isinstance(value.get("input"), str):
        return Part("tool_call", (*path, "input"), value["input"], tool, call)
    if isinstance(value.get("arguments"), str):
        return Part("tool_call", (*path, "arguments"), normalize_arguments(value["arguments"]), tool, call)
    name = next((name for name in _ASKED if name in value), "arguments")
    return Part("tool_call", (*path, name), dump_canonical(value.get(name)), tool, call, pinned=True)
