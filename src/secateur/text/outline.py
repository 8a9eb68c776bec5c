"""The lines of a long text by which one finds one's way in it: what it defines and imports, its headings, its files,
what went wrong, and versions; of a log what it says but once; and names that are like no others in it.

Rule: lines are the text's own, in their order, each with its number; of a search the files in which something was
found. A line is chosen by its shape alone, and by how many others have that shape, so the same text gives the same
outline, in time linear in its length. A text that defines nothing, lists nothing and tells of nothing has none.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import compress, count, repeat

from secateur.text.gist import LONGEST, find_telling, find_unique_lines, find_versions, limit_per_shape

MAX_LINE_CHARS = 160  # of one line
NAMES_SHARE = 0.34  # of the room, at most, for names
NAMES = "names: "


def outline(text: str, max_chars: int) -> str:
    """At most so many characters of lines, numbered: what went wrong, then what is less deeply indented. "" where there
    are none.
    """
    return _join_lines(_find_lines(text, max_chars), max_chars)


def outline_with_names(text: str, max_chars: int, hide: Callable[[str], str]) -> str:
    """An outline, and behind it names that no line of it shows, within a third of the room.

    `hide` takes secrets out of a text: no name is shown that it takes out of the line that the name is in.
    """
    found = _find_lines(text, max_chars)
    shown = _join_lines(found, max_chars)
    names = _fit_names((name for name in iterate_rare_names(text) if name not in shown), int(NAMES_SHARE * max_chars))
    if names:
        seen = hide("\n".join(dict.fromkeys(_find_line(text, name) for name in names)))
        names = [name for name in names if name in seen]
    if not names:
        return shown
    named = NAMES + " ".join(names)
    return "\n".join(filter(None, (_join_lines(found, max_chars - len(named) - 1), named)))


def _find_lines(text: str, max_chars: int) -> list[tuple[int, int, str]]:
    """Rank, number and text of lines: what went wrong, then what is less deeply indented."""
    lines = text.split("\n")
    best: dict[int, tuple[int, int, str]] = {}
    room = max_chars
    for one in _format_lines(lines, limit_per_shape(lines, find_telling(text, lines)), _TOLD):
        best[one[1]] = one
        room -= len(one[2]) + 1
        if room < 0:  # these come first, so nothing else has a place
            return list(best.values())
    found = list(_format_lines(lines, limit_per_shape(lines, find_versions(text, lines)), _NAMED))
    ways = list(_find_entries(lines))
    found += ways or _format_lines(lines, (at for at, once in enumerate(find_unique_lines(lines, text)) if once), _ONCE)
    for one in sorted(found):
        best.setdefault(one[1], one)
    return list(best.values())


def shift_numbers(outlined: str, first_line: int, header_lines: int) -> str:
    """An outline with the numbers of a file of which the text shows a range from `first_line` on, behind so many lines
    of a host."""
    shift, made = first_line - header_lines - 1, []
    for line in outlined.split("\n") if outlined else ():
        number, colon, rest = line.partition(": ")
        made.append(f"{int(number) + shift}{colon}{rest}" if int(number) > header_lines else line)
    return "\n".join(made)


def iterate_rare_names(text: str) -> Iterator[str]:
    """Yield names with a word in them that the text has but once, in their order: those by which it differs from
    others.

    A name is made of several words (`batch_total`, `batchTotal`, `batch-total`), or is capitalized within a sentence.
    """
    tokens = Counter(_TOKEN.findall(text))
    words = tokens.copy()  # most tokens are one word; the others have signs or capitals, so that no word is like them
    split: dict[str, list[str]] = {}
    for token, times in tokens.items():
        if not (token.isalpha() and token.islower()):
            split[token] = [word.lower() for word in _WORD.findall(token)]
            for word in split[token]:
                words[word] += times
    for token, parts in split.items():
        is_rare = any([words[word] == 1 and len(word) >= _LONG_WORD for word in parts])
        if not is_rare or len(token) > _LONGEST_NAME or 2 * sum(len(word) < 3 for word in parts) >= len(parts):
            continue  # most words of keys and of encoded bytes are short
        if _COMPOUND.search(token) or _is_capitalized_inside(text, token):
            yield token


def _is_capitalized_inside(text: str, word: str) -> bool:
    """Whether a capitalized word stands within a sentence."""
    if _CAPITALIZED.fullmatch(word) is None:
        return False
    at = text.find(f" {word}", 1)
    while at >= 0:
        if _GOES_ON.match(text, at - 1) and not _LOWER.match(text, at + 1 + len(word)):
            return True
        at = text.find(f" {word}", at + 1)
    return False


def _fit_names(names: Iterable[str], room: int) -> list[str]:
    """The first of the names that fit."""
    kept = []
    room -= len(NAMES)
    for name in names:
        room -= len(name) + 1
        if room < 0:
            break
        kept.append(name)
    return kept


def _find_line(text: str, name: str) -> str:
    """The first line with a name."""
    at = text.find(name)
    end = text.find("\n", at)
    return text[text.rfind("\n", 0, at) + 1 : end if end >= 0 else len(text)]


def _join_lines(found: list[tuple[int, int, str]], max_chars: int) -> str:
    return "\n".join(line for _, line in sorted(_fit_lines(found, max_chars)))


_LONG_WORD, _LONGEST_NAME = 4, 60  # characters
_TOKEN = re.compile(r"[A-Za-z_]\w*(?:-\w+)*", re.ASCII)
_CAPITALIZED, _GOES_ON, _LOWER = re.compile("[A-Z][a-z]{3,}"), re.compile("[a-z,]"), re.compile("[a-z]")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_COMPOUND = re.compile(r"[a-z0-9][A-Z]|[A-Za-z0-9][_-][A-Za-z0-9]")
_TOLD, _NAMED, _ONCE = -1, 1, 2  # ranks, in addition to depths of indentation
_B = r"[^\S\n]"  # a blank within a line: the patterns look through a whole text
_HIT = r"(?P<path>(?:[\w.@+-]*+/)+[\w.@+-]+|[\w@+-]++\.[A-Za-z]\w{0,5})(?:[:-]\d+[:-]|:|$)"
_MODIFIERS = (
    r"(?:(?:pub(?:\([a-z]+\))?|public|private|protected|internal|static|final|abstract|override|async|unsafe|default"
    rf"|declare|readonly|get|set){_B}+)"
)
_DEFINES = (
    r"(?:def|class|func|fn|function|interface|type|struct|enum|trait|impl|const|let|var|val|record|object|protocol"
    rf"|extension){_B}+[\w<(*]"
)
_PATH = rf'(?:[\w.]++{_B}+)?"[\w.@~-]+(?:/[\w.@~-]+)*"'
_QUOTED = re.compile(_PATH)
_WAY = re.compile(  # of a line, in lines that follow one another
    rf"\n(?:{_HIT}|(?P<number>{_B}*+\d{{1,6}}[:|→\t-])?(?P<indent>[ \t]*+)"
    r"(?:#{1,4} \S|(?:export|import|from|package|module|namespace|require|use|using|include|#include)\b"
    rf"|{_PATH}{_B}*$"
    rf"|{_MODIFIERS}*{_DEFINES}|{_MODIFIERS}+[\w<][^;=\n]*\{{{_B}*$"
    rf"|[A-Z][A-Z0-9]*_[A-Z0-9_]+{_B}*+(?::[^=\n]{{1,40}})?={_B}*+[^=\s]))",
    re.MULTILINE,
)


def _find_entries(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """Definitions and imports by depth, headings, and files with search hits."""
    files: set[str] = set()
    ways = _look_up(lines)
    imported = -_GAP  # the last line of a block of imports, where a quoted path alone is an import
    for number, way in zip(compress(count(1), ways), filter(None, ways), strict=True):  # most lines are none
        depth, place, said = way
        is_path = said[-1:] == '"' and _QUOTED.fullmatch(said) is not None and not said.startswith("import")
        if is_path and not 0 < number - imported <= _GAP:
            continue
        if is_path or said == "import (":
            imported = number
        if depth < 0:
            if said not in files:
                files.add(said)
                yield 0, number, f"{number}: {said}"
        else:
            yield depth, number, f"{place or number}: {said}"


_GAP = 2  # lines: groups of imports are parted by an empty one
_Way = tuple[int, str, str]  # depth, number and text of a line that defines something; -1, "" and the path for a hit
_MOST_KEPT, _KEPT_CHARS = 20_000, 200  # lines, and characters of each
_UNKNOWN: _Way = (-2, "", "")
_known: dict[str, _Way | None] = {}  # of the lines that were looked at last: a file is read again and again


def _look_up(lines: list[str]) -> list[_Way | None]:
    """Parse the lines that define something or are hits; None for the others."""
    found = list(map(_known.get, lines, repeat(_UNKNOWN)))
    if _UNKNOWN not in found:
        return found
    new = [line for line, way in zip(lines, found, strict=True) if way is _UNKNOWN]
    ways: dict[str, _Way] = {}  # most lines have none
    text = "\n".join(["", *_drop_longer(new, LONGEST - 1)])
    for way in _WAY.finditer(text):
        start, end = way.start() + 1, text.find("\n", way.start() + 1)
        line = text[start:end] if end >= 0 else text[start:]
        ways[line] = _parse_entry(line, way)
    if len(_known) + len(new) > _MOST_KEPT:
        _known.clear()
    kept = _drop_longer(new, _KEPT_CHARS)
    _known.update(zip(kept, map(ways.get, kept), strict=True))
    return [ways.get(line) if way is _UNKNOWN else way for line, way in zip(lines, found, strict=True)]


def _drop_longer(lines: list[str], most: int) -> list[str]:
    return lines if max(map(len, lines)) <= most else [line for line in lines if len(line) <= most]


def _parse_entry(line: str, way: re.Match[str]) -> _Way:
    if path := way["path"]:
        return -1, "", path
    said = line[len(way["number"] or "") :].strip()[:MAX_LINE_CHARS]
    return len(way["indent"].expandtabs(4)), (way["number"] or "").strip(" :|→\t-"), said


def _format_lines(lines: list[str], places: Iterable[int], rank: int) -> Iterator[tuple[int, int, str]]:
    return ((rank, at + 1, f"{at + 1}: {lines[at].strip()[:MAX_LINE_CHARS]}") for at in places)


def _fit_lines(found: list[tuple[int, int, str]], room: int) -> list[tuple[int, str]]:
    """As many entries as fit, by depth."""
    kept = []
    for _, number, line in sorted(found):
        room -= len(line) + 1
        if room < 0:
            break
        kept.append((number, line))
    return kept
