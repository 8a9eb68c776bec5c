"""One question, put to one summarizer until it answers, its time is over, or asking again makes no sense.

Rule: it always ends in an `Answer`; what went wrong stands in it, with its kind. What is sent is redacted once more,
here, where everything passes. Only failures that may pass are tried again, and never beyond the time that is left.
"""

import asyncio
from random import uniform
from time import monotonic

from msgspec.structs import replace

from secateur.compaction.ask import Ask, SummaryAnswer
from secateur.redact import redact
from secateur.summarizers.failing import RETRIED, to_failed
from secateur.summarizers.protocol import Failed, Summarizer

MOST_TRIES = 4
FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 8.0  # between tries, where the provider does not say


async def try_answer(ask: Ask, by: Summarizer, seconds: float) -> SummaryAnswer:
    """The summarizer's answer. Raises nothing but cancellation."""
    if by.window_tokens and ask.tokens + ask.most_tokens > by.window_tokens:
        text = f"{ask.tokens:,} + {ask.most_tokens:,} tokens do not fit the window of {by.window_tokens:,}"
        return SummaryAnswer(error=text, failure="window", by=by.name, tries=0)
    clean = replace(ask, system=redact(ask.system), text=redact(ask.text), fork=redact(ask.fork))
    tries = _Tries(by, clean, monotonic() + seconds)
    try:
        async with asyncio.timeout(seconds):
            answer = await tries.run_until_answered()
    except TimeoutError:
        answer = SummaryAnswer(error=f"no answer came within {seconds:.1f} s", failure="timeout")
    except Failed as error:
        answer = SummaryAnswer(error=str(error), failure=error.failure)
    return replace(answer, text=redact(answer.text), by=answer.by or by.name, tries=tries.made)


class _Tries:
    """The tries for one question."""

    def __init__(self, by: Summarizer, ask: Ask, ends: float) -> None:
        self.made = 0
        self._by, self._ask, self._ends = by, ask, ends

    async def run_until_answered(self) -> SummaryAnswer:
        """The first answer; raises the last attempt's failure."""
        while True:
            self.made += 1
            try:
                return await self._by.summarize(self._ask, max(0.1, self._ends - monotonic()))
            except Exception as error:
                failed = to_failed(error)
                wait_s = self._compute_wait(failed)
                if failed.failure not in RETRIED or self.made >= MOST_TRIES or monotonic() + wait_s >= self._ends:
                    raise failed from error
            await asyncio.sleep(wait_s)

    def _compute_wait(self, failed: Failed) -> float:
        """As long as the provider says, else longer each time, and not at once with all others that wait."""
        if failed.wait_s is not None:
            return failed.wait_s
        return min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** (self.made - 1) + uniform(0, FIRST_WAIT_S))
