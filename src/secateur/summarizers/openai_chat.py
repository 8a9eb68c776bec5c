"""The Chat Completions API of OpenAI and of every server that speaks it, through OpenAI's client, as a stream.

Rule: nothing is sent that only some servers know, but for OpenAI's own name of the limit. Usage is asked for; a server
that refuses to be asked is asked again without.
"""

from importlib import import_module
from typing import Any

from secateur.compaction.ask import Ask, SummaryAnswer, SummaryUsage
from secateur.summarizers.endpoint import Endpoint, Heard, make_http_client

_OPENAI = "api.openai.com"


async def ask_openai_chat(to: Endpoint, ask: Ask, seconds: float) -> SummaryAnswer:
    """The model's answer to one question."""
    heard = Heard()
    async with make_http_client(to, seconds) as http, make_openai_client(to, seconds, http) as client:
        async for chunk in await _start_stream(client, _build_body(to, ask)):
            _hear(heard, chunk)
    return heard.build_answer(to.name)


def make_openai_client(to: Endpoint, seconds: float, http: Any) -> Any:
    """OpenAI's client for this endpoint. The environment's account settings are for OpenAI alone."""
    sdk: Any = import_module("openai")
    whose = {} if to.host == _OPENAI else {name: sdk.Omit() for name in ("OpenAI-Organization", "OpenAI-Project")}
    return sdk.AsyncOpenAI(
        api_key=to.get_key() or "none",
        base_url=to.base_url,
        timeout=seconds,
        max_retries=0,
        http_client=http,
        default_headers=whose,
    )


async def _start_stream(client: Any, body: dict[str, Any]) -> Any:
    sdk: Any = import_module("openai")
    try:
        return await client.chat.completions.create(**body, stream_options={"include_usage": True})
    except (sdk.BadRequestError, sdk.UnprocessableEntityError) as error:
        if "stream_options" not in str(error):
            raise
        return await client.chat.completions.create(**body)


def _build_body(to: Endpoint, ask: Ask) -> dict[str, Any]:
    own = to.host == _OPENAI
    most = to.compute_max_tokens(ask.most_tokens, thinking=own)
    return {
        "model": to.model,
        "messages": [{"role": "system", "content": ask.system}, {"role": "user", "content": ask.text}],
        "max_completion_tokens" if own else "max_tokens": most,
        "stream": True,
    }


def _hear(heard: Heard, chunk: Any) -> None:
    if chunk.usage:
        read = getattr(chunk.usage.prompt_tokens_details, "cached_tokens", 0) or 0
        sent = chunk.usage.prompt_tokens or 0
        heard.spent = SummaryUsage(max(0, sent - read), read, 0, chunk.usage.completion_tokens or 0)
    for choice in chunk.choices or ():
        if choice.delta:
            heard.say(choice.delta.content)
            heard.say(choice.delta.refusal)
            for call in choice.delta.tool_calls or ():
                heard.call(call.index)
        heard.finish = choice.finish_reason or heard.finish
