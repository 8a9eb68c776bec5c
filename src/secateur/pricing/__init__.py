"""What tokens cost and how providers cache prompts: prices and rules as data, and the arithmetic that follows.

Rule: figures carry their source and date; a model that is not in a table has no price and no rules, and nothing is
guessed for it. Tables are read when they are first asked for. Nothing here knows a session.
"""

from secateur.pricing.arithmetic import Fold, break_even, kappa, penalty, rent, summary_break_even
from secateur.pricing.prices import Price, Rates, Tier, in_units, price_of, priced_models
from secateur.pricing.rules import CacheRules, rules_of
from secateur.pricing.stated import Stated, StatedCache

__all__ = [
    "CacheRules",
    "Fold",
    "Price",
    "Rates",
    "Stated",
    "StatedCache",
    "Tier",
    "break_even",
    "in_units",
    "kappa",
    "penalty",
    "price_of",
    "priced_models",
    "rent",
    "rules_of",
    "summary_break_even",
]
