"""Which model of Anthropic's a name means, as far as rules differ by it.

Rule: a name that is not understood has no version; rules on versions are then silent.
"""

import re
from functools import lru_cache

_NAME = re.compile(r"claude-(opus|sonnet|haiku|fable|mythos)-(\d{1,2})(?!\d)(?:-(\d{1,2})(?!\d))?")


@lru_cache(64)
def version(model: str) -> tuple[str, tuple[int, int]]:
    """Family and version: ("opus", (4, 5)) for `claude-opus-4-5-20251101`; ("", (0, 0)) if it is none."""
    found = _NAME.search(model.lower().replace(".", "-"))
    return (found[1], (int(found[2]), int(found[3] or 0))) if found else ("", (0, 0))


def at_least(model: str, wanted: tuple[int, int]) -> bool:
    """Whether it is of this version or a later one."""
    return version(model)[1] >= wanted
