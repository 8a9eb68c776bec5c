"""What a plan's epochs edited, part by part: at which request, and what came free.

Rule: read off view, plan and budget, which know of each edited part what it was, what was made of it and what is left.
A part that left the view as a whole (reasoning) is not told.
"""

from bisect import bisect_left
from collections.abc import Sequence
from operator import attrgetter

from msgspec import Struct

from secateur.model import Part, Replace, Restore, Rewrite
from secateur.plan import alive
from secateur.schedule.offer import Offer
from secateur.schedule.walked import Walked


class Cut(Struct, frozen=True):
    """One part of a message edited at one request, by number."""

    request: int
    message: int
    before: int = 0  # tokens of its message that stand before it
    gain: int = 0  # tokens that came free


def cuts(offer: Offer, sent: Sequence[int], walked: Walked) -> tuple[Cut, ...]:
    """All of them, in order of requests and places. `sent`: by request, how many messages it held."""
    parts = _parts(offer)
    sizes = {key: offer.budget.raw[key].tokens for key in parts}
    found: list[Cut] = []
    for request, key, tokens in _edits(offer, parts, sent, walked):
        number, part, before = parts[key]
        left = part.tokens if tokens is None else tokens
        found.append(Cut(max(request, bisect_left(sent, number + 1)), number, before, sizes[key] - left))
        sizes[key] = left
    found += [
        Cut(len(sent) - 1, number, before, sizes[key] - part.tokens)
        for key, (number, part, before) in parts.items()
        if sizes[key] != part.tokens
    ]
    return tuple(sorted(found, key=attrgetter("request", "message", "before")))


def _parts(offer: Offer) -> dict[str, tuple[int, Part, int]]:
    """By key of an edited part: its message, itself as it reads now, and the tokens before it in its message."""
    raw, messages = offer.budget.raw, offer.seen.messages
    found: dict[str, tuple[int, Part, int]] = {}
    for number in offer.holding(raw.keys()):
        before = 0
        for part in messages[number].parts:
            if part.key in raw:
                found[part.key] = number, part, before
            before += part.tokens
    return found


def _edits(
    offer: Offer, parts: dict[str, tuple[int, Part, int]], sent: Sequence[int], walked: Walked
) -> list[tuple[int, str, int | None]]:
    """Requests, keys, and the tokens that were left; None: as many as now."""
    epochs = alive(offer.plan)
    latest = {
        edit.key: place for place, epoch in enumerate(epochs) for edit in epoch.edits if not isinstance(edit, Replace)
    }
    found: list[tuple[int, str, int | None]] = []
    for place, epoch in enumerate(epochs):
        request = bisect_left(sent, walked.at.get(epoch.tip, 0) + 1)
        for edit in epoch.edits:
            if isinstance(edit, Replace) or edit.key not in parts:
                continue
            tokens = None
            if latest[edit.key] != place:
                raw = offer.budget.raw[edit.key].tokens
                tokens = (
                    raw if isinstance(edit, Restore) else offer.count(edit.text) if isinstance(edit, Rewrite) else 0
                )
            found.append((request, edit.key, tokens))
    return found
