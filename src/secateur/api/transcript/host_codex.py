"""Codex's rollout files: items of the Responses API in order, so a missing output stands right behind its call's step.

An output that nobody asked for becomes a message of the user, as Codex itself would leave it out.
"""

from typing import Any

from secateur.api.call_arguments import arguments_of
from secateur.api.repair_run import NO_RESULT
from secateur.api.replacement_texts import heading
from secateur.api.transcript.hosts import Entries, Insert
from secateur.api.transcript.log_calls import Asked, value_at
from secateur.model import Part, Path, Transcript
from secateur.patch import Op

_OUTPUTS = {
    "function_call": "function_call_output",
    "local_shell_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
}
_PARTS = ("input_text", "input_image", "input_file")


class Codex:
    """What Codex needs to send a session again (wire rules R1, R2, R5)."""

    unique = True
    tree: tuple[str, str] | None = None

    def sent(self, entries: Entries, call: Part) -> bool:
        """Calls of the API's own tools have no output item."""
        return _item(entries, self.block(call)).get("type") in _OUTPUTS

    def block(self, part: Part) -> Path:
        return part.path[: 4 if part.path[2:3] == ("replacement_history",) else 2]

    def id_of(self, part: Part) -> Path:
        return (*self.block(part), "call_id")

    def answered(self, entries: Entries, open_: list[Asked], round_: list[Asked]) -> Insert | None:
        items, ops = [], []
        for one in open_:
            path = self.block(one.call)
            kind = _OUTPUTS[_item(entries, path)["type"]]
            item = {"type": kind, "call_id": one.name or one.call.call_id, "output": NO_RESULT}
            if len(path) == 2:
                items.append(item)
            else:
                ops.append(Op(path[:-1], [item], (int(path[-1]) + 1, int(path[-1]) + 1)))
        after = max(line for one in open_ for line in one.message.lines)
        dated = {"timestamp": entries[after].get("timestamp"), "type": "response_item"}
        return Insert(after, tuple({**dated, "payload": item} for item in items), tuple(ops))

    def told(self, entries: Entries, orphan: Part) -> Op | None:
        path = self.block(orphan)
        output = _item(entries, path).get("output")
        head = [{"type": "input_text", "text": heading(orphan.call_id)}]
        if isinstance(output, list) and all(isinstance(one, dict) and one.get("type") in _PARTS for one in output):
            return Op(path, {"type": "message", "role": "user", "content": [*head, *output]})
        said = [{"type": "input_text", "text": orphan.text}] if orphan.text else []
        return Op(path, {"type": "message", "role": "user", "content": [*head, *said]})

    def inside(self, entries: Entries, transcript: Transcript) -> list[tuple[Op, str, str]]:
        found: list[tuple[Op, str, str]] = []
        for message in transcript.messages:
            for part in message.parts:
                path = self.block(part)
                item = _item(entries, path)
                if part.kind == "tool_call" and item.get("type") == "function_call":
                    mended = arguments_of(item.get("arguments"))
                    if mended is not None:
                        found.append((Op((*path, "arguments"), mended), "L7", "arguments became a string of JSON"))
        return found


def _item(entries: Entries, path: Path) -> dict[str, Any]:
    found = value_at(entries.get(int(path[0])), path[1:]) if path else None
    return found if isinstance(found, dict) else {}
