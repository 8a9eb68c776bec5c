"""One walk over Converse messages: notes what its rules need to know.

Rule: a block is a union with one member. Rules on blocks get the value of the member under its name, and messages as
"@message".
"""

from operator import eq
from typing import Any

from secateur.api.walker import CheckBlock, CheckInput, Walker, get_fields, get_items
from secateur.model import Path
from secateur.pairing import Pairing

_ROLES = ("user", "assistant", "system")
_TURNS = frozenset({"user", "assistant"})
_MEDIA = ("image", "document", "video")
_NO_MEMBER = ("",)


class ConverseWalker(Walker):
    """Notes on a Converse request."""

    def __init__(self, given: CheckInput) -> None:
        super().__init__(given)
        self.roles: list[str] = []  # "" for an unknown one
        self.odd: list[tuple[Path, str]] = []
        self.calls: Pairing[tuple[Path, str], tuple[Path, str]] = Pairing(unique=True)  # path and id, of both
        self.shared: list[tuple[Path, str]] = []  # calls under the id of another one of their message
        self.media: list[tuple[Path, str, str]] = []  # image, document or video; role
        self.documents: list[tuple[Path, Any, bool]] = []  # whether its message has a text
        self.points: list[tuple[Path, str, Any]] = []  # cache points: the member before, and its value
        self.tools_used: Path = ()  # the first block of a tool
        self._spoken = 0  # messages so far

    def walk(self, check_block: CheckBlock) -> None:
        self._walk_fixed_blocks("system", get_items(self.request.get("system")))
        self._walk_fixed_blocks("toolConfig", get_items(get_fields(self.request.get("toolConfig")).get("tools")))
        roles = self.roles
        for number, message in enumerate(self.messages):
            path: Path = (self.array, number)
            role = message.get("role") if isinstance(message, dict) else None
            if not isinstance(role, str) or role not in _ROLES:
                roles.append("")
                self.odd.append((path, "a message has no role of user or assistant: add one, or remove it"))
                continue
            roles.append(role)
            check_block("@message", message, path)
            self._walk_message(role, get_items(message.get("content")), path, check_block)
        self.calls.end_round()

    @property
    def alternates(self) -> bool:
        """Whether each message certainly has another role than the one before."""
        roles = self.roles
        return _TURNS.issuperset(roles) and not any(map(eq, roles, roles[1:]))

    def _walk_fixed_blocks(self, name: str, blocks: Any) -> None:
        for at, block in enumerate(blocks):
            if isinstance(block, dict) and "cachePoint" in block:
                self.points.append(((name, at) if name == "system" else (name, "tools", at), "", None))

    def _walk_message(self, role: str, content: Any, path: Path, check_block: CheckBlock) -> None:
        self._spoken += 1
        around, before, value = (*path, "content"), "", None
        for at, block in enumerate(content):
            (kind,) = block if isinstance(block, dict) and len(block) == 1 else _NO_MEMBER
            if not isinstance(kind, str) or not kind:
                self.odd.append(
                    ((*around, at), "a block does not have exactly one member: split it into one block per member")
                )
                continue
            inside = (*around, at)
            if kind == "cachePoint":
                self.points.append((inside, before, value))
            before, value = kind, block[kind]
            if kind[0] != "@":
                check_block(kind, value, inside, kind)
            if kind == "toolUse" or kind == "toolResult":
                self._record_tool_block(role, kind, value, inside)
            elif kind in _MEDIA:
                self._record_medium(role, kind, value, (*inside, kind), content)

    def _record_tool_block(self, role: str, kind: str, value: Any, path: Path) -> None:
        self.tools_used = self.tools_used or path
        id = value.get("toolUseId") if isinstance(value, dict) else ""
        id = id if isinstance(id, str) else ""
        if kind == "toolUse" and role == "assistant":
            if not self.calls.add_call((self._spoken, id), (path, id)):
                self.shared.append(((*path, kind), id))
        elif kind == "toolResult" and role in ("assistant", "user"):
            called_in = self._spoken - (role == "user")  # a server's own tool is answered in the message that calls it
            self.calls.add_result((called_in, id), (path, id))

    def _record_medium(self, role: str, kind: str, value: Any, path: Path, content: Any) -> None:
        self.media.append((path, kind, role))
        if kind == "document":
            self.documents.append((path, value, any("text" in get_fields(block) for block in content)))
