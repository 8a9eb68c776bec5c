"""One conversation as each of the formats writes it: turns of tool calls, with arguments spelled as the test says.

Rule: literals of the shapes that hosts and APIs really write. Arguments are JSON text; where a format holds them as
text in a string, `quote` spells that string.
"""

import json
from collections.abc import Callable
from typing import Any

from every_format import bodies, hosts
from every_format.said import Call, Said, Step, Turn
from secateur.formats import FORMATS

__all__ = ["FORMATS_OF_ALL", "IN_STRINGS", "Step", "Turn", "document"]

Quote = Callable[[str], str]


def quoted(text: str) -> str:
    """A string as most clients write it."""
    return json.dumps(text)


def document(format: str, turns: list[Turn], quote: Quote = quoted) -> bytes:
    """The conversation in this format."""
    calls: list[Call] = []
    said: Said = []
    for turn in turns:
        said.append(("user", turn.asked))
        for step in turn.steps:
            calls.append(Call(len(calls), step))
            said.append(("call", calls[-1]))
        if turn.answer:
            said.append(("assistant", turn.answer))
    value = _WRITERS[format](said)
    lines = value if FORMATS[format].log else [value]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    for call in calls:
        for mark, spelled in ((f"text {call.given}", quote(call.step.arguments)), (call.given, call.step.arguments)):
            text = text.replace(json.dumps(mark), spelled)
    return text.encode("utf-8", "surrogatepass")


FORMATS_OF_ALL = tuple(FORMATS)
IN_STRINGS = frozenset(
    {"openai_chat", "openai_responses", "codex", "hermes", "hermes_lines", "openhands", "openhands_lines"}
    | {"swe_agent", "mini_swe_agent", "tau_bench"}
)
"""Formats in which arguments are text in a string."""


_WRITERS: dict[str, Callable[[Said], Any]] = {
    "anthropic_messages": bodies.anthropic,
    "bedrock_converse": bodies.bedrock,
    "gemini": bodies.gemini,
    "openai_chat": lambda said: {"model": "gpt-5", "messages": bodies.chat(said)},
    "openai_responses": lambda said: {"model": "gpt-5", "input": list(bodies.items(said))},
    "claude_code": hosts.claude_code,
    "codex": hosts.codex,
    "pi": hosts.pi,
    "pi_messages": lambda said: list(hosts.of_pi(said)),
    "openclaw": hosts.openclaw,
    "copilot_cli": hosts.copilot,
    "opencode": hosts.opencode,
    "gemini_cli": hosts.gemini_cli,
    "openhands": hosts.openhands,
    "openhands_lines": hosts.openhands_lines,
    "hermes": hosts.hermes,
    "hermes_lines": hosts.hermes_lines,
    "swe_agent": hosts.swe_agent,
    "mini_swe_agent": hosts.mini,
    "atif": hosts.atif,
    "tau_bench": lambda said: {"task_id": "t", "traj": bodies.chat(said), "reward": 1.0},
}
