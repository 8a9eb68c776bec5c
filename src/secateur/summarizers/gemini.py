"""Google's Gemini API, through its own client, as a stream.

Rule: thoughts are counted, and are not part of the answer. A blocked question has ended, with its reason.
"""

from importlib import import_module
from typing import Any

from secateur.compaction.ask import Ask, SummaryAnswer, SummaryUsage
from secateur.summarizers.endpoint import Endpoint, Heard, load_tls_context, make_http_client


async def ask_gemini(to: Endpoint, ask: Ask, seconds: float) -> SummaryAnswer:
    """The model's answer to one question."""
    heard = Heard()
    async with make_http_client(to, seconds) as http:
        client = _make_client(to, http, seconds)
        try:
            chunks = await client.aio.models.generate_content_stream(
                model=to.model,
                contents=ask.text,
                config={
                    "system_instruction": ask.system,
                    "max_output_tokens": to.compute_max_tokens(ask.most_tokens, thinking=True),
                },
            )
            async for chunk in chunks:
                _hear(heard, chunk)
        finally:
            client.close()
    return heard.build_answer(to.name)


def _make_client(to: Endpoint, http: Any, seconds: float) -> Any:
    sdk: Any = import_module("google.genai")
    options = {
        "base_url": to.base_url,
        "timeout": int(seconds * 1000),
        "retry_options": {"attempts": 1},
        "httpx_async_client": http,
        "client_args": {"verify": load_tls_context()},  # of the client that does not wait, which is not used
    }
    return sdk.Client(api_key=to.get_key() or "none", vertexai=False, http_options=options)


def _hear(heard: Heard, chunk: Any) -> None:
    if chunk.usage_metadata:
        heard.spent = _read_usage(chunk.usage_metadata)
    blocked = getattr(chunk.prompt_feedback, "block_reason", None)
    if blocked:
        heard.finish = _normalize_reason(blocked)
    for candidate in (chunk.candidates or ())[:1]:
        for number, part in enumerate((candidate.content.parts if candidate.content else None) or ()):
            if part.function_call:
                heard.call(part.function_call.id or number)
            elif not part.thought:
                heard.say(part.text)
        if candidate.finish_reason:
            heard.finish = _normalize_reason(candidate.finish_reason)


def _normalize_reason(reason: Any) -> str:
    return str(getattr(reason, "value", reason)).lower()


def _read_usage(usage: Any) -> SummaryUsage:
    read = usage.cached_content_token_count or 0
    output = (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)
    return SummaryUsage(max(0, (usage.prompt_token_count or 0) - read), read, 0, output)
