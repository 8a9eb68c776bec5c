"""The path of keys that leads to a line of a JSON, YAML or TOML file.

Rule: by indentation and table heads, from the text that calls showed or wrote; a text that does not hold the line, or
holds it more than once, leads nowhere. Files are known by the very path that calls give them. Nothing is parsed, so
that a part of a file does as well.
"""

import re
from collections.abc import Iterator

from secateur.compaction.ledger.files.rewrites import SEARCHED_CHARS, EditedText, list_rewrites
from secateur.toolcalls.actions import Action
from secateur.toolcalls.file_effects import list_file_effects

_TYPES = (".json", ".jsonc", ".yaml", ".yml", ".toml")
MOST_KEYS = 6
MOST_TEXTS = 4  # of one file: a part that is shown later leads to less than the whole did


class ConfigTexts:
    """The newest texts of each JSON, YAML and TOML file that calls showed or wrote: the whole file or parts of it."""

    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {}

    def note(self, action: Action) -> None:
        """Note what a call showed of such a file, or what it made of it."""
        if not action.ok or not action.result:
            return
        if action.kind in ("read", "run"):
            shown = [one.path for one in list_file_effects(action) if one.use == "read" and one.path.endswith(_TYPES)]
            if len(shown) == 1:
                before = self._texts.get(shown[0], [])[1 - MOST_TEXTS :]
                self._texts[shown[0]] = [*before, _without_numbers(action.said[:SEARCHED_CHARS])]
        for one in list_rewrites(action):
            if one.whole and one.path.endswith(_TYPES):
                self._texts[one.path] = [one.new]
            elif one.old and one.path in self._texts:
                self._texts[one.path] = [text.replace(one.old, one.new, 1) for text in self._texts[one.path]]

    def find_key_path(self, edit: EditedText, line: int) -> str:
        """Return the keys that lead to this line of an edit's old text, with dots between; "" where none do."""
        if not edit.path.endswith(_TYPES):
            return ""
        held = [text for text in self._texts.get(edit.path, ()) if text.count(edit.old) == 1]
        text = max(held, key=len, default="")
        at = text.find(edit.old) if held else -1
        lines = (text if at >= 0 else edit.old).split("\n")
        line += text.count("\n", 0, at) if at >= 0 else 0
        found = _find_table(lines, line) if edit.path.endswith(".toml") else _find_parents(lines, line)
        return ".".join(list(found)[:MOST_KEYS][::-1])


def _find_parents(lines: list[str], line: int) -> Iterator[str]:
    """Yield the keys of less indentation above a line, the nearest first."""
    indent = _count_indent(lines[line])
    for above in reversed(lines[:line]):
        mine = _count_indent(above)
        if above.strip() and mine < indent:
            if hit := _PARENT.match(above):
                yield hit["name"]
            indent = mine
        if not indent:
            return


def _find_table(lines: list[str], line: int) -> Iterator[str]:
    for above in reversed(lines[:line]):
        if hit := _TABLE.match(above):
            yield hit["name"].strip()
            return


def _count_indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _without_numbers(text: str) -> str:
    """Return a shown text without the numbers that hosts write before its lines."""
    return "\n".join(_NUMBERED.sub("", line, count=1) for line in text.split("\n"))


_NUMBERED = re.compile(r"^ {0,6}\d{1,6}(?:→|\t|\| ?|: ?)")
_PARENT = re.compile(r"\s*(?:- )?[\"']?(?P<name>[^\s\"'{}\[\],:]{1,80})[\"']?\s*:\s*[{\[|>]?\s*(?:#.*)?$")
_TABLE = re.compile(r"\s*\[{1,2}(?P<name>[^\]\n]{1,120})\]{1,2}\s*(?:#.*)?$")
