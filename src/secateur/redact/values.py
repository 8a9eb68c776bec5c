"""Where a value begins and ends after its name, and how it goes on over the next lines.

Rule: a place is read once. Ends of runs are kept, so that a text of nothing but names and signs takes linear time too.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from secateur.redact.chance import is_wordlike

MOST = 8_192  # characters of one value
_SIGNS = r"!#$%*+\-./0-9:?@A-Z^_a-z~À-ɏ"
_RUN = re.compile(rf"[{_SIGNS}]{{1,{MOST}}}={{0,3}}")
_QUOTED = re.compile(rf"[{_SIGNS}&=]{{1,{MOST}}}")
_ENDS = ".,:;!?*"  # of a sentence, not of a value
_MOST_ENDS = 8
_TOLD = 128  # characters that are looked at to judge a value
_LEAST_PIECE = 2
_MOST_LINES = 40
# The end of a line and what may stand before the rest of a value on the next one: quotes and plus signs of a string in
# pieces, backslashes, line numbers, the signs of a diff, indents. Lines may be written as \n inside a string.
_NEW_LINE = r"\\{0,4}(?:\r?\n|(?<=\\)(?:r\\{1,4})?n)[ \t]{0,40}(?:\d{1,6}(?:→|\t|[:|] ))?[ \t]{0,20}(?:[+>|#-] {0,20})?"
JOINT = rf"(?:\\{{0,7}}[\"'] ?[+.&]? ?{_NEW_LINE}[rfb]?\\{{0,7}}[\"']|{_NEW_LINE})"
_JOINT = re.compile(JOINT)
_PIECE = re.compile(r"[\w+/=.~!@#$%^&*-]+(?=\\|[\"'`]?[,;)\]}]{0,3}[ \t]{0,4}(?:\r?\n|\Z)|[\"'][,}\]) ])")


class Value(NamedTuple):
    """A value: where it stands, and its first characters, without the ends of lines between them."""

    start: int
    end: int
    text: str


class Values:
    """The values of one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._read = {_RUN: (-1, -1), _QUOTED: (-1, -1)}

    def find_at(self, place: int, is_quoted: bool = False) -> Iterator[Value]:
        """The values starting at a place: with their pieces on following lines, then without them."""
        end = self._run_end(_QUOTED if is_quoted else _RUN, place)
        if not is_quoted:
            last = self.text[max(place, end - _MOST_ENDS) : end]
            end -= len(last) - len(last.rstrip(_ENDS))
        if end == place:
            return
        alone = Value(place, end, self.text[place : min(end, place + _TOLD)])
        whole = self._extend_lines(alone)
        yield whole
        if whole != alone:
            yield alone

    def _run_end(self, pattern: re.Pattern[str], place: int) -> int:
        start, end = self._read[pattern]
        if not start <= place < end:
            found = pattern.match(self.text, place)
            end = found.end() if found else place
            self._read[pattern] = place, end
        return end

    def _extend_lines(self, value: Value) -> Value:
        """Extend the value over the next lines, as long as each holds one piece that could belong to it."""
        pieces, end = [value.text], value.end
        for _ in range(_MOST_LINES):
            joint = _JOINT.match(self.text, end)
            piece = _PIECE.match(self.text, joint.end()) if joint else None
            if not piece or not _is_more(piece[0], pieces[-1]):
                break
            pieces.append(piece[0])
            end = piece.end()
        return Value(value.start, end, "".join(pieces))


def _is_more(piece: str, before: str) -> bool:
    """Whether a piece alone on its line goes on with what stands before it."""
    if len(piece) < _LEAST_PIECE or is_wordlike(piece) or piece.strip("=") != piece.rstrip("="):
        return False
    if "=" in piece.rstrip("=") or piece[-1] in ":" or piece.endswith("..."):
        return False
    return not piece.isidentifier() or not before.isidentifier() or len(piece) <= len(before) + 1
