"""Where the next edit is to be expected: a place at which the cache should keep a prefix.

Rule (measured): providers that look back a few blocks only find what was written near a mark. After an edit the whole
rewritten tail is one entry, so the next edit inside it would pay for all of it again, unless a prefix that ends before
that edit was kept as well.
"""

from functools import partial

from msgspec.structs import replace

from secateur import bounds
from secateur.budget import Budget, settled
from secateur.model import Replace
from secateur.session import Session


def frontier(work: Session) -> int:
    """How many messages of the view stand before the first result, behind the newest edits, that may go later.

    0 where the newest epoch edits no part of this history.
    """
    epochs, read = work.plan.epochs, work.document.transcript
    keys = {edit.key for edit in epochs[-1].edits if not isinstance(edit, Replace)} if epochs else set()
    first = next((n for n, message in enumerate(read.messages) if any(p.key in keys for p in message.parts)), None)
    if first is None:
        return 0
    read = replace(read, index=replace(bounds.index_of(work.after()), spent=first))
    budget = Budget(window=0, used=0, count=work.gauge, protect=work.protect, edited=work.edited)
    number = bounds.spent(read, work.protect, partial(settled, budget))
    ahead = {message.key for message in read.messages[number:]}
    seen = work.after().messages
    return next((n for n, message in enumerate(seen) if message.key in ahead), len(seen))
