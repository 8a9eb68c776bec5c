"""Why a policy decided when it did, in words and one table: when, why, what it cost then, what it saved since.

Rule: the figures are those of the account, which adds up to the difference of the two bills; the reasons are the
policy's own words. Request numbers count from 1, as people do.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from secateur.cli import tables
from secateur.cli.figures import many, money, tokens
from secateur.cli.terminal import harmless
from secateur.simulate.account import Account, Event

if TYPE_CHECKING:
    from secateur.simulate.compare import Standing

_FREED = re.compile(r"^[\d,]+ tokens come free: |: [\d,]+ tokens come free$")  # stands in a column of its own
_MOST = 6  # epochs in the table: more do not fit one screen


def explained(one: "Standing", base: "Standing", account: Account) -> list[Any]:
    """Blocks for the terminal."""
    money_of = one.run.price.dollars
    events = [event for event in account.events if not event.birth]
    blocks: list[Any] = [*words(one, base, account)]
    if events:
        shown = sorted(sorted(events, key=lambda event: -abs(event.saved - event.cost))[:_MOST], key=_when)
        head = (">request", "cache", ">freed", ">cost then", ">saved since", "why")
        rows = [_row(event, money_of, one.name) for event in shown]
        title = f"Why {one.name} edited when it did" + (
            f" (the {_MOST} that mattered most)" if len(events) > _MOST else ""
        )
        blocks.append(tables.listed(rows, title, head))
    return blocks


def words(one: "Standing", base: "Standing", account: Account) -> list[str]:
    """The outcome, then what was done when nobody saw it, and why nothing was done the rest of the time."""
    found = [_outcome(one, base, account)]
    births = [event for event in account.events if event.birth]
    if births:
        freed, saved = sum(one.freed for one in births), one.run.price.dollars(sum(one.saved for one in births))
        found.append(
            f"{many(len(births), 'time')} what was new became an excerpt before it was cached, at no cost:"
            f" {tokens(freed)} tokens, {money(max(0.0, saved))} saved since."
        )
    if account.waits:
        wait = account.waits[0]
        times = many(wait.requests, "request")
        found.append(f"What most often held it back, {times}, the last {wait.last + 1}: {harmless(wait.why)}.")
    return found


def _outcome(one: "Standing", base: "Standing", account: Account) -> str:
    dollars = one.run.price.dollars
    less = dollars(base.run.bill.units - one.run.bill.units)
    if not account.events:
        return f"{one.name} edited nothing: it costs what it cost."
    cost, saved = sum(event.cost for event in account.events), sum(event.saved for event in account.events)
    against = f"{money(less)} less" if less >= 0 else f"{money(-less)} more"
    lost = len(one.score.lost)
    text = (
        f"{one.name}: {many(len(account.events), 'epoch')} cost {_paid(dollars(cost))} in broken cache and saved"
        f" {_paid(dollars(saved))}: {against} than unpruned."
    )
    if not lost:
        return f"{text} Nothing went that a later call needed."
    again = dollars(one.refetched - one.run.bill.units)
    return f"{text} {many(lost, 'time')} a call needed what had gone; to fetch it again would cost {money(again)}."


def _row(event: Event, dollars: Any, policy: str) -> Sequence[str]:
    why = _FREED.sub("", event.why.removeprefix(f"{policy}: ")).removesuffix(", in tokens of input")
    return (
        f"{event.number + 1:,}",
        "cold" if event.cold else "warm" if event.lost else "",
        tokens(event.freed),
        _paid(dollars(event.cost)),
        _paid(dollars(event.saved)),
        harmless(why),
    )


def _paid(dollars: float) -> str:
    if abs(dollars) < 5e-5:
        return "$0"
    return money(dollars) if dollars > 0 else f"−{money(-dollars)}"


def _when(event: Event) -> int:
    return event.number
