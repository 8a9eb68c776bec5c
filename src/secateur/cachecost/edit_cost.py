"""What an edit costs at once and saves from then on, for people: the break-even of one epoch.

Rule: the same prices and the same cache as the schedules decide by, told for any policy. The figures are those of a
cache that finds what stands before the first edit.
"""

from secateur.budget import Budget
from secateur.model import Message
from secateur.receipt import EditCost
from secateur.cachecost.cut_costs import cold
from secateur.proposal import Schedule

Messages = tuple[Message, ...]


def cost_of(before: Messages, after: Messages, budget: Budget) -> EditCost | None:
    """What it costs that messages read as `after` and no more as `before`; None where all read as they did."""
    first = next((n for n, (one, other) in enumerate(zip(before, after, strict=True)) if one is not other), None)
    if first is None:
        return None
    tariff, gone = budget.pricing, cold(budget)
    end = 0 if gone else next((n for n in range(len(after) - 1, -1, -1) if after[n].role == "assistant"), 0)
    cached = _tokens(before[first:end]) - _tokens(after[first:end])
    freed = _tokens(before[first:]) - _tokens(after[first:])
    written = max(0.0, tariff.cache_write - tariff.cache_read) * _tokens(after[first:end])
    now = written - tariff.cache_read * cached - tariff.cache_write * (freed - cached)
    saves = tariff.cache_read * freed
    return EditCost(
        model=tariff.model,
        immediate=round(now, 1),
        saved_per_request=round(saves, 1),
        break_even_requests=round(max(0.0, now) / saves, 1) if saves > 0 else None,
        dollars_now=_dollars(now, tariff.dollars),
        dollars_saved=_dollars(saves, tariff.dollars),
        cache_cold_reason=gone,
        price_assumption=tariff.assumption,
    )


def assumed(schedule: Schedule, budget: Budget) -> tuple[str, ...]:
    """The warning that a schedule went by prices of another model than the request's."""
    return (budget.pricing.assumption,) if schedule.uses_prices and budget.pricing.assumption else ()


def _tokens(messages: Messages) -> int:
    return sum([part.tokens for message in messages for part in message.parts])


def _dollars(units: float, per_million: float) -> float:
    return round(units * per_million / 1_000_000, 6)
