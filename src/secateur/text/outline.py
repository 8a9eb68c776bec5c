"""The lines of a long text by which one finds one's way in it: what it defines and imports, its headings, its files,
what went wrong, and versions; of a log what it says but once; and names that are like no others in it.

Rule: lines are the text's own, in their order, each with its number; of a search the files in which something was
found. A line is chosen by its shape alone, and by how many others have that shape, so the same text gives the same
outline, in time linear in its length. A text that defines nothing, lists nothing and tells of nothing has none.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress, repeat
from operator import is_
from typing import Any, NamedTuple

from secateur.memoizing import memoize_texts
from secateur.text.gist import (
    LONGEST,
    find_candidates,
    find_telling,
    find_unique_lines,
    find_versions,
    is_telling,
    limit_per_shape,
    may_repeat,
)

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
    marked: list[tuple[int, _Marks]] = []
    for one in _format_lines(lines, limit_per_shape(lines, _iterate_telling(lines, marked)), _TOLD):
        best[one[1]] = one
        room -= len(one[2]) + 1
        if room < 0:  # these come first, so nothing else has a place
            return list(best.values())
    versions = (place for place, marks in marked if marks.has_version)
    found = list(_format_lines(lines, limit_per_shape(lines, versions), _NAMED))
    entries = list(_find_entries(marked))
    if not entries and may_repeat(lines):
        unique = (at for at, once in enumerate(find_unique_lines(lines)) if once)
        entries = list(_format_lines(lines, unique, _ONCE))
    found += entries
    for one in sorted(found):
        best.setdefault(one[1], one)
    return list(best.values())


def _iterate_telling(lines: list[str], marked: list[tuple[int, "_Marks"]]) -> Iterator[int]:
    """Yield places of lines that tell what went wrong; `marked` receives all marked lines once they were looked at.

    The first lines come first: often they are enough.
    """
    first = lines[:_FIRST] if len(lines) > 2 * _FIRST else []
    yield from find_telling(first)
    marked += _find_marked(lines)
    for place, marks in marked:
        if marks.may_tell and place >= len(first) and is_telling(lines[place].strip()):
            yield place


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
    split: dict[str, tuple[str, ...]] = {}
    for token, times in tokens.items():
        if not (token.isalpha() and token.islower()):
            split[token] = _split_token(token)
            for word in split[token]:
                words[word] += times
    for token, parts in split.items():
        is_rare = any([words[word] == 1 and len(word) >= _LONG_WORD for word in parts])
        if not is_rare or len(token) > _LONGEST_NAME or 2 * sum(len(word) < 3 for word in parts) >= len(parts):
            continue  # most words of keys and of encoded bytes are short
        if _COMPOUND.search(token) or _is_capitalized_inside(text, token):
            yield token


@memoize_texts(16_384)
def _split_token(token: str) -> tuple[str, ...]:
    return tuple([word.lower() for word in _WORD.findall(token)])


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
_ENTRY = re.compile(  # of a line, in lines that follow one another
    rf"\n(?:{_HIT}|(?P<number>{_B}*+\d{{1,6}}[:|→\t-])?(?P<indent>[ \t]*+)"
    r"(?:#{1,4} \S|(?:export|import|from|package|module|namespace|require|use|using|include|#include)\b"
    rf"|{_PATH}{_B}*$"
    rf"|{_MODIFIERS}*{_DEFINES}|{_MODIFIERS}+[\w<][^;=\n]*\{{{_B}*$"
    rf"|[A-Z][A-Z0-9]*_[A-Z0-9_]+{_B}*+(?::[^=\n]{{1,40}})?={_B}*+[^=\s]))",
    re.MULTILINE,
)


_Entry = tuple[int, str, str]  # depth, own number and text of a line; -1, "" and the path for a hit


class _Marks(NamedTuple):
    """What makes a line one to find one's way by, whatever the text that it is in."""

    may_tell: bool  # it has a word that tells of an error; whether it does is judged where it is asked for
    entry: _Entry | None  # what it defines or imports, a heading, or a hit
    has_version: bool


def _find_entries(marked: Sequence[tuple[int, _Marks]]) -> Iterator[tuple[int, int, str]]:
    """Definitions and imports by depth, headings, and files with search hits."""
    files: set[str] = set()
    imported = -_GAP  # the last line of a block of imports, where a quoted path alone is an import
    for place, marks in marked:
        if marks.entry is None:
            continue
        number, (depth, own_number, said) = place + 1, marks.entry
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
            yield depth, number, f"{own_number or number}: {said}"


_GAP = 2  # lines: groups of imports are parted by an empty one
_FIRST = 8  # lines that are looked at before the others
_MOST_KEPT, _KEPT_CHARS = 20_000, 200  # lines, and characters of each
_NEW: Any = ()  # stands for the marks of a line that is not known
_known: list[dict[str, _Marks | None]] = [{}]  # of the lines that were looked at last: a file is read again and again


def _find_marked(lines: list[str]) -> list[tuple[int, _Marks]]:
    """The places of marked lines, in order; most lines have no marks. Each line is looked at once."""
    if len(_known[0]) > _MOST_KEPT:
        _known[0] = {}  # not cleared: another thread may be using it
    known = _known[0]
    found = list(map(known.get, lines, repeat(_NEW)))
    fresh = {*compress(lines, map(is_, found, repeat(_NEW)))}
    if new := _drop_longer([*fresh], LONGEST - 1):
        found = list(map(_mark_lines(new, known).get, lines, found))
    return [*zip(compress(range(len(found)), found), filter(None, found), strict=True)]


def _mark_lines(lines: list[str], known: dict[str, _Marks | None]) -> dict[str, _Marks]:
    """The marks of those of these new lines that have any; what is known of short ones is kept."""
    text = "\n".join(lines)
    telling = {lines[place] for place in find_candidates(text, lines)}
    versions = {lines[place] for place in find_versions(text, lines)}
    entries = dict(_parse_entries(f"\n{text}"))
    marks = {
        line: _Marks(line in telling, entries.get(line), line in versions) for line in {*telling, *versions, *entries}
    }
    kept = _drop_longer(lines, _KEPT_CHARS)
    known.update(zip(kept, map(marks.get, kept), strict=True))
    return marks


def _parse_entries(text: str) -> Iterator[tuple[str, _Entry]]:
    for entry in _ENTRY.finditer(text):
        start, end = entry.start() + 1, text.find("\n", entry.start() + 1)
        line = text[start:end] if end >= 0 else text[start:]
        yield line, _parse_entry(line, entry)


def _drop_longer(lines: list[str], most: int) -> list[str]:
    return lines if max(map(len, lines), default=0) <= most else [line for line in lines if len(line) <= most]


def _parse_entry(line: str, entry: re.Match[str]) -> _Entry:
    if path := entry["path"]:
        return -1, "", path
    said = line[len(entry["number"] or "") :].strip()[:MAX_LINE_CHARS]
    return len(entry["indent"].expandtabs(4)), (entry["number"] or "").strip(" :|→\t-"), said


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
