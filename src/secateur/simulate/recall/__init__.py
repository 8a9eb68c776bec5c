"""What pruning would have taken from an agent: of everything its recorded calls refer to, the share still in view.

Rule: no model is asked. Identifiers of a call are looked up in the views that a policy would have sent. Figures are
shown together with a bill, never alone; their limits are in `docs/explanation/recall.md`.
"""

from secateur.simulate.recall.outcomes import Outcome, ViewState
from secateur.simulate.recall.recordings import Recall, recall_of
from secateur.simulate.recall.score import LostReference, Score, Stratum, compare_views, compute_refetch_cost

__all__ = [
    "ViewState",
    "LostReference",
    "Outcome",
    "Recall",
    "Score",
    "Stratum",
    "compare_views",
    "recall_of",
    "compute_refetch_cost",
]
