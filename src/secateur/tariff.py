"""What a token of one request costs, as plain numbers: the prices that a decision is made by.

Rule: values only, in units of plain input, so that a token of plain input costs 1. Whose prices they are is said with
them; where a model had none, that is said too. How they were found is `pricing`'s matter.
"""

from msgspec import Struct

DEFAULT_MODEL = "claude-sonnet-5-5"  # whose prices and cache rules hold where a model has none


class CachePricing(Struct, frozen=True, kw_only=True):
    """Prices and cache rules of one model, as far as a decision needs them (economics: prices and kappa)."""

    cache_read: float = 0.05  # a read from the cache
    cache_write: float = 1.25  # a write to it
    output: float = 5.0  # output
    ttl_s: float = 300.0  # the cache lives so long since it was last used
    minimum_tokens: int = 1_024  # a shorter prefix is not kept
    step_tokens: int = 1  # the cache is read in steps of so many tokens
    any_prefix: bool = False  # any common prefix is found, not only where one was marked or a request ended
    positions: str = "marks"  # where else a prefix ends that is found (`pricing.rules`)
    look_back: int = 20  # blocks behind a mark, or messages behind the newest, where one is looked for; 0: no bound
    breakpoints: int = 4  # prefixes that one request may leave
    free_breakpoints: int = 3  # of these, what may be added to a request that is edited: slots that its client leaves
    strips_reasoning: bool = False  # a new user turn takes earlier reasoning out of the prompt
    tiers: tuple[int, ...] = ()  # prompt tokens above which all of a request costs more, lowest first
    dollars: float = 2.0  # what a million tokens of plain input cost
    model: str = DEFAULT_MODEL  # whose prices these are
    assumption: str = ""  # why they are not those of the request's own model; "": they are
