"""A loop on LiteLLM's asynchronous SDK: alone, with secateur's callback, and with Headroom's.

Rule: each callback is registered as its documentation says. Headroom's acts where LiteLLM's proxy calls its hook, so
that there is also a run in which the hook is called before each request, as the proxy does.
"""

import asyncio
import json
import time
from typing import Any

import litellm
from framework_runs.work import (
    MODEL,
    SCHEMA,
    SYSTEM,
    TASK,
    Play,
    PromptCache,
    Run,
    choose_command,
    measure,
    run_command,
)
from litellm.litellm_core_utils.logging_worker import GLOBAL_LOGGING_WORKER

from secateur.adapters.litellm import SecateurLogger

TOOL = {"type": "function", "function": {"name": "run_command", "description": "Run.", "parameters": SCHEMA}}


class ScriptedProvider(litellm.CustomLLM):
    """Runs one command after the other, and reports usage as a prompt cache would."""

    def __init__(self, rounds: int) -> None:
        super().__init__()
        self.rounds = rounds
        self.sent: list[list[Any]] = []
        self.cache = PromptCache()

    async def acompletion(self, *_: Any, messages: list[Any], **__: Any) -> litellm.ModelResponse:
        number = len(self.sent)
        self.sent.append([one for one in messages if one["role"] != "system"])
        read, written = self.cache.charge([describe(one) for one in messages])
        function = {"name": "run_command", "arguments": json.dumps({"command": choose_command(number)})}
        call = {"id": f"c{number}", "type": "function", "function": function}
        message = {"role": "assistant", "content": f"Step {number}."}
        message |= {"tool_calls": [call]} if number < self.rounds else {}
        usage = litellm.Usage(
            prompt_tokens=read + written,
            completion_tokens=20,
            total_tokens=read + written + 20,
            cache_read_input_tokens=read,
            cache_creation_input_tokens=written,
        )
        return litellm.ModelResponse(choices=[{"message": message}], usage=usage)


def describe(message: Any) -> str:
    """What a provider is sent of a message."""
    return json.dumps(message)


async def work(provider: ScriptedProvider, tools: list[Any], before: Any) -> list[Any]:
    """An agent's loop; its history."""
    history: list[Any] = [{"role": "user", "content": TASK}]
    system = {"role": "system", "content": SYSTEM}
    while True:
        given = {"model": f"scripted/{MODEL}", "messages": [system, *history], "tools": tools}
        if before is not None:
            given = await before.async_pre_call_hook(None, None, given, "acompletion")
        answer = (await litellm.acompletion(**given, litellm_session_id="s")).choices[0].message
        await GLOBAL_LOGGING_WORKER.flush()
        calls = answer.tool_calls or []
        named = {"tool_calls": [one.model_dump() for one in calls]} if calls else {}
        history.append({"role": "assistant", "content": answer.content, **named})
        for one in calls:
            text = run_command(**json.loads(one.function.arguments))
            history.append({"role": "tool", "tool_call_id": one.id, "content": text})
        if not calls:
            return history


def play(rounds: int, callback: Any = None, tools: Any = (), before: Any = None) -> Run:
    """One run."""
    provider = ScriptedProvider(rounds)
    litellm.custom_provider_map = [{"provider": "scripted", "custom_handler": provider}]
    litellm.callbacks = [] if callback is None else [callback]
    litellm.success_callback, litellm._async_success_callback = [], []
    begun = time.process_time()
    history = asyncio.run(work(provider, [TOOL, *tools], before))
    spent = time.process_time() - begun
    litellm.callbacks = []
    return measure(provider.sent, history, describe, provider.cache, spent)


def play_secateur(rounds: int, recall: bool = True) -> Run:
    """A run with secateur's callback."""
    logger = SecateurLogger()
    return play(rounds, logger, [logger.make_recall_tool()] if recall else [])


def play_headroom(rounds: int, in_proxy: bool = False) -> Run:
    """A run with Headroom's callback."""
    from headroom.integrations.litellm_callback import HeadroomCallback

    callback = HeadroomCallback()
    return play(rounds, callback, before=callback if in_proxy else None)


RUNS: dict[str, Play] = {
    "neither": play,
    "secateur": play_secateur,
    "secateur, no recall tool": lambda rounds: play_secateur(rounds, recall=False),
    "Headroom": play_headroom,
    "Headroom, as in LiteLLM's proxy": lambda rounds: play_headroom(rounds, in_proxy=True),
}
