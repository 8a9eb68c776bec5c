"""Which lines of a text are like others, and which are said once.

Rule: a line's shape is what it shares with the lines that differ from it in numbers, names and quoted values alone.
Each line is taken apart once, word by word; a word's mark is kept, since a log has few words and says them often.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from secateur.gist.telling import KEPT_CHARS, LONGEST

ALIKE = 4  # lines of one shape from which on they are repetitions
MANY = 1_000  # lines of a list that nobody reads path by path
EACH = 3  # lines of one shape that are shown of those that tell something
COMMON = 0.2  # of the lines of a log: words that so many have are its own, others are what it speaks of
MOSTLY = 0.5  # of the lines of a log that are like others


def find_shared_shapes(lines: Sequence[str]) -> list[str]:
    """Return each line's shape if at least `ALIKE` lines share it, else "".

    An empty line is like the line before it. The shape of a hit, and of an entry in a list of files, begins with a zero
    character. In a list of more than `MANY` lines the paths of one folder are alike, and so are the names of folders.
    """
    return _filter_shared(_compute_shapes(lines))


def _filter_shared(shapes: Sequence[str]) -> list[str]:
    times = Counter(shapes)
    wider = _merge_shapes(times)
    if not wider and max(times.values(), default=0) < ALIKE:
        return [""] * len(shapes)
    wide = [wider.get(said, said) for said in shapes] if wider else list(shapes)
    alone = {said for said, count in Counter(wide).items() if count < ALIKE} | {_LONG}
    found: list[str] = []
    last = ""
    for said in wide:
        if said or not found:
            last = said if said not in alone else ""
        found.append(last)
    return found


def find_shared_shapes_in(text: str, lines: Sequence[str]) -> Sequence[str]:
    """Return the shared shapes of this text's lines, cached since they are needed repeatedly."""
    return _find_shared_shapes_cached(text) if len(text) <= KEPT_CHARS else find_shared_shapes(lines)


def find_unique_lines(lines: Sequence[str], text: str | None = None, first: int | None = None) -> list[bool]:
    """Return for each line whether it is unlike all others where most are alike; else all False.

    `text` is the one that has these lines, where it is at hand: all of its lines, or some from its line `first` on.
    """
    if len(lines) < ALIKE:
        return [False] * len(lines)
    if text is None:
        shapes: Sequence[str] = find_shared_shapes(lines)
    else:
        shapes = (
            find_shared_shapes_in(text, lines) if first is None else _filter_shared(_slice_shapes(first, lines, text))
        )
    if len(shapes) - shapes.count("") < MOSTLY * len(lines):
        return [False] * len(lines)
    return [not shape and bool(line.strip()) for line, shape in zip(lines, shapes, strict=True)]


@lru_cache(maxsize=1_024)
def _find_shared_shapes_cached(text: str) -> tuple[str, ...]:
    return tuple(_filter_shared(_compute_shapes_cached(text)))


@lru_cache(maxsize=64)
def _compute_shapes_cached(text: str) -> list[str]:
    return _compute_shapes(text.split("\n"))


def _slice_shapes(first: int, lines: Sequence[str], text: str) -> list[str]:
    shapes = _compute_shapes_cached(text) if len(text) <= KEPT_CHARS else []
    return shapes[first : first + len(lines)] if 0 < len(shapes) <= MANY else _compute_shapes(lines)


def limit_per_shape(lines: Sequence[str], places: Iterable[int]) -> Iterator[int]:
    """Yield those of these places whose line is one of the first `EACH` of its shape."""
    seen: Counter[str] = Counter()
    for place in places:
        seen[said := get_shape(lines[place])] += 1
        if seen[said] <= EACH:
            yield place


def get_shape(line: str) -> str:
    """Return a line with the same mark for every number, name and value; words and keys stay."""
    line = line if _has_keys(line) else _zero_digits(line)
    words = line.split()
    said, bare = " ".join(map(_marks.__getitem__, words)), " ".join(words)
    return _VARIES.sub(_mark, bare) if _OPEN in said or '" :' in bare else said


Frame = tuple[int, bytes]


def find_frames(text: str, lines: Sequence[str]) -> list[Frame | None]:
    """Of each line of this text what its shape keeps of it in any case: how many words it has, and the signs in them.

    So lines of one shape have one frame. None for a long line, and where a quotation stands: it may hold blanks and
    signs that no shape has. Of a line that `may_be_listed` the shape may be another thing altogether.
    """
    signs = text.encode("utf-8", "surrogatepass").translate(None, _NO_SIGNS).split(b"\n")
    return [
        None if '"' in line or "'" in line or len(line) >= LONGEST else (len(line.split()), sign)
        for line, sign in zip(lines, signs, strict=True)
    ]


def may_be_listed(line: str) -> bool:
    """Whether a line may be a hit of a search or an entry in a list of files, as far as its ends tell."""
    return ("/" in line or "." in line) and not (line[0] in _BESIDE_PATHS and line[-1] in _BESIDE_PATHS)


_SIGNS = b"!#&()*,;<=>?[]^`{|}"  # neither in names nor in quotations
_NO_SIGNS = bytes(set(range(256)).difference(_SIGNS, b"\n"))
_BESIDE_PATHS = frozenset(_SIGNS.decode() + " \t\r")
_PATH = r"(?P<path>(?:[\w.@+-]*+/)+[\w.@+-]+|[\w@+-]++\.[A-Za-z]\w{0,5})"
_HIT = re.compile(rf"{_PATH}(?:[:-]\d+[:-]|:?$)")
_ENTRY = re.compile(  # of a list of files: rights and owner, a state, or figures, and a path
    rf"\s*(?:[-dl][-rwxsStT]{{9}}[@+.]?\s[^/]*\s|(?:[MADRCTU?!]{{1,2}}\s+)?(?:[\d.,]+[KMGTB]?\s+)*){_PATH}$"
)
_FOUND, _LONG, _OPEN = "\0", "\1", "\2"
_NEXT = " \n "  # between lines, of which each word stands alone
_VARIES = re.compile(
    r'"(?:[^"\\]|\\.)*"(?P<key> ?:)?'
    r"|'[^']*'"
    r"|(?<![\w@$~+%.\\/-])[\w@$~+%.\\/-]*(?:[\d_./\\@$]|[a-z][A-Z])[\w@$~+%.\\/:-]*"
)
_WHOLE = re.compile(r"[\w@$~+%.\\/-]*(?:[\d_./\\@$]|[a-z][A-Z])[\w@$~+%.\\/:-]*")
_VARYING = re.compile(r"[\d_./\\@$]|[a-z][A-Z]")
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_STATE = 14  # characters of a quoted word that is taken for a state, not for a name; of a longer one its form counts
_RUNS = re.compile(r"\d+|[^\W\d_]+")
_WORD = re.compile(r"[^\W\d_]{2,}")


class Memo(dict[str, Any]):
    """What was made of short texts, of so many only: a log has few words, and a file is read again and again."""

    MOST = 20_000

    def __init__(self, made: Callable[[str], Any], chars: int = 60) -> None:
        self.made, self.chars = made, chars

    def __missing__(self, text: str) -> Any:
        made = self.made(text)
        if len(text) <= self.chars:
            if len(self) >= self.MOST:
                self.clear()
            self[text] = made
        return made


def _mark_word(word: str) -> str:
    """Mark what varies in a word; `_OPEN` if a quotation does not end in the word where it begins."""
    if '"' in word or "'" in word:
        rest = _VARIES.sub("", word)
        return _VARIES.sub(_mark, word) if '"' not in rest and "'" not in rest else _OPEN
    if _VARYING.search(word) is None:
        return word
    if _WHOLE.fullmatch(word) is not None:
        return ("0" if len(word) < 7 else "00") if word.isdigit() else "x"
    return _VARIES.sub(_mark, word)


def _extract_words(piece: str) -> str:
    return " ".join(_WORD.findall(piece)) if piece != "\n" else piece


_marks, _words = Memo(_mark_word), Memo(_extract_words)
_KEPT = 16_384  # shapes of lines that were looked at last
_known: dict[str, str] = {}  # lines with zeros for digits, and their shapes


def _compute_shapes(lines: Sequence[str]) -> list[str]:
    """Return the shape of each line; lines that differ only in digits are examined once."""
    listed = len(lines) > MANY
    if len(_known) > _KEPT:
        _known.clear()
    text = "\n".join(lines)
    asked = _zero_digits(text).split("\n")[: len(lines)]  # of no lines one, empty
    if '":' in text or '" :' in text:
        asked = [line if _has_keys(line) else plain for line, plain in zip(lines, asked, strict=True)]
    found = list(map(_known.get, asked))
    fresh: dict[str, list[int]] = {}
    for place in [place for place, said in enumerate(found) if said is None]:
        line = lines[place]
        found[place] = said = _LONG if len(line) >= LONGEST else _get_listing_shape(line, listed)
        if not said:
            fresh.setdefault(asked[place], []).append(place)
    for (one, places), said in zip(fresh.items(), _mark_lines(fresh), strict=True) if fresh else ():
        _known[one] = said
        for place in places:
            found[place] = said
    return [said or "" for said in found]


def _zero_digits(text: str) -> str:
    """Replace digits with zeros, which shapes do not distinguish, leaving keys."""
    return text.encode("utf-8", "surrogatepass").translate(_DIGITS).decode("utf-8", "surrogatepass")


def _has_keys(line: str) -> bool:
    return '"' in line and ('":' in line or '" :' in line)


def _mark_lines(lines: Iterable[str]) -> list[str]:
    """Mark what varies in lines, word by word unless a quotation contains a space."""
    bare = _NEXT.join([" ".join(line.split()) for line in lines])
    said = " ".join(map(_marks.__getitem__, bare.split(" ")))
    if _OPEN not in said and '" :' not in bare:
        return said.split(_NEXT)
    return [
        _VARIES.sub(_mark, line) if _OPEN in one or '" :' in line else one
        for line, one in zip(bare.split(_NEXT), said.split(_NEXT), strict=True)
    ]


def _get_listing_shape(line: str, listed: bool) -> str:
    """Return the shape of a search hit or a file list entry; "" for another line."""
    words = line.split() if "/" in line or "." in line else []
    if not words:
        return ""
    first, last = words[0], words[-1]
    hit = _HIT.match(line) if "/" in first or "." in first else None
    if hit is None and ("/" in last or "." in last):
        hit = _ENTRY.match(line)
    if hit is None:
        return ""
    if listed and hit.end() == len(line):
        return f"{_FOUND}:" if line[-1] == ":" else f"{_FOUND}{hit['path'].rpartition('/')[0]}/"
    return f"{_FOUND}{hit['path']}"


def _mark(found: re.Match[str]) -> str:
    said = found[0]
    if found["key"] is not None:
        return said
    if said[0] in "\"'":
        return said if len(said) <= _STATE and said[1:-1].isalpha() else _RUNS.sub(_run, said[: 2 * _STATE])[:_STATE]
    return ("0" if len(said) < 7 else "00") if said.isdigit() else "x"


def _run(found: re.Match[str]) -> str:
    return "0" if found[0][0].isdigit() else "a"


def _merge_shapes(times: Counter[str]) -> dict[str, str]:
    """Map shapes to wider ones: where words on many lines outnumber the others, those are values too."""
    shapes = [said for said in times if said[:1] not in (_FOUND, _LONG)]
    pieces = _NEXT.join(shapes).split(" ")
    worded = [said.split() for said in " ".join(map(_words.__getitem__, pieces)).split("\n")]
    each = list(map(set, worded))
    common = Counter(chain.from_iterable(each))
    for once, said in zip(each, shapes, strict=False):  # of no shapes one, empty
        if times[said] > 1:
            common.update(dict.fromkeys(once, times[said] - 1))
    least = COMMON * times.total()
    often = {word for word, count in common.items() if count >= least}
    found = [said for said, words, once in zip(shapes, worded, each, strict=False) if _is_wide(words, once, often)]
    pieces = _NEXT.join(found).split(" ")
    shown = _mask_rare_words(set(pieces), often)
    return dict(zip(found, " ".join([shown[piece] for piece in pieces]).split(_NEXT), strict=False))


def _is_wide(words: list[str], once: set[str], often: set[str]) -> bool:
    """Whether most of these words, but not all, are such as many lines have."""
    if once.isdisjoint(often):
        return False
    rare = len(once - often) if len(once) == len(words) else sum([word not in often for word in words])
    return 0 < rare < len(words) / 2


def _mask_rare_words(pieces: set[str], often: set[str]) -> dict[str, str]:
    """Return pieces of shapes with a mark for each word that few lines have."""
    shown = dict.fromkeys(pieces, "~")
    for piece in pieces:
        if piece in often:
            shown[piece] = piece
        elif (words := _words[piece]) != piece or not words.strip():
            all_often = often.issuperset(words.split())
            shown[piece] = piece if all_often else _WORD.sub(lambda word: word[0] if word[0] in often else "~", piece)
    return shown
