"""Future reference recall: how much of what the recorded agent went on to use was still there; and recall against cost.

    points = [Point(0.49, 0.99), Point(0.44, 0.95)]    # one for each setting, or policy
    frontier(points), area(points)
    interval([0.98, 0.99, 0.9], seed=1)

Rule: it is a share of references, not of successes: the recording shows what an agent with its whole context used, and
a pruned one may read again or act differently. So losses are listed with a price (`compute_refetch_cost`), and near
references, which any policy keeps, are shown apart from far ones. An edited part keeps its key and has another text; a
text that names a handle says where the original can be read. Every session counts alike, since in sums the long ones
outvote the others, and intervals come from drawing sessions, because requests of one session depend on each other.
"""

from collections.abc import Callable, Iterable, Sequence
from math import log
from random import Random
from statistics import fmean

from msgspec import Struct

from secateur.identifiers import Kind
from secateur.lineage import handle_of
from secateur.model import Message
from secateur.simulate.recall.outcomes import Outcome, ViewState

STRATA = ((1, 5), (6, 20), (21, 50), (51, 0))  # results back, first and last; 0: without end
BY_KIND: dict[Kind, float] = {"line": 2.0, "path": 1.5, "id": 1.5, "error": 1.5, "number": 0.5}  # others 1
CALL_TOKENS = 60  # a call that fetches a lost result again, and its frame (economics of one tool call)

DRAWS = 2_000  # of sessions, with replacement
SURE = 0.95


class LostReference(Struct, frozen=True, order=True):
    """One request lost what one result had shown it last."""

    request: int
    key: str
    tokens: int  # of that result


class Stratum(Struct, frozen=True):
    """Hard references whose newest provider is this many results back."""

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
    complete_requests: float  # of requests whose hard references are all visible
    complete_referring: float  # the same of those requests that have any
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
        complete_requests=_compute_rest(broken, requests),
        complete_referring=_compute_rest(broken, len({one.request for one in hard})),
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


def compare_views(views: Iterable[tuple[Sequence[Message], Sequence[Message]]]) -> list[ViewState]:
    """A `ViewState` for each pair of a request's history and the view sent in its place."""
    found: list[ViewState] = []
    last: tuple[Sequence[Message], Sequence[Message]] = ((), ())
    for history, seen in views:
        if found and _is_continued(last, (history, seen)):
            found.append(found[-1])
        else:
            found.append(_compare_view(history, seen))
        last = (history, seen)
    return found


def _is_continued(
    last: tuple[Sequence[Message], Sequence[Message]], now: tuple[Sequence[Message], Sequence[Message]]
) -> bool:
    """Whether both grew by the same messages and nothing else."""
    grew = [len(new) - len(old) for old, new in zip(last, now, strict=True)]
    if grew[0] != grew[1] or grew[0] < 0:
        return False
    tails = [new[len(old) :] for old, new in zip(last, now, strict=True)]
    return _is_same_prefix(*tails) and all(_is_same_prefix(old, new) for old, new in zip(last, now, strict=True))


def _is_same_prefix(some: Sequence[Message], others: Sequence[Message]) -> bool:
    """Whether the shorter one is a prefix of the longer, object by object."""
    return all(one is other for one, other in zip(some, others, strict=False))


def _compare_view(history: Sequence[Message], seen: Sequence[Message]) -> ViewState:
    kept = set(map(id, seen))
    was = {part.key: part.text for message in history if id(message) not in kept for part in message.parts}
    known = set(map(id, history))
    now = {part.key: part.text for message in seen if id(message) not in known for part in message.parts}
    changed = {key: now.get(key, "") for key, text in was.items() if now.get(key) != text}
    added = tuple(text for key, text in now.items() if key not in was and text)
    handles = frozenset(key for key, text in changed.items() if text and handle_of(was[key]) in text)
    return ViewState(changed, added, handles)


class Point(Struct, frozen=True, order=True):
    """One setting: what it costs, as a share of the unpruned bill, and what it keeps."""

    cost: float
    recall: float


class Interval(Struct, frozen=True):
    """A mean over sessions, and where it lies in 95 of 100 draws of as many sessions."""

    mean: float
    low: float
    high: float
    sessions: int


UNPRUNED = Point(1.0, 1.0)  # to do nothing is always possible


def find_frontier(points: Iterable[Point]) -> list[Point]:
    """The points not dominated on both counts, cheapest first; doing nothing is one of the candidates."""
    found: list[Point] = []
    for one in sorted([*points, UNPRUNED], key=lambda point: (point.cost, -point.recall)):
        if not found or one.recall > found[-1].recall:
            found.append(one)
    return found


def compute_area(points: Iterable[Point]) -> float:
    """Recall kept, integrated over costs from nothing to the unpruned bill: 0 to 1, more is better.

    At each cost the best recall counts that some point has for no more; below the cheapest one there is none. So a
    policy that keeps everything at half the bill has 0.5, and so has one that costs nothing and keeps half.
    """
    best = [one for one in find_frontier(points) if one.cost < 1.0]
    ends = [one.cost for one in best[1:]] + [1.0] * bool(best)
    return sum(one.recall * (end - one.cost) for one, end in zip(best, ends, strict=True))


def compute_interval(values: Sequence[float], *, seed: int = 0, draws: int = DRAWS) -> Interval:
    """The mean of one figure per session, and its interval under resampling of sessions.

    The same values and seed give the same interval. Raises ValueError without a session.
    """
    if not values:
        raise ValueError("the mean of no sessions is undefined: give at least one")
    chance = Random(seed)
    means = sorted(fmean(chance.choices(values, k=len(values))) for _ in range(draws))
    out = round((1 - SURE) / 2 * draws)
    return Interval(fmean(values), means[out], means[-1 - out], len(values))
