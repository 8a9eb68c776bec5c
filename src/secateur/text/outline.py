"""The lines of a long text by which one finds one's way in it: what it defines and imports, its headings, its files.
Beside them the names that are like no others in it.

Rule: lines are the text's own, each with its number; of a search the files in which something was found. A line is
chosen by its shape alone, what is less deeply indented first, so the same text gives the same outline, and no line is
looked at once those above leave no room. A text that defines nothing and lists nothing has none: what went wrong stays
whole until the same thing goes well, so no outline tells of it.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from secateur.memoizing import memoize_texts
from secateur.text.gist import LONGEST

MAX_LINE_CHARS = 160  # of one line
NAMES_SHARE = 0.34  # of the room, at most, for names
NAMES = "names: "


def outline(text: str, max_chars: int) -> str:
    """At most so many characters of lines, numbered, what is less deeply indented first. "" where there are none."""
    return _join_lines(_find_entries(text, max_chars), max_chars)


def outline_with_names(text: str, max_chars: int, hide: Callable[[str], str]) -> str:
    """An outline, and behind it names that no line of it shows, within a third of the room.

    `hide` takes secrets out of a text: no name is shown that it takes out of the line that the name is in.
    """
    found = _find_entries(text, max_chars)
    shown = _join_lines(found, max_chars)
    names = _fit_names((name for name in iterate_rare_names(text) if name not in shown), int(NAMES_SHARE * max_chars))
    if names:
        seen = hide("\n".join(dict.fromkeys(_find_line(text, name) for name in names)))
        names = [name for name in names if name in seen]
    if not names:
        return shown
    named = NAMES + " ".join(names)
    return "\n".join(filter(None, (_join_lines(found, max_chars - len(named) - 1), named)))


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
_B = r"[ \t\r]"  # a blank within a line: the patterns look through a whole text
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
    rf"\n(?:{_HIT}|(?P<number>{_B}*+\d{{1,6}}[:|→\t-])?+(?P<indent>[ \t]*+)"
    r"(?=[A-Za-z#\"])(?:#{1,4} \S|(?:export|import|from|package|module|namespace|require|use|using|include|#include)\b"
    rf"|{_PATH}{_B}*$"
    rf"|{_MODIFIERS}*{_DEFINES}|{_MODIFIERS}+[\w<][^;=\n]*\{{{_B}*$"
    rf"|[A-Z][A-Z0-9]*_[A-Z0-9_]+{_B}*+(?::[^=\n]{{1,40}})?={_B}*+[^=\s]))",
    re.MULTILINE,
)


def _find_entries(text: str, room: int) -> list[tuple[int, int, str]]:
    """Depth, number and text of lines, definitions and the like; none behind those of no depth that fill the room."""
    found: list[tuple[int, int, str]] = []
    for depth, number, said in _iterate_entries(text):
        found.append((depth, number, said))
        room -= 0 if depth else len(said) + 1
        if room < 0:
            break
    return found


def _iterate_entries(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield definitions and imports by depth, headings, and files with search hits, in their order."""
    files: set[str] = set()
    imported = -_GAP  # the last line of a block of imports, where a quoted path alone is an import
    number, here = 1, 0
    for entry in _ENTRY.finditer(f"\n{text}"):
        number, here = number + text.count("\n", here, entry.start()), entry.start()
        end = text.find("\n", here)
        line = text[here:end] if end >= 0 else text[here:]
        if len(line) >= LONGEST:
            continue
        if path := entry["path"]:
            if path not in files:
                files.add(path)
                yield 0, number, f"{number}: {path}"
            continue
        numbered = entry["number"] or ""
        own_number = numbered.strip(" :|→\t-")
        said = line[len(numbered) :].strip()[:MAX_LINE_CHARS]
        is_path = said[-1:] == '"' and _QUOTED.fullmatch(said) is not None and not said.startswith("import")
        if is_path and not 0 < number - imported <= _GAP:
            continue
        if is_path or said == "import (":
            imported = number
        yield len(entry["indent"].expandtabs(4)), number, f"{own_number or number}: {said}"


_GAP = 2  # lines: groups of imports are parted by an empty one


def _fit_lines(found: list[tuple[int, int, str]], room: int) -> list[tuple[int, str]]:
    """As many entries as fit, by depth."""
    kept = []
    for _, number, line in sorted(found):
        room -= len(line) + 1
        if room < 0:
            break
        kept.append((number, line))
    return kept
