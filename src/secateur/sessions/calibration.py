"""Calibration by providers' reports: their count of input tokens compared with ours, and the lifetime of the prompt
cache.

Rule: missing and zero counts are ignored, and never turn anything off. A sample outside the plausible range measures
something other than counting (a partial answer, invented figures, another request), so it is dropped and reported,
never forced into the range.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from secateur.cachecost.misses import add_answer
from secateur.pricing.model_names import normalize_model
from secateur.receipt import Receipt
from secateur.stores.protocol import Calibration, Clock, State
from secateur.tokens import get_factor
from secateur.usage import Usage

WEIGHT = 0.3  # of a new sample in the running ratio; the first one counts whole
LEAST, MOST = 0.5, 3.0  # reported tokens for one of ours: by content, models differ by 0.9 to 1.8


def get_calibration(state: State, model: str) -> Calibration:
    """The session's calibration for a model, relative to the current counter factor."""
    return rebase_calibration(state.calibrations.get(model, Calibration()), model)


def rebase_calibration(before: Calibration, model: str) -> Calibration:
    """Convert a calibration learned with another factor for this model to the current one.

    Without a sample nothing was learned, and our count is used unchanged.
    """
    times = get_factor(model)
    if before.over == times:
        return before
    return replace(before, ratio=before.ratio * before.over / times if before.samples else 1.0, over=times)


def add_sample(before: Calibration, counted: int, told: Usage) -> Calibration:
    """Add a sample: the usage reported for a view that we count as `counted` tokens."""
    if not counted or not told.prompt:
        return before
    ratio = told.prompt / counted
    if not LEAST <= ratio <= MOST:
        return replace(before, left_out=(told.prompt, counted))
    if before.samples:
        ratio = before.ratio + WEIGHT * (ratio - before.ratio)
    return replace(before, ratio=ratio, samples=before.samples + 1)


def describe_left_out(calibrations: Mapping[str, Calibration]) -> tuple[str, ...]:
    """One sentence for each sample left out since the last receipt."""
    samples = [one.left_out for one in calibrations.values() if one.left_out[0]]
    return tuple(
        f"the reported usage was left out of the calibration: {reported:,} input tokens for a request of about "
        f"{counted:,} is {reported / counted:.2g} times our count, and {LEAST} to {MOST} times is plausible; "
        "pass the usage of that same request to `record_usage`"
        for reported, counted in samples
    )


def clear_left_out(calibrations: Mapping[str, Calibration]) -> dict[str, Calibration]:
    """The calibrations with left-out samples, cleared after a receipt has reported them."""
    return {model: replace(one, left_out=(0, 0)) for model, one in calibrations.items() if one.left_out[0]}


YOUNG_S = 60.0  # a cache that is gone after a shorter pause was lost to something else than its age
MISSES = 2  # pauses after which nothing was read, before a cache is believed to live shorter than its provider says
MODELS = 4  # of one session whose last requests are remembered
CACHED_SHARE = 0.5  # a read of less may be of a system prompt that other sessions keep warm


def describe_switch(clock: Clock, model: str, now_ms: int, ttl_s: float) -> str:
    """Say that a request goes to another model than the last one, whose cache it does not find; "" otherwise.

    Two names of one model are no switch, and neither is the return to one whose cache of this session still lives, as
    after a side call to a smaller model.
    """
    if not model or not clock.model or normalize_model(clock.model) == normalize_model(model):
        return ""
    sent_ms = clock.sent.get(model, 0)
    if sent_ms and now_ms - sent_ms < ttl_s * 1000:
        return ""
    return f"the model was switched from {clock.model} to {model}"


def record_sent(before: Clock, receipt: Receipt, calls: bool) -> Clock:
    """The clock after a request, taken to be sent at once; `calls` is false for a view made by a command.

    A cache belongs to a model, so a side call to another one says nothing of this one's.
    """
    if not calls:
        return replace(before, by_hand=receipt.at_ms) if receipt.opened else before
    sent = {**before.sent, receipt.model: max(receipt.at_ms, before.sent.get(receipt.model, 0))}
    newest = sorted(sent, key=lambda model: sent[model])[-MODELS:]
    return replace(before, sent={model: sent[model] for model in newest})


def advance_clock(before: Clock, told: Usage, last: Receipt, now: int) -> Clock:
    """The clock after the answer to a request, with what it shows about the cache's lifetime.

    A read after a pause shows that the cache outlives it. A pause after which nothing was read, though the view only
    grew, shows that it does not; a lifetime shorter than the provider's is accepted only after it happened again
    (`get_cache_ttl_s`), since a client that rewrote its history looks the same.
    """
    if before.model != last.model:
        read, sent = told.read, before.sent  # another model's cache is another one
        missed = replace(before.missed, taken=told.taken, in_row=0)
        return Clock(now, last.model, last.provider, read=read, sent=sent, by_hand=before.by_hand, missed=missed)
    pause = (now - before.called) / 1000 if before.called else 0.0
    ttl_s, gone_s, misses = before.ttl_s, before.gone_s, before.misses
    if told.taken and told.read >= CACHED_SHARE * told.taken:
        ttl_s = max(ttl_s, pause)
        gone_s, misses = (0, 0) if pause >= gone_s else (gone_s, misses)
    elif told.taken and not told.read and not last.opened:
        ttl_s = 0 if pause <= ttl_s else ttl_s
        if misses or before.read:
            gone_s, misses = (max(gone_s, pause), misses + 1) if pause >= YOUNG_S else (gone_s, misses)
    billed = last.billed.usage if last.billed is not None else Usage()
    is_reported = bool(billed.read or billed.write)
    is_expected = last.opened or pause >= YOUNG_S
    missed = add_answer(before.missed, told, last.head_key, is_expected=is_expected, is_reported=is_reported)
    return replace(
        before,
        called=now,
        model=last.model,
        provider=last.provider,
        ttl_s=ttl_s,
        read=told.read,
        gone_s=gone_s,
        misses=misses,
        missed=missed,
    )


def get_cache_ttl_s(clock: Clock, model: str, said_s: float) -> float:
    """The cache's lifetime in seconds: as the provider states, unless this session observed otherwise."""
    if clock.model != model:
        return said_s
    if clock.misses >= MISSES and clock.ttl_s < clock.gone_s < said_s:
        return clock.gone_s
    return max(said_s, clock.ttl_s)
