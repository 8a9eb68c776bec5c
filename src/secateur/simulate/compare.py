"""Policies side by side on one recorded session: what each would have sent, cost and lost, and how far from the best.

    found = compared(recording, ["balance", "opencode"], terms)
    found.standings[0].run.bill.dollars, found.standings[0].score.hard, found.standings[0].vs_optimal

Rule: no figure stands alone. A bill comes with what was lost for it, and with what it would cost to have that again;
the session as it was stands first, the best schedules last. The agent is assumed to act as it did.
"""

from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur.policy import Policy, load
from secateur.simulate.bill import sum_bill
from secateur.simulate.eligible import build_session_arrays
from secateur.simulate.foresight import Terms, find_best_schedule, list_unreferenced
from secateur.simulate.oracle import find_optimum
from secateur.simulate.recall import Recall, Score, compare_views, compute_refetch_cost, recall_of
from secateur.simulate.requests import Recording
from secateur.simulate.run import Run, simulate
from secateur.simulate.session_arrays import lower_bound

UNPRUNED, LOSSLESS = "unpruned", "lossless oracle"


class PolicyResult(Struct, frozen=True):
    """One policy on one session. Costs are in units: tokens of plain input that cost as much."""

    name: str
    run: Run
    score: Score
    refetched: float  # its bill, and what it would cost to have everything again that was lost and needed
    best: float | None = None  # the cheapest schedule of this policy's removals (O1); None: not requested
    least: float | None = None  # what no schedule of that can be below: it goes the moment it may, and breaks no cache

    @property
    def vs_optimal(self) -> float | None:
        """Its bill relative to the best one with the same removals; below 1 if it does what the oracle cannot."""
        return self.run.bill.units / self.best if self.best else None

    @property
    def regret_ratio(self) -> float | None:
        """The same on what a schedule can change: both bills less `least`. None where that is next to nothing."""
        return compare_to_bound(self.run.bill.units, self.best, self.least)


def compare_to_bound(bill: float, best: float | None, least: float | None) -> float | None:
    """A bill's excess over the lower bound, as a multiple of the best one's; None if the best has none."""
    if best is None or least is None or best - least <= 1e-9 * bill:
        return None
    return (bill - least) / (best - least)


class Comparison(Struct, frozen=True):
    """All of one session. `base` is the session as it was, `lossless` the cheapest without a lost reference (O4)."""

    recording: Recording
    terms: Terms
    base: PolicyResult
    standings: tuple[PolicyResult, ...]  # in the order in which the policies were given
    lossless: PolicyResult
    recall: Recall  # what the session refers to

    @property
    def all(self) -> tuple[PolicyResult, ...]:
        """All rows."""
        return (self.base, *self.standings, self.lossless)


class Play(Struct, frozen=True, kw_only=True):
    """How policies are simulated, and which requests count."""

    window: int | None = None  # tokens; None: the model's
    best: bool = True  # also the policies' own oracles, which take half of the time
    since: int = 0  # figures are those of the requests from this number on; what is before is played all the same
    begun: Callable[[str], None] | None = None  # called with each policy's name when it begins


_ALL = Play()


def compare_policies(recording: Recording, policies: Iterable[Any], terms: Terms, play: Play = _ALL) -> Comparison:
    """Compare policies on a recording. Raises ConfigError for a policy that cannot be loaded."""
    recall = recall_of(recording)
    stand = _Stand(recording, recall, play.since)
    base = simulate(recording, None, terms.price, caching=terms.caching)
    found = []
    for policy in map(load, policies):
        _begin(play, policy.name)
        run = simulate(recording, policy, terms.price, caching=terms.caching, window=play.window)
        found.append(
            stand.score_run(policy.name, run, *(_find_best(recording, policy, terms, play.window) if play.best else ()))
        )
    _begin(play, LOSSLESS)
    lossless = find_best_schedule(recording, list_unreferenced(recording, recall), terms, LOSSLESS)
    least = stand.score_run(LOSSLESS, lossless.run, lossless.units, lossless.least)
    return Comparison(recording, terms, stand.score_run(UNPRUNED, base), tuple(found), least, recall)


def _begin(play: Play, name: str) -> None:
    if play.begun is not None:
        play.begun(name)


def _find_best(recording: Recording, policy: Policy, terms: Terms, window: int | None) -> tuple[float, float]:
    """The cost of the cheapest schedule for a policy's removals, and the lower bound of any."""
    found = build_session_arrays(recording, policy, terms, window=window)
    return sum(find_optimum(one).cost for one in found), sum(map(lower_bound, found))


class _Stand(Struct, frozen=True):
    recording: Recording
    recall: Recall
    since: int

    def score_run(self, name: str, run: Run, best: float | None = None, least: float | None = None) -> PolicyResult:
        """A run with what it lost."""
        views = _collect_held(self.recording, run) if self.recording.requests else ()
        score = self.recall.score(views, self.since)
        rates, prompts = run.price.base, [row.prompt for row in run.rows]
        write = rates.w_1h if run.caching.hour else rates.w
        again = compute_refetch_cost(score.lost, prompts, r=rates.r, w=write, o=rates.o)
        counted = _from(run, self.since) if self.since else run
        return PolicyResult(name, counted, score, counted.bill.units + again, best, least)


def _from(run: Run, since: int) -> Run:
    rows = run.rows[since:]
    return replace(run, turns=run.turns[since:], rows=rows, bill=sum_bill(rows, run.price))


def _collect_held(recording: Recording, run: Run) -> Any:
    return compare_views((recording.get_context(turn.request), turn.seen) for turn in run.turns)
