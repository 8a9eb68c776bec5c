"""When a session's cache was last read, and how long it lives, as far as answers have told.

Rule: what is not reported is no evidence, and never turns anything off. Nothing here decides what to edit.
"""

from secateur.receipt import Receipt
from secateur.stores.protocol import Clock
from secateur.usage import Usage

YOUNG_S = 60.0  # a cache that is gone after a shorter pause was lost to something else than its age
MISSES = 2  # pauses after which nothing was read, before a cache is believed to live shorter than its provider says
CACHED_SHARE = 0.5  # a read of less may be of a system prompt that other sessions keep warm


def moved(before: Clock, told: Usage, last: Receipt, now: int) -> Clock:
    """The clock after the answer to a request: what it tells of how long the cache lives.

    What was read after a pause shows that the cache outlives it. A pause after which nothing was read, though the view
    only grew, shows that it does not; that it lives shorter than its provider says is believed once it happened again
    (`lives_s`), since a client that wrote its history anew looks the same.
    """
    if before.model != last.model:
        return Clock(now, last.model, last.provider, read=told.read)  # another model's cache is another one
    pause = (now - before.called) / 1000 if before.called else 0.0
    ttl_s, gone_s, misses = before.ttl_s, before.gone_s, before.misses
    if told.taken and told.read >= CACHED_SHARE * told.taken:
        ttl_s = max(ttl_s, pause)
        gone_s, misses = (0, 0) if pause >= gone_s else (gone_s, misses)
    elif told.taken and not told.read and not last.opened:
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
