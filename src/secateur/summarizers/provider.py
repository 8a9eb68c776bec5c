"""A model of a provider, as a summarizer.

Rule: it asks once and holds no connection between questions, so nothing is left open when someone calls it off.
"""

from collections.abc import Awaitable, Callable

from msgspec import Struct

from secateur.compaction.ask import Ask, SummaryAnswer
from secateur.summarizers.anthropic_messages import ask_anthropic
from secateur.summarizers.endpoint import Endpoint
from secateur.summarizers.gemini import ask_gemini
from secateur.summarizers.openai_chat import ask_openai_chat
from secateur.summarizers.openai_responses import ask_openai_responses

_SPOKEN: dict[str, Callable[[Endpoint, Ask, float], Awaitable[SummaryAnswer]]] = {
    "anthropic": ask_anthropic,
    "openai": ask_openai_responses,
    "openai-chat": ask_openai_chat,
    "gemini": ask_gemini,
}


class Provider(Struct, frozen=True):
    """A summarizer that asks a model at an endpoint."""

    to: Endpoint

    @property
    def name(self) -> str:
        return self.to.name

    @property
    def host(self) -> str:
        return self.to.host

    @property
    def model(self) -> str:
        return self.to.model

    @property
    def window_tokens(self) -> int:
        return self.to.window_tokens

    @property
    def max_output(self) -> int:
        return self.to.max_output

    @property
    def max_parallel(self) -> int:
        return self.to.max_parallel

    async def summarize(self, ask: Ask, seconds: float) -> SummaryAnswer:
        return await _SPOKEN[self.to.provider](self.to, ask, seconds)
