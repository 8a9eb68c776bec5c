"""Formats: where the parts of a conversation stand in one kind of native document.

Rule: a format reads and points; it never converts and never writes. Applying edits is generic (`patch`), given two
small shapes: what stands in place of a part's body, and what a new message looks like. A shape that a reader does not
know is a pinned part of kind "other" and survives. One format, one file, one line in `FORMATS`; third parties register
theirs under the entry point group `secateur.formats`.
"""

from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, NamedTuple, Protocol

from secateur.errors import UnknownFormat
from secateur.formats.evidence import BODIES, weighed
from secateur.model import Message, New, Part, Transcript


class Format(Protocol):
    """One message format."""

    name: str
    log: bool  # a session log: the document is lines of JSON, edited line by line

    def recognise(self, native: Any) -> str:
        """Why this document is of this format, in a few words; "" if it is not. What is unknown is passed over."""

    def read(self, native: Any, known: tuple[Message, ...] = (), model: str = "") -> Transcript:
        """The transcript of a document: a `Text`, `Lines` for a log, or Python objects; messages and parts keyed.

        `known` are messages read before from the very same leading elements; they are taken over as they are, and
        reading goes on behind them (request formats; a log may ignore it). `model` is the caller's word, which wins
        over the document's. Raises FormatError.
        """

    def body(self, part: Part, text: str) -> Any:
        """The value to stand at `part.path` when the part reads `text`."""

    def message(self, new: New) -> Any:
        """The native shape of a message that is not in the history."""


class Entry(NamedTuple):
    """Where a format is, and the names by which a document that is almost one gives itself away."""

    where: str
    log: bool
    names: frozenset[str]


ARRAYS = ("messages", "input", "contents")  # the names under which request bodies hold the conversation

FORMATS: dict[str, Entry] = {
    "claude_code": Entry(
        "claude_code:ClaudeCode", True, frozenset({"uuid", "parentUuid", "sessionId", "message", "isSidechain"})
    ),
    "codex": Entry("codex:Codex", True, frozenset({"timestamp", "type", "payload"})),
    "openclaw": Entry("openclaw:OpenClaw", True, frozenset({"type", "id", "parentId", "timestamp", "customType"})),
    "pi": Entry("pi:Pi", True, frozenset({"type", "id", "parentId", "timestamp", "message", "cwd"})),
    "copilot_cli": Entry("copilot_cli:CopilotCLI", True, frozenset({"type", "data", "id", "timestamp", "parentId"})),
    "openhands_lines": Entry("openhands:OpenHandsLines", True, frozenset({"id", "timestamp", "source", "kind"})),
    "hermes_lines": Entry("hermes:HermesLines", True, frozenset({"role", "content", "timestamp", "finish_reason"})),
    "opencode": Entry("opencode:OpenCode", False, frozenset({"info", "messages", "parts"})),
    "gemini_cli": Entry("gemini_cli:GeminiCLI", False, frozenset({"sessionId", "projectHash", "messages", "kind"})),
    "hermes": Entry("hermes:Hermes", False, frozenset({"session_id", "session_start", "system_prompt", "messages"})),
    "swe_agent": Entry("swe_agent:SWEAgent", False, frozenset({"history", "trajectory", "environment", "info"})),
    "mini_swe_agent": Entry(
        "mini_swe_agent:MiniSWEAgent", False, frozenset({"trajectory_format", "messages", "info", "instance_id"})
    ),
    "openhands": Entry("openhands:OpenHands", False, frozenset({"id", "source", "action", "observation", "kind"})),
    "atif": Entry("atif:ATIF", False, frozenset({"schema_version", "steps", "agent", "session_id"})),
    "tau_bench": Entry("tau_bench:TauBench", False, frozenset({"simulations", "tasks", "traj", "task_id"})),
    "pi_messages": Entry("pi_messages:PiMessages", False, frozenset({"role", "content", "toolCallId", "toolName"})),
    "gemini": Entry("gemini:Gemini", False, frozenset({"contents", "parts", "systemInstruction", "generationConfig"})),
    "bedrock_converse": Entry(
        "bedrock_converse:BedrockConverse",
        False,
        frozenset({"messages", "system", "inferenceConfig", "toolConfig", "additionalModelRequestFields"}),
    ),
    "anthropic_messages": Entry(
        "anthropic_messages:AnthropicMessages",
        False,
        frozenset({"messages", "system", "max_tokens", "model", "tools"}),
    ),
    "openai_responses": Entry(
        "openai_responses:OpenAIResponses",
        False,
        frozenset({"input", "model", "instructions", "tools", "store", "previous_response_id"}),
    ),
    "openai_chat": Entry("openai_chat:OpenAIChat", False, frozenset({"messages", "model", "tools", "role", "content"})),
}


def names() -> list[str]:
    """The formats that are built in, in the order in which they are asked."""
    return list(FORMATS)


@cache
def named(name: str) -> Format:
    """The format of this name. Raises UnknownFormat with the nearest valid name."""
    if name in FORMATS:
        module, _, reader = FORMATS[name].where.partition(":")
        found: Format = getattr(import_module(f"secateur.formats.{module}"), reader)()
        return found
    for point in entry_points(group="secateur.formats", name=name):
        third: Format = point.load()()
        return third
    near = get_close_matches(name, FORMATS, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(FORMATS)}"
    raise UnknownFormat(f"no format is named {name!r}: {hint}")


def recognised(native: Any, log: bool) -> tuple[Format, str] | None:
    """The format of this document, and why; None if it is of none. Requests are told apart by all that they hold."""
    for name, entry in FORMATS.items():
        reason = named(name).recognise(native) if entry.log == log and name not in BODIES else ""
        if reason:
            return named(name), reason
    found = None if log else weighed(native)
    return (named(found.name), found.reason) if found is not None else None


def closest(seen: set[str]) -> str:
    """Which format a document with these names comes closest to, as a sentence."""
    scores = {name: len(seen & wanted) / len(wanted) for name, (_, _, wanted) in FORMATS.items()}
    best = max(scores, key=lambda name: scores[name])
    if not scores[best]:
        return f"it has none of the names that a known format has; known are {', '.join(FORMATS)}"
    has = ", ".join(sorted(seen & FORMATS[best].names))
    return f"closest is {best}: it has {has}, but no messages that this format reads"
