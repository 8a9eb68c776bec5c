"""What a request may still do while its store is away: nothing leaves the view that could not be read back.

Rule: what is out of the view already stays out, and what keeps the request valid is done. Nothing is pruned, shortened
at birth or summed up; a view over its window is told of, not sent.
"""

from msgspec.structs import replace

from secateur.compaction.outcome import Refused
from secateur.fitting import telling
from secateur.fitting.moment import Numbers
from secateur.fitting.wish import Fitted
from secateur.policy import Policy
from secateur.schedule import Never
from secateur.session import Session

AWAY = "the store cannot be reached now, and nothing is taken out that could not be kept"


def still(policy: Policy) -> Policy:
    """The policy, proposing nothing."""
    return replace(policy, schedule=Never(why=AWAY), birth=None, prune=())


def not_compacted(work: Session, numbers: Numbers) -> Fitted:
    """No compaction, and why."""
    no = Refused("store", AWAY)
    return telling.told(numbers, no, None, telling.too_long(work, numbers, no))
