"""One question to one summarizer, until it answers, its time is over, or the failure makes another attempt pointless.

Rule: it always ends in an `Answer`, with the kind of failure if there was one. The kind is read from the status and the
exception and its causes, so no client is imported for it. Questions and error texts are redacted here, where all of
them pass: providers repeat keys in errors. Only temporary failures are retried, never beyond the remaining time.
"""

import asyncio
import json
import re
from collections.abc import Iterator
from random import uniform
from time import monotonic

from msgspec.structs import replace

from secateur.compaction.ask import Ask, Failure, SummaryAnswer
from secateur.redact import redact
from secateur.summarizers.protocol import Failed, Summarizer

RETRIED: tuple[Failure, ...] = ("unreachable", "dropped", "rate_limited", "overloaded")
_TOO_LONG = re.compile(r"context|too long|too large|maximum.{0,40}tokens|exceed", re.I)
_STATUS: dict[int, Failure] = {401: "auth", 403: "auth", 408: "unreachable", 413: "window", 429: "rate_limited"}
_TYPES: tuple[tuple[str, Failure], ...] = (  # names of exceptions, the first that one of the chain ends with
    ("ConnectTimeout", "unreachable"),
    ("TimeoutException", "timeout"),
    ("TimeoutError", "timeout"),
    ("RemoteProtocolError", "dropped"),
    ("ReadError", "dropped"),
    ("ValidationError", "malformed"),
    ("UnknownApiResponseError", "malformed"),
    ("ConnectError", "unreachable"),
    ("ConnectionError", "unreachable"),
)
_SAYS: tuple[tuple[str, Failure], ...] = (("rate_limit", "rate_limited"), ("overloaded", "overloaded"))
_MOST = 300  # characters of an error that are kept

MOST_TRIES = 4
FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 8.0  # between tries, where the provider does not say


def to_failed(error: BaseException) -> Failed:
    """Convert an exception to our `Failed`."""
    chain = tuple(_walk_causes(error))
    own = next((one for one in chain if isinstance(one, Failed)), None)
    if own is not None:
        return Failed(own.failure, _format_error(own), own.wait_s)
    status = _get_status(error)
    if status is not None and status >= 300:
        return Failed(_classify_status(status, str(error)), f"{status}: {_format_error(error)}", _wait_s(error))
    return Failed(_classify_chain(chain), f"{type(error).__name__}: {_format_error(error)}")


def _classify_status(status: int, text: str) -> Failure:
    if status in _STATUS:
        return _STATUS[status]
    if status >= 500:
        return "overloaded"
    return "window" if status == 400 and _TOO_LONG.search(text) else "refused"


def _classify_chain(chain: tuple[BaseException, ...]) -> Failure:
    said = str(chain[0])
    for word, failure in _SAYS:  # an error inside a stream that began well
        if word in said:
            return failure
    if any(isinstance(one, json.JSONDecodeError | UnicodeDecodeError) for one in chain):
        return "malformed"
    names = [kind.__name__ for one in chain for kind in type(one).__mro__]
    return next((failure for name, failure in _TYPES if any(one.endswith(name) for one in names)), "crashed")


def _walk_causes(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        one = one.__cause__ or one.__context__


def _get_status(error: BaseException) -> int | None:
    """`status_code` of Anthropic's and OpenAI's exceptions, `code` of Google's."""
    for name in ("status_code", "code"):
        value = getattr(error, name, None)
        if isinstance(value, int):
            return value
    return None


def _wait_s(error: BaseException) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        return max(0.0, float(headers.get("retry-after", "")))
    except (TypeError, ValueError):
        return None


def _format_error(error: BaseException) -> str:
    return " ".join(redact(str(error)).split())[:_MOST]


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
