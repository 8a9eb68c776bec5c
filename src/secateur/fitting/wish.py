"""How an engine fits views, what a caller wants of one request, and what came of it: values only.

Rule: `on` false is asked before anything else, on every path; a caller's wish never overrules it.
"""

from typing import TYPE_CHECKING

from msgspec import Struct

from secateur.compaction.outcome import Outcome
from secateur.fitting.background import Background
from secateur.fitting.hooks import NO_HOOKS, Hooks
from secateur.fitting.ready import Ready
from secateur.receipt import Entry, Summarised
from secateur.stores.protocol import Blob

if TYPE_CHECKING:  # whoever has no summariser does not pay for loading one
    from secateur.summarizers.driving import Stop
    from secateur.summarizers.protocol import Summarizer

DEADLINE_S = 120.0


class Fitting(Struct, frozen=True):
    """How an engine compacts."""

    listed: "tuple[Summarizer, ...]" = ()  # asked in this order; none: the summary is made without a model
    deadline_s: float = DEADLINE_S  # for all of them together
    on: bool = True  # False: never, whatever the policy says and whoever asks
    hooks: Hooks = NO_HOOKS
    background: Background | None = None  # sums up early, beside the requests; None: requests wait for summaries
    written: bool = True  # views go into their documents; False: they are only looked at, as in a replay


class Wish(Struct, frozen=True):
    """What the caller of one request wants."""

    forced: bool = False  # compact now, whatever the threshold says
    focus: str = ""  # what the summary should pay most attention to
    summary: str = ""  # a summary that the caller wrote; no model is asked
    busy: str = ""  # why the host cannot compact now: a run is active, messages are queued
    stop: "Stop | None" = None  # calls the summary off


NOTHING = Wish()


class Fitted(Struct, frozen=True):
    """What came of it for one request."""

    outcome: Outcome | None = None  # None: the policy does not compact
    told: Summarised | None = None  # the same for the receipt
    entries: tuple[Entry, ...] = ()
    blobs: tuple[Blob, ...] = ()  # what gave way, and the summary with its facts, for a store to keep
    warnings: tuple[str, ...] = ()
    why: str = ""  # why its epoch was opened; "" if none was
    ready: Ready | None = None  # the summary that was made, for a request that has to be decided again
    too_long: str = ""  # why the view cannot be sent, if it cannot
