"""Summaries by the agent's own model: the adapter supplies, for each request, the function that asks it.

Rule: the model is called outside the agent's run, so that nothing of it appears in the agent's stream or history.
Without one, or if it fails, the summary is made without a model, as with every other summarizer.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from msgspec import Struct

from secateur import Engine
from secateur.edge import Edge, OnView
from secateur.plugins import Ask, Failed, SummaryAnswer

AskModel = Callable[[Ask], Awaitable[str]]

_ASK: ContextVar[AskModel | None] = ContextVar("secateur_own_model", default=None)


class OwnModel(Struct, frozen=True):
    """The model of the request that is being served."""

    name: str = "own_model"
    host: str = "own_model"  # the conversation goes where the agent sends it anyway
    window_tokens: int = 0
    max_output: int = 0

    async def summarize(self, ask: Ask, seconds: float) -> SummaryAnswer:
        """Ask the agent's model once. Raises Failed if the framework names none."""
        model = _ASK.get()
        if model is None:
            raise Failed("refused", "the request has no model to ask")
        return SummaryAnswer(await model(ask), by=self.name)


@contextmanager
def use_model(ask: AskModel | None) -> Iterator[None]:
    """Summaries of what is fitted inside are written by this model."""
    token = _ASK.set(ask)
    try:
        yield
    finally:
        _ASK.reset(token)


async def run_on(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Any]) -> Any:
    """Await something on the agent's own loop, which its connections belong to."""
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, loop))


def make_edge(engine: Engine | None, settings: dict[str, Any], session: str, on_view: OnView | None) -> Edge:
    """An edge whose summaries are written by the agent's own model, unless the settings name another summarizer."""
    if engine is None and not settings.get("local_only"):
        settings = {"summarizer": OwnModel(), **settings}
    return Edge(engine, settings, session, on_view)
