"""What to say of a document that nests too deeply to be worked on.

Rule: how deep is too deep is Python's to say (`sys.getrecursionlimit`), some hundreds of levels; whoever takes in a
document lets no bare RecursionError out. A depth that a model's provider was ever sent is far below.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from secateur.errors import FormatError

TOO_DEEP = "the document nests too deeply: some hundred levels of arrays and objects can be read; flatten what is below"

DEEPEST = 500  # levels: no parser or walk here is sure to get through more
_LOOKED_AT = 4_000_000  # bytes
_SIGN = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


def is_too_deep(data: bytes) -> bool:
    """Whether this is why something is no JSON to any parser. It takes its time: ask only where reading failed."""
    depth = 0
    for found in _SIGN.finditer(data, 0, _LOOKED_AT):
        sign = found[0]
        depth += 1 if sign in (b"{", b"[") else -1 if sign in (b"}", b"]") else 0
        if depth > DEEPEST:
            return True
    return False


@contextmanager
def convert_recursion_error() -> Iterator[None]:
    """Raise FormatError in place of a RecursionError."""
    try:
        yield
    except RecursionError:
        raise FormatError(TOO_DEEP) from None
