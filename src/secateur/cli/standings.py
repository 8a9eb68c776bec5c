"""Policies side by side as lines of figures: of one session, or of several summed up; for tables, CSV and JSON.

Rule: sums of dollars and tokens; shares of sums, never means of shares. What cannot be summed up (a peak) is the
largest. Numbers are not rounded here.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from secateur.cli import tables
from secateur.cli.figures import cell, shorter

if TYPE_CHECKING:
    from secateur.simulate.compare import Comparison, Standing


class Line(Struct, frozen=True, kw_only=True):
    """One policy over one session or several. Shares are of the unpruned bill, or from 0 to 1."""

    policy: str
    sessions: int
    requests: int
    tokens_sent: int
    tokens_peak: int
    dollars: float
    share: float
    busts: int  # requests that could not read all of a live cache
    epochs: int
    recall: float  # of hard references, visible
    recall_soft: float  # of the others: an earlier call or a text shows them too
    intact: float  # of requests, with all that they needed
    dollars_refetched: float  # the bill with everything fetched again that was lost and needed
    share_refetched: float
    best_dollars: float | None  # the cheapest schedule of what this policy lets go
    ratio: float | None  # the bill over that
    least_dollars: float | None  # what no schedule of that is below
    controllable: float | None  # how many times as far above `least_dollars` the bill is as `best_dollars`
    references: int  # hard ones: what `recall` is a share of
    references_soft: int


def lines(found: "Comparison") -> list[Line]:
    """One line for each policy on one session, the unpruned one first."""
    whole = found.base.run.bill.dollars
    return [_line(one, whole) for one in found.all]


def summed(sessions: Sequence[Sequence[Line]]) -> list[Line]:
    """The lines of all sessions together; each session has the same policies in the same order."""
    whole = sum(rows[0].dollars for rows in sessions)
    return [_sum(rows, whole) for rows in zip(*sessions, strict=True)]


def drawn(rows: Sequence[Line], shown: str = "") -> Any:
    """The lines as a table that 80 columns hold; the policy that is explained stands out."""
    head = ("policy", ">sent", ">peak", ">bill", ">", ">busts", ">hard", ">soft", ">intact", ">refetch", ">×best")
    columns = len(head) - (not any(row.ratio for row in rows[1:-1]))  # nobody asked for the policies' own oracles
    ends = (rows[0], rows[-1]) if rows else ()
    styles = ["bold" if row.policy == shown else "dim" if row in ends else "" for row in rows]
    cells = [_cells(row)[:columns] for row in rows]
    if columns == len(head):
        cells[-1] = (*cells[-1][:-1], "")  # the last is the best schedule itself
    return tables.narrow(cells, head[:columns], styles)


def _line(one: "Standing", whole: float) -> Line:
    bill, dollars, score = one.run.bill, one.run.price.dollars, one.score
    again, best = dollars(one.refetched), dollars(one.best) if one.best is not None else None
    least = dollars(one.least) if one.least is not None else None
    return Line(
        policy=one.name,
        sessions=1,
        requests=bill.requests,
        tokens_sent=bill.sent,
        tokens_peak=bill.peak,
        dollars=bill.dollars,
        share=bill.dollars / whole if whole else 1.0,
        busts=bill.busts,
        epochs=bill.epochs,
        recall=score.hard,
        recall_soft=score.soft,
        intact=score.intact,
        dollars_refetched=again,
        share_refetched=again / whole if whole else 1.0,
        best_dollars=best,
        ratio=bill.dollars / best if best else None,
        least_dollars=least,
        controllable=_above(bill.dollars, best, least),
        references=score.references,
        references_soft=score.references_soft,
    )


def _sum(rows: Sequence[Line], whole: float) -> Line:
    paid, again = sum(row.dollars for row in rows), sum(row.dollars_refetched for row in rows)
    best = sum(row.best_dollars or 0.0 for row in rows) if rows[0].best_dollars is not None else None
    least = sum(row.least_dollars or 0.0 for row in rows) if rows[0].least_dollars is not None else None
    references, requests = sum(row.references for row in rows), sum(row.requests for row in rows)
    soft = sum(row.references_soft for row in rows)
    return Line(
        policy=rows[0].policy,
        sessions=len(rows),
        requests=requests,
        tokens_sent=sum(row.tokens_sent for row in rows),
        tokens_peak=max(row.tokens_peak for row in rows),
        dollars=paid,
        share=paid / whole if whole else 1.0,
        busts=sum(row.busts for row in rows),
        epochs=sum(row.epochs for row in rows),
        recall=_mean(((row.recall, row.references) for row in rows), references),
        recall_soft=_mean(((row.recall_soft, row.references_soft) for row in rows), soft),
        intact=_mean(((row.intact, row.requests) for row in rows), requests),
        dollars_refetched=again,
        share_refetched=again / whole if whole else 1.0,
        best_dollars=best,
        ratio=paid / best if best else None,
        least_dollars=least,
        controllable=_above(paid, best, least),
        references=references,
        references_soft=soft,
    )


def _above(paid: float, best: float | None, least: float | None) -> float | None:
    from secateur.simulate.compare import above  # numpy comes with it, and who has lines has loaded it

    return above(paid, best, least)


def _mean(weighed: Iterable[tuple[float, int]], whole: int) -> float:
    return sum(value * weight for value, weight in weighed) / whole if whole else 1.0


def _cells(row: Line) -> tuple[str, ...]:
    return (
        row.policy,
        shorter(row.tokens_sent),
        shorter(row.tokens_peak),
        _dollars(row.dollars),
        change(row.share),
        f"{row.busts:,}",
        share(row.recall),
        share(row.recall_soft),
        share(row.intact),
        _dollars(row.dollars_refetched),
        f"{row.ratio:.2f}" if row.ratio is not None else "",
    )


def _dollars(dollars: float) -> str:
    return f"${dollars:,.0f}" if dollars >= 100 else cell(dollars)


def change(share_: float) -> str:
    """How a bill differs from the unpruned one; a digit more where it is little."""
    more = 100 * (share_ - 1)
    return "" if abs(more) < 0.05 else f"{more:+.{1 if abs(more) < 9.95 else 0}f}%".replace("-", "−")


def share(value: float) -> str:
    """A share with one digit, where it is not whole."""
    return f"{100 * value:.0f}%" if value in (0, 1) else f"{min(100 * value, 99.9):.1f}%"
