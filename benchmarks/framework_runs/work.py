"""The work of every agent here: the commands it runs, what they print, and what a prompt cache charges for a request.

Rule: nothing depends on the framework, so that all runs are of the same work.
"""

import json
from collections.abc import Callable
from typing import Any

from msgspec import Struct

READ, WRITE = 0.1, 1.25  # of the price of input
CHARS = 4  # of a token
MODEL = "claude-sonnet-4-5"
SYSTEM = "Work through all parts."
TASK = "Do all parts."
SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
COMMANDS = (
    "pytest -v tests/part_{}",
    "curl -s https://api.example/rows?page={}",
    "cat src/part_{}.py",
    "cat notes/{}.md",
)


class Run(Struct, frozen=True):
    """What one run was: its requests, and its history afterwards, each message as text."""

    history: list[str]
    same: float  # the share of messages sent that are the agent's own objects
    kept: float  # the share of messages sent that read as in the history
    tokens: list[int]
    bills: list[float]
    seconds: float


Play = Callable[[int], Run]  # a run of so many rounds


class PromptCache:
    """What the requests of a run cost: what the request before began with is read, the rest is written."""

    def __init__(self) -> None:
        self.tokens: list[int] = []
        self.bills: list[float] = []
        self._before: list[str] = []

    def charge(self, messages: list[str]) -> tuple[int, int]:
        """The tokens that are read and written of a request."""
        pairs = zip(messages, self._before, strict=False)
        same = next((n for n, (one, other) in enumerate(pairs) if one != other), None)
        same = min(len(messages), len(self._before)) if same is None else same
        read, written = (sum(map(len, some)) // CHARS for some in (messages[:same], messages[same:]))
        self._before = messages
        self.tokens.append(read + written)
        self.bills.append(READ * read + WRITE * written)
        return read, written


def choose_command(number: int) -> str:
    """The command of a round."""
    return COMMANDS[number % len(COMMANDS)].format(number)


def run_command(command: str) -> str:
    """Run a command."""
    number = int("".join(filter(str.isdigit, command)))
    kind = number % len(COMMANDS)
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


def measure(
    sent: list[list[Any]], history: list[Any], describe: Callable[[Any], str], cache: PromptCache, seconds: float
) -> Run:
    """A run, from the messages of its requests and its history."""
    own, texts = {id(one) for one in history}, [describe(one) for one in history]
    known = set(texts)
    messages = [one for request in sent for one in request]
    return Run(
        history=texts,
        same=sum(id(one) in own for one in messages) / len(messages),
        kept=sum(describe(one) in known for one in messages) / len(messages),
        tokens=cache.tokens,
        bills=cache.bills,
        seconds=seconds,
    )
