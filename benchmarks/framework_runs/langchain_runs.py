"""An agent of LangChain: alone, with secateur's middleware, and with Headroom's chat model."""

import json
import time
from collections.abc import Callable
from typing import Any

from framework_runs.work import MODEL, SYSTEM, TASK, Play, PromptCache, Run, choose_command, measure, run_command
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from secateur.adapters.langchain import SecateurMiddleware


class ScriptedChatModel(BaseChatModel):
    """Runs one command after the other, and reports usage as a prompt cache would."""

    rounds: int
    model: str = MODEL
    sent: list[Any] = []
    charged: Any = None

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        number = len(self.sent)
        self.sent.append([one for one in messages if one.type != "system"])
        read, written = self.charged.charge([describe(one) for one in messages])
        usage: Any = {
            "input_tokens": read + written,
            "output_tokens": 20,
            "total_tokens": read + written + 20,
            "input_token_details": {"cache_read": read, "cache_creation": written},
        }
        command = {"command": choose_command(number)}
        call: Any = {"name": "run_command", "args": command, "id": f"c{number}", "type": "tool_call"}
        calls = [call] if number < self.rounds else []
        said = AIMessage(f"Step {number}.", tool_calls=calls, id=f"a{number}", usage_metadata=usage)
        return ChatResult(generations=[ChatGeneration(message=said)])


def describe(message: BaseMessage) -> str:
    """What a provider is sent of a message."""
    calls = getattr(message, "tool_calls", None) or []
    return json.dumps([message.type, message.content, [[one["name"], one["args"]] for one in calls]], default=str)


def play(rounds: int, make: Callable[[Any], dict[str, Any]]) -> Run:
    """One run; `make` gives what an agent is made of around the model."""
    model = ScriptedChatModel(rounds=rounds, sent=[], charged=PromptCache())
    agent: Any = create_agent(tools=[run_command], system_prompt=SYSTEM, **make(model))
    begun = time.process_time()
    done = agent.invoke({"messages": [HumanMessage(TASK, id="task")]}, {"recursion_limit": 10_000})
    spent = time.process_time() - begun
    return measure(model.sent, done["messages"], describe, model.charged, spent)


def use_headroom(model: Any) -> dict[str, Any]:
    """Headroom's model around the scripted one."""
    from headroom.integrations import HeadroomChatModel

    return {"model": HeadroomChatModel(model)}


def use_secateur(model: Any, **settings: Any) -> dict[str, Any]:
    """The middleware with its defaults."""
    return {"model": model, "middleware": [SecateurMiddleware(**settings)]}


RUNS: dict[str, Play] = {
    "neither": lambda rounds: play(rounds, lambda model: {"model": model}),
    "secateur": lambda rounds: play(rounds, use_secateur),
    "secateur, no recall tool": lambda rounds: play(rounds, lambda model: use_secateur(model, recall=False)),
    "Headroom": lambda rounds: play(rounds, use_headroom),
}
