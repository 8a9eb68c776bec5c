"""Summarizers without a provider: none at all, a function of the caller's own, and the session's own model.

Rule: a function may block for as long as it likes; it runs in a thread that is waited for no longer than the deadline.
"""

import asyncio
from collections.abc import Callable
from threading import Thread
from typing import Any

from msgspec import Struct

from secateur.compaction.ask import Ask, SummaryAnswer
from secateur.summarizers.protocol import Failed

EXTRACTIVE = "extractive"


class Extractive(Struct, frozen=True):
    """No model: the summary is made of what code knows and of the agent's own words. It always works."""

    name: str = EXTRACTIVE
    host: str = ""
    window_tokens: int = 0
    max_output: int = 0

    async def summarize(self, ask: Ask, seconds: float) -> SummaryAnswer:
        raise Failed("refused", "there is no model to ask: the caller makes the summary")


class Function(Struct, frozen=True):
    """A function from a question to the text of its answer, or to a `SummaryAnswer`. `host`: where it sends it to."""

    name: str
    call: Callable[[Ask], str | SummaryAnswer]
    host: str = ""
    window_tokens: int = 0
    max_output: int = 0
    max_parallel: int = 1  # threads in which it runs at the same time

    async def summarize(self, ask: Ask, seconds: float) -> SummaryAnswer:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[str | SummaryAnswer] = loop.create_future()

        def settle(made: str | SummaryAnswer | None, error: BaseException | None) -> None:
            if done.done():
                return  # called off
            if error is not None:
                done.set_exception(error)
            elif made is not None:
                done.set_result(made)

        def work() -> None:
            made, error = None, None
            try:
                made = self.call(ask)
            except Exception as problem:  # the function's own error: reported, not raised
                error = problem
            if not loop.is_closed():
                loop.call_soon_threadsafe(settle, made, error)

        Thread(target=work, name=f"secateur-{self.name}", daemon=True).start()
        made = await done
        return made if isinstance(made, SummaryAnswer) else SummaryAnswer(made, by=self.name)


class SamePrefix(Struct, frozen=True):
    """The session's own model: the view goes to it once more, with one question behind it.

    `send` takes a request body in the session's own format and returns the text of the answer, or a `SummaryAnswer`; it
    sends it as the agent's requests are sent, with the same client and credentials. Nothing before the question differs
    from the agent's next request, so the provider reads from its prompt cache what it has of it. `host` is where that
    goes. Whether this is cheaper than other summarizers of the list is worked out each time.
    """

    send: Callable[[Any], str | SummaryAnswer]
    host: str
    name: str = "same-prefix"
    window_tokens: int = 0
    max_output: int = 0

    @property
    def asks_behind_session(self) -> bool:
        return True

    async def summarize(self, ask: Ask, seconds: float) -> SummaryAnswer:
        if ask.body is None:
            raise Failed(
                "refused", "only a request body can be sent again: this is a session file or a plain list of messages"
            )
        return await Function(self.name, lambda one: self.send(one.body)).summarize(ask, seconds)
