"""What a plan's epochs edited, part by part and range by range: at which request, and how many tokens were freed.

All of it is read off history and plan: they have of each edited part what it was, what was made of it and what is left
now. A part that left the view as a whole (reasoning) is not counted.

Prompts of earlier requests are reconstructed from sums: a message's tokens as it reads now, plus everything that was
freed in it, less what had been freed by that request. A replaced range is one edit at its first message. Its tokens
are freed together with its blocks and its reasoning, since a prompt has fewer of these as well. A newer range that
hides older ones frees what they had left.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import accumulate
from operator import attrgetter

from msgspec import Struct

from secateur.cachecost.history import History
from secateur.model import Part, Replace, Restore, Rewrite
from secateur.plan import list_active_epochs


class RangeGain(Struct, frozen=True):
    """What a prompt lacks after a replaced range that ends before message `end`, tokens aside."""

    end: int
    messages: int = 0
    blocks: int = 0
    thought: int = 0  # tokens of reasoning, which are among the tokens freed
    thoughts: int = 0  # blocks of reasoning, which are among the blocks

    def add(self, other: "RangeGain") -> "RangeGain":
        """Both together; the end is that of the range behind."""
        return RangeGain(
            max(self.end, other.end),
            self.messages + other.messages,
            self.blocks + other.blocks,
            self.thought + other.thought,
            self.thoughts + other.thoughts,
        )


NO_GAIN = RangeGain(0)


class AppliedEdit(Struct, frozen=True):
    """One part of a message edited at one request, or one range of messages replaced at it; by number."""

    request: int
    message: int
    before: int = 0  # tokens of its message that are before it
    gain: int = 0  # tokens freed
    range: RangeGain | None = None


class AppliedEdits:
    """The edits that had been made by some request; with `base`, those and more.

    Sums are kept in the order of the messages, so that what was freed before a message is found by bisection.
    """

    def __init__(self, edits: Sequence[AppliedEdit] = (), base: "AppliedEdits | None" = None) -> None:
        self._parts: list[tuple[int, int]] = []
        self._freed = [0]  # by the parts, before each of them
        self._ranges: list[AppliedEdit] = []
        self._ends: list[int] = []
        self._gains = [(0, NO_GAIN)]  # by the ranges, before each of them
        self._base = base
        self.has_ranges: bool = base is not None and base.has_ranges
        if edits:
            self.add(edits)

    @property
    def freed(self) -> int:
        """Tokens freed."""
        own = self._freed[-1] + self._gains[-1][0]
        return own if self._base is None else own + self._base.freed

    def add(self, edits: Sequence[AppliedEdit]) -> None:
        """More edits."""
        self._parts = sorted([*self._parts, *((edit.message, edit.gain) for edit in edits if edit.range is None)])
        self._freed = list(accumulate([gain for _, gain in self._parts], initial=0))
        ranges = [edit for edit in edits if edit.range is not None]
        if ranges:
            self.has_ranges = True
            self._ranges = sorted([*self._ranges, *ranges], key=_get_end)
            self._ends = [_get_end(edit) for edit in self._ranges]
            self._gains = [(0, NO_GAIN)]
            for edit in self._ranges:
                tokens, gain = self._gains[-1]
                self._gains.append((tokens + edit.gain, gain.add(edit.range or NO_GAIN)))

    def sum_freed_before(self, message: int) -> int:
        """Tokens freed before that message."""
        own = self._freed[bisect_left(self._parts, (message,))]
        if self._ranges:
            own += self._gains[bisect_right(self._ends, message)][0]
        return own if self._base is None else own + self._base.sum_freed_before(message)

    def sum_ranges_before(self, message: int) -> RangeGain:
        """Sum up what the replaced ranges before that message removed."""
        own = self._gains[bisect_right(self._ends, message)][1]
        if self._base is None or not self._base.has_ranges:
            return own
        return own.add(self._base.sum_ranges_before(message)) if self._ranges else self._base.sum_ranges_before(message)

    def skip_range(self, message: int) -> int:
        """The message, or the first behind the range that hides it."""
        for edit in self._ranges[bisect_right(self._ends, message) :]:
            if edit.message < message < _get_end(edit):
                message = _get_end(edit)
        return message if self._base is None else self._base.skip_range(message)

    def find_back(self, message: int, count: int) -> int:
        """The message from which on so many messages of the view are before `message`."""
        number = message - count
        ranges = self._ranges if self._base is None else sorted([*self._base._ranges, *self._ranges], key=_get_end)
        for edit in reversed(ranges):
            if edit.range is not None and number < edit.range.end <= message:
                number -= edit.range.messages
        return self.skip_range(max(0, number))

    def is_hidden(self, message: int) -> bool:
        """Whether a range replaces that message."""
        behind = self._ranges[bisect_right(self._ends, message) :]
        own = any([edit.message <= message for edit in behind])
        return own or (self._base is not None and self._base.is_hidden(message))


def _get_end(edit: AppliedEdit) -> int:
    return edit.range.end if edit.range is not None else edit.message


def find_applied_edits(history: History, sent: Sequence[int]) -> tuple[AppliedEdit, ...]:
    """All edits, in order of requests and positions. `sent` is by request how many messages it held.

    Where the plan is that of the request before, and nothing that was edited came since, they are the same.
    """
    originals, messages, totals = history.budget.originals, history.messages, history.totals
    about, known = (len(originals), history.plan.epochs), totals.recall("edits")
    is_same = known is not None and known[0] is originals and known[1] == about
    if is_same and not any([part.key in originals for one in messages[known[2] :] for part in one.parts]):
        kept: tuple[AppliedEdit, ...] = known[3]
        return kept
    found = (*_find_part_edits(history, sent), *_find_range_edits(history, sent))
    made = tuple(sorted(found, key=attrgetter("request", "message", "before")))
    if not history.is_edited_now:
        totals.keep("edits", (originals, about, len(messages), made), len(messages))
    return made


def _find_range_edits(history: History, sent: Sequence[int]) -> list[AppliedEdit]:
    """The replaced ranges of the plan."""
    heads = history.totals.at
    found: list[AppliedEdit] = []
    for epoch in list_active_epochs(history.plan):
        request = bisect_left(sent, heads.get(epoch.head_key, 0) + 1)
        for edit in epoch.edits:
            if isinstance(edit, Replace):
                found += build_range_edit(history, sent, edit, found, request)
    return found


def build_range_edit(
    history: History, sent: Sequence[int], edit: Replace, older: Sequence[AppliedEdit], request: int
) -> Iterator[AppliedEdit]:
    """One range as an edit; none where its ends are not in this history."""
    totals, where = history.totals, history.find_range(edit)
    if where is None:
        return
    i, j = where
    hidden = [one for one in older if one.range is not None and one.message < j and i < one.range.end]
    known = reduce(RangeGain.add, [one.range for one in hidden if one.range is not None], NO_GAIN)
    left = sum([history.count(message.text) for message in edit.messages])
    gain = RangeGain(
        max(j, known.end),
        j - i - len(edit.messages) - known.messages,
        totals.blocks[j] - totals.blocks[i] - len(edit.messages) - known.blocks,
        totals.thought[j] - totals.thought[i] - known.thought,
        totals.thoughts[j] - totals.thoughts[i] - known.thoughts,
    )
    yield AppliedEdit(
        max(request, bisect_left(sent, j)),
        min([i, *(one.message for one in hidden)]),
        0,
        totals.tokens[j] - totals.tokens[i] - left - sum([one.gain for one in hidden]),
        gain,
    )


def _find_part_edits(history: History, sent: Sequence[int]) -> Iterator[AppliedEdit]:
    """The edited parts, each with what its edits freed one after the other; and what is edited now."""
    parts = _find_edited_parts(history)
    sizes = {key: history.budget.originals[key].tokens for key in parts}
    for request, key, tokens in _find_edits(history, parts, sent):
        number, part, before = parts[key]
        left = part.tokens if tokens is None else tokens
        yield AppliedEdit(max(request, bisect_left(sent, number + 1)), number, before, sizes[key] - left)
        sizes[key] = left
    for key, (number, part, before) in parts.items():
        if sizes[key] != part.tokens:
            yield AppliedEdit(len(sent) - 1, number, before, sizes[key] - part.tokens)


def _find_edited_parts(history: History) -> dict[str, tuple[int, Part, int]]:
    """By key of an edited part: its message, itself as it reads now, and the tokens before it in its message."""
    originals = history.budget.originals
    found: dict[str, tuple[int, Part, int]] = {}
    for number in history.holding(originals.keys()):
        before = 0
        for part in history.messages[number].parts:
            if part.key in originals:
                found[part.key] = number, part, before
            before += part.tokens
    return found


def _find_edits(
    history: History, parts: dict[str, tuple[int, Part, int]], sent: Sequence[int]
) -> list[tuple[int, str, int | None]]:
    """Requests, keys, and the tokens that were left; None: as many as now."""
    epochs, originals = list_active_epochs(history.plan), history.budget.originals
    latest = {
        edit.key: number for number, epoch in enumerate(epochs) for edit in epoch.edits if not isinstance(edit, Replace)
    }
    found: list[tuple[int, str, int | None]] = []
    for number, epoch in enumerate(epochs):
        request = bisect_left(sent, history.totals.at.get(epoch.head_key, 0) + 1)
        for edit in epoch.edits:
            if isinstance(edit, Replace) or edit.key not in parts:
                continue
            tokens = None
            if latest[edit.key] != number and isinstance(edit, Restore):
                tokens = originals[edit.key].tokens
            elif latest[edit.key] != number:
                tokens = history.count(edit.text) if isinstance(edit, Rewrite) else 0
            found.append((request, edit.key, tokens))
    return found
