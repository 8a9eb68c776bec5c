"""Strategies: one way to save tokens each, as data with a `__call__`.

Rule: a strategy reads the transcript, the budget and its own fields, and proposes edits that name parts by key. It
never sees a native document, a provider or a plan, asks `bounds` for what may go, and leaves the question whether it
pays to the schedule. One strategy, one file, one line in `STRATEGIES`.
"""

from collections.abc import Iterator
from typing import Protocol

from secateur.budget import Budget
from secateur.model import Edit, Transcript
from secateur.strategies.clear_inputs import ClearInputs
from secateur.strategies.clear_media import ClearMedia
from secateur.strategies.condense import Condense
from secateur.strategies.deduplicate import Deduplicate
from secateur.strategies.drop_reasoning import DropReasoning
from secateur.strategies.excerpt import Excerpt
from secateur.strategies.hard_clear import HardClear
from secateur.strategies.soft_trim import SoftTrim
from secateur.strategies.supersede import Supersede

__all__ = [
    "STRATEGIES",
    "ClearInputs",
    "ClearMedia",
    "Condense",
    "Dated",
    "Deduplicate",
    "DropReasoning",
    "Excerpt",
    "HardClear",
    "Proposes",
    "SoftTrim",
    "Strategy",
    "Supersede",
]


class Proposes(Protocol):
    """What every strategy is."""

    def __call__(self, transcript: Transcript, budget: Budget) -> Iterator[Edit]: ...


Dated = Deduplicate | Supersede  # these know since when a result could go, by more than its place
Strategy = (
    SoftTrim | HardClear | ClearMedia | ClearInputs | DropReasoning | Excerpt | Deduplicate | Supersede | Condense
)

STRATEGIES: dict[str, type[Strategy]] = {
    "excerpt": Excerpt,
    "deduplicate": Deduplicate,
    "supersede": Supersede,
    "condense": Condense,
    "soft_trim": SoftTrim,
    "hard_clear": HardClear,
    "clear_media": ClearMedia,
    "clear_inputs": ClearInputs,
    "drop_reasoning": DropReasoning,
}
