"""When an edit of a cached prompt pays: the break-even of one prune, of one summary, and of keeping a cache warm.

Rule: costs are in units of the base input price, so that a token of plain input costs 1; `w` is a cache write, `r` a
cache read. The formulas follow from comparing two bills request by request; the tests check them against the
simulator's own sums. Nothing here knows a model or a session.
"""

from math import inf

from msgspec import Struct

from secateur.pricing.prices import Rates


def compute_kappa(w: float, r: float) -> float:
    """(w - r) / r: the cost of rewriting a token in reads. 0: there is no cache; inf: reads are free."""
    return (w - r) / r if r else inf


def compute_rewrite_cost(w: float, r: float, surviving: float, placeholders: float = 0) -> float:
    """Immediate cost of a prune: cached tokens behind the first edit are written instead of read."""
    return max(0.0, w - r) * (surviving + placeholders)


def compute_carrying_cost(r: float, tokens: float, requests: float = 1) -> float:
    """Cost of keeping prunable tokens in a warm cache."""
    return r * tokens * requests


def compute_break_even(w: float, r: float, pruned: float, surviving: float, placeholders: float = 0) -> float:
    """Number of further requests after which a prune has paid for itself: kappa (S + p) / (P - p).

    `pruned` tokens are replaced by `placeholders`; `surviving` tokens are in the cache after the first pruned message.
    The request that prunes counts as the first. inf if nothing is freed. The position of the first edit does not
    matter: what comes before it is read from the cache either way.
    """
    freed = pruned - placeholders
    if freed <= 0:
        return inf
    return compute_kappa(w, r) * (surviving + placeholders) / freed


CALL_TOKENS = 60  # a call that fetches a lost result again, and the frame of its result (economics 5.2)


def compute_fetch_cost(w: float, r: float, o: float, *, tokens: float, prompt: float) -> float:
    """The cost of fetching a result of this many tokens again: one more request that reads the prompt from the cache,
    makes the call, and writes call and result.
    """
    return r * prompt + o * CALL_TOKENS + w * (tokens + CALL_TOKENS)


def compute_excerpt_threshold(w: float, r: float, *, chance: float, call: float, stays: float) -> float:
    """Number of tokens from which a new result is cheaper as an excerpt of half of it; inf if never.

    Whole, a token is written once and read for `stays` requests. With probability `chance` the removed half is needed
    after all, and the whole result is fetched by one more request, at the additional cost `call` (`compute_fetch_cost`
    of no tokens). The size at which both cost the same solves (s - s/2)(w + r stays) = chance (call + w s).
    """
    spared = (w + r * stays) / 2 - chance * w
    return chance * call / spared if spared > 0 else inf


def compute_fold_threshold(w: float, r: float, *, chance: float, again: float, stays: float) -> float:
    """How many tokens of a new result must be saved for it to pay, if with probability `chance` one of them is needed
    after all and the whole result is fetched again, at the cost `again` (`compute_fetch_cost`). `stays` is that of
    `compute_excerpt_threshold`.
    """
    return chance * again / (w + r * stays)


class Fold(Struct, frozen=True, kw_only=True):
    """The sizes of one summary, in tokens."""

    history: float  # in the cache when it is asked for
    cut: float  # of these, what the summary replaces
    tail: float  # of these, what is behind
    summary: float
    asked: float = 0.0  # what the request for it adds
    shared: bool = True  # it has the session's very prefix and reads its cache; else it pays input for what it shows


def compute_summary_break_even(rates: Rates, size: Fold) -> float:
    """Number of further requests after which a model's summary has paid for itself; inf if never."""
    w, r = rates.w, rates.r
    freed = r * (size.cut - size.summary)
    if freed <= 0:
        return inf
    call = r * size.history + w * size.asked if size.shared else size.history + size.asked
    return (call + rates.o * size.summary + max(0.0, w - r) * (size.summary + size.tail)) / freed


def should_buy_hour(w: float, r: float, w_1h: float, *, written: float, lost: float) -> bool:
    """Whether writing for an hour is cheaper over a session than for the usual five minutes.

    `written`: tokens written to the cache in all; `lost`: tokens in the cache at each pause that outlasts the usual
    time but not an hour, summed.
    """
    return (w - r) * lost > (w_1h - w) * written


def compute_warming_s(w: float, r: float, ttl_s: float) -> float:
    """Seconds for which refreshing a cache once per `ttl_s` is cheaper than rewriting it: ttl * kappa."""
    return ttl_s * compute_kappa(w, r)
