"""Statements of a summary that the history does not bear out: they stay, with a mark that the agent reads.

Rule: a mark stands behind the sentence that it is about, in parentheses, with what the history says instead where that
is known. What a mark means stands once, at the head of the summary. A marked statement is no evidence for a later one.
Nothing here judges a summary (`judge`).
"""

import re
from collections.abc import Iterable

WHY_CHARS = 110  # of what the history says instead
NOTE = "Nothing in the history bears out a statement marked (unconfirmed): check it before acting on it."
UNSAID = "nothing in the history says so"
_MARK = re.compile(r" ?\(unconfirmed(?:: [^()\n]*)?\)")
_BRACKETS = str.maketrans("()", "[]")


def add_mark(line: str, sentence: str = "", why: str = "") -> str:
    """Return a line with a mark behind one of its sentences, or at its end where it does not hold that."""
    told = " ".join(why.translate(_BRACKETS).split())[:WHY_CHARS].rstrip()
    mark = f" (unconfirmed: {told})" if told and told != UNSAID else " (unconfirmed)"
    if sentence and sentence in line:
        return line.replace(sentence, sentence + mark, 1)
    text = line.rstrip(" |") if line.lstrip().startswith("|") else line.rstrip()
    return text + mark + line[len(text) :].rstrip("\n")


def is_marked(line: str) -> bool:
    """Whether a statement in this line is marked."""
    return _MARK.search(line) is not None


def strip_marks(text: str) -> str:
    """Return a text without marks."""
    return _MARK.sub("", text)


def drop_marked(texts: Iterable[str]) -> tuple[str, ...]:
    """Return texts without the lines that are marked."""
    return tuple("\n".join(line for line in text.split("\n") if not is_marked(line)) for text in texts)
