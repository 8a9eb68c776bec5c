"""Summaries by the host's own model: asked through the plugin, or told what to write when the host asks it.

Rule: the conversation goes where the host sends it anyway. A summary that the host's model did not finish is none.
"""

import asyncio

from msgspec import Struct
from msgspec.structs import replace

from secateur.bridge.protocol import Channel
from secateur.compaction.ask import Ask, SummaryAnswer
from secateur.engine import Engine
from secateur.errors import ConfigError
from secateur.policy import Policy
from secateur.summarizers.protocol import Failed


class HostModel(Struct, frozen=True):
    """The model of the host, by way of its plugin."""

    channel: Channel
    name: str = "host"
    host: str = ""
    window_tokens: int = 0
    max_output: int = 0

    async def summarize(self, ask: Ask, seconds: float) -> SummaryAnswer:
        """The answer of the host's model."""
        answer = await asyncio.wrap_future(self.channel.ask(ask.system, ask.text, ask.most_tokens))
        if answer.error:
            raise Failed("refused", answer.error)
        return SummaryAnswer(answer.text, finish=answer.finish, by=answer.model or self.name)


def write_prompt(messages: bytes, policy: Policy, format: str | None) -> str:
    """What a summary of these messages is to hold, as a prompt. Raises ConfigError if the policy writes none."""
    if policy.compaction is None:
        raise ConfigError(f"policy {policy.name} does not compact: install one that does, as balance")
    asked: list[str] = []

    def listen(ask: Ask) -> str:
        asked.append(ask.fork or ask.text)
        raise Failed("refused", "the host asks its own model")

    settings = replace(policy.compaction, digest=None)
    bare = replace(policy, prune=(), on_arrival=None, compaction=settings)
    Engine(bare, summarizer=listen, format=format, fail_open=True).compact(messages)
    if not asked:
        raise ConfigError("there is nothing to summarize yet")
    return asked[0]
