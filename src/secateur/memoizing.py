"""Results of pure functions of long texts, kept within a number of characters.

Rule: a cache that counts its entries alone holds on to as many texts, however long they are; here it is emptied when
those that came since it was empty are too long together. A hit costs what `lru_cache` takes.
"""

from collections.abc import Callable
from functools import lru_cache, update_wrapper
from typing import Any, TypeVar

MOST_CHARS = 8 * 1024 * 1024  # of the texts of one function

R = TypeVar("R")
V = TypeVar("V")


def memoize_by(
    name_of: Callable[[V], tuple[str | bool, ...]], maxsize: int, most_chars: int = MOST_CHARS
) -> Callable[[Callable[[V], R]], Callable[[V], R]]:
    """Memoize a function of one value that depends on nothing but what `name_of` says of it: texts and flags."""

    def decorate(function: Callable[[V], R]) -> Callable[[V], R]:
        kept: dict[tuple[str | bool, ...], tuple[R]] = {}
        held = 0  # characters of the names

        def remember(value: V) -> R:
            nonlocal kept, held
            name = name_of(value)
            found = kept.get(name)
            if found is None:
                found = (function(value),)
                size = sum([len(text) for text in name if isinstance(text, str)])
                if held + size > most_chars or len(kept) >= maxsize:
                    kept, held = {}, 0  # another thread may still be reading the old one
                held += size
                kept[name] = found
            return found[0]

        return update_wrapper(remember, function)

    return decorate


def memoize_texts(maxsize: int, most_chars: int = MOST_CHARS) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Memoize a function of texts, or of values that have a `text`: so many results, of so many characters in all."""

    def decorate(function: Callable[..., R]) -> Callable[..., R]:
        held = 0  # characters of arguments since the cache was empty

        @lru_cache(maxsize)
        def remember(*args: Any, **named: Any) -> R:
            nonlocal held
            size = 0
            for arg in args:  # a loop: it runs for every text that is new
                size += len(arg) if type(arg) is str else len(getattr(arg, "text", ""))
            if held + size > most_chars:
                remember.cache_clear()
                held = 0
            held += size
            return function(*args, **named)

        return update_wrapper(remember, function)

    return decorate
