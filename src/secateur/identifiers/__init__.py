"""The identifiers of a text: the paths, symbols, numbers and lines by which later work can refer to it.

Rule: typed, normalized and deterministic, so that two texts that name one thing share an identifier, whatever quotes,
escapes, line numbers or prefixes stand around it. A pass is linear in the text, hostile text too: each pattern is
bounded or unambiguous, and a word is typed once however often it occurs. Meaning is out of reach: a renamed
variable, a sum or a paraphrase shares nothing with its source.
"""

import re
from collections.abc import Iterable, Iterator
from posixpath import join, normpath

from secateur.identifiers.leaves import extract_leaves
from secateur.identifiers.words import Identifier, Kind, find_words

__all__ = ["ANCHORS", "Identifier", "Kind", "find_anchors", "find_identifiers"]

ANCHORS: frozenset[Kind] = frozenset({"path", "id", "number", "error", "url", "hash"})  # what a summary may not invent

MIN_LINE, MAX_LINE = 20, 200  # characters of a line that identify it; what is shorter stands in many files
MIN_QUOTED, MAX_QUOTED = 8, 120
_MAX_BEFORE = 300  # what a tool puts before a line is not longer


def find_identifiers(text: str, cwd: str = "", names: bool = True) -> frozenset[Identifier]:
    """Return all identifiers of a text. JSON is parsed first, so its escapes and structure are not in lines.

    `cwd` makes relative paths absolute, and `~` too where it lies in a home. `names=False` leaves out the names of
    JSON members: in a call's arguments they are the tool's words, not the model's.
    """
    said = extract_leaves(text, names)
    found = set(find_words(said.text))
    found.update(_find_quoted(said.strings, said.text))
    found.update(_find_lines(said.text))
    return frozenset(_resolve_paths(found, cwd))


def find_anchors(text: str, cwd: str = "", names: bool = True) -> frozenset[Identifier]:
    """Return the identifiers that state a fact: `ANCHORS`. Words joined by one slash ("read/write") are no path."""
    found = find_words(extract_leaves(text, names).text)
    return frozenset(_resolve_paths((one for one in found if one.kind in ANCHORS and not _is_loose(one)), cwd))


def _is_loose(one: Identifier) -> bool:
    """Return whether these are two bare words around a slash: a path in a listing, an alternative in prose."""
    return one.kind == "path" and bool(re.fullmatch(r"/?[^\W\d_]+(?:/[^\W\d_]+)?", one.value))


def _resolve_paths(found: Iterable[Identifier], cwd: str) -> Iterator[Identifier]:
    home = re.match(r"/(?:home|Users)/[^/]+|/root", cwd)
    for one in found:
        if one.kind != "path":
            yield one
            continue
        value = one.value.rstrip("/")
        if value.startswith("~/") and home:
            value = home[0] + value[1:]
        elif cwd and value[0] not in "/~" and value[1:2] != ":":
            value = normpath(join(cwd, value))
        yield Identifier("path", value)


_QUOTES = re.compile(
    rf"\"([^\"\n]{{0,{MAX_QUOTED}}})\"|(?<!\w)'([^'\n]{{0,{MAX_QUOTED}}})'(?!\w)|`([^`\n]{{0,{MAX_QUOTED}}})`"
)


def _find_quoted(strings: Iterable[str], text: str) -> Iterator[Identifier]:
    """Yield strings of several words; one of a single word is a word."""
    inside = (a or b or c for a, b, c in _QUOTES.findall(text))
    for string in {*strings, *inside}:
        said = " ".join(string.split())
        if MIN_QUOTED <= len(said) <= MAX_QUOTED and " " in said and "\n" not in string:
            yield Identifier("quoted", said)


# What tools put before a line: `12→`, `file.py:12:5:`, `+` of a diff. It goes on both sides, so lists lose bullets too.
_BEFORE = re.compile(r"\s*(?:(?:[\w./\\\-]{1,200}[:\-])?\d{1,6}[:|→\t\-](?:\d{1,6}:)?)?[\s+>*|\-]*")
_WORDY = re.compile(r"\w{3}")


def _find_lines(text: str) -> Iterator[Identifier]:
    for line in set(text.split("\n")):
        if len(line) < MIN_LINE:
            continue
        head = line[: _MAX_BEFORE + MAX_LINE]
        said = " ".join(head[_measure_prefix(head) :].split())[:MAX_LINE]
        if len(said) >= MIN_LINE and _WORDY.search(said):
            yield Identifier("line", said)


def _measure_prefix(line: str) -> int:
    found = _BEFORE.match(line)
    return found.end() if found else 0
