"""Identifiers as numbers, each text read once: a session holds the same text in many views.

Rule: one table for everything that is compared. Which identifiers count is decided in `references`.
"""

from secateur.identifiers import Identifier, find_identifiers
from secateur.model import Part


class Names:
    """The identifiers met so far. `cwd` is the folder that relative paths are taken from."""

    def __init__(self, cwd: str = "") -> None:
        self.cwd = cwd
        self.met: list[Identifier] = []
        self._numbers: dict[Identifier, int] = {}
        self._read: dict[tuple[bool, str], frozenset[int]] = {}

    def number_identifiers(self, text: str, names: bool = True) -> frozenset[int]:
        """The numbers of a text's identifiers; `names` as in `identifiers`."""
        known = self._read.get((names, text))
        if known is None:
            known = frozenset(map(self._number, find_identifiers(text, self.cwd, names)))
            self._read[names, text] = known
        return known

    def number_part(self, part: Part) -> frozenset[int]:
        """What a part provides: argument names are the tool's; reasoning provides nothing, providers strip it."""
        if not part.text or part.kind in ("reasoning", "media"):
            return frozenset()
        return self.number_identifiers(part.text, part.kind != "tool_call")

    def _number(self, one: Identifier) -> int:
        number = self._numbers.setdefault(one, len(self.met))
        if number == len(self.met):
            self.met.append(one)
        return number
