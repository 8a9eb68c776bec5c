"""Formats: where the parts of a conversation are in one kind of native document.

Rule: a format reads and points; it never converts and never writes. Applying edits is generic (`patch`), given two
small shapes: what replaces a part's body, and what a new message looks like. A shape that a reader does not
know is a pinned part of kind "other" and survives. One format, one file, one line in `FORMATS`. Formats of plugins are
asked when no built-in one knows a document.
"""

from functools import cache
from typing import Any, NamedTuple

from secateur.errors import ConfigError, UnknownFormat
from secateur.formats.format import Format
from secateur.registry import Plugin, Registry, warn
from secateur.text.suggestions import suggest_names

__all__ = [
    "ARRAYS",
    "FORMATS",
    "Entry",
    "Format",
    "describe_closest",
    "get",
    "get_built_in",
    "get_format",
    "list_format_names",
    "list_format_plugins",
    "recognize_by_plugin",
]


class Entry(NamedTuple):
    """Where a format is implemented, and the names that identify a document that is almost of that format."""

    where: str
    log: bool
    names: frozenset[str]
    needs: frozenset[str] = frozenset()  # an object with none of these members is not of this format
    inside: frozenset[str] = frozenset()  # nor is one of whose messages none has all of these members


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
    "opencode": Entry(
        "opencode:OpenCode",
        False,
        frozenset({"info", "messages", "parts"}),
        frozenset({"messages"}),
        frozenset({"info", "parts"}),
    ),
    "gemini_cli": Entry(
        "gemini_cli:GeminiCLI",
        False,
        frozenset({"sessionId", "projectHash", "messages", "kind"}),
        frozenset({"sessionId"}),
    ),
    "hermes": Entry(
        "hermes:Hermes",
        False,
        frozenset({"session_id", "session_start", "system_prompt", "messages"}),
        frozenset({"session_id"}),
    ),
    "swe_agent": Entry(
        "swe_agent:SWEAgent", False, frozenset({"history", "trajectory", "environment", "info"}), frozenset({"history"})
    ),
    "mini_swe_agent": Entry(
        "mini_swe_agent:MiniSWEAgent",
        False,
        frozenset({"trajectory_format", "messages", "info", "instance_id"}),
        frozenset({"trajectory_format"}),
    ),
    "openhands": Entry(
        "openhands:OpenHands",
        False,
        frozenset({"id", "source", "action", "observation", "kind"}),
        frozenset({"history"}),
    ),
    "atif": Entry(
        "atif:ATIF", False, frozenset({"schema_version", "steps", "agent", "session_id"}), frozenset({"schema_version"})
    ),
    "tau_bench": Entry(
        "tau_bench:TauBench",
        False,
        frozenset({"simulations", "tasks", "traj", "task_id"}),
        frozenset({"simulations", "task_id", ""}),
    ),
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


def _make_format(name: str, loaded: Any) -> Format:
    made = loaded() if isinstance(loaded, type) else loaded
    if not isinstance(made, Format):
        raise ConfigError(f"{loaded!r:.80} is not a subclass of secateur.plugins.Format")
    if made.name != name:
        raise ConfigError(f"its name is {made.name!r}, and its entry point is called {name!r}")
    return made


_REGISTRY: Registry[Format] = Registry(
    "formats", {name: f"secateur.formats.{entry.where}" for name, entry in FORMATS.items()}, _make_format
)


def list_format_names() -> tuple[str, ...]:
    """Return every format: built-in ones in detection order, then those of plugins."""
    return _REGISTRY.list_names()


def list_format_plugins() -> tuple[Plugin, ...]:
    """Return the plugins of this kind, including unusable ones."""
    return _REGISTRY.list_plugins()


def get(name: str) -> Format | None:
    """The format of this name; None if there is none. Raises ConfigError if it is a plugin that cannot be used."""
    return _REGISTRY.get(name)


def get_format(name: str) -> Format:
    """The format of this name. Raises UnknownFormat with the nearest valid name, and ConfigError if it is a plugin
    that cannot be used."""
    found = _REGISTRY.get(name)
    if found is not None:
        return found
    near = suggest_names(name, list_format_names())
    hint = f"did you mean {near}?" if near else f"there are {', '.join(list_format_names())}"
    raise UnknownFormat(f"no format is named {name!r}: {hint}")


@cache
def get_built_in(name: str) -> Format:
    """A built-in format, looked up once."""
    return get_format(name)


def recognize_by_plugin(native: Any, log: bool) -> tuple[Format, str] | None:
    """The format of a plugin that a document is of which no built-in format reads, and why; None if it is of none."""
    for format in _REGISTRY.load_plugins().values():
        if format.log != log:
            continue
        try:
            reason = format.recognize(native)
        except Exception as error:  # a plugin that is wrong about one document must not hide it from the others
            warn(
                f"the format {format.name!r} of a plugin failed to inspect a document: {type(error).__name__}: {error}"
            )
            continue
        if reason:
            return format, reason
    return None


def describe_closest(seen: set[str]) -> str:
    """Describe in a sentence which format a document with these names comes closest to."""
    wanted = {name: entry.names for name, entry in FORMATS.items()}
    wanted |= {name: found.telltale_names for name, found in _REGISTRY.load_plugins().items() if found.telltale_names}
    scores = {name: len(seen & its) / len(its) for name, its in wanted.items()}
    best = max(scores, key=lambda name: scores[name])
    if not scores[best]:
        return f"it has none of the keys of a known format; known formats: {', '.join(list_format_names())}"
    has = ", ".join(sorted(seen & wanted[best]))
    return f"closest is {best}: it has {has}, but no messages that this format can read"
