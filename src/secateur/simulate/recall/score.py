"""Future reference recall: how much of what the recorded agent went on to use was still there to be used.

Rule: it never stands alone. It is a share of references, not of successes: the recording shows what an agent with its
whole context used, and one that was pruned may read again or do otherwise. So what was lost is listed, for a price
(`compute_refetch_cost`), and near references, which any policy keeps, are shown apart from far ones.
"""

from collections.abc import Callable, Iterable, Sequence
from math import log

from msgspec import Struct

from secateur.identifiers import Kind
from secateur.simulate.recall.outcomes import Outcome

STRATA = ((1, 5), (6, 20), (21, 50), (51, 0))  # results back, first and last; 0: without end
BY_KIND: dict[Kind, float] = {"line": 2.0, "path": 1.5, "id": 1.5, "error": 1.5, "number": 0.5}  # others 1
CALL_TOKENS = 60  # a call that fetches a lost result again, and its frame (economics of one tool call)


class LostReference(Struct, frozen=True, order=True):
    """One request lost what one result had shown it last."""

    request: int
    key: str
    tokens: int  # of that result


class Stratum(Struct, frozen=True):
    """Hard references whose newest provider stands so many results back."""

    nearest: int
    farthest: int  # 0: without end
    references: int
    recall: float


class Score(Struct, frozen=True, kw_only=True):
    """Shares from 0 to 1; 1 where there was nothing to lose."""

    hard: float  # of hard references visible; the primary figure
    soft: float
    all: float
    retrieval: float  # of hard references visible, or recoverable by what the view says
    intact: float  # of requests whose hard references are all visible
    intact_referring: float  # the same of those requests that have any
    pairs: float  # of pairs (request, newest provider) with no hard reference lost
    stale: float  # of hard references visible only in an outdated read
    spoken: float  # of hard references in the answers' text
    by_rarity: float  # hard, each weighted by the logarithm of how rare its identifier is
    by_request: float  # hard, each request with the same weight
    by_kind: float  # hard, lines and facts weighing more than symbols, numbers less
    strata: tuple[Stratum, ...]
    references: int  # hard
    references_soft: int
    requests: int
    lost: tuple[LostReference, ...]


Weight = Callable[[Outcome], float]


def score(found: Iterable[Outcome], requests: int) -> Score:
    """The figures of a session of so many requests under one policy, from its `outcomes`."""
    every = list(found)
    called = [one for one in every if not one.spoken]
    hard = [one for one in called if one.hard]
    lost = {LostReference(one.request, one.key, one.tokens) for one in hard if not one.visible}
    broken = len({one.request for one in lost})
    return Score(
        hard=_compute_share(hard, _weigh_equally),
        soft=_compute_share([one for one in called if not one.hard], _weigh_equally),
        all=_compute_share(called, _weigh_equally),
        retrieval=_average_flags([one.visible or one.recoverable for one in hard]),
        intact=_compute_rest(broken, requests),
        intact_referring=_compute_rest(broken, len({one.request for one in hard})),
        pairs=_compute_rest(len(lost), len({(one.request, one.key) for one in hard})),
        stale=1 - _average_flags([not one.stale for one in hard]),
        spoken=_compute_share([one for one in every if one.spoken and one.hard], _weigh_equally),
        by_rarity=_compute_share(hard, lambda one: -log(one.rarity)),
        by_request=_compute_share(hard, _weigh_by_request(hard)),
        by_kind=_compute_share(hard, lambda one: BY_KIND.get(one.kind, 1.0)),
        strata=tuple(_build_stratum(hard, first, last) for first, last in STRATA),
        references=len(hard),
        references_soft=len(called) - len(hard),
        requests=requests,
        lost=tuple(sorted(lost)),
    )


def compute_refetch_cost(
    lost: Iterable[LostReference], prompts: Sequence[int], *, r: float, w: float, o: float
) -> float:
    """The cost of fetching every lost result again, once for each request that missed it.

    Each takes one more request that reads the prompt, says a call and writes the result. `prompts` are the tokens of
    each request's view; prices are in units of the base input price, as is what comes back.
    """
    return sum(r * prompts[one.request] + o * CALL_TOKENS + w * (one.tokens + CALL_TOKENS) for one in lost)


def _weigh_equally(_: Outcome) -> float:
    return 1.0


def _weigh_by_request(hard: Sequence[Outcome]) -> Weight:
    counts: dict[int, int] = {}
    for one in hard:
        counts[one.request] = counts.get(one.request, 0) + 1
    return lambda one: 1 / counts[one.request]


def _compute_share(found: Sequence[Outcome], weight: Weight) -> float:
    weights = [weight(one) for one in found]
    whole = sum(weights)
    return sum(one for one, outcome in zip(weights, found, strict=True) if outcome.visible) / whole if whole else 1.0


def _average_flags(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags) if flags else 1.0


def _compute_rest(bad: int, whole: int) -> float:
    return 1 - bad / whole if whole else 1.0


def _build_stratum(hard: Sequence[Outcome], first: int, last: int) -> Stratum:
    inside = [one for one in hard if first <= one.distance <= (last or one.distance)]
    return Stratum(first, last, len(inside), _compute_share(inside, _weigh_equally))
