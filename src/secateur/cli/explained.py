"""Why a policy decided when it did, in words and one table: when, what it had paid, what it cost then, saved since.

Rule: the figures are those of the account, which adds up to the difference of the two bills; the reasons are the
policy's own words. Request numbers count from 1, as people do. The table tells of every request, the waits too.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from secateur.cli import tables
from secateur.cli.figures import many, money, shorter
from secateur.cli.terminal import harmless
from secateur.simulate.account import Account
from secateur.simulate.story import EDITS, Chapter, story, told

if TYPE_CHECKING:
    from secateur.simulate.compare import Standing


def explained(one: "Standing", base: "Standing", account: Account) -> list[Any]:
    """Blocks for the terminal."""
    dollars = one.run.price.dollars
    rows = [_row(chapter, dollars, one.name) for chapter in story(one.run, account)]
    if not rows:
        return [outcome(one, base, account)]
    title = f"Why {one.name} decided when it did (a million tokens of input: {money(dollars(1e6))})"
    head = (">requests", ">freed", ">cost", ">saved", "", "why")
    styles = ["" if row[-1].startswith(EDITS) else "dim" for row in rows]
    return [outcome(one, base, account), "", title, tables.narrow(rows, head, styles, fold=True)]


def words(one: "Standing", base: "Standing", account: Account) -> list[str]:
    """For a picture: the outcome, what was done at birth, and what most often held the policy back."""
    found = [outcome(one, base, account)]
    births = [event for event in account.events if event.birth]
    if births:
        freed, saved = sum(one.freed for one in births), one.run.price.dollars(sum(one.saved for one in births))
        found.append(
            f"{many(len(births), 'time')} what was new became an excerpt before it was cached, at no cost:"
            f" {freed:,} tokens, {money(max(0.0, saved))} saved since."
        )
    if account.waits:
        wait = account.waits[0]
        times = many(wait.requests, "request")
        found.append(f"What most often held it back, {times}, the last {wait.last + 1}: {harmless(wait.why)}.")
    return found


def outcome(one: "Standing", base: "Standing", account: Account) -> str:
    """What it came to, in one or two sentences."""
    dollars = one.run.price.dollars
    less = dollars(base.run.bill.units - one.run.bill.units)
    if not account.events:
        return f"{one.name} edited nothing: the bill is what it was."
    cost, saved = sum(event.cost for event in account.events), sum(event.saved for event in account.events)
    against = f"{money(less)} less" if less >= 0 else f"{money(-less)} more"
    lost = len(one.score.lost)
    text = (
        f"{one.name}: {many(len(account.events), 'epoch')} cost {paid(dollars(cost))} at once and saved"
        f" {paid(dollars(saved))} since: {against} than unpruned."
    )
    if not lost:
        return f"{text} Nothing went that a later call needed."
    again = dollars(one.refetched - one.run.bill.units)
    return f"{text} {many(lost, 'time')} a call needed what had gone; to fetch it again would cost {money(again)}."


def paid(dollars: float) -> str:
    """Money that may be nothing, or less."""
    if abs(dollars) < 5e-5:
        return "$0"
    return money(dollars) if dollars > 0 else f"−{money(-dollars)}"


def _row(chapter: Chapter, dollars: Callable[[float], float], policy: str) -> tuple[str, ...]:
    edited = chapter.event is not None or chapter.small or chapter.births
    return (
        f"{chapter.first + 1:,}" + (f"–{chapter.last + 1:,}" if chapter.last > chapter.first else ""),
        shorter(chapter.freed) if edited else "",
        paid(dollars(chapter.cost)) if edited else "",
        paid(dollars(chapter.saved)) if edited else "",
        "",  # a little more room
        harmless(told(chapter, policy)),
    )
