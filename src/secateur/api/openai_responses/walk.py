"""One walk over input items: notes what its rules need to know.

Rule: rules on blocks get items by their type, and messages as "message".
"""

from typing import Any

from secateur.api.walker import CheckBlock, CheckInput, Walker, get_fields, get_items, get_text
from secateur.formats.native import find_provider_history
from secateur.model import Path
from secateur.pairing import Pairing

OUTPUTS = {
    "function_call_output": "function_call",
    "custom_tool_call_output": "custom_tool_call",
    "local_shell_call_output": "local_shell_call",
    "shell_call_output": "shell_call",
    "apply_patch_call_output": "apply_patch_call",
    "computer_call_output": "computer_call",
}
_CALLS = frozenset(OUTPUTS.values())


class ResponsesWalker(Walker):
    """Notes on a Responses request."""

    array = "input"

    def __init__(self, given: CheckInput) -> None:
        super().__init__(given)
        refers = any(isinstance(item, dict) and item.get("type") == "item_reference" for item in self.messages)
        self.held = bool(find_provider_history("openai_responses", self.request.get))
        self.partial = self.held or refers
        self.stateless = self.request.get("store") is False
        self.kinds: list[str] = []  # of each item; "" where it is none
        self.odd: list[tuple[Path, str]] = []
        self.calls: Pairing[tuple[Path, str, str], tuple[Path, str]] = Pairing(unique=True)  # path, type, id; path, id
        self.shared: list[tuple[Path, str]] = []  # calls under the id of another one that has no output yet
        self.reasoning: list[tuple[int, Any]] = []
        self.seen: dict[str, Path] = {}  # ids of items
        self.twice: list[tuple[Path, str]] = []  # items under an id that was there before
        self.approvals: set[str] = set()  # ids of approval requests
        form = get_fields(get_fields(self.request.get("text")).get("format"))
        self.wants_json = form.get("type") == "json_object"
        self.says_json = False

    def walk(self, check_block: CheckBlock) -> None:
        for number, item in enumerate(self.messages):
            path: Path = (self.array, number)
            kind = _get_kind(item)
            self.kinds.append(kind)
            if not kind:
                self.odd.append((path, "an item has neither a type nor a role: add one, or remove it"))
                continue
            self._walk_item(kind, item, path, check_block)
        self.calls.end_round()

    def get_role(self, number: int) -> str:
        """Return the role of the message at this place; "" if it is not a message."""
        return get_text(self.messages[number].get("role")) if self.kinds[number] == "message" else ""

    def _walk_item(self, kind: str, item: Any, path: Path, check_block: CheckBlock) -> None:
        check_block(kind, item, path)
        id = get_text(item.get("id"))
        if id and kind != "item_reference" and kind != "local_shell_call_output":
            if id in self.seen:
                self.twice.append((path, id))
            self.seen[id] = path
        if kind in _CALLS:
            self._call(kind, item, path)
        elif kind in OUTPUTS:
            self._record_output(kind, item, path)
        elif kind == "message":
            self._record_message(item)
        elif kind == "reasoning":
            self.reasoning.append((path[1], item))  # type: ignore[arg-type]
        elif kind == "mcp_approval_request":
            self.approvals.add(id)

    def _call(self, kind: str, item: Any, path: Path) -> None:
        id = get_text(item.get("call_id")) or get_text(item.get("id"))
        if not self.calls.add_call((kind, id), (path, kind, id)):
            self.shared.append((path, id))

    def _record_output(self, kind: str, item: Any, path: Path) -> None:
        id = get_text(item.get("call_id")) or get_text(item.get("id"))
        self.calls.add_result((OUTPUTS[kind], id), (path, id))

    def _record_message(self, item: Any) -> None:
        if not self.wants_json or self.says_json:
            return
        content = item.get("content")
        texts = [get_text(get_fields(part).get("text")) for part in get_items(content)] or [get_text(content)]
        self.says_json = any("json" in text.lower() for text in texts)


def _get_kind(item: Any) -> str:
    if not isinstance(item, dict):
        return ""
    kind = item.get("type")
    if kind is None:
        return "message" if isinstance(item.get("role"), str) else ""
    return kind if isinstance(kind, str) else ""
