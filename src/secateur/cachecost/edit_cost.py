"""The cost of one epoch as reports show it: what it costs at once, saves per request, and when it breaks even.

The prices and the cache are those that schedules decide by, for any policy. The cache is taken to hold all that is
before the first edit.
"""

from secateur.budget import Budget
from secateur.cachecost.history import explain_cold
from secateur.model import Message
from secateur.proposal import Schedule
from secateur.receipt import EditCost

Messages = tuple[Message, ...]


def estimate_edit_cost(before: Messages, after: Messages, budget: Budget) -> EditCost | None:
    """The cost of messages that read as `after` and no longer as `before`; None where all are the same."""
    pairs = enumerate(zip(before, after, strict=True))
    first = next((number for number, (old, new) in pairs if old is not new), None)
    if first is None:
        return None
    pricing, cold_reason = budget.pricing, explain_cold(budget)
    end = next((n for n in range(len(after) - 1, -1, -1) if after[n].role == "assistant"), 0) if not cold_reason else 0
    cached = _sum_tokens(before[first:end]) - _sum_tokens(after[first:end])
    freed = _sum_tokens(before[first:]) - _sum_tokens(after[first:])
    written = max(0.0, pricing.cache_write - pricing.cache_read) * _sum_tokens(after[first:end])
    immediate = written - pricing.cache_read * cached - pricing.cache_write * (freed - cached)
    saved = pricing.cache_read * freed
    return EditCost(
        model=pricing.model,
        immediate=round(immediate, 1),
        saved_per_request=round(saved, 1),
        break_even_requests=round(max(0.0, immediate) / saved, 1) if saved > 0 else None,
        dollars_now=_convert_to_dollars(immediate, pricing.dollars),
        dollars_saved=_convert_to_dollars(saved, pricing.dollars),
        cache_cold_reason=cold_reason,
        price_assumption=pricing.assumption,
    )


def warn_of_assumed_prices(schedule: Schedule, budget: Budget) -> tuple[str, ...]:
    """The warning that a schedule used the prices of another model than the request's."""
    return (budget.pricing.assumption,) if schedule.uses_prices and budget.pricing.assumption else ()


def _sum_tokens(messages: Messages) -> int:
    return sum([part.tokens for message in messages for part in message.parts])


def _convert_to_dollars(input_tokens: float, per_million: float) -> float:
    return round(input_tokens * per_million / 1_000_000, 6)
