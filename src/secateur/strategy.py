"""What a strategy is: a base class, the strategies by name, and which results an earlier edit left open to others.

Rule: a strategy declares what other modules need to know about it. Nothing checks its class.
"""

from collections.abc import Iterator, Mapping, Set
from functools import cache
from typing import ClassVar

from msgspec import Struct

from secateur.budget import Budget
from secateur.model import Edit, Kind, Part, Transcript
from secateur.registry import Registry, make_subclass_check

RESULTS: frozenset[Kind] = frozenset({"tool_result"})


class Strategy(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="type"):
    """One way to save tokens. Its fields are its configuration, its tag is its name in policy files.

    A subclass repeats `frozen=True, kw_only=True` and adds `tag="its_name"`. What it declares are class attributes.
    """

    edits: ClassVar[frozenset[Kind]] = RESULTS  # the kinds of parts that it edits
    is_partial: ClassVar[bool] = False  # what it edited may still be cleared as a whole, by itself or another
    by_age: ClassVar[bool] = True  # a part's place alone decides; False: `stale_since` knows what made it stale
    leaves: ClassVar[str] = ""  # what stays in place of what it edits, in a few words for reports

    def __call__(self, transcript: Transcript, budget: Budget) -> Iterator[Edit]:
        """Edits that name parts by key, oldest first. The same arguments always give the same edits."""
        raise NotImplementedError

    def stale_since(self, transcript: Transcript, budget: Budget, keys: Set[str]) -> Mapping[str, int]:
        """Parts with these keys made stale by a later message, and the number of that message."""
        return {}


STRATEGIES: Registry[type[Strategy]] = Registry(
    "strategies",
    {
        "excerpt": "secateur.strategies.excerpt:Excerpt",
        "reduce_output": "secateur.strategies.reduce_output:ReduceOutput",
        "deduplicate": "secateur.strategies.deduplicate:Deduplicate",
        "supersede": "secateur.strategies.supersede:Supersede",
        "condense": "secateur.strategies.condense:Condense",
        "soft_trim": "secateur.strategies.soft_trim:SoftTrim",
        "hard_clear": "secateur.strategies.hard_clear:HardClear",
        "clear_media": "secateur.strategies.clear_media:ClearMedia",
        "clear_inputs": "secateur.strategies.clear_inputs:ClearInputs",
        "drop_reasoning": "secateur.strategies.drop_reasoning:DropReasoning",
    },
    make_subclass_check(Strategy),
)


def is_partial(name: str) -> bool:
    """Whether a result that this strategy edited may still be cleared as a whole (SEEDS S.7)."""
    strategy = _get_built_in(name) if name in STRATEGIES.built_in else STRATEGIES.get_or_warn(name)
    return strategy is not None and strategy.is_partial


@cache
def _get_built_in(name: str) -> type[Strategy] | None:
    return STRATEGIES.get(name)


def is_final(budget: Budget, part: Part) -> bool:
    """Whether the part was edited for good.

    An excerpt that arrived in the history itself is final: its original text is not available.
    """
    return part.key in budget.own_keys or (part.key in budget.edited_by and not is_partial(budget.edited_by[part.key]))
