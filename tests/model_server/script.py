"""What a scripted model says: steps in order, refusals before some of them, other scripts for other conversations.

The step of a request follows from the conversation in it, so retries, forks and side calls need no further state: it is
the one after the last step whose call or text the conversation shows.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

SHELLS = (
    "Bash",
    "bash",
    "exec_command",
    "shell_command",
    "shell",
    "local_shell",
    "run_shell_command",
    "execute",
    "exec",
    "terminal",
)
_FILLERS: dict[str, Any] = {"string": "none", "boolean": False, "number": 1, "integer": 1, "array": [], "object": {}}


class Call(Struct, frozen=True):
    """A tool call: by name, or a command for the client's own shell tool, whatever its name and schema."""

    tool: str = ""
    arguments: dict[str, Any] = {}
    command: str = ""

    @property
    def mark(self) -> str:
        """The text by which the call is recognized in a conversation."""
        return self.command or max(_list_strings(self.arguments), key=len, default=self.tool)


class Step(Struct, frozen=True):
    """One answer."""

    text: str = ""
    thinking: str = ""
    calls: tuple[Call, ...] = ()

    @property
    def mark(self) -> str:
        """The text by which the answer is recognized in a conversation."""
        return self.calls[0].mark if self.calls else self.text


class Failure(Struct, frozen=True):
    """An error in place of an answer, as often as `times` says."""

    status: int = 400
    times: int = 1
    is_overflow: bool = False  # the provider's own words for a request that exceeds the window
    headers: dict[str, str] = {}
    tokens: int = 214_538  # of the request, as an overflow states them
    window: int = 200_000


class Script(Struct, frozen=True):
    """One conversation."""

    steps: tuple[Step, ...]
    failures: dict[int, Failure] = {}  # before the step of this number, from 0
    cue: str = ""  # a text that tells its requests from others, such as a sub-agent's instructions

    @property
    def commands(self) -> tuple[str, ...]:
        """The shell commands of all steps, in order."""
        return tuple(call.command for step in self.steps for call in step.calls if call.command)

    def find_position(self, spoken: Iterable[str]) -> int:
        """The number of the next step, after the texts that the model has said."""
        said = "\n".join(spoken)
        return max((number + 1 for number, step in enumerate(self.steps) if step.mark in said), default=0)


def choose_call(call: Call, tools: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """The tool and the arguments by which a client with these tools carries out a call; None if it cannot."""
    if not call.command:
        return (call.tool, call.arguments) if call.tool in tools else None
    name = next((name for name in SHELLS if name in tools), None)
    return None if name is None else (name, _fill_arguments(call.command, tools[name]))


def _fill_arguments(command: str, schema: dict[str, Any]) -> dict[str, Any]:
    fields: dict[str, Any] = schema.get("properties") or {}
    name = next((name for name in ("command", "cmd", "script") if name in fields), "command")
    is_list = fields.get(name, {}).get("type") == "array"
    filled: dict[str, Any] = {name: ["bash", "-lc", command] if is_list else command}
    for needed in schema.get("required") or ():
        field = fields.get(needed, {})
        default = (field.get("enum") or [_FILLERS.get(str(field.get("type")).lower(), "none")])[0:1] or [None]
        filled.setdefault(needed, default[0])
    return filled


def _list_strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for child in value.values() if isinstance(value, dict) else value:
            yield from _list_strings(child)


def list_texts(value: Any) -> list[str]:
    """All texts in a JSON value, in order."""
    return list(_list_strings(value))
