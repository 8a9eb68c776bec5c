"""The requests of a session, reconstructed from its history and plan.

Rule: everything follows from the values of one request, and nothing here decides an edit.
"""

from collections.abc import Callable, Collection, Sequence

from msgspec import Struct

from secateur.bounds import get_index
from secateur.budget import Budget
from secateur.model import Message, MessagePositions, Replace, Transcript
from secateur.plan import Plan
from secateur.proposal import Proposal, RawHistory, ViewTotals

_NOT_ASKED_FOR = ("harness", "synthetic")  # origins of assistant messages that no model wrote

Messages = tuple[Message, ...]


class History(Struct, frozen=True, kw_only=True):
    """All messages of a session and the plan that edits them, at the request that is made now."""

    transcript: Transcript
    messages: tuple[Message, ...]  # each as the model reads it; in a replaced range, as it read before
    index: MessagePositions  # where turns and answers are
    totals: ViewTotals  # of these messages
    budget: Budget
    plan: Plan
    count: Callable[[str], int]  # tokens as reports count them
    fixed_tokens: int  # of system prompt and tools
    holding: Callable[[Collection[str]], Sequence[int]]  # the messages that hold these parts
    ranges: tuple[tuple[int, int, Replace], ...] = ()  # [i, j) that are replaced in the view, in order
    is_edited_now: bool = False  # there are edits at this request that the plan does not have yet

    def find_range(self, edit: Replace) -> tuple[int, int] | None:
        """The messages [i, j) that an edit replaces; None where its ends are not in this history."""
        at = self.totals.at
        if (edit.after and edit.after not in at) or edit.through not in at:
            return None
        i, j = at.get(edit.after, -1) + 1, at[edit.through] + 1
        return (i, j) if i <= j else None

    def to_view(self, number: int) -> int:
        """The number in the view of a message; of one that was replaced, where its replacement begins."""
        shift = 0
        for i, j, edit in self.ranges:
            if number < j:
                return min(number, i) + shift
            shift += len(edit.messages) - (j - i)
        return number + shift

    def from_view(self, number: int) -> int:
        """The number in the history of a message of the view; of a replacement, where its range begins."""
        shift = 0
        for i, j, edit in self.ranges:
            if number - shift < i:
                break
            if number - shift < i + len(edit.messages):
                return i
            shift += len(edit.messages) - (j - i)
        return number - shift


def read_history(proposal: Proposal, totals: ViewTotals) -> History:
    """The history behind the view of a proposal; `totals` are those of the view."""
    budget, fixed_tokens = proposal.budget, proposal.fixed_tokens
    if fixed_tokens is None:
        fixed_tokens = max(0, budget.estimated - totals.tokens[-1])
    raw = proposal.history or RawHistory(
        transcript=proposal.view, totals=totals, ranges=(), holding=proposal.find_holding
    )
    return build_history(
        raw,
        budget=budget,
        plan=proposal.plan,
        count=proposal.count,
        fixed_tokens=fixed_tokens,
        is_edited_now=bool(proposal.forced_keys),
    )


def build_history(
    raw: RawHistory,
    *,
    budget: Budget,
    plan: Plan,
    count: Callable[[str], int],
    fixed_tokens: int,
    is_edited_now: bool = False,
) -> History:
    """A history, with what is known about the request that is made now."""
    return History(
        messages=raw.transcript.messages,
        transcript=raw.transcript,
        index=get_index(raw.transcript),
        totals=raw.totals.take(raw.transcript.messages),
        budget=budget,
        plan=plan,
        count=count,
        fixed_tokens=fixed_tokens,
        holding=raw.holding,
        ranges=raw.ranges,
        is_edited_now=is_edited_now,
    )


def find_answers(history: History) -> list[int]:
    """The answers of the model: each was one request."""
    totals, assistants, messages = history.totals, history.index.assistant_messages, history.messages
    found, known = totals.recall("answers") or ([], 0)
    if known < len(assistants):
        new = (n for n in assistants[known:] if n and messages[n].origin not in _NOT_ASKED_FOR)
        found = [*found, *new]
        totals.keep("answers", (found, len(assistants)), assistants[-1] + 1, shape=True)
    return found


def find_pauses(history: History) -> list[int]:
    """The requests, by how many messages they held, that came when the cache of the one before was gone.

    After a pause, or because their session says so.
    """
    messages, totals = history.messages, history.totals
    ttl_ms = history.budget.pricing.ttl_s * 1000
    found, last, known = totals.recall(("pauses", ttl_ms)) or ([], 0, 0)
    assistants, size = history.index.assistant_messages, 0
    for number in range(known, len(assistants)):
        size = assistants[number]
        if size:
            found, last = _add_pause(found, messages[size - 1].recorded_ms or last, last, size, ttl_ms)
    if size:
        totals.keep(("pauses", ttl_ms), (found, last, len(assistants)), size + 1, shape=True)
    end = len(messages)
    found = _add_pause(found, messages[end - 1].recorded_ms or last, last, end, ttl_ms)[0] if end else found
    lost = find_lost(history)
    return sorted({*found, *lost}) if lost else found


def find_lost(history: History) -> tuple[int, ...]:
    """Of the earlier requests, by how many messages they held, those whose cache their session knows was lost."""
    at, end = history.totals.at, len(history.messages)
    sizes = {at[key] + 1 for key in history.budget.cold_keys if key in at}
    return tuple(sorted(size for size in sizes if size < end))


def _add_pause(found: list[int], at_ms: int, last_ms: int, size: int, ttl_ms: float) -> tuple[list[int], int]:
    """The pauses, with the one before a request of so many messages, and the time at which it was sent."""
    return [*found, size] if last_ms and at_ms - last_ms >= ttl_ms else found, at_ms
