"""The paths, ids and numbers that a source holds, against which each line of a summary is held.

Rule: a path or an id may be shortened, a number has to be the same one, be it rounded, grouped or a part of a name.
Whether what a line says of them is true is for the rules of the judge.
"""

import re
from collections.abc import Sequence

from secateur.compaction.judge.figures.support import has_figure
from secateur.identifiers import Identifier, find_anchors

_NAMING_DIGITS = 3  # of a number that may be part of a name: migration 0093 of `0093_index.sql`


class KnownAnchors:
    """The anchors of a source."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._found: frozenset[Identifier] = frozenset().union(*map(find_anchors, texts))
        self._values = {one.value for one in self._found}
        self._texts = tuple(texts)

    def has_all_anchors(self, line: str) -> bool:
        """Whether the source holds every anchor of a line, a number also less rounded or with other separators."""
        plain = _GROUPED.sub(self._join_digits, line)
        return all(one in self._found or self._has_identifier(one) for one in find_anchors(plain))

    def _join_digits(self, found: re.Match[str]) -> str:
        """Return `12,840` as `12840` where the source has it like that."""
        joined = re.sub(r"\D", "", found.group())
        return joined if joined in self._values else found.group()

    def _has_identifier(self, one: Identifier) -> bool:
        """Return whether a path or ID occurs, even shortened; numbers must match exactly, be it within a name."""
        if one.kind == "number" and len(one.value) >= _NAMING_DIGITS and one.value.isdigit():
            within = re.compile(rf"(?<![\d.,]){one.value}(?=_|-[A-Za-z])")
            if has_figure(one.value, self._texts):
                return True
            return one.value in self._values or any(within.search(text) for text in self._texts if one.value in text)
        if one.kind in ("number", "error"):
            number = _LAST_NUMBER.search(one.value)
            scales = _SCALES if "." in one.value else ()
            return one.value in self._values or (number is not None and has_figure(number.group(), self._texts, scales))
        if measure := _MEASURE.fullmatch(one.value):
            return any(re.search(rf"(?<!\d){measure['number']}(?!\d)", text) for text in self._texts)
        return any(one.value in text for text in self._texts) or self._has_both(one) or self._has_letters(one)

    def _has_letters(self, one: Identifier) -> bool:
        """Whether the source has an id with other marks in it: `SHA-256` for `sha256`."""
        plain = _MARKS.sub("", one.value).casefold()
        return one.kind == "id" and any(plain in _MARKS.sub("", text).casefold() for text in self._texts)

    def _has_both(self, one: Identifier) -> bool:
        """Whether `tenant_id/status` are two names that the source holds."""
        names = one.value.split("/")
        is_pair = one.kind == "path" and len(names) == 2 and all(map(_BARE_NAME.fullmatch, names))
        return is_pair and all(any(name in text for text in self._texts) for name in names)


_GROUPED = re.compile(r"(?<![\w.,])\d{1,3}(?:[,.\u00a0\u202f'’]\d{3})+(?![\w,]|\.\d)")
_BARE_NAME = re.compile(r"[A-Za-z][\w-]{2,}")
_LAST_NUMBER = re.compile(r"\d+(?:\.\d+)?$")  # all of a number, and the code of an exit
_MEASURE = re.compile(r"(?P<number>\d{1,4})-[A-Za-z]{2,}")  # `32-bit`
_MARKS = re.compile(r"[-_]")
_SCALES = (1_000.0, 1_024.0, 60.0)  # between the units of a rounded number and of the one in the source
