"""OpenAI's Responses API, through its own client, as a stream.

Rule: nothing is stored with the provider. The words for how an answer ended are the API's own.
"""

from typing import Any

from secateur.compaction.ask import Ask, Failure, SummaryAnswer, SummaryUsage
from secateur.summarizers.endpoint import Endpoint, Heard, make_http_client
from secateur.summarizers.openai_chat import make_openai_client
from secateur.summarizers.protocol import Failed

_TEXTS = ("response.output_text.delta", "response.refusal.delta")
_ENDS = ("response.completed", "response.incomplete")
_KINDS: dict[str, Failure] = {"rate_limit_exceeded": "rate_limited", "context_length_exceeded": "window"}


async def ask_openai_responses(to: Endpoint, ask: Ask, seconds: float) -> SummaryAnswer:
    """The model's answer to one question."""
    heard = Heard()
    async with make_http_client(to, seconds) as http, make_openai_client(to, seconds, http) as client:
        events = await client.responses.create(
            model=to.model,
            instructions=ask.system,
            input=ask.text,
            max_output_tokens=to.compute_max_tokens(ask.most_tokens, thinking=True),
            store=False,
            stream=True,
        )
        async for event in events:
            _hear(heard, event)
    return heard.build_answer(to.name)


def _hear(heard: Heard, event: Any) -> None:
    match event.type:
        case kind if kind in _TEXTS:
            heard.say(event.delta)
        case "response.output_item.done" if event.item.type not in ("message", "reasoning"):
            heard.call(getattr(event.item, "id", None) or event.output_index)
        case "response.failed":
            error = event.response.error
            raise _make_failed(getattr(error, "code", ""), getattr(error, "message", ""))
        case "error":
            raise _make_failed(event.code, event.message)
        case kind if kind in _ENDS:
            cut_off = getattr(event.response, "incomplete_details", None)
            heard.finish = getattr(cut_off, "reason", None) or event.response.status or kind.partition(".")[2]
            heard.spent = _read_usage(event.response.usage)


def _make_failed(code: str | None, text: str | None) -> Failed:
    return Failed(_KINDS.get(code or "", "overloaded"), f"the answer failed ({code}): {text}")


def _read_usage(usage: Any) -> SummaryUsage:
    if not usage:
        return SummaryUsage()
    read = getattr(usage.input_tokens_details, "cached_tokens", 0) or 0
    return SummaryUsage(max(0, usage.input_tokens - read), read, 0, usage.output_tokens)
