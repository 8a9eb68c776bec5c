"""An agent of Strands: alone, with secateur's plugin, and with Headroom's model, or its hooks."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

from framework_runs.work import MODEL, SYSTEM, TASK, Play, PromptCache, Run, choose_command, measure, run_command
from strands import Agent, tool
from strands.agent.conversation_manager import NullConversationManager
from strands.models import Model

from secateur.adapters.strands import SecateurPlugin


class ScriptedModel(Model):
    """Runs one command after the other, and reports usage as a prompt cache would."""

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds
        self.config = {"model_id": f"anthropic.{MODEL}"}
        self.sent: list[list[Any]] = []
        self.cache = PromptCache()

    def update_config(self, **_: Any) -> None: ...

    def get_config(self) -> Any:
        return self.config

    async def structured_output(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError
        yield

    async def stream(self, messages: Any, *_: Any, **__: Any) -> AsyncIterator[Any]:
        number = len(self.sent)
        self.sent.append(list(messages))
        read, written = self.cache.charge([describe(one) for one in messages])
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockDelta": {"delta": {"text": f"Step {number}."}}}
        yield {"contentBlockStop": {}}
        if number < self.rounds:
            yield {"contentBlockStart": {"start": {"toolUse": {"name": "run_command", "toolUseId": f"c{number}"}}}}
            command = json.dumps({"command": choose_command(number)})
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": command}}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if number < self.rounds else "end_turn"}}
        usage = {"inputTokens": 0, "outputTokens": 20, "totalTokens": read + written + 20}
        usage |= {"cacheReadInputTokens": read, "cacheWriteInputTokens": written}
        yield {"metadata": {"usage": usage, "metrics": {"latencyMs": 1}}}


def describe(message: Any) -> str:
    """What a provider is sent of a message."""
    return json.dumps([message["role"], message["content"]])


def play(rounds: int, make: Callable[[Any], dict[str, Any]]) -> Run:
    """One run; `make` gives what an agent is made of around the model."""
    model = ScriptedModel(rounds)
    agent = Agent(
        tools=[tool(run_command)],
        system_prompt=SYSTEM,
        callback_handler=None,
        conversation_manager=NullConversationManager(),
        **make(model),
    )
    begun = time.process_time()
    asyncio.run(agent.invoke_async(TASK))
    spent = time.process_time() - begun
    return measure(model.sent, agent.messages, describe, model.cache, spent)


def use_headroom(model: Any) -> dict[str, Any]:
    """Headroom's model around the scripted one."""
    from headroom.integrations.strands import HeadroomStrandsModel

    return {"model": HeadroomStrandsModel(model)}


def use_headroom_hooks(model: Any) -> dict[str, Any]:
    """Headroom's hooks on new results."""
    from headroom.integrations.strands import HeadroomHookProvider

    return {"model": model, "hooks": [HeadroomHookProvider()]}


def use_secateur(model: Any, **settings: Any) -> dict[str, Any]:
    """The plugin with its defaults."""
    return {"model": model, "plugins": [SecateurPlugin(**settings)]}


RUNS: dict[str, Play] = {
    "neither": lambda rounds: play(rounds, lambda model: {"model": model}),
    "secateur": lambda rounds: play(rounds, use_secateur),
    "secateur, no recall tool": lambda rounds: play(rounds, lambda model: use_secateur(model, recall=False)),
    "Headroom, model": lambda rounds: play(rounds, use_headroom),
    "Headroom, hooks": lambda rounds: play(rounds, use_headroom_hooks),
}
