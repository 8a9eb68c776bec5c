"""What a request came to: the view to send, the plan to hand in next time, and the receipt.

Rule: values only; a view says in one line what it is.
"""

from typing import Generic, TypeVar

from msgspec import Struct

from secateur.compaction.outcome import Outcome
from secateur.model import Transcript
from secateur.plan import Plan
from secateur.receipt import Receipt

T = TypeVar("T")


class View(Struct, Generic[T], frozen=True):
    """What to send: `native` is of the kind that came in, and the very same object if nothing is edited."""

    request: T
    plan: Plan
    receipt: Receipt
    raw_transcript: Transcript  # as it was read
    transcript: Transcript  # as the model will read it
    session: str = ""  # whose plan this is; named after the history where the caller gave no name and there is a store
    tenant: str = ""  # who owns the session
    compaction: Outcome | None = None  # what was summed up, or why nothing was; None: the policy does not compact

    def __repr__(self) -> str:
        return f"<View {self.receipt.sizes}>"
