r"""Values inside a JSON text, by path: `$.items[0].name`, `items.0.name`, `items[*].name`, `["odd name"]`.

Rule: names, numbers from 0 (from the end below it) and `*` for all; no filters, no code. A path that leads nowhere
says how far it led and what is there.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from secateur.errors import ConfigError, FormatError
from secateur.jsontext import loads

_STEP = re.compile(r'\.?(?:\[\s*(?P<index>-?\d+|\*)\s*\]|\[\s*(?P<quoted>"(?:[^"\\]|\\.)*")\s*\]|(?P<name>[^.\[\]"]+))')
_NEAR = 12  # names that are told


def find_values(text: str, path: str) -> list[Any]:
    """Return the values at a path: one, or any number with `*`. Raises ConfigError."""
    try:
        whole = loads(text.encode("utf-8", "surrogatepass"))
    except FormatError as error:
        raise ConfigError(f"this text has no paths, read it by lines or by grep: {error}") from error
    found: list[tuple[str, Any]] = [("$", whole)]
    for step in _parse_steps(path):
        found = [one for where, value in found for one in _resolve_step(where, value, step)]
    return [value for _, value in found]


def _parse_steps(path: str) -> Iterator[str | int]:
    at = 1 if path.startswith("$") else 0
    while at < len(path):
        match = _STEP.match(path, at)
        if match is None:
            raise ConfigError(f"{path!r} is no path at {path[at:]!r}: write it like $.items[0].name or items[*].name")
        at = match.end()
        if match["quoted"]:
            yield json.loads(match["quoted"])
        elif match["index"] and match["index"] != "*":
            yield int(match["index"])
        else:
            yield match["name"] or "*"


def _resolve_step(where: str, value: Any, step: str | int) -> Iterator[tuple[str, Any]]:
    if step == "*" and isinstance(value, dict | list):
        yield from ((f"{where}[{name!r}]", one) for name, one in _list_items(value))
        return
    if isinstance(value, list):
        place = _number(step)
        if place is not None and -len(value) <= place < len(value):
            yield f"{where}[{place}]", value[place]
            return
    elif isinstance(value, dict) and str(step) in value:
        yield f"{where}.{step}", value[str(step)]
        return
    raise ConfigError(f"{where} has no {step!r}: {_describe_value(value)}")


def _number(step: str | int) -> int | None:
    if isinstance(step, int):
        return step
    return int(step) if step.lstrip("-").isdecimal() else None


def _list_items(value: dict[str, Any] | list[Any]) -> list[tuple[Any, Any]]:
    return list(value.items()) if isinstance(value, dict) else list(enumerate(value))


def _describe_value(value: Any) -> str:
    if isinstance(value, dict):
        more = f" and {len(value) - _NEAR} more" if len(value) > _NEAR else ""
        return f"it is an object with {', '.join(list(value)[:_NEAR])}{more}" if value else "it is an empty object"
    if isinstance(value, list):
        return f"it is a list of {len(value)}"
    return f"it is {json.dumps(value)[:60]}"
