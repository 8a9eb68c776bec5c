"""Values with something wrong in them: each place of a JSON value, exchanged for values of other kinds."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

JUNK: tuple[Any, ...] = (None, True, -1, 1.5, "", "text", "\ud800", [], [None], {}, {"type": []}, {"text": {"a": 1}})


def mutate(value: Any, most: int = 400) -> Iterator[Any]:
    """The value with junk at one place, for each place and each kind of junk, spread evenly if there are too many."""
    places = list(_iterate_paths(value, ()))
    every = len(places) * len(JUNK)
    stride = max(1, every // most)
    for number in range(0, every, stride):
        yield _with(value, places[number // len(JUNK)], JUNK[number % len(JUNK)])


def _iterate_paths(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, child in inner:
        yield from _iterate_paths(child, (*path, step))


def _with(value: Any, path: tuple[Any, ...], junk: Any) -> Any:
    if not path:
        return junk
    changed = deepcopy(value)
    inner = changed
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = junk
    return changed
