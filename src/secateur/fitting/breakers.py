"""Breakers: when a summary that is due would gain nothing, or the window refills as fast as it is emptied.

Rule: both follow from plan and history alone, so they re-arm by themselves as soon as there is new material, and hold
in every process. They spare summaries, never the request: a view that is over its window is compacted without a model
(`fit`). Nobody who asks for a compaction is held back by them.
"""

from collections.abc import Callable, Sequence

from secateur.compaction.outcome import Refused
from secateur.model import Message, Replace
from secateur.plan import Plan, list_active_epochs

LEAST_NEW_SHARE = 0.05  # of the window, new since the last compaction: with less a summary frees next to nothing
LEAST_CALLS = 4  # answers of the model between two compactions, for the window not to count as refilling
MOST_IN_A_ROW = 3  # compactions that came sooner than that

ADVICE = "keep less behind the summary, give tools that say less, or use a model with a larger window"


def find_refusal(plan: Plan, messages: Sequence[Message], window: int, count: Callable[[str], int]) -> Refused | None:
    """Return why no summary should be made now, or None if nothing prevents it."""
    places = {message.key: number for number, message in enumerate(messages)}
    tips = [
        places[epoch.head_key]
        for epoch in list_active_epochs(plan)
        if epoch.head_key in places and _is_compaction(epoch.edits)
    ]
    if not tips:
        return None
    fresh = sum(_size(message, count) for message in messages[tips[-1] + 1 :])
    least = int(window * LEAST_NEW_SHARE)
    if fresh < least:
        text = (
            f"{fresh:,} tokens are new since the last compaction, and it takes {least:,} for another to gain anything"
        )
        return Refused("no_progress", text)
    edges = [*tips, len(messages) - 1]
    gaps = [_count_assistant_messages(messages[a + 1 : b + 1]) for a, b in zip(edges, edges[1:], strict=False)]
    if len(gaps) >= MOST_IN_A_ROW and all(gap < LEAST_CALLS for gap in gaps[-MOST_IN_A_ROW:]):
        text = f"{len(gaps)} compactions, the last ones within {LEAST_CALLS} answers each: {ADVICE}"
        return Refused("too_often", text)
    return None


def _is_compaction(edits: Sequence[object]) -> bool:
    return any(isinstance(edit, Replace) and edit.strategy == "compact" for edit in edits)


def _count_assistant_messages(messages: Sequence[Message]) -> int:
    return sum(message.role == "assistant" for message in messages)


def _size(message: Message, count: Callable[[str], int]) -> int:
    return sum(part.tokens or count(part.text) for part in message.parts)
