"""The model that writes summaries for every peer: none. A fixed extract of what it is asked about.

Rule: the same text gives the same extract, on every machine and for every peer. It is what a small honest summary
could hold at about a thousand tokens: the first task, the user's later words, the files and errors named most and
last. It says nothing of how well a real model would do.
"""

import re
from collections import Counter

LIMIT = 4_000  # characters: about what recorded summaries of long coding sessions have
_NAMED = re.compile(
    r"[\w.~-]*/[\w./~-]{3,}|\b\w+\.(?:py|ts|tsx|js|go|rs|md|json|toml|yaml|yml|sh)\b|\b\w+(?:Error|Exception)\b"
)
_SPOKEN = re.compile(r"^\W*(?:user|human)\W*:?\s*(.{12,})", re.IGNORECASE | re.MULTILINE)


def extract(text):
    """About a thousand tokens of a conversation written as text."""
    spoken = list(dict.fromkeys(line.strip()[:240] for line in _SPOKEN.findall(text)))
    names = _NAMED.findall(text)
    often = [one for one, _ in Counter(names).most_common(40)]
    late = list(dict.fromkeys(reversed(names)))[:20]
    head = "\n".join(["## Task", *spoken[:1], "## The user also said", *spoken[1:][-8:]])[: LIMIT * 3 // 5]
    tail = "\n".join(["## Files and errors", *dict.fromkeys([*often, *late])])
    return f"{head}\n{tail}"[:LIMIT]
