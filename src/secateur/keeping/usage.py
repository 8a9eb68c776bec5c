"""What a provider said a request cost: it tells how its count compares with ours, and when its cache was last read.

Rule: figures of any provider's shape, from a response, its usage, or an object that has one; what is not there or is
zero is no evidence, and never turns anything off. Nothing here decides what to edit.
"""

from typing import Any

from msgspec import Struct

from secateur.receipt import Receipt
from secateur.stores.protocol import Calibration, Clock

WEIGHT = 0.3  # of a new sample in the running ratio; the first one counts whole
LEAST, MOST = 0.5, 3.0  # ratios beyond these tell of something else than counting: models differ by 0.9 to 1.8
YOUNG_S = 60.0  # a cache that is gone after a shorter pause was lost to something else than its age
MISSES = 2  # pauses after which nothing was read, before a cache is believed to live shorter than its provider says
CACHED_SHARE = 0.5  # a read of less may be of a system prompt that other sessions keep warm


class Reported(Struct, frozen=True):
    """Input tokens of one request: all of them, and those that were read from the cache."""

    prompt: int = 0
    read: int = 0


def reported(usage: Any) -> Reported:
    """The figures in a usage, or in a response that holds one. All zero where there are none."""
    told = _plain(usage)
    for name in ("usage", "usageMetadata", "usage_metadata"):
        if name in told:
            told = _plain(told[name])
    read, beside = 0, 0
    for name in ("cache_read_input_tokens", "cacheReadInputTokens"):  # Anthropic, Bedrock: beside the input
        read += _n(told, name)
    for name in ("cache_creation_input_tokens", "cacheWriteInputTokens"):
        beside += _n(told, name)
    whole = max(_n(told, name) for name in ("prompt_tokens", "promptTokenCount", "prompt_token_count"))
    if whole:  # OpenAI's chat shape, Gemini: all of the input, cached or not
        inner = _n(_plain(told.get("prompt_tokens_details")), "cached_tokens")
        cached = max(_n(told, name) for name in ("cachedContentTokenCount", "cached_content_token_count"))
        return Reported(whole, min(whole, inner or cached or read))
    given = _n(told, "input_tokens") or _n(told, "inputTokens")
    if "input_tokens_details" in told:  # OpenAI's Responses: all of it
        return Reported(given, min(given, _n(_plain(told["input_tokens_details"]), "cached_tokens")))
    return Reported(given + read + beside, read)


def calibrated(before: Calibration, counted: int, told: Reported) -> Calibration:
    """The ratio with one more sample: what was reported for a view that we count `counted` tokens."""
    if not counted or not told.prompt:
        return before
    ratio = min(max(told.prompt / counted, LEAST), MOST)
    if before.samples:
        ratio = before.ratio + WEIGHT * (ratio - before.ratio)
    return Calibration(ratio, before.samples + 1)


def moved(before: Clock, told: Reported, last: Receipt, now: int) -> Clock:
    """The clock after the answer to a request: what it tells of how long the cache lives.

    What was read after a pause shows that the cache outlives it. A pause after which nothing was read, though the view
    only grew, shows that it does not; that it lives shorter than its provider says is believed once it happened again
    (`lives_s`), since a client that wrote its history anew looks the same.
    """
    if before.model != last.model:
        return Clock(now, last.model, last.provider, read=told.read)  # another model's cache is another one
    pause = (now - before.called) / 1000 if before.called else 0.0
    ttl_s, gone_s, misses = before.ttl_s, before.gone_s, before.misses
    if told.prompt and told.read >= CACHED_SHARE * told.prompt:
        ttl_s = max(ttl_s, pause)
        gone_s, misses = (0, 0) if pause >= gone_s else (gone_s, misses)
    elif told.prompt and not told.read and not last.opened:
        ttl_s = 0 if pause <= ttl_s else ttl_s
        if misses or before.read:
            gone_s, misses = (max(gone_s, pause), misses + 1) if pause >= YOUNG_S else (gone_s, misses)
    return Clock(now, last.model, last.provider, ttl_s, told.read, gone_s, misses)


def lives_s(clock: Clock, model: str, said_s: float) -> float:
    """How long the cache lives, in seconds: as its provider says, unless this session saw otherwise."""
    if clock.model != model:
        return said_s
    if clock.misses >= MISSES and clock.ttl_s < clock.gone_s < said_s:
        return clock.gone_s
    return max(said_s, clock.ttl_s)


def _plain(value: Any) -> dict[str, Any]:
    """The members of a dict or of an object: a client's, or one of ours."""
    if isinstance(value, dict):
        return value
    dumped = getattr(value, "model_dump", None) or getattr(value, "to_dict", None)
    if callable(dumped):
        made = dumped()
        return made if isinstance(made, dict) else {}
    names = getattr(value, "__struct_fields__", None) or getattr(value, "__dict__", {})
    return {name: getattr(value, name) for name in names}


def _n(told: dict[str, Any], name: str) -> int:
    value = told.get(name)
    return value if isinstance(value, int) and value > 0 else 0
