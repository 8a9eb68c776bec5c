"""The history behind a view in which ranges are replaced, in the numbers of the raw history.

Schedules decide by the view, but what a session has cost follows from all that was sent. Messages in a replaced range
read here as they did before it was replaced.
"""

from msgspec.structs import replace

from secateur.model import Transcript
from secateur.proposal import RawHistory
from secateur.session import Projection


def read_raw_history(projection: Projection, view: Transcript | None = None) -> RawHistory:
    """All messages of a projection; those outside of replaced ranges as they are in this `view`, if one is given."""
    messages, ranges = list(projection.projected_messages), projection.ranges
    if view is not None:
        here = shift = 0
        for i, j, edit in ranges:
            messages[here:i] = view.messages[here + shift : i + shift]
            here, shift = max(here, j), shift + len(edit.messages) - (j - i)
        messages[here:] = view.messages[here + shift :]
    return RawHistory(
        transcript=replace(projection.document.transcript, messages=tuple(messages), index=projection.index),
        totals=projection.history_totals,
        ranges=ranges,
        holding=projection.message_index.find,
    )
