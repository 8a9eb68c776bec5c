"""The result of a compaction: edits and the record of how they were made, or the reason why there are none.

Rule: values only. A refusal is a value too: nothing was changed, and `reason` says what the caller can do about it. A
layout is what a host stores with its compaction (SEEDS 2.6): how many messages of the prefix stay before the summary,
and how many after it, so that the host can have every message and still send head, summary and tail. What writes and
judges summaries is not loaded here: most requests need none.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from msgspec import Struct

from secateur.compaction.continuation import Next
from secateur.compaction.trigger import Why
from secateur.model import Edit

if TYPE_CHECKING:
    from secateur.compaction.accept import Reason
    from secateur.compaction.ledger import Ledger
    from secateur.compaction.summary import Sections

KIND = "hermes-middle"  # what pi-auto-compressor calls it

_T = TypeVar("_T")

Rung = Literal["supplied", "model", "extract", "digest"]
Refusal = (
    Why
    | Literal["too_short", "nothing_new", "no_gain", "empty", "cancelled"]
    | Literal[
        "busy",
        "vetoed",
        "no_progress",
        "too_often",
        "partial",
        "no_entry",
        "running_turn",
        "gate",
        "no_policy",
        "beside",
        "rereads",
        "store",
    ]
)


class Layout(Struct, frozen=True):
    """`head` and `tail` messages of a prefix of `compacted` messages stay; a summary replaces those between."""

    head: int
    tail: int
    compacted: int

    def make_details(self) -> dict[str, Any]:
        """Return the details as pi-auto-compressor stores them."""
        counts = {"headMessageCount": self.head, "tailMessageCount": self.tail}
        return {"kind": KIND, **counts, "compactedMessageCount": self.compacted}


def parse_layout(details: Any) -> Layout | None:
    """Return the layout that a host stored, or None if these are the details of something else."""
    if not isinstance(details, dict) or details.get("kind") != KIND:
        return None
    said = [details.get(name) for name in ("headMessageCount", "tailMessageCount", "compactedMessageCount")]
    counts = [count for count in said if isinstance(count, int) and count >= 0]
    return Layout(*counts) if len(counts) == len(said) else None


def apply_layout(messages: Sequence[_T], summary: _T | None, layout: Layout) -> list[_T]:
    """Return a request's messages: head, summary, tail and all later ones; unchanged without a summary."""
    if summary is None:
        return list(messages)
    compacted = min(layout.compacted, len(messages))
    head = min(layout.head, compacted)
    tail = max(head, compacted - layout.tail)
    return [*messages[:head], summary, *messages[tail:]]


class RejectedSummary(Struct, frozen=True):
    """A summary that was not taken."""

    rung: Rung
    reason: "Reason | Literal['no_summarizer', 'window']"
    text: str  # in words
    by: str = ""  # the summarizer


class Compacted(Struct, frozen=True, kw_only=True):
    """History became a summary."""

    edits: tuple[Edit, ...]  # one epoch of the plan; the continuation is among them
    rung: Rung
    attempts: tuple[RejectedSummary, ...] = ()  # what was tried before
    by: str = ""  # the summarizer
    summary: str  # the text that is in the view
    sections: "Sections" = {}  # its prose
    ledger: "Ledger"  # its facts; empty for digests
    dropped: tuple[str, ...] = ()  # lines of a model that name what the history does not hold
    marked: tuple[
        str, ...
    ] = ()  # sentences of a model that stand with a mark, since the history does not bear them out
    forgotten: int = 0  # lines that had no room any more
    messages: int = 0  # of the view, that were replaced
    tokens_before: int = 0  # of the replaced part, by the policy's counter
    tokens_after: int = 0  # of what is there now
    continuation: Next = Next("none", put_in=False)
    layout: Layout | None = None  # where the summary is between head and tail
    asks: int = 0  # questions that were put to a summarizer
    blobs: dict[str, str] = {}  # handle -> the replaced text in full, for a store to keep


class CompactionSkipped(Struct, frozen=True):
    """Nothing was changed."""

    reason: Refusal
    text: str
    attempts: tuple[RejectedSummary, ...] = ()
    asks: int = 0


Outcome = Compacted | CompactionSkipped


def get_status(outcome: Outcome) -> str:
    """Return `override` or `cancelled: reason` (SEEDS 2.4); Pi's own `host` applies if nothing was asked."""
    return "override" if isinstance(outcome, Compacted) else f"cancelled: {outcome.text}"


def build_host_answer(outcome: Outcome, first_entry: str, tokens_before: int) -> dict[str, Any]:
    """Build the answer to Pi's `session_before_compact`: a full result or a cancellation (SEEDS 2.4).

    With a summary between head and tail everything stays with the host, and `first_entry` is the first of its context;
    else it is the first entry that is still sent behind the summary.
    """
    if isinstance(outcome, CompactionSkipped) or not first_entry:
        return {"cancel": True}
    layout = outcome.layout.make_details() if outcome.layout else {}
    made = {
        "summary": outcome.summary,
        "firstKeptEntryId": first_entry,
        "tokensBefore": tokens_before,
        "details": {
            **layout,
            "estimatedTokensAfter": max(0, tokens_before - outcome.tokens_before + outcome.tokens_after),
            "estimatedTokensSaved": outcome.tokens_before - outcome.tokens_after,
        },
    }
    return {"compaction": made}
