"""The conversation that is compacted: the view, message by message, with the raw messages of each, and the request's
numbers.

Rule: values of this request only. What earlier compactions inserted is told apart from what was said, and what they
inserted together stays together. Positions are those of the raw history, so that edits fit any plan. Nothing here
decides what is replaced.
"""

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from secateur.compaction.trigger import Load
from secateur.model import Message, NewMessage, Part, Replace
from secateur.pricing.tariffs import CachePricing
from secateur.protect import Protection
from secateur.text.own_text import is_carried

Located = tuple[int, int, Replace]
CARRIED = "carried"  # in the meta of a message that follows a summary verbatim: the tool, or "system"
SUMMARY = "summary"  # in the meta of a summary: what it is made of (`summary`)
DIGEST = "digest"  # in the meta of a digest: how many messages it replaces


class ViewEntry(Struct, frozen=True):
    """One message as the model reads it; it represents the raw messages [first, last)."""

    message: Message
    tokens: int
    first: int
    last: int
    new: NewMessage | None = None  # what an earlier compaction put here
    opens: bool = True  # the first row of its range: nothing parts a range

    @property
    def is_summary(self) -> bool:
        """Whether it replaces older history: ours, or the host's own."""
        return self.message.origin == "summary" and not self.is_carried

    @property
    def is_digest(self) -> bool:
        """Whether it replaces older work that the raw history still contains."""
        return self.new is not None and DIGEST in self.new.meta

    @property
    def is_carried(self) -> bool:
        """Whether it follows a summary verbatim."""
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


class SessionRequest(Struct, frozen=True, kw_only=True):
    """The session's own next request: behind it its model can be asked, and its prompt cache is read."""

    add_question: Callable[[str], Any]  # the body with one more message of the user
    tokens: int  # of the prompt, as the provider counts
    pricing: CachePricing
    cold_reason: str = ""  # why the prompt cache is gone; "": it may be alive


class CompactionInput(Struct, frozen=True, kw_only=True):
    """`count` is the policy's own counter (SEEDS S.4)."""

    raw: tuple[Message, ...]
    shown: tuple[Message, ...] = ()  # one by one as the model reads them; (): as received
    ranges: tuple[Located, ...] = ()  # replaced by earlier compactions (`plan.located`)
    count: Callable[[str], int]
    window: int
    load: Load
    model: str = ""
    folder: str = ""  # in which the session works, and the branch there, as its host says
    branch: str = ""
    protect: Protection = Protection()
    requires_leading_reasoning: bool = False  # a tool loop in progress begins with its reasoning (API rule A52)
    forced: bool = False  # a person, an overflow or a model switch asks for it
    focus: str = ""  # what a person wants kept
    supplied: str = ""  # a summary that a hook wrote; no model is asked then
    asks: bool = True  # there is a summarizer to ask
    summarizer_window: int = 0  # tokens; 0: as large as `window`
    own: SessionRequest | None = None  # for a summarizer that is asked behind it
    handles: bool = False  # replaced text can be read back from a store
    recall_folder: str = ""  # as files in this folder; "": by handle
