"""What stands in place of summed-up history, for a report: the summary, who wrote it, how the agent goes on.

Rule: told from the plan that is in force, so that a plan that is carried out says the same as the run that made it.
"""

from typing import Any

from msgspec import Struct

from secateur.engine import View
from secateur.model import New, Replace
from secateur.plan import fold, held, located


class GoesOn(Struct, frozen=True):
    """How the agent goes on: by which branch, and what it is told."""

    branch: str
    text: str = ""


class Summed(Struct, frozen=True):
    """All of it; nulls where nothing was summed up."""

    summary: str | None = None
    continuation: GoesOn | None = None
    rung: str | None = None


def summed_up(view: View[Any]) -> Summed:
    """The newest summary of a view."""
    ranges = [edit for _, _, edit in located(fold(held(view.plan, view.before)).ranges, view.before.messages)]
    made = [new for edit in ranges if edit.by == "compact" for new in edit.items if new.origin == "summary"]
    if not made:
        return Summed()
    newest: dict[str, Any] = made[-1].meta
    branch = newest.get("continuation", {}).get("branch", "none")
    return Summed(made[-1].text, GoesOn(branch, _told(ranges)), newest.get("rung"))


def _told(ranges: list[Replace]) -> str:
    """What was put in for the agent to go on with."""
    said: list[New] = [new for edit in ranges if edit.by == "continue" for new in edit.items]
    return said[-1].text if said else ""
