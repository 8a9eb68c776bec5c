"""Rounds and turns of a Messages history: what does not pair in them, and what is in the wrong place.

Rule: a round is what assistants say up to the next user messages, with those. A turn lasts from a user's words to the
user's next words; a user message that holds results continues the turn, whatever else it holds. Calls pair with
results inside a round, server tools inside a turn. Both are fed in the order of the history, then read.
"""

from typing import Any

from secateur.api.accessors import get_text
from secateur.model import Path
from secateur.pairing import Pairing

# The path of a content, the number of a block in it, and the block or an id: most paths are never put together.
Call = tuple[Path, int, Any]
Result = tuple[Path, int, str]


class Rounds:
    """Calls and results, and the order of blocks in each round."""

    def __init__(self) -> None:
        self.calls: Pairing[Call, Result] = Pairing(unique=True)
        self.repeated: list[tuple[Path, str]] = []  # calls whose id an earlier call has
        self.late: list[Path] = []  # results behind other blocks
        self.split: list[Path] = []  # system messages between calls and their results
        self.of_toolsets: list[tuple[Path, Any, Any]] = []  # path of a result, its call, the result
        self.thought_last: list[Path] = []  # reasoning that ends an assistant message
        self.misplaced: list[Path] = []  # calls outside assistant messages, results outside user messages
        self._role = ""
        self._ids: set[str] = set()
        self._has_others = False  # this user message already has blocks other than results
        self._thought: Path = ()  # the last block, if it is reasoning

    def start_message(self, role: str) -> None:
        """Note that a message begins. Neighbors of one role are one message."""
        if role == self._role:
            return
        if role == "user" and self._thought:
            self.thought_last.append(self._thought)
        elif role == "assistant":
            self.calls.end_round()
        self._role, self._has_others, self._thought = role, False, ()

    def add_call(self, role: str, block: Any, around: Path, at: int) -> None:
        """Note a `tool_use`."""
        self._thought = ()
        if role != "assistant":
            self.misplaced.append((*around, at))
            return
        id = get_text(block.get("id"))
        if id in self._ids:
            self.repeated.append(((*around, at), id))
        self._ids.add(id)
        self.calls.add_call(id, (around, at, block))

    def add_result(self, role: str, block: Any, around: Path, at: int) -> None:
        """Note a `tool_result`."""
        if role != "user":
            self.misplaced.append((*around, at))
            return
        id = get_text(block.get("tool_use_id"))
        call = self.calls.add_result(id, (around, at, id))
        if call is None:
            return
        if self._has_others:
            self.late.append((*around, at))
        if "toolset_name" in block or "toolset_name" in call[2]:
            self.of_toolsets.append(((*around, at), call[2], block))

    def add_block(self, role: str, kind: str, around: Path, at: int) -> None:
        """Note any other block."""
        if role == "user":
            self._has_others = True
        elif role == "assistant":
            self._thought = (*around, at) if kind == "thinking" or kind == "redacted_thinking" else ()

    def add_system_message(self, path: Path) -> None:
        """Note a system message in the middle of the history."""
        if not self.calls.has_results and self.calls.open_calls:
            self.split.append(path)

    def finish_history(self, role: str) -> None:
        """Close the last round. `role` is the role of the last message."""
        if role == "assistant" and self._thought:
            self.thought_last.append(self._thought)
        self.calls.end_round()


class Turns:
    """Server tools, and how the last turn begins and ends."""

    def __init__(self) -> None:
        self.astray: list[tuple[Path, str, str]] = []  # results of server tools without their use: path, type, id
        self.left_open: list[tuple[Path, str]] = []  # uses of server tools without a result, in turns that are over
        self.pending: dict[str, Path] = {}  # the same in the last turn
        self.opener: tuple[Path, str] | None = None  # the last turn's first assistant message, its first block's type
        self.answering = False  # the history ends with results
        self._used: set[str] = set()

    def start_message(self, role: str, path: Path, first: str, opens: bool) -> None:
        """Note a message that has content. `opens`: it begins a turn."""
        self.answering = role == "user" and not opens
        if opens:
            self._finish_turn()
        elif role == "assistant" and self.opener is None:
            self.opener = (path, first)

    def add_block(self, kind: str, block: Any, path: Path) -> None:
        """Note a block of the assistant that is neither text nor a call."""
        if kind == "server_tool_use" or kind == "mcp_tool_use":
            id = get_text(block.get("id"))
            self.pending[id] = path
            self._used.add(id)
        elif kind.endswith("_tool_result"):
            id = get_text(block.get("tool_use_id"))
            if id not in self._used:
                self.astray.append((path, kind, id))
            self.pending.pop(id, None)

    def _finish_turn(self) -> None:
        self.left_open += [(path, id) for id, path in self.pending.items()]
        self.pending = {}
        self._used = set()
        self.opener = None
