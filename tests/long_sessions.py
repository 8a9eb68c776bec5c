"""Sessions that outgrow a window, as literals, and summarizers of given answers."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from secateur.compaction.ask import Ask, SummaryAnswer
from secateur.compaction.template import get_template

Native = dict[str, Any]


def said(role: str, text: str) -> Native:
    return {"role": role, "content": text}


def called(number: int, command: str, output: str, tool: str = "bash", tag: str = "c") -> list[Native]:
    """One round of a chat body: a call and its result."""
    function = {"name": tool, "arguments": json.dumps({"command": command})}
    call = {"id": f"{tag}{number}", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": f"Step {number}.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"{tag}{number}", "content": output},
    ]


def worked(rounds: int, tag: str = "c", size: int = 200) -> list[Native]:
    """So many rounds of about `size` times 3 tokens."""
    return [
        message
        for number in range(rounds)
        for message in called(number, f"pytest tests/test_{tag}{number}.py", "1 passed\n" * size, tag=tag)
    ]


def long(*behind: Native, rounds: int = 40, asked: str = "Fix the login. Never push to main.") -> list[Native]:
    """A request, its rounds, and what came behind."""
    return [said("user", asked), *worked(rounds), *behind]


def body(messages: Sequence[Native], **more: Any) -> bytes:
    """A Chat Completions body."""
    return json.dumps({"model": "gpt-5", "messages": list(messages), **more}).encode()


def summary(line: str = "- The login was broken", name: str = "secateur") -> str:
    """A summary that has every heading, and this line under the first."""
    first, *others = (f"## {one.heading}\n" for one in get_template(name).sections)
    return "\n\n".join([first + line, *(f"{heading}(none)" for heading in others)])


def writer(*answers: str | SummaryAnswer) -> tuple[Callable[[Ask], str | SummaryAnswer], list[Ask]]:
    """A summarizer that gives these answers, the last one forever, and what it was asked."""
    asked: list[Ask] = []

    def write(ask: Ask) -> str | SummaryAnswer:
        asked.append(ask)
        return answers[min(len(asked), len(answers)) - 1]

    return write, asked


def texts(native: bytes) -> list[str]:
    """What the messages of a chat body say."""
    return [str(message["content"]) for message in json.loads(native)["messages"]]


# `balance` without its pruning: what is too long is summed up
SUMS: Native = {
    "extends": "balance",
    "name": "sums",
    "prune": [],
    "on_arrival": None,
    "schedule": {"type": "every_request"},
    "compaction": {"digest": {"when": "never"}},
}
