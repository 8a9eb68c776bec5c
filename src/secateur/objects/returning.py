"""Edits in the JSON shape of a request, applied to the request as received.

Rule: a value with an unchanged shape is the very same value. An object whose shape was edited is copied within its
class, with the changes; if the class has no place for them, and for new values, the plain shape is used, which every
client accepts too.
"""

import copy
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from secateur.objects.kinds import get_kind
from secateur.objects.request import ARRAYS, LIFTED, get_members
from secateur.objects.seeing import Eyes, Unread

_NEAR = 64  # elements among which an equal one is looked for
_TOLD_BY = ("type", "role", "id", "call_id", "tool_use_id", "tool_call_id", "name")


def apply_view(request: Any, seen: Any, view: Any) -> Any:
    """Return the request with the view's changes applied."""
    if isinstance(seen, list):
        return _apply_list(request, seen, view)
    held = get_members(request) or {}
    lifted = {name for name in LIFTED if name not in held}
    was = {name: value for name, value in seen.items() if name not in lifted}
    now = {name: value for name, value in view.items() if name not in lifted}
    values = {
        name: _apply_array(held[name], was[name], value)
        if name in ARRAYS and name in was
        else _apply_member(held, was, name, value)
        for name, value in now.items()
        if name not in was or value is not was[name]
    }
    return _with(request, values, frozenset(was.keys() - now.keys()), view)


def _apply_array(original: Any, seen: Any, now: Any) -> Any:
    """Apply changes to the messages; a single one becomes a list if there are more now."""
    if seen == now:
        return original
    if isinstance(seen, list) and not isinstance(original, list | tuple | deque):
        return _apply_list([original], seen, now)
    return _apply_value(original, seen, now)


def _apply_member(held: dict[str, Any], was: dict[str, Any], name: str, now: Any) -> Any:
    return _apply_value(held[name], was[name], now) if name in held and name in was else now


def _apply_value(original: Any, seen: Any, now: Any) -> Any:
    """Return a value, edited or unchanged."""
    if now is seen or now == seen:
        return original
    if isinstance(seen, dict) and isinstance(now, dict):
        return _apply_object(original, seen, now)
    if isinstance(seen, list) and isinstance(now, list) and isinstance(original, list | tuple | deque):
        return _apply_list(original, seen, now)
    return now


def _apply_object(original: Any, seen: dict[str, Any], now: dict[str, Any]) -> Any:
    held = get_members(original)
    if held is None or not seen.keys() <= held.keys() or seen.get("type") != now.get("type"):
        return now  # it represents something else, such as a text for a content, or was replaced by something else
    values = {
        name: _apply_member(held, seen, name, value)
        for name, value in now.items()
        if name not in seen or value is not seen[name]
    }
    return _with(original, values, frozenset(seen.keys() - now.keys()), now)


def _with(original: Any, values: dict[str, Any], gone: frozenset[str], now: Any) -> Any:
    """A copy with other members; the plain shape where there can be none."""
    if not values and not gone:
        return original
    if type(original) is dict:
        return {name: value for name, value in original.items() if name not in gone} | values
    if isinstance(original, Mapping):
        with suppress(Exception):  # a mapping of someone else's may have ways of its own
            made: Any = copy.copy(original)
            made.update(values)
            for name in gone:
                del made[name]
            return made
        return {**{name: value for name, value in original.items() if name not in gone}, **values}
    kind = get_kind(type(original))
    made = kind.changed(original, values, gone) if kind else None
    return now if made is None else made


# --- lists -----------------------------------------------------------------------------------------------------------


def _apply_list(original: Any, seen: list[Any], now: list[Any]) -> Any:
    """Rebuild a list of the same class, its elements matched with the originals."""
    old = list(original)
    made = [
        _create_element(old, min(near, len(old) - 1), value) if at is None else _apply_or_create(old, seen, at, value)
        for at, near, value in _match_elements(seen, now)
    ]
    if isinstance(original, tuple):
        return original._make(made) if hasattr(original, "_make") else tuple(made)
    return deque(made, original.maxlen) if isinstance(original, deque) else made


def _apply_or_create(old: list[Any], seen: list[Any], at: int, value: Any) -> Any:
    edited = _apply_value(old[at], seen[at], value)
    return _create_element(old, at, value) if edited is value and isinstance(value, dict) else edited


def _match_elements(seen: list[Any], now: list[Any]) -> Iterator[tuple[int | None, int, Any]]:
    """Yield each element with the index of its original, if any, and its position among them."""
    places = {id(one): at for at, one in enumerate(seen) if isinstance(one, dict | list)}
    stays = [places.get(id(one)) for one in now]
    ahead: list[int] = []  # for each element, the next one that stays
    limit = len(seen)
    for at in reversed(stays):
        limit = limit if at is None else at
        ahead.append(limit)
    here = 0
    for value, at, end in zip(now, stays, reversed(ahead), strict=True):
        if at is None or at < here:
            at = _find_match(seen, here, end, value)
        yield at, here, value
        here = here if at is None else at + 1


def _find_match(seen: list[Any], start: int, end: int, value: Any) -> int | None:
    """The first element from `start` on that equals a value, else the first that it may be an edit of."""
    near = range(start, min(end, start + _NEAR))
    equal = next((at for at in near if seen[at] == value), None)
    return equal if equal is not None else next((at for at in near if _is_similar(seen[at], value)), None)


def _is_similar(one: Any, other: Any) -> bool:
    if not isinstance(one, dict) or not isinstance(other, dict):
        return type(one) is type(other)
    return all(one.get(name) == other.get(name) for name in _TOLD_BY)


def _create_element(old: list[Any], near: int, value: Any) -> Any:
    """Convert a new value to its neighbors' class if that accepts it unchanged."""
    if not old or not all(get_kind(type(one)) for one in old):
        return value
    classes = dict.fromkeys(base for one in (old[near], *old) for base in type(one).__mro__)
    for made in classes:
        validate = getattr(made, "model_validate", None)
        if validate is None or not getattr(made, "__pydantic_fields__", None):
            continue
        with suppress(Exception):  # it is not of this class
            it = validate(value)
            if _read_shape(it) == value:
                return it
    return value


def _read_shape(value: Any) -> Any:
    try:
        return Eyes().read_shape(value)
    except (Unread, RecursionError):
        return None
