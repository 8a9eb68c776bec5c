"""What a terminal would show of an output: without colors, and of a line that was drawn over only how it ended.

Rule: only sequences that draw or color go, and what a carriage return let be overwritten; line ends of Windows and
every other character stay. As many lines come out as went in.
"""

import re

from secateur.readback import WAY_BACK, describe_way_back

_NOTE = "\n[secateur: as a terminal shows it; as it came: {}]"
_NOTED = re.compile(re.escape(_NOTE).replace(r"\{\}", WAY_BACK) + r"\Z")
_SEQUENCES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]{0,500}(?:\x07|\x1b\\)|[()][0-9A-B]|[=>78cDEHMNOZ])"
)


def clean(text: str) -> str:
    """The text as a terminal would leave it."""
    if "\x1b" in text:
        text = _SEQUENCES.sub("", text)
    if "\r" in text:
        text = "\n".join([_overwrite(line) if "\r" in line else line for line in text.split("\n")])
    return text


def add_note(text: str, handle: str) -> str:
    """The cleaned text, with where to read it as it came."""
    return text + _NOTE.format(describe_way_back(handle))


def strip_note(text: str) -> str:
    """The text without that note."""
    return _NOTED.sub("", text)


def _overwrite(line: str) -> str:
    """How a line ended that was drawn over and over; the line itself where its pieces are not alike.

    A return at the end overwrites nothing.
    """
    body = line.removesuffix("\r")
    drawn = [one for one in body.split("\r") if one.strip()]
    if "\r" not in body or len(drawn) < _LEAST:
        return line
    forms = [_VARIES.sub("", one) for one in drawn]
    alike = sum(map(str.__eq__, forms, forms[1:]))
    return drawn[-1] + line[len(body) :] if alike >= _ALIKE * (len(forms) - 1) else line


_LEAST, _ALIKE = 3, 0.5  # drawings of one line, and how many of them are like the one before
_VARIES = re.compile(r"[0-9a-f]*\d[0-9a-f]*|[\d.,:/%#=>|<\s\u2500-\u25ff\u2800-\u28ff?-]+")
