"""What a plan's epochs edited, part by part: at which request, and what came free.

Rule: read off view, plan and budget, which know of each edited part what it was, what was made of it and what is left.
A part that left the view as a whole (reasoning) is not told.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from operator import attrgetter

from msgspec import Struct

from secateur.model import Part, Replace, Restore, Rewrite
from secateur.plan import list_active_epochs
from secateur.proposal import Proposal
from secateur.view_totals import ViewTotals


class AppliedEdit(Struct, frozen=True):
    """One part of a message edited at one request, by number."""

    request: int
    message: int
    before: int = 0  # tokens of its message that stand before it
    gain: int = 0  # tokens that came free


class AppliedEdits:
    """What had been cut by some request."""

    def __init__(self, made: Sequence[AppliedEdit] = ()) -> None:
        self._made = sorted([(cut.message, cut.gain) for cut in made])
        self._sums = list(accumulate([gain for _, gain in self._made], initial=0))

    @property
    def whole(self) -> int:
        """Tokens that came free."""
        return self._sums[-1]

    def add(self, made: Sequence[AppliedEdit]) -> None:
        """More cuts."""
        self._made = sorted([*self._made, *((cut.message, cut.gain) for cut in made)])
        self._sums = list(accumulate([gain for _, gain in self._made], initial=0))

    def before(self, message: int) -> int:
        """Tokens that came free before that message."""
        return self._sums[bisect_left(self._made, (message,))]


def find_applied_edits(proposal: Proposal, sent: Sequence[int], totals: ViewTotals) -> tuple[AppliedEdit, ...]:
    """All of them, in order of requests and places. `sent`: by request, how many messages it held.

    Where the plan is that of the request before, and nothing that was edited came since, they are the same.
    """
    raw, messages, plan = proposal.budget.originals, proposal.view.messages, proposal.plan.epochs
    known = totals.kept("cuts")
    same = known is not None and known[0] is raw and known[1] == (len(raw), plan)
    if same and not any([part.key in raw for one in messages[known[2] :] for part in one.parts]):
        made: tuple[AppliedEdit, ...] = known[3]
        return made
    made = _find_all(proposal, sent, totals)
    if not proposal.forced_keys:
        totals.keep("cuts", (raw, (len(raw), plan), len(messages), made), len(messages))
    return made


def _find_all(proposal: Proposal, sent: Sequence[int], totals: ViewTotals) -> tuple[AppliedEdit, ...]:
    parts = _parts(proposal)
    sizes = {key: proposal.budget.originals[key].tokens for key in parts}
    found: list[AppliedEdit] = []
    for request, key, tokens in _edits(proposal, parts, sent, totals):
        number, part, before = parts[key]
        left = part.tokens if tokens is None else tokens
        found.append(AppliedEdit(max(request, bisect_left(sent, number + 1)), number, before, sizes[key] - left))
        sizes[key] = left
    found += [
        AppliedEdit(len(sent) - 1, number, before, sizes[key] - part.tokens)
        for key, (number, part, before) in parts.items()
        if sizes[key] != part.tokens
    ]
    return tuple(sorted(found, key=attrgetter("request", "message", "before")))


def _parts(proposal: Proposal) -> dict[str, tuple[int, Part, int]]:
    """By key of an edited part: its message, itself as it reads now, and the tokens before it in its message."""
    raw, messages = proposal.budget.originals, proposal.view.messages
    found: dict[str, tuple[int, Part, int]] = {}
    for number in proposal.holding(raw.keys()):
        before = 0
        for part in messages[number].parts:
            if part.key in raw:
                found[part.key] = number, part, before
            before += part.tokens
    return found


def _edits(
    proposal: Proposal, parts: dict[str, tuple[int, Part, int]], sent: Sequence[int], totals: ViewTotals
) -> list[tuple[int, str, int | None]]:
    """Requests, keys, and the tokens that were left; None: as many as now."""
    epochs = list_active_epochs(proposal.plan)
    latest = {
        edit.key: place for place, epoch in enumerate(epochs) for edit in epoch.edits if not isinstance(edit, Replace)
    }
    found: list[tuple[int, str, int | None]] = []
    for place, epoch in enumerate(epochs):
        request = bisect_left(sent, totals.at.get(epoch.head_key, 0) + 1)
        for edit in epoch.edits:
            if isinstance(edit, Replace) or edit.key not in parts:
                continue
            tokens = None
            if latest[edit.key] != place:
                raw = proposal.budget.originals[edit.key].tokens
                tokens = (
                    raw if isinstance(edit, Restore) else proposal.count(edit.text) if isinstance(edit, Rewrite) else 0
                )
            found.append((request, edit.key, tokens))
    return found
