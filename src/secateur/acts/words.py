"""Short forms of texts that calls and results hold: one line, and so many characters of it.

Rule: clipping falls between words, so that no name is cut into another. What a text means is not looked at.
"""


def one_line(text: str) -> str:
    """With all white space as single blanks."""
    return " ".join(text.split())


def clipped(text: str, max_chars: int) -> str:
    """At most so many characters of a text, cut between words; "" if its first word is longer."""
    if len(text) <= max_chars:
        return text
    cut = max(text.rfind(blank, 0, max_chars + 1) for blank in " \n\t。，")
    return text[:cut].rstrip() if cut > 0 else ""
