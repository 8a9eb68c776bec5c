"""Cache misses in a session's answers: how many in a row, and which.

Rule: a prompt that only grew, after an inconclusive pause, reads nearly all of the one before. An answer that read less
than half of it is a miss. What a provider never reported is no evidence. A single miss does not predict the next
request, since the prompt that missed was written to the cache again; recorded usage confirms this
(`benchmarks/misses.py`).
"""

from msgspec import Struct

from secateur.usage import Usage

LEAST_CACHED = 8_192  # tokens of the prompt before: twice the longest prompt that a provider does not cache
GROWN_SHARE = 0.98  # of its tokens, in the next prompt: else that is another conversation's, or was shortened
READ_SHARE = 0.5  # of its tokens: a read of less may be of a system prompt that other sessions keep warm
COLD_MISSES = 3  # in a row, after which there is taken to be no cache
MOST_KEYS = 32  # histories that are remembered


class Misses(Struct, frozen=True):
    """The misses of one session."""

    taken: int = 0  # tokens of input that the last answer's provider counted
    in_row: int = 0  # newest answers that read far less than their cache should have held
    keys: tuple[str, ...] = ()  # last keys of the histories that such answers were to, the newest last

    def describe(self) -> str:
        """Explain why the cache is assumed to be lost; "" if it is not."""
        if self.in_row < COLD_MISSES:
            return ""
        return (
            f"the last {self.in_row} answers read next to nothing from the prompt cache, though their prompts only "
            "grew: there is none to lose"
        )


def add_answer(before: Misses, told: Usage, key: str, *, is_expected: bool, is_reported: bool) -> Misses:
    """The misses with one more answer, to the history with this last key.

    The answer to an epoch, or after a pause (`is_expected`), is inconclusive: less is read then in any case. After an
    epoch that was made because of misses, another miss is required before the next. `is_reported`: the provider
    reported cache use before.
    """
    if not told.taken:
        return before
    if not is_expected and _is_missed(before, told, is_reported):
        return Misses(told.taken, before.in_row + 1, (*before.keys, key)[-MOST_KEYS:])
    if told.read >= READ_SHARE * told.taken:
        return Misses(told.taken, 0, before.keys)
    return Misses(told.taken, min(before.in_row, COLD_MISSES - 1) if is_expected else before.in_row, before.keys)


def _is_missed(before: Misses, told: Usage, is_reported: bool) -> bool:
    is_comparable = before.taken >= LEAST_CACHED and told.taken >= GROWN_SHARE * before.taken
    is_known = bool(told.read or told.write) or is_reported
    return is_comparable and is_known and told.read < READ_SHARE * before.taken
