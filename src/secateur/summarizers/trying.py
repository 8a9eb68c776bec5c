"""One question, put to one summarizer until it answers, its time is over, or asking again makes no sense.

Rule: it always ends in an `Answer`; what went wrong stands in it, with its kind. What is sent is redacted once more,
here, where everything passes. Only failures that may pass are tried again, and never beyond the time that is left.
"""

import asyncio
from time import monotonic
from typing import TYPE_CHECKING

from msgspec.structs import replace

from secateur.compaction.ask import Ask, SummaryAnswer
from secateur.redact import redact
from secateur.summarizers.failing import RETRIED, to_failed
from secateur.summarizers.protocol import Failed, Summarizer

if TYPE_CHECKING:
    from tenacity import RetryCallState

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
        import tenacity  # only who asks a model needs it

        again = tenacity.AsyncRetrying(
            retry=tenacity.retry_if_exception(_may_pass),
            stop=self._should_stop,
            wait=_wait,
            reraise=True,
        )
        answer: SummaryAnswer = await again(self._try_once)
        return answer

    async def _try_once(self) -> SummaryAnswer:
        self.made += 1
        try:
            return await self._by.summarize(self._ask, max(0.1, self._ends - monotonic()))
        except Exception as error:
            raise to_failed(error) from error

    def _should_stop(self, state: "RetryCallState") -> bool:
        """Whether there were enough attempts, or the next one would come too late."""
        return self.made >= MOST_TRIES or monotonic() + state.upcoming_sleep >= self._ends


def _may_pass(error: BaseException) -> bool:
    return isinstance(error, Failed) and error.failure in RETRIED


def _wait(state: "RetryCallState") -> float:
    """As long as the provider says, else longer each time."""
    import tenacity

    error = state.outcome.exception() if state.outcome else None
    told = error.wait_s if isinstance(error, Failed) else None
    grows = tenacity.wait_exponential_jitter(initial=FIRST_WAIT_S, max=LONGEST_WAIT_S, jitter=FIRST_WAIT_S)
    return grows(state) if told is None else told
