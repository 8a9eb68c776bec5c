"""The clause by which the user wants to be shown or told something, and nothing changed: "without doing any changes".

Rule: English clauses that forbid every change, whatever they are about; a ban on one file or on one kind of change is a
demand like others. Such a clause holds until work was done for a later message: then the user wanted changes.
"""

import re
from collections.abc import Sequence

from secateur.compaction.ledger.entries import UserRequest, mark
from secateur.compaction.ledger.turns.progress import has_changed


def find_edit_ban(sentence: str) -> str:
    """Return the clause of a sentence that forbids every change; "" if it has none."""
    return hit["ban"] if (hit := _BAN.search(sentence)) else ""


def is_past_ban(text: str, key: str, requests: Sequence[UserRequest]) -> bool:
    """Whether a demand forbids every change, and something was changed for a later message than its own."""
    if not find_edit_ban(text):
        return False
    at = next((at for at, one in enumerate(requests) if mark(one.key) == mark(key)), len(requests))
    return any(has_changed(one.progress) for one in requests[at + 1 :])


_LATER = r"(?:\s+(?:yet|for now))?"
_OBJECTS = (
    rf"(?:(?:mak|do)(?:e|ing)?\s+(?:any\s+)?(?:\w+\s+)?(?:changes|edits|modifications)(?:\s+to\s+the\s+code)?{_LATER}"
    r"|(?:edit|chang|modify|touch|writ|implement)(?:e|ing)?\s+(?:(?:any\s+|the\s+)?(?:code|files?)|anything)"
    rf"{_LATER}|(?:edit|change|fix|implement|code)\s+(?:(?:it|this|that)\s+)?(?:yet|for now))"
)
_BAN = re.compile(
    r"(?i)(?:\A\W*|[,.;:(–—-]\s+|\b(?:but|and|just)\s+|\s(?=without\b))"
    rf"(?P<ban>(?:please\s+)?(?:without|do\s+not|don['’]?t)\s+(?:actually\s+)?{_OBJECTS}|no\s+(?:code\s+)?changes(?:\s+yet)?)"
    r"(?=\s*(?:[,.;:!?)–—-]|\Z|\n)|\s+(?:but|and|can|could|just)\b)"
)
