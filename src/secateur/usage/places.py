"""Where a document has a provider's usage, and how to read it from dicts, SDK objects and structs.

Rule: a figure is a whole number above zero; anything else counts as missing. Nothing is copied or converted.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

PLACES = (
    ("usage_metadata",),  # LangChain's messages, google-genai
    ("usageMetadata",),  # Gemini
    ("usage",),  # OpenAI, Anthropic, Bedrock, pydantic-ai, AI SDK, OpenAI Agents, LiteLLM, Haystack
    ("message", "usage"),  # Anthropic's `message_start`, Claude Code, Pi
    ("message", "usage_metadata"),  # LangChain's generations
    ("response", "usage"),  # Responses' `response.completed`, LiteLLM's logs
    ("metadata", "usage"),  # the last event of Bedrock's streams
    ("usage_details",),  # Microsoft Agent Framework
    ("x_groq", "usage"),
    ("info", "tokens"),  # opencode
    ("tokens",),  # Gemini CLI, steps of opencode
    ("payload", "info", "last_token_usage"),  # Codex
    ("info", "last_token_usage"),
    ("last_token_usage",),
    ("extra", "response", "usage"),  # mini-swe-agent
    ("tool_call_metadata", "model_response", "usage"),  # OpenHands before 1.0
    ("output", "usage"),  # Inspect
    ("metrics",),  # steps of ATIF
    ("response_metadata", "token_usage"),  # LangChain, as its provider reported it
    ("response_metadata", "usage"),
)
_TOKEN_COUNT = "token_count"  # Codex' event
_SIMPLE = (str, bytes, int, float, list, tuple)
_FIRST, _APART = "message_start", "message_delta"  # Anthropic's events: the second completes the first


def get_member(value: Any, name: str) -> Any:
    """A member of a mapping or an object; None without it. Callables do not count."""
    if isinstance(value, Mapping):
        return value.get(name)
    if value is None or isinstance(value, str | bytes | int | float | list | tuple):
        return None
    try:
        found = getattr(value, name, None)
    except Exception:  # a property of someone else's class
        return None
    return None if callable(found) else found


def find_at(value: Any, path: str) -> list[Any]:
    """The values at a dotted path: one, several if it leads through a list, none if it breaks off."""
    found = [value]
    for step in path.split("."):
        key, picks, wanted = step.partition("=")
        if picks:
            found = [one for some in found for one in _to_list(some) if get_member(one, key) == wanted]
        else:
            found = [inner for one in found if (inner := get_member(one, step)) is not None]
    return found


def read_figure(value: Any, paths: tuple[str, ...]) -> int:
    """The first figure at these paths, else 0; `openai.cached_input_tokens` may also be one name."""
    for path in paths:
        for one in (sum(filter(_is_figure, find_at(value, path))), get_member(value, path)):
            if _is_figure(one):
                return int(one)
    return 0


def is_there(value: Any, mark: str) -> bool:
    """Whether a table has a member, or all of several with a plus between them."""
    return all(bool(find_at(value, name)) for name in mark.split("+"))


def _to_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def _is_figure(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def iterate_tables(value: Any) -> Iterator[tuple[Any, ...]]:
    """The tables in which each value states usage, likeliest first; of several values the last counts."""
    before: Any = None
    for one in _iterate_values(value):
        found = tuple(_iterate_places(one))
        if get_member(one, "type") == _APART:
            found = (_merge_figures(before, found[0]),)
        before = found[0] if get_member(one, "type") in (_FIRST, _APART) else before
        yield found


def _iterate_places(value: Any) -> Iterator[Any]:
    for place in PLACES:
        table = value
        for step in place:
            table = get_member(table, step)
        if table is not None and not isinstance(table, _SIMPLE):
            yield table
    payload = get_member(value, "payload")
    if get_member(payload, "type") == _TOKEN_COUNT:
        yield payload  # Codex before it had `info`
    yield value


def _iterate_values(value: Any) -> Iterator[Any]:
    """One value, or those of a stream."""
    if isinstance(value, bytes | bytearray):
        value = bytes(value).decode("utf-8", "replace")
    if isinstance(value, str):
        yield from _iterate_events(value)
    elif _is_stream(value):
        for one in value:
            yield from _iterate_events(one) if isinstance(one, str) else (one,)
    else:
        yield value


def _is_stream(value: Any) -> bool:
    """Whether it is several values; records can be iterated too (pydantic's models)."""
    if isinstance(value, list | tuple | Iterator):
        return True
    return isinstance(value, Iterable) and not isinstance(value, Mapping) and not _is_record(type(value))


def _is_record(kind: type) -> bool:
    return any(hasattr(kind, name) for name in ("model_fields", "__struct_fields__", "__dataclass_fields__"))


def _iterate_events(text: str) -> Iterator[Any]:
    """JSON, lines of JSON, or server-sent events."""
    whole = _parse_json(text)
    if whole is not None:
        yield from whole if isinstance(whole, list) else (whole,)
        return
    for line in text.splitlines():
        said = _parse_json(line.removeprefix("data:").strip())
        if said is not None:
            yield said


def _parse_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _merge_figures(before: Any, table: Any) -> dict[str, Any]:
    """Anthropic's last figures over its first: cumulative, unchanged ones left out."""
    names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "cache_creation")
    more = ("output_tokens", "output_tokens_details", "iterations")
    found = {name: value for name in names + more if (value := get_member(table, name)) is not None}
    first = {name: value for name in names + more if (value := get_member(before, name)) is not None}
    return first | found
