"""The JSON shape of a whole request: a list of messages, the arguments of a client's call, or one object with them.

Rule: the messages are read completely, or rejected. Everything else (tools, settings) is read as far as possible: a
function used as a tool by its name and its docstring, the rest not at all. Shapes that only google-genai accepts are
converted to those of its requests: a text or a part becomes a content, and `config` holds the system instruction and
the tools.
"""

from collections import deque
from collections.abc import Mapping
from typing import Any

from secateur.errors import FormatError
from secateur.objects.kinds import get_kind
from secateur.objects.seeing import Eyes, Seen, SeenList, Unread

ARRAYS = ("messages", "input", "contents")
LIFTED = ("systemInstruction", "tools", "cachedContent")  # out of google-genai's `config`
_CAMEL = {"system_instruction": "systemInstruction", "cached_content": "cachedContent"}
_PARTS = frozenset({"text", "functionCall", "functionResponse", "inlineData", "fileData", "executableCode"}) | {
    *("function_call", "function_response", "inline_data", "file_data", "executable_code"),
    *("codeExecutionResult", "code_execution_result"),
}
_GOOGLE = "google.genai.types"


def read(request: Any, eyes: Eyes) -> Seen | SeenList:
    """The JSON shape of a request. Raises FormatError."""
    eyes.packages = set()
    try:
        found = _read(request, eyes)
    except Unread as unread:
        raise unread.to_format_error() from None
    except RecursionError as error:
        raise FormatError("the request is nested too deeply: pass the messages as they would be sent") from error
    found.packages = frozenset(eyes.packages)
    return found


def _read(request: Any, eyes: Eyes) -> Seen | SeenList:
    if isinstance(request, list | tuple | deque):
        elements = _read_elements(request, eyes)
        return eyes.reuse_equal(_read_contents(elements) if _GOOGLE in eyes.packages else elements)
    held = get_members(request)
    if held is None or not any(name in held for name in ARRAYS):
        raise Unread(
            request, "a request must be a list of messages, or an object with `messages`, `input` or `contents`"
        )
    found = Seen()
    for name, value in held.items():
        if name not in ARRAYS:
            _read_sibling(found, str(name), value)
            continue
        elements = _read_elements(value, eyes, name)
        found[name] = elements if isinstance(elements, str) else eyes.reuse_equal(elements)
    for name, value in _lift_config(found).items():
        found.setdefault(name, value)
    return found


def get_members(value: Any) -> dict[str, Any] | None:
    """The members of a dict or an object by their wire names; None for anything else."""
    if isinstance(value, Mapping):
        return {str(name): inner for name, inner in value.items()}
    kind = get_kind(type(value))
    return kind.members(value) if kind else None


def _read_elements(value: Any, eyes: Eyes, name: str = "") -> Any:
    """Read the messages of a request; an `input` may also be a text."""
    if name == "input" and isinstance(value, str):
        return value
    if name == "contents":
        whole = value if isinstance(value, list | tuple | deque) else [value]
        return _read_contents(_read_shapes(whole, eyes, name))
    return _read_shapes(value, eyes, name)


def _read_shapes(value: Any, eyes: Eyes, name: str) -> Any:
    try:
        if not isinstance(value, list | tuple | deque):
            raise Unread(value, "messages must be a list: convert them with `list(...)`")
        return eyes.read_elements(value)
    except Unread as unread:
        unread.steps += [name] if name else []
        raise


def _read_contents(elements: list[Any]) -> list[Any]:
    """Convert whatever google-genai accepts as contents."""
    return [_read_content(one) for one in elements]


def _read_content(one: Any) -> Any:
    if isinstance(one, str):
        return {"role": "user", "parts": [{"text": one}]}
    if isinstance(one, list):
        return {"role": "user", "parts": [{"text": part} if isinstance(part, str) else part for part in one]}
    if not isinstance(one, dict) or "parts" in one:
        return one
    if "uri" in one and ("mimeType" in one or "mime_type" in one):
        return {"role": "user", "parts": [{"fileData": {"fileUri": one["uri"], "mimeType": one.get("mimeType")}}]}
    if not one.keys() & _PARTS:
        return one
    calls = "functionCall" in one or "function_call" in one
    return {"role": "model" if calls else "user", "parts": [one]}


# --- beside the messages ---------------------------------------------------------------------------------------------


def _read_sibling(found: Seen, name: str, value: Any) -> None:
    """Read a member next to the messages, as far as it can be read."""
    if type(value).__name__ in ("NotGiven", "Omit"):  # how clients say that an argument was left out
        return
    try:
        found[name] = Eyes().read_shape(value)
    except (Unread, RecursionError):
        if isinstance(value, list | tuple):
            found[name] = [_read_tool(one) for one in value]
        elif get_members(value) is not None:
            inner = Seen()
            for member, said in (get_members(value) or {}).items():
                _read_sibling(inner, member, said)
            found[name] = inner


def _read_tool(value: Any) -> Any:
    """A tool as it is defined, or a function by its own description."""
    try:
        return Eyes().read_shape(value)
    except (Unread, RecursionError):
        named = getattr(value, "name", None) or getattr(value, "__name__", None) or type(value).__name__
        said = getattr(value, "description", None) or getattr(value, "__doc__", None) or ""
        return {"name": str(named), "description": str(said)}


def _lift_config(found: Seen) -> dict[str, Any]:
    """The parts of the request inside google-genai's `config`."""
    config = found.get("config")
    if "contents" not in found or not isinstance(config, dict):
        return {}
    named = {_CAMEL.get(name, name): value for name, value in config.items()}
    return {name: named[name] for name in LIFTED if named.get(name)}
