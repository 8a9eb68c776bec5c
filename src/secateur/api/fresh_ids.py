"""New ids, for what has none, or one that another has: close to the old one, and of letters that every API takes.

Rule: the same names taken in the same order give the same new ones. Which id has to change is not decided here.
"""

import re
from collections.abc import Iterable
from typing import Any

_ODD = re.compile(r"[^a-zA-Z0-9_-]")  # rule A5; no other API takes less
_LONGEST = 64  # characters of an id made here; Bedrock and Responses take no more


class Names:
    """The ids that are taken, and new ones."""

    def __init__(self, taken: Iterable[Any]) -> None:
        self.taken = {name for name in taken if isinstance(name, str)}

    def fresh(self, name: Any) -> str:
        """An id that nobody has, close to this one."""
        stem = _ODD.sub("_", name if isinstance(name, str) else "")[: _LONGEST - 8] or "call"
        number, found = 2, stem
        while found in self.taken:
            found, number = f"{stem}_{number}", number + 1
        self.taken.add(found)
        return found
