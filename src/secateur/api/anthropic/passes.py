"""A request of the Messages API, mended rule by rule.

Rule: what stands inside messages is mended first, then ids, pairs, and at last the two ends, since each step may make
work for those behind it and none for those before.
"""

from secateur.api.anthropic.repairs_blocks import mend_content, mend_empty
from secateur.api.anthropic.repairs_caching import mend_markers
from secateur.api.anthropic.repairs_calls import mend_pairs
from secateur.api.anthropic.repairs_ends import mend_beginning, mend_ending, mend_thoughts, refuses_prefill
from secateur.api.anthropic.repairs_ids import mend_ids
from secateur.api.anthropic.repairs_media import mend_media
from secateur.api.anthropic.repairs_server import mend_server
from secateur.api.anthropic.repairs_systems import mend_systems
from secateur.api.repair_run import Work

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
