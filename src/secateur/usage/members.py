"""Members of whatever states usage: dicts, objects of an SDK, dataclasses, structs. Nothing is copied or converted.

Rule: a figure is a whole number above zero; anything else is not there.
"""

from collections.abc import Mapping
from typing import Any


def get_member(value: Any, name: str) -> Any:
    """A member of a mapping or an object; None without it. Callables do not count."""
    if isinstance(value, Mapping):
        return value.get(name)
    if value is None or isinstance(value, str | bytes | int | float | list | tuple):
        return None
    try:
        found = getattr(value, name, None)
    except Exception:  # a property of somebody else's class
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
