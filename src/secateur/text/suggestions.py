"""Which names somebody may have meant who wrote one that there is not.

Rule: names that begin with what was written are meant before one that only looks like it.
"""

from collections.abc import Iterable
from difflib import get_close_matches

_MOST_NAMED = 4
_FEWEST_TYPED = 2  # characters that say which names are meant
_LEAST_LIKENESS = 0.6  # of 1, for a name that begins otherwise


def suggest_names(name: str, names: Iterable[str], least: float = _LEAST_LIKENESS) -> str:
    """Return the names that may be meant, as words of a sentence ("a, b or c"); "" if no name is near.

    `least`: how alike a name must be that begins otherwise, from 0 to 1.
    """
    known, typed = list(names), name.casefold()
    begun = [one for one in known if one.casefold().startswith(typed)] if len(typed) >= _FEWEST_TYPED else []
    folded = {one.casefold(): one for one in known}
    found = begun[:_MOST_NAMED] or [folded[one] for one in get_close_matches(typed, folded, 1, least)]
    return " or ".join(filter(None, (", ".join(found[:-1]), *found[-1:])))
