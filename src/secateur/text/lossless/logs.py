"""Which texts are logs: most lines tell a time of day, a level, or how far something is.

Rule: by content, whoever printed it. Rows of tables, source with who wrote it when, and diffs are none, whatever times
stand in them. A few lines tell it. What becomes of a log is decided elsewhere.
"""

import re
from collections.abc import Sequence

LEAST = 8  # lines of a log
MOSTLY = 0.5  # of the lines of a log: this share resembles others, and states a time, a level or a progress
_SAMPLE = 60  # lines by which a log is known


def is_log(text: str) -> bool:
    """Whether most lines of a text begin with a time of day or a level, or tell how far something is."""
    some = _sample_lines(text)
    if len(some) < LEAST or sum(map(_is_row, some)) >= MOSTLY * len(some) or _is_diff(text, some):
        return False
    telling = [line for line in some if _has_time(line) or _TELLS_LEVEL.match(line)]
    return len(telling) >= MOSTLY * len(some)


def _sample_lines(text: str) -> list[str]:
    """The lines by which it is decided whether a text is a log; none where it has too few signs of one.

    Signs are levels, times of day and progress. They are counted without patterns, at most, among those characters of
    each line that can be part of one, and no further than is enough for any sample.
    """
    data = text.encode("utf-8", "surrogatepass")
    signs, maybe = data.count(b"level="), data.translate(_ZEROS, _NO_SIGNS)
    for sign in _SIGNS:
        if signs >= _ENOUGH:
            break
        signs += maybe.count(sign)
    if signs < _ENOUGH and len(data) > len(text):
        others = data.translate(None, _ASCII).decode("utf-8", "surrogatepass")
        signs = len(text) if _DIGIT.search(others) is not None else signs  # of other scripts
    if not signs:
        return []
    lines = [line for line in text.split("\n") if line]
    some = lines[:: max(1, len(lines) // _SAMPLE)]
    return some if signs >= MOSTLY * len(some) else []


_SIGNS = (b"00:00:00", b"INFO", b"ERROR", b"WARN", b"DEBUG", b"TRACE", b"NOTICE", b"FATAL", b"%|", b"0/0")
_ENOUGH = MOSTLY * 2 * _SAMPLE  # a sample has fewer lines than twice `_SAMPLE`
_ZEROS, _ASCII = bytes.maketrans(b"123456789", b"000000000"), bytes(range(128))
_NO_SIGNS = bytes(set(range(256)).difference(b"\n123456789", *_SIGNS))
_DIGIT = re.compile(r"\d")
_TIME_OF_DAY = re.compile(r"\d\d:\d\d:\d\d")
STAMP = re.compile(
    r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|\b\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d"
    r"|\b[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|^\W{0,2}\d\d:\d\d:\d\d\b"
)
BEGINS = 80  # characters of a line that contain its time
_TELLS_LEVEL = re.compile(
    r"(?:\S{1,40} ){0,2}\W{0,2}(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|level=[a-z]+)\b"
    r"|\s*\[\s*\d+/\d+\] |[^|]{0,40}\d%\|"
)


def _has_time(line: str) -> bool:
    return _TIME_OF_DAY.search(line, 0, BEGINS) is not None and STAMP.search(line, 0, BEGINS) is not None


def _is_row(line: str) -> bool:
    """Whether a line is rather one of a table, or of source with who wrote it when."""
    return line.count(" | ") >= 2 or line.count("\t") >= 4 or _BLAMED.match(line) is not None


_BLAMED = re.compile(r"\^?[0-9a-f]{7,64}[ \t].{0,300}?[ (\t]\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}[ \t]+\d+\)")


def _is_diff(text: str, some: Sequence[str]) -> bool:
    """Whether a text shows what changed, be it in a log."""
    return _HUNK.search(text) is not None and sum(line[0] in " +-@" for line in some) >= MOSTLY * len(some)


_HUNK = re.compile(r"^@@ -\d", re.M)
