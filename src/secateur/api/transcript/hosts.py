"""What a host of session files needs, to send a mended session again; one host, one file beside this.

Rule: only whole new lines and edits inside single lines; every other line keeps its bytes. A new line has the shape
that the host itself writes, its ids and times taken from the lines around it, so that mending twice gives one result.
"""

from typing import Any, Protocol

from msgspec import Struct

from secateur.api.transcript.log_calls import Asked
from secateur.model import Part, Path, Transcript
from secateur.patch import Op

Entries = dict[int, dict[str, Any]]  # parsed lines by number


class Insert(Struct, frozen=True):
    """New lines behind a line, and the edits of other lines that go with them."""

    after: int
    lines: tuple[Any, ...] = ()
    ops: tuple[Op, ...] = ()


class Host(Protocol):
    """How one host writes what a mended session needs."""

    unique: bool  # whether ids of calls may not come again in a later round
    tree: tuple[str, str] | None  # names of a line's id and of its parent's; None: lines stand in order

    def sent(self, entries: Entries, call: Part) -> bool:
        """Whether the host would send this call; answers that broke off are left out by some."""

    def block(self, part: Part) -> Path:
        """Where the block or item of a call or result stands, and so its id."""

    def id_of(self, part: Part) -> Path:
        """Where the id of a call or result stands."""

    def answered(self, entries: Entries, open_: list[Asked], round_: list[Asked]) -> Insert | None:
        """Results that say there is none, for the open calls of one message; None where there is no way.

        `round_` are all calls of the message.
        """

    def told(self, entries: Entries, orphan: Part) -> Op | None:
        """The orphan result as a text; None where there is no way."""

    def inside(self, entries: Entries, transcript: Transcript) -> list[tuple[Op, str, str]]:
        """Edits of single values that the host's provider would refuse: the operation, the rule, what it does."""
