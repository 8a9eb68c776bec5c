"""The conversation as a compaction sees it: the view, message by message, each with the raw messages it stands for.

Rule: what earlier compactions put in is told apart from what was said, and what they put in together stays together.
Positions are those of the raw history, so that edits made from rows fit any plan. Nothing here decides what goes.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct

from secateur.model import Message, NewMessage, Part, Replace
from secateur.own_text import is_carried

Located = tuple[int, int, Replace]
CARRIED = "carried"  # in the meta of a message that stands verbatim behind a summary: the tool, or "system"
SUMMARY = "summary"  # in the meta of a summary: what it is made of (`summary`)
DIGEST = "digest"  # in the meta of a digest: how many messages it stands for


class ViewEntry(Struct, frozen=True):
    """One message as the model reads it; it stands for the raw messages [first, last)."""

    message: Message
    tokens: int
    first: int
    last: int
    new: NewMessage | None = None  # what an earlier compaction put here
    opens: bool = True  # the first row of its range: nothing parts a range

    @property
    def is_summary(self) -> bool:
        """Whether it stands for older history: ours, or the host's own."""
        return self.message.origin == "summary" and not self.is_carried

    @property
    def is_digest(self) -> bool:
        """Whether it stands for older work that the raw history still tells."""
        return self.new is not None and DIGEST in self.new.meta

    @property
    def is_carried(self) -> bool:
        """Whether it stands verbatim behind a summary."""
        return CARRIED in self.new.meta if self.new is not None else is_carried(self.message)

    @property
    def is_fresh(self) -> bool:
        """Whether no compaction has made it: something that is new to a summary."""
        return self.new is None and not self.is_summary and not self.is_carried

    @property
    def is_news(self) -> bool:
        """Whether a summary of it would say anything that no summary says yet."""
        return (
            (self.is_fresh or self.is_digest) and self.message.role != "system" and self.message.origin != "synthetic"
        )


def build_rows(
    shown: Sequence[Message], ranges: Sequence[Located], count: Callable[[str], int]
) -> tuple[ViewEntry, ...]:
    """Return the view row by row: `shown` are the raw messages one by one as the model reads them."""
    made: list[ViewEntry] = []
    here = 0
    for i, j, edit in ranges:
        made += (_make_row(shown[number], number, count) for number in range(here, i))
        made += (_put_in(new, (i, j), number == 0, count) for number, new in enumerate(edit.messages))
        here = max(here, j)
    made += (_make_row(shown[number], number, count) for number in range(here, len(shown)))
    return tuple(made)


def size(message: Message, count: Callable[[str], int]) -> int:
    """Tokens of a message by this counter."""
    return sum(part.tokens if part.kind == "media" else count(part.text) for part in message.parts)


def get_text(message: Message) -> str:
    """Return the text of a message: its text blocks in order."""
    return "\n".join(part.text for part in message.parts if part.kind == "text")


def is_round_split(rows: Sequence[ViewEntry], place: int) -> bool:
    """Return whether a cut here would separate calls from results, or what a compaction inserted."""
    if place < len(rows) and not rows[place].opens:
        return True
    for row in rows[place:]:
        if row.message.role == "assistant":
            return False
        if any(part.kind == "tool_result" for part in row.message.parts):
            return place > 0
    return False


def _make_row(message: Message, number: int, count: Callable[[str], int]) -> ViewEntry:
    return ViewEntry(message, size(message, count), number, number + 1)


def _put_in(new: NewMessage, place: tuple[int, int], opens: bool, count: Callable[[str], int]) -> ViewEntry:
    tokens = count(new.text)
    part = Part("text", (), new.text, tokens=tokens, pinned=True)
    return ViewEntry(Message(new.role, (), (part,), new.origin), tokens, *place, new, opens)
