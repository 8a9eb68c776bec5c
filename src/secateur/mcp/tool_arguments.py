"""What a model gave a tool, as the tool takes it.

Rule: a model's call is read generously, and what cannot be read is refused with a sentence that says what the tool
takes. A null is an argument left out, a number may be written in quotes, names that the tool does not know say nothing.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from secateur.errors import ConfigError


def decode_arguments(tool: Callable[..., str], given: Any) -> dict[str, Any]:
    """Return the arguments with which the tool can be called. Raises ConfigError."""
    takes = inspect.signature(tool).parameters
    if not isinstance(given, Mapping):
        raise ConfigError(f"{tool.__name__} needs its arguments by name; {_list_names(takes)}")
    found = {name: given[name] for name in takes if given.get(name) is not None}
    for name, parameter in takes.items():
        if name not in found and parameter.default is parameter.empty:
            raise ConfigError(f"{tool.__name__} needs `{name}`; {_list_names(takes)}")
    return {
        name: _decode_number(name, value) if takes[name].annotation is int else _decode_text(name, value)
        for name, value in found.items()
    }


def _list_names(takes: Mapping[str, inspect.Parameter]) -> str:
    return f"it takes {', '.join(takes)}"


def _decode_number(name: str, value: Any) -> int:
    try:
        number = None if isinstance(value, bool) else int(value)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or (isinstance(value, float) and number != value):
        raise ConfigError(f"`{name}` is a whole number, and {value!r:.60} is none")
    return number


def _decode_text(name: str, value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise ConfigError(f"`{name}` is a string, and {value!r:.60} is none")
    return value
