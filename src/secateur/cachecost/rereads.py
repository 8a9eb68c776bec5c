"""What an agent read again after its removal, and the bar that this raises for more edits in its session.

Rule: it follows from history and plan alone, so every process and every replay counts the same. A result counts once:
if the same call gave the same text again after the epoch that removed it, or a call named its handle. A result removed
because a later one shows the same does not count. Agents also reread what they still see, so counts alone mean little:
only when rereading has cost more than the edits have saved does the bar rise, by one for each such result, and never to
more than `MOST` times its value.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from secateur.cachecost.history import History
from secateur.cachecost.ledger import CostLedger
from secateur.lineage import handle_of
from secateur.model import Replace
from secateur.plan import list_active_epochs
from secateur.strategy import STRATEGIES
from secateur.toolcalls.task_terms import find_call_of_result

MOST = 4.0  # times the bar of a session in which nothing was asked for again
OUTPUT_TOKENS = 60  # of a call that reads again, and of the text around its result
_HANDLE = re.compile(r"(?<![0-9a-f])[0-9a-f]{12}(?![0-9a-f])")


class Bar(Struct, frozen=True):
    """How much more than usual an edit must have earned."""

    times: float = 1.0
    rereads: int = 0  # results that were asked for again
    spent: float = 0.0  # on that, in tokens of plain input
    saved: float = 0.0  # by the edits, the same

    def explain(self) -> str:
        """Explain in a sentence why it is raised."""
        results = "1 result" if self.rereads == 1 else f"{self.rereads} results"
        return (
            f"the agent asked again for {results} that had gone, for {self.spent:,.0f} tokens of input, more than the "
            f"{self.saved:,.0f} that the edits have saved: the bar is {self.times:g} times the usual one"
        )


def compute_bar(history: History, ledger: CostLedger) -> Bar:
    """The bar for an edit at the current request."""
    sizes = list(find_rereads(history))
    if not sizes:
        return Bar()
    budget, saved = history.budget, max(0.0, -ledger.overspend)
    pricing = budget.pricing
    each = pricing.cache_read * budget.estimated + pricing.output * OUTPUT_TOKENS
    spent = sum(each + pricing.cache_write * (size + OUTPUT_TOKENS) for size in sizes)
    return Bar(min(MOST, 1.0 + len(sizes)), len(sizes), spent, saved) if spent > saved else Bar()


class _Gone(Struct, frozen=True):
    """A result that an epoch took."""

    since: int  # the last message of the request that opened the epoch
    text: str  # as received


def find_rereads(history: History) -> Iterator[int]:
    """The tokens of each result that was asked for again, when it came again."""
    calls, handles = _find_gone(history)
    first = min((gone.since for gone in calls.values()), default=len(history.messages))
    for number in range(first + 1, len(history.messages)):
        for part in history.messages[number].parts:
            call = find_call_of_result(history.messages, number, part) if part.kind == "tool_result" else None
            if call is None:
                continue
            raw = history.budget.originals.get(part.key, part)
            gone = calls.get((call.tool, call.text))
            if gone is not None and gone.since < number and gone.text == raw.text:
                del calls[call.tool, call.text]
                yield raw.tokens
            for name in _HANDLE.findall(call.text):
                if handles.get(name, number) < number:
                    del handles[name]
                    yield raw.tokens


def _find_gone(history: History) -> tuple[dict[tuple[str, str], _Gone], dict[str, int]]:
    """What epochs removed, by tool and arguments of its call; and since when, by handle."""
    calls, handles, since = dict[tuple[str, str], _Gone](), dict[str, int](), _find_since(history)
    for number in history.holding(since.keys()) if since else ():
        for part in history.messages[number].parts:
            asked = part.key in since and part.kind == "tool_result"
            call = find_call_of_result(history.messages, number, part) if asked else None
            if call is not None:
                raw = history.budget.originals.get(part.key, part)
                calls[call.tool, call.text] = _Gone(since[part.key], raw.text)
                handles[handle_of(raw.text)] = since[part.key]
    return calls, handles


def _find_since(history: History) -> dict[str, int]:
    """Since which message each part has been edited, or replaced with its range."""
    since, heads = dict[str, int](), history.totals.at
    for epoch in [one for one in list_active_epochs(history.plan) if one.head_key in heads]:
        at = heads[epoch.head_key]
        for edit in epoch.edits:
            if isinstance(edit, Replace):
                i, j = history.find_range(edit) or (0, 0)
                since |= dict.fromkeys([part.key for one in history.messages[i:j] for part in one.parts], at)
            elif (strategy := STRATEGIES.get_or_warn(edit.strategy)) is not None and strategy.by_age:
                since[edit.key] = at
    return since
