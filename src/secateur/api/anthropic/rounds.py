"""Calls and their results, round by round: which call has none, which result has no call.

Rule: a round is what assistants said up to the next user messages, and those; ids pair inside it only.
"""

from typing import Any

from secateur.api.accessors import word
from secateur.model import Path


class Rounds:
    """Feed it messages and blocks in order; then read what did not pair."""

    def __init__(self) -> None:
        self.unanswered: list[tuple[Path, Any]] = []  # calls without a result
        self.orphans: list[tuple[Path, str]] = []  # results without a call, and its id
        self.doubles: list[tuple[Path, str]] = []  # second results of one call
        self.repeated: list[tuple[Path, str]] = []  # calls under an id that was used before
        self.late: list[Path] = []  # results behind other blocks
        self.split: list[Path] = []  # system messages between calls and their results
        self.pairs: list[tuple[Path, Any, Any]] = []  # where the result stands, its call, itself: toolsets only
        self.thought_last: list[Path] = []  # reasoning that ends an assistant message
        self.misplaced: list[Path] = []  # calls that are not the assistant's, results that are not the user's
        self._role = ""
        self._open: dict[str, tuple[Path, int, Any]] = {}
        self._answered: set[str] = set()
        self._ids: set[str] = set()
        self._others = False  # this user message has other blocks already
        self._thought: Path = ()  # where the last block stands, if it is reasoning

    def speaks(self, role: str) -> None:
        """A message of this role begins."""
        if role == self._role:
            return
        if role == "user" and self._thought:
            self.thought_last.append(self._thought)
        elif role == "assistant":
            self._close()
        self._role, self._others, self._thought = role, False, ()

    def call(self, role: str, block: Any, around: Path, at: int) -> None:
        """A `tool_use` of a message of this role."""
        self._thought = ()
        if role != "assistant":
            self.misplaced.append((*around, at))
            return
        id = word(block.get("id"))
        if id in self._ids:
            self.repeated.append(((*around, at), id))
        self._ids.add(id)
        self._open[id] = around, at, block

    def result(self, role: str, block: Any, around: Path, at: int) -> None:
        """A `tool_result`."""
        if role != "user":
            self.misplaced.append((*around, at))
            return
        id = word(block.get("tool_use_id"))
        call = self._open.pop(id, None)
        if call is None:
            (self.doubles if id in self._answered else self.orphans).append(((*around, at), id))
            return
        self._answered.add(id)
        if self._others:
            self.late.append((*around, at))
        if "toolset_name" in block or "toolset_name" in call[2]:
            self.pairs.append(((*around, at), call[2], block))

    def other(self, role: str, kind: str, around: Path, at: int) -> None:
        """Any other block."""
        if role == "user":
            self._others = True
        elif role == "assistant":
            self._thought = (*around, at) if kind == "thinking" or kind == "redacted_thinking" else ()

    def interrupted(self, path: Path) -> None:
        """A system message."""
        if self._open and not self._answered:
            self.split.append(path)

    def end(self, role: str) -> None:
        """The history ends, on a message of this role."""
        if role == "assistant" and self._thought:
            self.thought_last.append(self._thought)
        self._close()

    def _close(self) -> None:
        if self._open:
            self.unanswered += [((*around, at), block) for around, at, block in self._open.values()]
            self._open.clear()
        self._answered.clear()
