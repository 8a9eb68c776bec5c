"""A framework's conversation as messages that a format reads, one for each of its objects or parts, and back.

Rule: a shadow says what the model reads of an object, in the provider's own shape where that matters: for Claude as
Messages, so that signed reasoning is known for what it is, else as chat messages. Nothing is converted back: what the
view left alone is the framework's own object, and an edit names the one thing that changed in it.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any

from msgspec import Struct

from secateur import View
from secateur.plugins import EditedPart

_BESIDE = -1  # the owner of a system prompt: it is not an object of the conversation


class ToolCall(Struct, frozen=True):
    """A call in a message of the model; `place` is its number among the object's calls or parts."""

    place: int
    call_id: str
    name: str
    arguments: str  # as JSON


class Shadow(Struct, frozen=True):
    """The plain value that represents an object, or one part of it."""

    owner: int  # number of the object
    part: int  # number of the part in it
    message: dict[str, Any]
    places: tuple[int, ...] = ()  # for each block of its content: its number in the object


class ShownPart(Struct, frozen=True):
    """One part of an object in the view, and what was edited in it."""

    part: int
    edits: tuple[EditedPart, ...]
    places: tuple[int, ...]

    def list_removed(self) -> set[int]:
        """Numbers of the object's blocks that the view leaves out."""
        return {self.places[edit.path[1]] for edit in self._iterate_blocks() if edit.text is None}

    def map_texts(self) -> dict[int, str]:
        """New texts by the number of the object's block."""
        some = ((self.places[edit.path[1]], edit.text) for edit in self._iterate_blocks())
        return {place: text for place, text in some if text is not None}

    def map_arguments(self) -> dict[str, dict[str, Any]]:
        """New arguments by call id."""
        found = {edit.call_id: json.loads(edit.text) for edit in self.edits if edit.kind == "tool_call" and edit.text}
        return {name: value for name, value in found.items() if isinstance(value, dict)}

    def edit_blocks(
        self,
        blocks: Iterable[Any],
        get_call_id: Callable[[Any], str | None],
        with_arguments: Callable[[Any, dict[str, Any]], Any],
        with_text: Callable[[Any, str], Any],
    ) -> list[Any]:
        """The object's blocks as the view has them: with new arguments and texts, and without those it leaves out."""
        texts, removed, arguments = self.map_texts(), self.list_removed(), self.map_arguments()
        made: list[Any] = []
        for at, block in enumerate(blocks):
            call_id = get_call_id(block)
            if call_id is not None and call_id in arguments:
                made.append(with_arguments(block, arguments[call_id]))
            elif at in texts:
                made.append(with_text(block, texts[at]))
            elif at not in removed:
                made.append(block)
        return made

    def get_text(self) -> str | None:
        """The new text of a result, or of a message that is one text; None if it was not edited."""
        kinds = ("tool_result", "text")
        return next((edit.text for edit in self.edits if edit.kind in kinds and edit.text is not None), None)

    def _iterate_blocks(self) -> Iterator[Any]:
        for edit in self.edits:
            path = edit.path
            inside = len(path) > 1 and path[0] == "content" and isinstance(path[1], int) and path[1] < len(self.places)
            if inside and edit.kind in ("text", "reasoning", "media"):
                yield edit


Edit = Callable[[Any, list[ShownPart]], Any]  # an object with the parts that are shown, and nothing else changed
Make = Callable[[str, str], Any]  # a message that is not in the history, of a role (user or assistant) and a text


class Conversation:
    """The shadows of one request."""

    def __init__(self, model: str) -> None:
        self.model = model.removeprefix("models/")
        self.is_claude = "claude" in self.model.lower()
        self.format = "anthropic_messages" if self.is_claude else "openai_chat"
        self._shadows: list[Shadow] = []
        self._body: dict[str, Any] = {"model": self.model} if self.model else {}

    def add_system(self, text: str) -> None:
        """Add the system prompt, if it is not part of the conversation."""
        if not text:
            return
        if self.is_claude:
            self._body["system"] = text
        else:
            self._shadows.append(Shadow(_BESIDE, 0, {"role": "system", "content": text}))

    def add_tools(self, tools: Iterable[tuple[str, str, Any]]) -> None:
        """Tools by name, description and schema."""
        made: list[dict[str, Any]] = []
        for name, description, schema in tools:
            if self.is_claude:
                made.append({"name": name, "description": description, "input_schema": schema})
            else:
                function = {"name": name, "description": description, "parameters": schema}
                made.append({"type": "function", "function": function})
        if made:
            self._body["tools"] = made

    def add_user(self, owner: int, part: int, content: Any, system: bool = False) -> None:
        """Add a user message: a text, or blocks."""
        role = "system" if system and not self.is_claude else "user"
        blocks = content if isinstance(content, str) else [describe_block(one) for one in content]
        self._add(owner, part, {"role": role, "content": blocks}, range(len(blocks)))

    def add_result(self, owner: int, part: int, call_id: str, text: str, *, is_error: bool = False) -> None:
        """The text of a tool's result; what else it holds stays with the object."""
        if self.is_claude:
            block: dict[str, Any] = {"type": "tool_result", "tool_use_id": call_id, "content": text}
            block |= {"is_error": True} if is_error else {}
            self._add(owner, part, {"role": "user", "content": [block]}, ())
        else:
            self._add(owner, part, {"role": "tool", "tool_call_id": call_id, "content": text}, ())

    def add_assistant(self, owner: int, part: int, blocks: list[tuple[int, Any]], calls: list[ToolCall]) -> None:
        """Add a model message: its texts and reasoning by their numbers in the object, then its calls."""
        said = [(place, describe_block(one)) for place, one in blocks if not _is_empty(one)]
        if not self.is_claude:
            said = [(place, _hide_reasoning(one)) for place, one in said]
        content: list[Any] = [one for _, one in said]
        message: dict[str, Any] = {"role": "assistant", "content": content or None}
        if self.is_claude:
            content += [
                {"type": "tool_use", "id": one.call_id, "name": one.name, "input": _load(one.arguments)}
                for one in calls
            ]
            message["content"] = content or [{"type": "text", "text": "(nothing)"}]
        elif calls:
            functions = [(one.call_id, {"name": one.name, "arguments": one.arguments}) for one in calls]
            message["tool_calls"] = [{"id": id, "type": "function", "function": it} for id, it in functions]
        self._add(owner, part, message, (place for place, _ in said))

    def build_request(self) -> dict[str, Any]:
        """The request that an engine is handed."""
        return {**self._body, "messages": [shadow.message for shadow in self._shadows]}

    def restore(self, view: View[Any], objects: list[Any], edit: Edit, make: Make) -> list[Any]:
        """The objects as the view has them: the same list if nothing is edited, or the fit failed without a plan."""
        if view.receipt.status == "failed" and not view.plan.epochs:
            return objects
        sources, edits = view.sources, group_edits(view)
        if not edits and list(sources) == [*range(len(self._shadows))]:
            return objects
        shown = view.request["messages"]
        parts: dict[int, int] = {}
        for shadow in self._shadows:
            parts[shadow.owner] = parts.get(shadow.owner, 0) + 1
        made: list[Any] = []
        places = ((place, source) for place, source in enumerate(sources))
        for owner, some in groupby(places, lambda one: _name_owner(one, self._shadows)):
            group = list(some)
            if owner is None:
                made += [make(*read_inserted(shown[place])) for place, _ in group]
            elif owner != _BESIDE:
                mine = [self._show(source, edits) for _, source in group if source is not None]
                whole = len(mine) == parts[owner] and not any(one.edits for one in mine)
                made.append(objects[owner] if whole else edit(objects[owner], mine))
        return made

    def _show(self, source: int, edits: dict[int, tuple[EditedPart, ...]]) -> ShownPart:
        shadow = self._shadows[source]
        return ShownPart(shadow.part, edits.get(source, ()), shadow.places)

    def _add(self, owner: int, part: int, message: dict[str, Any], places: Iterable[int]) -> None:
        self._shadows.append(Shadow(owner, part, message, tuple(places)))


def group_edits(view: View[Any]) -> dict[int, tuple[EditedPart, ...]]:
    """Group the edits by the number of their message."""
    found: dict[int, tuple[EditedPart, ...]] = {}
    for one in view.edited_parts:
        found[one.message] = (*found.get(one.message, ()), one)
    return found


def read_inserted(message: dict[str, Any]) -> tuple[str, str]:
    """Role and text of a message that a view inserts. Providers take no system message amid a conversation."""
    content = message.get("content")
    if not isinstance(content, str):
        content = "\n".join(str(one.get("text") or "") for one in content or () if isinstance(one, dict))
    return "assistant" if message.get("role") == "assistant" else "user", content


def describe_block(block: Any) -> Any:
    """A block of content in a shape that formats read; what they do not know they leave alone."""
    if isinstance(block, str):
        return {"type": "text", "text": block}
    return block if isinstance(block, dict) else {"type": "opaque", "value": repr(block)}


def _hide_reasoning(block: Any) -> Any:
    """Reasoning of other providers than Anthropic: it belongs to what follows it, and stays."""
    hidden = isinstance(block, dict) and block.get("type") in ("thinking", "redacted_thinking", "reasoning")
    return {"type": "opaque", "value": block} if hidden else block


def _is_empty(block: Any) -> bool:
    """Whether there is nothing to read in a block of text."""
    text = block.get("text") if isinstance(block, dict) and block.get("type") == "text" else block
    return isinstance(text, str) and not text.strip()


def _load(arguments: str) -> Any:
    try:
        found = json.loads(arguments)
    except ValueError:
        return {"arguments": arguments}
    return found if isinstance(found, dict) else {"arguments": found}


def _name_owner(one: tuple[int, int | None], shadows: list[Shadow]) -> int | None:
    """The object that a message of the view belongs to; None if it was inserted."""
    return None if one[1] is None else shadows[one[1]].owner
