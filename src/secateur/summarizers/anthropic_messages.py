"""Anthropic's Messages API, through its own client, as a stream.

Rule: one request, no tools, no thinking; the client's own retries are off, since the caller applies the deadline.
"""

from importlib import import_module
from typing import Any

from secateur.compaction.ask import Ask, SummaryAnswer, SummaryUsage
from secateur.summarizers.endpoint import Endpoint, Heard, make_http_client


async def ask_anthropic(to: Endpoint, ask: Ask, seconds: float) -> SummaryAnswer:
    """The model's answer to one question."""
    sdk: Any = import_module("anthropic")
    heard = Heard()
    async with (
        make_http_client(to, seconds) as http,
        sdk.AsyncAnthropic(
            api_key=to.get_key() or "none", base_url=to.base_url, timeout=seconds, max_retries=0, http_client=http
        ) as client,
    ):
        events = await client.messages.create(
            model=to.model,
            system=ask.system,
            messages=[{"role": "user", "content": ask.text}],
            max_tokens=to.compute_max_tokens(ask.most_tokens),
            stream=True,
        )
        async for event in events:
            _hear(heard, event)
    return heard.build_answer(to.name)


def _hear(heard: Heard, event: Any) -> None:
    match event.type:
        case "message_start":
            heard.spent = _read_usage(event.message.usage, heard.spent)
        case "content_block_start" if event.content_block.type not in ("text", "thinking", "redacted_thinking"):
            heard.call(event.index)
        case "content_block_delta" if event.delta.type == "text_delta":
            heard.say(event.delta.text)
        case "message_delta":
            heard.finish = event.delta.stop_reason or ""
            heard.spent = _read_usage(event.usage, heard.spent)


def _read_usage(usage: Any, before: SummaryUsage) -> SummaryUsage:
    """The last figures count; those an event does not state are kept."""
    names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")
    told = [getattr(usage, name, None) for name in names]
    old = (before.input, before.read, before.write, before.output)
    return SummaryUsage(*(old[at] if value is None else value for at, value in enumerate(told)))
