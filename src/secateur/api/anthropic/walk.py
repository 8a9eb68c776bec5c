"""One walk over a Messages request: notes what its rules need to know.

Rule: consecutive messages of one role are one message, as the API merges them; a system message in between interrupts
nothing. Each list holds places in the order of the history.
"""

from typing import Any

from secateur.api.accessors import get_items, get_text
from secateur.api.anthropic.rounds import Rounds, Turns
from secateur.api.walker import CheckBlock, CheckInput, Walker
from secateur.formats.native import find_provider_history
from secateur.model import Path

ROLES = frozenset({"user", "assistant", "system"})


class MessagesWalker(Walker):
    """Notes on a Messages request."""

    def __init__(self, given: CheckInput) -> None:
        super().__init__(given)
        self.tools = get_items(self.request.get("tools"))
        self.partial = bool(find_provider_history("anthropic_messages", self.request.get))
        self.rounds = Rounds()
        self.turns = Turns()
        self.roles: list[str] = []  # "" for an unknown one
        self.odd: list[tuple[Path, str]] = []  # what is not a valid message or block: path, violation
        self.empty: list[Path] = []  # messages without content
        self.first_kind = ""  # the type of the first block
        self.markers: list[tuple[Path, Any]] = []  # blocks with cache_control, in the API's order
        self.images: list[tuple[Path, Any]] = []
        self.documents: list[tuple[Path, Any]] = []  # not those inside results
        self.references: list[tuple[Path, str]] = []  # names of tools that a search brought
        self.compactions: list[tuple[Path, Any]] = []
        self._check_block: CheckBlock = lambda kind, block, path: None

    def walk(self, check_block: CheckBlock) -> None:
        self._check_block = check_block
        self._walk_fixed_blocks("tools", self.tools)
        self._walk_fixed_blocks("system", get_items(self.request.get("system")))
        for number, message in enumerate(self.messages):
            self._walk_message((self.array, number), message)
        self.rounds.finish_history(self.roles[-1] if self.roles else "")

    def _walk_fixed_blocks(self, name: str, blocks: Any) -> None:
        for at, block in enumerate(blocks):
            if isinstance(block, dict):
                if name == "system":
                    self._check_block(get_text(block.get("type")), block, (name, at))
                if block.get("cache_control") is not None:
                    self.markers.append(((name, at), block))

    def _walk_message(self, path: Path, message: Any) -> None:
        role = message.get("role") if isinstance(message, dict) else None
        if not isinstance(role, str) or role not in ROLES:
            self.roles.append("")
            self.odd.append((path, "a message has no role of user, assistant or system: add one, or remove it"))
            return
        self.roles.append(role)
        if role == "system":
            self.rounds.add_system_message(path)
        else:
            self.rounds.start_message(role)
        content = message.get("content")
        if isinstance(content, list | tuple):
            self._walk_blocks(role, content, path)
        elif isinstance(content, str):
            self._walk_string(role, content, path)
        else:
            self.odd.append((path, "a message's content is neither text nor a list of blocks: give it one"))
            return
        if not content and not (role == "system" and "output_config" in message):
            self.empty.append(path)

    def _walk_string(self, role: str, content: str, path: Path) -> None:
        if content.isspace():
            self._check_block("text", {"type": "text", "text": content}, (*path, "content"))
        if content:
            self.rounds.add_block(role, "text", path, 0)
            self.turns.start_message(role, path, "text", role == "user")

    def _walk_blocks(self, role: str, content: Any, path: Path) -> None:
        around = (*path, "content")
        first, results, speech = "", False, False
        for number, block in enumerate(content):
            kind = block.get("type") if isinstance(block, dict) else None
            if not isinstance(kind, str) or not kind:
                self.odd.append(((*around, number), "a block is not an object with a type: add one, or remove it"))
                continue
            self._check_block(kind, block, around, number)
            if kind == "tool_result":
                results = True
                self.rounds.add_result(role, block, around, number)
                if not isinstance(block.get("content"), str):
                    self._record_inner_blocks(block, (*around, number))
            else:
                speech = True
                self._record_block(role, kind, block, around, number)
            if block.get("cache_control") is not None:
                self.markers.append(((*around, number), block))
            first = first or kind
        if len(self.roles) == 1:
            self.first_kind = first
        if content:
            self.turns.start_message(role, path, first, role == "user" and speech and not results)

    def _record_block(self, role: str, kind: str, block: Any, around: Path, number: int) -> None:
        """Record a block that is not a result."""
        if kind == "tool_use":
            self.rounds.add_call(role, block, around, number)
            return
        self.rounds.add_block(role, kind, around, number)
        if kind != "text":
            self._record_special_block(role, kind, block, (*around, number))

    def _record_special_block(self, role: str, kind: str, block: Any, path: Path) -> None:
        if kind == "image":
            self.images.append((path, block))
        elif kind == "document":
            self.documents.append((path, block))
        elif kind == "compaction":
            self.compactions.append((path, block))
        elif role == "assistant":
            self.turns.add_block(kind, block, path)

    def _record_inner_blocks(self, block: Any, path: Path) -> None:
        """Record the blocks inside a result."""
        content = block.get("content")
        if not isinstance(content, list | tuple):
            return
        for number, inner in enumerate(content):
            if not isinstance(inner, dict):
                continue
            inside, kind = (*path, "content", number), get_text(inner.get("type"))
            self._check_block(kind, inner, inside)
            if inner.get("cache_control") is not None:
                self.markers.append((inside, inner))
            if kind == "image":
                self.images.append((inside, inner))
            elif kind == "tool_reference":
                self.references.append((inside, get_text(inner.get("tool_name"))))
