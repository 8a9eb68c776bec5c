"""Recorded sessions replayed under policies, and the policies compared by cost and loss: for tables, CSV and JSON.

Rule: a file that cannot be read ends the command; so does a model without a price, by name. Each conversation in a file
is a session of its own. Dollars and tokens are added up; shares are shares of sums, never means of shares. A peak is
the largest. Numbers are not rounded here.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from secateur.cli.exit_codes import UsageError
from secateur.cli.inputs import explain_unreadable, read_source
from secateur.cli.output import tables
from secateur.cli.output.formatting import abbreviate_short, format_change, format_dollar_cell, format_share
from secateur.cli.pricing_options import PricingChoice, SessionPricing, resolve_pricing
from secateur.errors import FormatError
from secateur.policy import Policy, load, with_target_tokens
from secateur.simulate.requests import Recording, read_recording
from secateur.simulate.several import split_conversations

if TYPE_CHECKING:
    from secateur.simulate.compare import Comparison, PolicyResult


_HEAD = (
    *("policy", ">tokens\nsent", ">peak", ">cost", ">", ">cache\nbreaks", ">recall", ">recall\nechoed", ">com-\nplete"),
    *(">cost +\nrefetch", ">vs\nopt."),
)


class PolicyBill(Struct, frozen=True, kw_only=True):
    """One policy over one session or several. Shares are of the unpruned cost, or from 0 to 1."""

    policy: str
    sessions: int
    requests: int
    tokens_sent: int
    tokens_peak: int
    dollars: float
    share: float
    cache_breaks: int  # requests that could not read all of a live cache
    epochs: int
    recall_hard: float  # of hard references, visible
    recall_soft: float  # of the others: an earlier call or a text shows them too
    complete_requests: float  # of requests, with all that they needed
    dollars_with_refetch: float  # the bill with everything fetched again that was lost and needed
    share_refetched: float
    optimal_dollars: float | None  # the cheapest schedule of this policy's removals
    vs_optimal: float | None  # the bill over that
    lower_bound_dollars: float | None  # what no schedule of that is below
    regret_ratio: float | None  # how many times as far above `lower_bound_dollars` the bill is as `optimal_dollars`
    references: int  # hard ones: what `recall` is a share of
    references_soft: int


LEAST_RECALL = 0.95  # of a policy that is recommended: what forgets more is not compared by its cost


class Recommendation(Struct, frozen=True):
    """The policy that these sessions speak for, and why in one sentence."""

    policy: str
    reason: str


def choose_policy(rows: Sequence[PolicyBill]) -> Recommendation | None:
    """The policy with the lowest cost, refetching included, of those whose recall is high enough.

    The unpruned session is among them: if nothing is cheaper, nothing is recommended. It is the first row; the last one
    is the lossless optimum, which no policy can reach.
    """
    if len(rows) < 3:
        return None
    unpruned, played = rows[0], rows[1:-1]
    fair = [row for row in played if row.recall_hard >= LEAST_RECALL]
    best = min(fair, key=lambda row: row.dollars_with_refetch, default=None)
    if best is None or best.dollars_with_refetch >= unpruned.dollars:
        return None
    less = 1 - best.dollars_with_refetch / unpruned.dollars
    return Recommendation(
        best.policy,
        f"of the policies with a recall of {LEAST_RECALL:.0%} or more it has the lowest cost with refetching, "
        f"{less:.1%} below the unpruned one",
    )


def list_bills(found: "Comparison") -> list[PolicyBill]:
    """One bill for each policy on one session, the unpruned one first."""
    whole = found.base.run.bill.dollars
    return [_make_bill(one, whole) for one in found.all]


def sum_bills(sessions: Sequence[Sequence[PolicyBill]]) -> list[PolicyBill]:
    """The bills of all sessions together; each session has the same policies in the same order."""
    whole = sum(rows[0].dollars for rows in sessions)
    return [_sum_policy(rows, whole) for rows in zip(*sessions, strict=True)]


def make_bills_table(rows: Sequence[PolicyBill], shown: str = "", chosen: str = "") -> Any:
    """The bills as a table of 80 columns; the policy that is explained is bold, the recommended one has a star."""
    columns = len(_HEAD) - (
        not any(row.vs_optimal for row in rows[1:-1])
    )  # without the policies' own optimal schedules
    ends = (rows[0], rows[-1]) if rows else ()
    styles = ["bold" if row.policy == shown else "dim" if row in ends else "" for row in rows]
    cells = [_make_cells(row, chosen)[:columns] for row in rows]
    if columns == len(_HEAD):
        cells[-1] = (*cells[-1][:-1], "")  # the last is the best schedule itself
    return tables.make_dense_table(cells, _HEAD[:columns], styles)


def _make_bill(standing: "PolicyResult", whole: float) -> PolicyBill:
    bill, dollars, score = standing.run.bill, standing.run.price.to_dollars, standing.score
    again, best = dollars(standing.refetched), dollars(standing.best) if standing.best is not None else None
    least = dollars(standing.least) if standing.least is not None else None
    return PolicyBill(
        policy=standing.name,
        sessions=1,
        requests=bill.requests,
        tokens_sent=bill.sent,
        tokens_peak=bill.peak,
        dollars=bill.dollars,
        share=bill.dollars / whole if whole else 1.0,
        cache_breaks=bill.cache_breaks,
        epochs=bill.epochs,
        recall_hard=score.hard,
        recall_soft=score.soft,
        complete_requests=score.complete_requests,
        dollars_with_refetch=again,
        share_refetched=again / whole if whole else 1.0,
        optimal_dollars=best,
        vs_optimal=bill.dollars / best if best else None,
        lower_bound_dollars=least,
        regret_ratio=_compute_controllable(bill.dollars, best, least),
        references=score.references,
        references_soft=score.references_soft,
    )


def _sum_policy(rows: Sequence[PolicyBill], whole: float) -> PolicyBill:
    paid, again = sum(row.dollars for row in rows), sum(row.dollars_with_refetch for row in rows)
    best = sum(row.optimal_dollars or 0.0 for row in rows) if rows[0].optimal_dollars is not None else None
    least = sum(row.lower_bound_dollars or 0.0 for row in rows) if rows[0].lower_bound_dollars is not None else None
    references, requests = sum(row.references for row in rows), sum(row.requests for row in rows)
    soft = sum(row.references_soft for row in rows)
    return PolicyBill(
        policy=rows[0].policy,
        sessions=len(rows),
        requests=requests,
        tokens_sent=sum(row.tokens_sent for row in rows),
        tokens_peak=max(row.tokens_peak for row in rows),
        dollars=paid,
        share=paid / whole if whole else 1.0,
        cache_breaks=sum(row.cache_breaks for row in rows),
        epochs=sum(row.epochs for row in rows),
        recall_hard=_average(((row.recall_hard, row.references) for row in rows), references),
        recall_soft=_average(((row.recall_soft, row.references_soft) for row in rows), soft),
        complete_requests=_average(((row.complete_requests, row.requests) for row in rows), requests),
        dollars_with_refetch=again,
        share_refetched=again / whole if whole else 1.0,
        optimal_dollars=best,
        vs_optimal=paid / best if best else None,
        lower_bound_dollars=least,
        regret_ratio=_compute_controllable(paid, best, least),
        references=references,
        references_soft=soft,
    )


def _compute_controllable(paid: float, best: float | None, least: float | None) -> float | None:
    from secateur.simulate.compare import compare_to_bound  # numpy comes with it, and who has lines has loaded it

    return compare_to_bound(paid, best, least)


def _average(weighed: Iterable[tuple[float, int]], whole: int) -> float:
    return sum(value * weight for value, weight in weighed) / whole if whole else 1.0


def _make_cells(row: PolicyBill, chosen: str = "") -> tuple[str, ...]:
    return (
        row.policy + (" *" if row.policy == chosen else ""),
        abbreviate_short(row.tokens_sent),
        abbreviate_short(row.tokens_peak),
        _format_dollars(row.dollars),
        format_change(row.share),
        f"{row.cache_breaks:,}",
        format_share(row.recall_hard),
        format_share(row.recall_soft),
        format_share(row.complete_requests),
        _format_dollars(row.dollars_with_refetch),
        f"{row.vs_optimal:.2f}" if row.vs_optimal is not None else "",
    )


def _format_dollars(dollars: float) -> str:
    return f"${dollars:,.0f}" if dollars >= 100 else format_dollar_cell(dollars)


class PlayOptions(Struct, frozen=True, kw_only=True):
    """How files are read and priced, and which policies are simulated."""

    priced: PricingChoice
    policies: tuple[str, ...]
    window: int | None = None
    target_tokens: int | None = None  # None: the policy's own
    format_name: str | None = None
    fixed_tokens: int = 0
    ignore_host_compactions: bool = False
    compact: bool = True  # where a policy does; False: it only prunes

    def load_policy(self, name: str) -> Policy:
        """Load a policy as it is replayed."""
        made = with_target_tokens(load(name), self.target_tokens)
        return made if self.compact else replace(made, compaction=None)


class PlayedSession(Struct, frozen=True):
    """One session, replayed under each policy."""

    asked: str  # the model that was asked for; "" is the session's own
    label: str
    terms: SessionPricing
    comparison: "Comparison"


def play_file(file: str, settings: PlayOptions, rename: Callable[[str], None]) -> Iterator[PlayedSession]:
    """Replay each conversation of a file. Raises UnreadableInput, or UsageError without a request or a price."""
    from secateur.simulate.compare import Play, compare_policies
    from secateur.simulate.foresight import Terms as Yardstick

    for label, recording in _read_recordings(file, settings):
        terms = resolve_pricing(recording, settings.priced, label)
        yardstick = Yardstick(terms.price, terms.caching)
        play = Play(window=settings.window, begun=partial(_report_progress, rename, label))
        comparison = compare_policies(recording, map(settings.load_policy, settings.policies), yardstick, play)
        yield PlayedSession(settings.priced.model, label, terms, comparison)


def _report_progress(rename: Callable[[str], None], label: str, policy: str) -> None:
    rename(f"replaying {Path(label).name} under {policy}")


def _read_recordings(file: str, settings: PlayOptions) -> list[tuple[str, Recording]]:
    source = read_source(file)
    try:
        recordings = [_record(document, settings) for document in _split_documents(source.data, settings)]
    except FormatError as error:
        raise explain_unreadable(source, error) from error
    answered = [recording for recording in recordings if recording.requests]
    if not answered:
        raise UsageError(f"{source.label}: it has no model request, so there is no cost")
    several = len(answered) > 1
    return [
        (f"{source.label} ({at})" if several else source.label, recording) for at, recording in enumerate(answered, 1)
    ]


def _split_documents(data: bytes, settings: PlayOptions) -> list[Any]:
    return [data] if settings.format_name else list(split_conversations(data))


def _record(document: Any, settings: PlayOptions) -> Recording:
    return read_recording(
        document,
        format=settings.format_name,
        model=settings.priced.model,
        fixed_tokens=settings.fixed_tokens or None,
        compactions=not settings.ignore_host_compactions,
    )
