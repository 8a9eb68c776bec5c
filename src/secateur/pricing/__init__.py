"""What tokens cost and how providers cache prompts: prices and rules as data, and the arithmetic based on them.

Rule: figures carry their source and date; a model that is not in a table has no price and no rules, and nothing is
guessed for it. Tables are read on first use. Nothing here knows a session.
"""

from secateur.pricing.arithmetic import (
    Fold,
    compute_break_even,
    compute_carrying_cost,
    compute_kappa,
    compute_rewrite_cost,
    compute_summary_break_even,
)
from secateur.pricing.prices import (
    Price,
    Rates,
    Tier,
    bill_answer,
    list_priced_models,
    make_unit_price,
    price_of,
)
from secateur.pricing.rules import CacheRules, get_rules
from secateur.pricing.stated import Stated, StatedCache

__all__ = [
    "CacheRules",
    "Fold",
    "Price",
    "Rates",
    "Stated",
    "StatedCache",
    "Tier",
    "bill_answer",
    "compute_break_even",
    "make_unit_price",
    "compute_kappa",
    "compute_rewrite_cost",
    "price_of",
    "list_priced_models",
    "compute_carrying_cost",
    "get_rules",
    "compute_summary_break_even",
]
