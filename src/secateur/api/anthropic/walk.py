"""One walk over a Messages request: notes what its rules need to know, and which calls of its rounds do not pair.

Rule: consecutive messages of one role are one message, as the API merges them; a system message in between interrupts
nothing. A round is what assistants say up to the next user messages, with those. A turn lasts from a user's words to
the user's next words; a user message that holds results continues the turn, whatever else it holds. Calls pair with
results inside a round, server tools inside a turn. Each list holds places in the order of the history.
"""

from typing import Any

from secateur.api.walker import CheckBlock, CheckInput, Walker, get_items, get_text
from secateur.formats.native import find_provider_history
from secateur.model import Path
from secateur.pairing import Pairing

# The path of a content, the number of a block in it, and the block or an id: most paths are never put together.
Call = tuple[Path, int, Any]
Result = tuple[Path, int, str]

ROLES = frozenset({"user", "assistant", "system"})


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
