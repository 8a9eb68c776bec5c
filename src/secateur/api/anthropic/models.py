"""Reads the family and version of an Anthropic model from its name, as far as rules depend on it.

Rule: a name that is not understood has no version; rules on versions then do not apply.
"""

import re
from functools import lru_cache

_NO_PREFILL_FROM = (4, 6)
_NAME = re.compile(r"claude-(opus|sonnet|haiku|fable|mythos)-(\d{1,2})(?!\d)(?:-(\d{1,2})(?!\d))?")


@lru_cache(64)
def parse_version(model: str) -> tuple[str, tuple[int, int]]:
    """Family and version, ("opus", (4, 5)) for `claude-opus-4-5-20251101`; ("", (0, 0)) for other names."""
    found = _NAME.search(model.lower().replace(".", "-"))
    return (found[1], (int(found[2]), int(found[3] or 0))) if found else ("", (0, 0))


def is_at_least(model: str, wanted: tuple[int, int]) -> bool:
    """Whether a model is of this version or a later one."""
    return parse_version(model)[1] >= wanted


def is_prefill_rejected(model: str) -> bool:
    """Return whether a model rejects a history that ends with the assistant (A14). Unknown models do not."""
    return is_at_least(model, _NO_PREFILL_FROM)
