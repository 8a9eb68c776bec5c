"""Marks: short names of messages, by which a line of a rendered ledger says where it comes from.

Rule: a mark is letters only, so that no check of a summary takes it for a hash, an id or a number of the conversation.
It is short for people and models; a ledger that was not read back from text holds the whole key.
"""

import re

_LETTERS = str.maketrans("0123456789abcdef", "bcdfghjklmnpqrst")
_LENGTH = 6  # 16 million: two of the few hundred messages that a ledger names hardly share one


def mark(key: str) -> str:
    """The mark of a key; of a mark, itself."""
    return key[:_LENGTH].translate(_LETTERS) if re.fullmatch(r"[0-9a-f]{16,}", key) else key
