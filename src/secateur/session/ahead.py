"""Where what is to come will need a prefix that the cache holds: before the next edit, and before a turn.

Rule (measured): providers that look back a few blocks only find what was written near a mark. After an edit the whole
rewritten tail is one entry, so the next edit inside it would pay for all of it again, unless a prefix that ends before
that edit was kept as well.
"""

from functools import partial

from msgspec.structs import replace

from secateur import bounds
from secateur.budget import Budget
from secateur.model import Replace
from secateur.session import Projection
from secateur.strategy import is_final


def ahead(work: Projection) -> tuple[int, ...]:
    """Messages of the view before which a request that opens an epoch should leave a prefix; () where it edits nothing.

    Behind what a compaction put in, where the next one begins; before the first result, behind the newest edits, that
    may go later; and behind the message that began the running turn: once that is over its calls may be edited, and
    where a new turn strips reasoning it reads up to there.
    """
    epochs, read = work.mine.epochs, work.document.transcript
    mine = epochs[-1].edits if epochs else ()
    found = [j for i, j, edit in work.ranges if i < j and edit in mine][-1:]
    keys = {edit.key for edit in mine if not isinstance(edit, Replace)}
    first = next((n for n, message in enumerate(read.messages) if any(p.key in keys for p in message.parts)), None)
    if first is None:
        return tuple(_seen(work, number) for number in found)
    index = bounds.index_of(work.after())
    budget = Budget(window=0, used=0, count=work.gauge, protect=work.protect, edited=work.edited, own=work.places.own)
    behind = replace(read, index=replace(index, spent=first))
    found.append(bounds.spent(behind, work.protect, partial(is_final, budget)))
    if index.turns and index.turns[-1] >= first:
        found.append(index.turns[-1] + 1)
    return tuple(_seen(work, number) for number in found)


def _seen(work: Projection, number: int) -> int:
    """The number in the view of a message of the history, or of the first one behind it that the view shows."""
    messages = work.after().messages
    later = {message.key for message in work.document.transcript.messages[number:]}
    return next((n for n, message in enumerate(messages) if message.key in later), len(messages))
