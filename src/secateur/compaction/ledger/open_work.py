"""What is left open at the end of a ledger: requests, failing checks, work that was not committed or pushed.

Rule: a request is open while the agent has not ended its turn with an answer; a patch that is outdated
and a push that failed are open as well. How it is worded is decided elsewhere.
"""

from secateur.compaction.ledger.entries import Command, Ledger
from secateur.compaction.ledger.requests import is_substantial

MOST_CHECKS = 3  # failing ones among what comes next
_OPEN_KINDS = ("outdated", "failed")


def has_committed(ledger: Ledger) -> bool:
    """Whether a call made a commit, as far as it is known."""
    return bool(ledger.commits or ledger.omitted.get("commits")) or "commit" in ledger.delivered


def has_open(ledger: Ledger) -> bool:
    """Whether anything is left to do, to answer or to wait for."""
    waits = (ledger.questions, ledger.pending, find_open_request(ledger), list_failing(ledger), ledger.undelivered)
    states = [*(one.state for one in ledger.tasks), *(one.state for one in ledger.tickets)]
    left = (ledger.unpushed, ledger.uncommitted, [one for one in ledger.standing if one.kind in _OPEN_KINDS])
    return any(waits) or any(left) or "open" in states


def list_failing(ledger: Ledger) -> list[Command]:
    return [run for run in ledger.commands if run.check and run.ok is False][-MOST_CHECKS:]


def find_open_request(ledger: Ledger) -> str:
    """Return what the user waits for: the newest request, or the one that it urges on; "" while the agent asks."""
    if ledger.questions or not ledger.requests or ledger.requests[-1].state != "open":
        return ""
    open_ = [one.text for one in ledger.requests if one.state == "open"]
    return next((text for text in reversed(open_) if is_substantial(text)), open_[-1])
