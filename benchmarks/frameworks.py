"""secateur's LangChain middleware and Headroom's LangChain model in the same agent run: objects, tokens, bill, time.

    python -m venv build/frameworks
    build/frameworks/bin/pip install -e '.[store]' langchain==1.5.0 'headroom-ai[langchain]==0.42.0'
    build/frameworks/bin/python benchmarks/frameworks.py [ROUNDS]

Rule: both run in the framework itself, with their defaults and a scripted model that answers the same whatever it is
sent; secateur also with its recall tool, without which nothing goes that could not be read back. The bill is in
equivalents of input tokens, by a prompt cache as Anthropic's: what the request before began with is read at a tenth of
the price, the rest is written at 1.25 times. Time is the processor's, beyond a run without either, and not below zero.
Nothing is sent anywhere.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from secateur.adapters.langchain import SecateurMiddleware

READ, WRITE = 0.1, 1.25  # of the price of input
CHARS = 4  # of a token
ROUNDS = 80


COMMANDS = (
    "pytest -v tests/part_{}",
    "curl -s https://api.example/rows?page={}",
    "cat src/part_{}.py",
    "cat notes/{}.md",
)


def run_command(command: str) -> str:
    """Run a command."""
    number = int("".join(filter(str.isdigit, command)))
    kind = number % 4
    if kind == 0:
        steps = "".join(f"tests/test_{n % 9}.py::test_case_{number}_{n:03d} PASSED\n" for n in range(200))
        return f"{steps}===== 200 passed in 1.{number:02d}s =====\n"
    if kind == 1:
        return json.dumps([{"id": n, "name": f"row {number}-{n}", "state": "ok", "size": n * 7} for n in range(120)])
    if kind == 2:
        return "".join(f"def part_{number}_{n}(value):\n    return value * {n} + {number}\n\n\n" for n in range(80))
    return "".join(
        f"Day {n}: what was agreed on in meeting {number}, and who does it until day {n + 9}.\n" for n in range(60)
    )


class ScriptedModel(BaseChatModel):
    """Runs one command after the other, and reports usage as a prompt cache would."""

    rounds: int = ROUNDS
    model: str = "claude-sonnet-4-5"
    seen: list[list[BaseMessage]] = []
    tokens: list[int] = []
    bills: list[float] = []
    before: list[str] = []

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        number = len(self.seen)
        self.seen.append(list(messages))
        read, written = self._charge(messages)
        usage: Any = {
            "input_tokens": read + written,
            "output_tokens": 20,
            "total_tokens": read + written + 20,
            "input_token_details": {"cache_read": read, "cache_creation": written},
        }
        command = COMMANDS[number % 4].format(number)
        call = {
            "name": "run_command",
            "args": {"command": command},
            "id": f"c{number}",
            "type": "tool_call",
        }
        calls: list[Any] = [call] if number < self.rounds else []
        said = AIMessage(f"Step {number}.", tool_calls=calls, id=f"a{number}", usage_metadata=usage)
        return ChatResult(generations=[ChatGeneration(message=said)])

    def _charge(self, messages: list[BaseMessage]) -> tuple[int, int]:
        texts = [describe(one) for one in messages]
        same = next((n for n, (one, other) in enumerate(zip(texts, self.before, strict=False)) if one != other), None)
        same = min(len(texts), len(self.before)) if same is None else same
        read, written = (sum(map(len, some)) // CHARS for some in (texts[:same], texts[same:]))
        self.before[:] = texts
        self.tokens.append(read + written)
        self.bills.append(READ * read + WRITE * written)
        return read, written


def describe(message: BaseMessage) -> str:
    """What a provider is sent of a message."""
    calls = getattr(message, "tool_calls", None) or []
    return json.dumps([message.type, message.content, [[one["name"], one["args"]] for one in calls]], default=str)


def make_headroom(model: ScriptedModel) -> dict[str, Any]:
    """Headroom's model around the scripted one, with the vocabulary that it would fetch."""
    litellm = find_spec("litellm")  # Headroom asks for it, and it has that vocabulary
    if litellm is not None and litellm.origin:
        words = Path(litellm.origin).parent / "litellm_core_utils" / "tokenizers"
        os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(words))
    from headroom.integrations import HeadroomChatModel

    return {"model": HeadroomChatModel(model)}


def play(rounds: int, make: Callable[[ScriptedModel], dict[str, Any]]) -> dict[str, Any]:
    """One run: what the model was sent, and what of it are the agent's own objects."""
    scripted = ScriptedModel(rounds=rounds, seen=[], tokens=[], bills=[], before=[])
    agent: Any = create_agent(tools=[run_command], system_prompt="Work through all parts.", **make(scripted))
    begun = time.process_time()
    done = agent.invoke({"messages": [HumanMessage("Do all parts.", id="task")]}, {"recursion_limit": 10_000})
    spent = time.process_time() - begun
    history = done["messages"]
    own, ids = {id(one) for one in history}, {one.id for one in history}
    sent = [one for seen in scripted.seen for one in seen if one.type != "system"]
    return {
        "history": [describe(one) for one in history],
        "same": sum(id(one) in own for one in sent) / len(sent),
        "ids": sum(one.id in ids for one in sent if one.id or one.type != "human") / len(sent),
        "tokens": sum(scripted.tokens),
        "peak": max(scripted.tokens),
        "bill": sum(scripted.bills),
        "seconds": spent,
        "requests": len(scripted.seen),
    }


def main(rounds: int) -> None:
    """Print the table."""
    ways: dict[str, Callable[[ScriptedModel], dict[str, Any]]] = {
        "neither": lambda model: {"model": model},
        "secateur": lambda model: {"model": model, "middleware": [SecateurMiddleware(policy="balance")]},
        "secateur, recall": lambda model: {
            "model": model,
            "middleware": [SecateurMiddleware(policy="balance", recall=True)],
        },
        "headroom": make_headroom,
    }
    for make in ways.values():  # what is loaded once is no cost of a request
        play(3, make)
    runs = {name: play(rounds, make) for name, make in ways.items()}
    plain = runs["neither"]
    print(f"{rounds} rounds; tokens are characters / {CHARS}; the bill in equivalents of input tokens\n")
    print("| | same objects | ids kept | tokens sent | peak | bill | ms a request | history as without |")
    print("|---|---|---|---|---|---|---|---|")
    for name, run in runs.items():
        spent = 1000 * (run["seconds"] - plain["seconds"]) / run["requests"]
        cells = (
            name,
            f"{run['same']:.0%}",
            f"{run['ids']:.0%}",
            f"{run['tokens']:,}",
            f"{run['peak']:,}",
            f"{run['bill']:,.0f}",
            f"{max(0.0, spent):.1f}",
            "yes" if run["history"] == plain["history"] else "no",
        )
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)
