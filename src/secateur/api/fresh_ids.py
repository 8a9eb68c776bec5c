"""New ids for calls that have none, or that of another call: close to the old id, of characters that every API accepts.

Rule: the same ids taken in the same order give the same new ids. Which id has to change is not decided here.
"""

import re
from collections.abc import Iterable
from typing import Any

_ODD = re.compile(r"[^a-zA-Z0-9_-]")  # rule A5; no other API takes less
_LONGEST = 64  # characters of an id made here; Bedrock and Responses take no more


class FreshIds:
    """The ids that are in use, and new ones."""

    def __init__(self, taken: Iterable[Any]) -> None:
        self.taken = {name for name in taken if isinstance(name, str)}

    def make(self, name: Any) -> str:
        """An id that is not in use, close to this one."""
        stem = _ODD.sub("_", name if isinstance(name, str) else "")[: _LONGEST - 8] or "call"
        number, found = 2, stem
        while found in self.taken:
            found, number = f"{stem}_{number}", number + 1
        self.taken.add(found)
        return found
