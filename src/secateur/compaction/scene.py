"""What a compaction is given: the conversation as it came and as the view shows it, and the numbers of the request.

Rule: values of this request only; whoever makes a `Scene` has looked at plan, clock and window already.
"""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from secateur.compaction.rows import Located
from secateur.compaction.trigger import Load
from secateur.model import Message
from secateur.protect import Protection
from secateur.tariff import CachePricing


class SessionRequest(Struct, frozen=True, kw_only=True):
    """The session's own next request: behind it its model can be asked, and its prompt cache is read."""

    add_question: Callable[[str], Any]  # the body with one more message of the user
    tokens: int  # of the prompt, as the provider counts
    pricing: CachePricing
    cold_reason: str = ""  # why the prompt cache is gone; "": it may be alive


class CompactionInput(Struct, frozen=True, kw_only=True):
    """`count` is the policy's own counter (SEEDS S.4)."""

    raw: tuple[Message, ...]
    shown: tuple[Message, ...] = ()  # one by one as the model reads them; (): as they came
    ranges: tuple[Located, ...] = ()  # replaced by earlier compactions (`plan.located`)
    count: Callable[[str], int]
    window: int
    load: Load
    model: str = ""
    protect: Protection = Protection()
    forced: bool = False  # a person, an overflow or a model switch asks for it
    focus: str = ""  # what a person wants kept
    supplied: str = ""  # a summary that a hook wrote; no model is asked then
    asks: bool = True  # there is a summarizer to ask
    summarizer_window: int = 0  # tokens; 0: as large as `window`
    own: SessionRequest | None = None  # for a summarizer that is asked behind it
    handles: bool = False  # what gives way can be read back from a store
    recall_folder: str = ""  # as files in this folder; "": by handle
