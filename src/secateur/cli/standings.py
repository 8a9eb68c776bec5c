"""Policies side by side as lines of figures: of one session, or of several summed up; for tables, CSV and JSON.

Rule: sums of dollars and tokens; shares of sums, never means of shares. What cannot be summed up (a peak) is the
largest. Numbers are not rounded here.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from secateur.cli.figures import money, short

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
    intact: float  # of requests, with all that they needed
    dollars_refetched: float  # the bill with everything fetched again that was lost and needed
    share_refetched: float
    best_dollars: float | None  # the cheapest schedule of what this policy lets go
    ratio: float | None  # the bill over that
    references: int  # hard ones: what `recall` is a share of


def lines(found: Sequence["Comparison"]) -> list[Line]:
    """One line for each policy, the unpruned one first, over all sessions."""
    whole = sum(one.base.run.bill.dollars for one in found)
    return [_line(rows, whole) for rows in zip(*(one.all for one in found), strict=True)]


def drawn(rows: Sequence[Line], shown: str = "") -> Any:
    """The lines as a table that 80 columns hold; the policy that is explained stands out."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=0, header_style="dim")
    table.add_column("policy", no_wrap=True)
    for name in ("sent", "peak", "bill", "", "busts", "recall", "intact", "refetch", "×best"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        style = "bold" if row.policy == shown else "dim" if row in (rows[0], rows[-1]) else ""
        table.add_row(*map(Text, _cells(row)), style=style)
    return table


def _line(rows: Sequence["Standing"], whole: float) -> Line:
    bills = [one.run.bill for one in rows]
    paid = sum(one.dollars for one in bills)
    again = sum(one.run.price.dollars(one.refetched) for one in rows)
    best = [one.run.price.dollars(one.best) for one in rows if one.best is not None]
    references = sum(one.score.references for one in rows)
    requests = sum(one.score.requests for one in rows)
    return Line(
        policy=rows[0].name,
        sessions=len(rows),
        requests=sum(one.requests for one in bills),
        tokens_sent=sum(one.sent for one in bills),
        tokens_peak=max(one.peak for one in bills),
        dollars=paid,
        share=paid / whole if whole else 1.0,
        busts=sum(one.busts for one in bills),
        epochs=sum(one.epochs for one in bills),
        recall=_mean(((one.score.hard, one.score.references) for one in rows), references),
        intact=_mean(((one.score.intact, one.score.requests) for one in rows), requests),
        dollars_refetched=again,
        share_refetched=again / whole if whole else 1.0,
        best_dollars=sum(best) if best else None,
        ratio=paid / sum(best) if best and sum(best) else None,
        references=references,
    )


def _mean(weighed: Iterable[tuple[float, int]], whole: int) -> float:
    return sum(value * weight for value, weight in weighed) / whole if whole else 1.0


def _cells(row: Line) -> tuple[str, ...]:
    return (
        row.policy,
        short(row.tokens_sent),
        short(row.tokens_peak),
        money(row.dollars),
        change(row.share),
        f"{row.busts:,}",
        share(row.recall),
        share(row.intact),
        money(row.dollars_refetched),
        f"{row.ratio:.2f}" if row.ratio is not None else "",
    )


def change(share_: float) -> str:
    """How a bill differs from the unpruned one."""
    return "" if abs(share_ - 1) < 0.0005 else f"{100 * (share_ - 1):+.1f}%".replace("-", "−")


def share(value: float) -> str:
    """A share with one digit, where it is not whole."""
    return f"{100 * value:.0f}%" if value in (0, 1) else f"{min(100 * value, 99.9):.1f}%"
