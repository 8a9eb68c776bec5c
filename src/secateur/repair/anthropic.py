"""A request of the Messages API, mended rule by rule.

Rule: what stands inside messages is mended first, then ids, pairs, and at last the two ends, since each step may make
work for those behind it and none for those before.
"""

from secateur.repair.anthropic_content import mend_content, mend_empty
from secateur.repair.anthropic_ends import mend_beginning, mend_ending, mend_thoughts, refuses_prefill
from secateur.repair.anthropic_ids import mend_ids
from secateur.repair.anthropic_markers import mend_markers
from secateur.repair.anthropic_media import mend_media
from secateur.repair.anthropic_pairs import mend_pairs
from secateur.repair.anthropic_server import mend_server
from secateur.repair.anthropic_systems import mend_systems
from secateur.repair.work import Work

BLOCKS = "content"  # the member of a message that holds its blocks


def mend(work: Work) -> None:
    """Mend all that is known to be refused (wire rules A)."""
    mend_content(work, ending_may_be_empty=not refuses_prefill(work.settings.model))
    mend_media(work)
    mend_ids(work)
    mend_systems(work)
    if not work.partial:  # else what these miss here is on the server
        mend_pairs(work)
        mend_server(work)
        mend_beginning(work)
    mend_thoughts(work)
    mend_ending(work)
    mend_empty(work)
    mend_markers(work)
