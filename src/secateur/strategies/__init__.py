"""Strategies: one way to save tokens each, as data with a `__call__`.

Rule: a strategy reads the transcript, the budget and its own fields, and proposes edits that name parts by key. It
never sees a native document, a provider or a plan, asks `bounds` for what may be removed, and leaves the question
whether it pays to the schedule. One strategy, one file, one line in `strategy.STRATEGIES`.
"""

from secateur.strategies.clear_inputs import ClearInputs
from secateur.strategies.clear_media import ClearMedia
from secateur.strategies.condense import Condense
from secateur.strategies.deduplicate import Deduplicate
from secateur.strategies.drop_reasoning import DropReasoning
from secateur.strategies.excerpt import Excerpt
from secateur.strategies.hard_clear import HardClear
from secateur.strategies.reduce_output import ReduceOutput
from secateur.strategies.soft_trim import SoftTrim
from secateur.strategies.supersede import Supersede
from secateur.strategy import STRATEGIES, Strategy

__all__ = [
    "STRATEGIES",
    "ClearInputs",
    "ClearMedia",
    "Condense",
    "Deduplicate",
    "DropReasoning",
    "Excerpt",
    "HardClear",
    "ReduceOutput",
    "SoftTrim",
    "Strategy",
    "Supersede",
]
