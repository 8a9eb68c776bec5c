"""Members of whatever states usage: dicts, objects of an SDK, dataclasses, structs. Nothing is copied or converted.

Rule: a figure is a whole number above zero; anything else is not there.
"""

from collections.abc import Mapping
from typing import Any


def member(value: Any, name: str) -> Any:
    """A member of a mapping or an object; None without it. What has to be called is none."""
    if isinstance(value, Mapping):
        return value.get(name)
    if value is None or isinstance(value, str | bytes | int | float | list | tuple):
        return None
    try:
        found = getattr(value, name, None)
    except Exception:  # a property of somebody else's class
        return None
    return None if callable(found) else found


def at(value: Any, path: str) -> list[Any]:
    """What stands at a dotted path: one value, several where it leads through a list, none where it breaks off."""
    found = [value]
    for step in path.split("."):
        key, picks, wanted = step.partition("=")
        if picks:
            found = [one for some in found for one in _listed(some) if member(one, key) == wanted]
        else:
            found = [inner for one in found if (inner := member(one, step)) is not None]
    return found


def figure(value: Any, paths: tuple[str, ...]) -> int:
    """The first figure at these paths, 0 without one; `openai.cached_input_tokens` may be one name too."""
    for path in paths:
        for one in (sum(filter(_is_figure, at(value, path))), member(value, path)):
            if _is_figure(one):
                return int(one)
    return 0


def is_there(value: Any, mark: str) -> bool:
    """Whether a table has a member, or all of several with a plus between them."""
    return all(bool(at(value, name)) for name in mark.split("+"))


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def _is_figure(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
