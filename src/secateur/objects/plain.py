"""Whether a value is made of dicts, lists and scalars alone, as `json.loads` gives them.

Rule: each container is looked at once, level by level. A value without end is an error here, not further on.
"""

from typing import Any

from secateur.errors import FormatError

SCALARS = frozenset({str, int, float, bool, type(None)})
MOST_LEVELS = 400  # providers take far less, and a recursive reader more
_ONCE = 64  # levels from which on a container that stands at several places is looked at once


def is_plain(value: Any) -> bool:
    """Whether there is nothing else in it. Raises FormatError where it is nested too deep."""
    if type(value) is dict and "contents" in value and ("config" in value or _is_single_content(value["contents"])):
        return False  # as google-genai takes it, and no request's own shape
    level = [value]
    for depth in range(MOST_LEVELS):
        below = _list_children(level if depth <= _ONCE else [*{id(one): one for one in level}.values()])
        if not below:
            return below is not None
        level = below
    raise FormatError(
        f"the request is nested more than {MOST_LEVELS} levels deep, or holds itself: hand in the messages as they "
        "would be sent"
    )


def _list_children(level: list[Any]) -> list[Any] | None:
    """Everything inside these containers except scalars; None if one of them is not a container."""
    found: list[Any] = []
    for one in level:
        kind = type(one)
        if kind is dict:
            found += [inner for inner in one.values() if type(inner) not in SCALARS]
        elif kind is list or kind is tuple:
            found += [inner for inner in one if type(inner) not in SCALARS]
        elif kind not in SCALARS:
            return None
    return found


def _is_single_content(contents: Any) -> bool:
    """Whether this is not a list of contents: a text, one content, or a list that mixes these in."""
    if not isinstance(contents, list):
        return contents is not None
    return any(isinstance(one, str) or (isinstance(one, dict) and "parts" not in one) for one in contents)
