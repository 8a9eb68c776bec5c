"""Turns: from what a user says to the next time; server tools run inside one, and a tool loop belongs to one.

Rule: a user message that holds results goes on with the turn, whatever else it holds.
"""

from typing import Any

from secateur.api.accessors import word
from secateur.model import Path


class Turns:
    """Feed it messages and server blocks in order; then read what is open or astray."""

    def __init__(self) -> None:
        self.astray: list[tuple[Path, str, str]] = []  # results of server tools without their use: type, id
        self.left_open: list[tuple[Path, str]] = []  # server tools without a result, in a turn that is over
        self.pending: dict[str, Path] = {}  # server tools without a result in the last turn
        self.opener: tuple[Path, str] | None = None  # the assistant message that opens the last turn: its first block
        self.answering = False  # the history ends with results
        self._used: set[str] = set()

    def said(self, role: str, path: Path, first: str, opens: bool) -> None:
        """A message with content; `opens`: it begins a turn."""
        self.answering = role == "user" and not opens
        if opens:
            self.end_turn()
        elif role == "assistant" and self.opener is None:
            self.opener = (path, first)

    def server(self, kind: str, block: Any, path: Path) -> None:
        """A block of a server tool, or another one."""
        if kind == "server_tool_use" or kind == "mcp_tool_use":
            id = word(block.get("id"))
            self.pending[id] = path
            self._used.add(id)
        elif kind.endswith("_tool_result"):
            id = word(block.get("tool_use_id"))
            if id not in self._used:
                self.astray.append((path, kind, id))
            self.pending.pop(id, None)

    def end_turn(self) -> None:
        """The user speaks."""
        self.left_open += [(path, id) for id, path in self.pending.items()]
        self.pending = {}
        self._used = set()
        self.opener = None
