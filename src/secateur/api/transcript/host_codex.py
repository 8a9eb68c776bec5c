"""Repairs for Codex's rollout files: items of the Responses API in order.

Rule: a new output comes directly behind the calls of its step. An output without a call becomes a user message, as
Codex itself would leave it out. A new last line is numbered where lines are: Codex resumes no file without it.
"""

from typing import Any

from secateur.api.repair_run import NO_RESULT
from secateur.api.replacements import fix_arguments, write_heading
from secateur.api.transcript.hosts import Entries, LineInsert, LoggedCall, get_value
from secateur.model import Part, Path, Transcript
from secateur.patch import Op

_OUTPUTS = {
    "function_call": "function_call_output",
    "local_shell_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
}
_PARTS = ("input_text", "input_image", "input_file")


class CodexHost:
    """Codex (rules R1, R2, R5)."""

    has_unique_ids = True
    tree_fields: tuple[str, str] | None = None

    def is_sent(self, entries: Entries, call: Part) -> bool:
        """Whether the call is sent and needs an output; calls of the API's own tools do not."""
        return _get_item(entries, self.find_block(call)).get("type") in _OUTPUTS

    def find_block(self, part: Part) -> Path:
        return part.path[: 4 if part.path[2:3] == ("replacement_history",) else 2]

    def find_id(self, part: Part) -> Path:
        return (*self.find_block(part), "call_id")

    def insert_results(self, entries: Entries, open_: list[LoggedCall], round_: list[LoggedCall]) -> LineInsert | None:
        items, ops = [], []
        for one in open_:
            path = self.find_block(one.call)
            kind = _OUTPUTS[_get_item(entries, path)["type"]]
            item = {"type": kind, "call_id": one.name or one.call.call_id, "output": NO_RESULT}
            if len(path) == 2:
                items.append(item)
            else:
                ops.append(Op(path[:-1], [item], (int(path[-1]) + 1, int(path[-1]) + 1)))
        after = max(line for one in open_ for line in one.message.lines)
        last = entries[after].get("ordinal") if after == max(entries) else None
        lines = []
        for number, item in enumerate(items):
            numbered = {"ordinal": last + 1 + number} if isinstance(last, int) else {}
            dated = {"timestamp": entries[after].get("timestamp"), **numbered}
            lines.append({**dated, "type": "response_item", "payload": item})
        return LineInsert(after, tuple(lines), tuple(ops))

    def convert_orphan(self, entries: Entries, orphan: Part) -> Op | None:
        path = self.find_block(orphan)
        output = _get_item(entries, path).get("output")
        head = [{"type": "input_text", "text": write_heading(orphan.call_id)}]
        if isinstance(output, list) and all(isinstance(one, dict) and one.get("type") in _PARTS for one in output):
            return Op(path, {"type": "message", "role": "user", "content": [*head, *output]})
        said = [{"type": "input_text", "text": orphan.text}] if orphan.text else []
        return Op(path, {"type": "message", "role": "user", "content": [*head, *said]})

    def find_edits(self, entries: Entries, transcript: Transcript) -> list[tuple[Op, str, str]]:
        found: list[tuple[Op, str, str]] = []
        for message in transcript.messages:
            for part in message.parts:
                path = self.find_block(part)
                item = _get_item(entries, path)
                if part.kind == "tool_call" and item.get("type") == "function_call":
                    mended = fix_arguments(item.get("arguments"))
                    if mended is not None:
                        found.append((Op((*path, "arguments"), mended), "L7", "arguments became a string of JSON"))
        return found


def _get_item(entries: Entries, path: Path) -> dict[str, Any]:
    found = get_value(entries.get(int(path[0])), path[1:]) if path else None
    return found if isinstance(found, dict) else {}
