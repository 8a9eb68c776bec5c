"""Short forms of texts that calls and results hold: one line, and so many characters of it.

Rule: clipping falls between words, so that no name is cut into another. What a text means is not looked at.
"""


def collapse_whitespace(text: str) -> str:
    """Collapse all white space to single spaces."""
    return " ".join(text.split())


def clip_text(text: str, max_chars: int) -> str:
    """Clip a text between words to at most `max_chars` characters; "" if its first word is longer."""
    if len(text) <= max_chars:
        return text
    cut = max(text.rfind(blank, 0, max_chars + 1) for blank in " \n\t。，")
    return text[:cut].rstrip() if cut > 0 else ""
