"""The shape of a line: what it shares with the lines that differ from it in numbers, names and quoted values alone.

Rule: each line is taken apart once, word by word; a word's mark is kept, since a log has few words and says them often.
Which lines of a text are alike is not decided here.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import filterfalse
from typing import Any

from secateur.text.gist.telling import LONGEST

MANY = 1_000  # lines of a list too long to read path by path
COMMON = 0.2  # of the lines of a log: words that so many have are its own, others are what it speaks of


def get_shape(line: str) -> str:
    """Return a line with the same mark for every number, name and value; words and keys stay."""
    line = line if _has_keys(line) else _zero_digits(line)
    words = line.split()
    said, bare = " ".join(map(_marks.__getitem__, words)), " ".join(words)
    return _VARIES.sub(_mark, bare) if _OPEN in said or '" :' in bare else said


_BESIDE_PATHS = frozenset("!#&()*,;<=>?[]^`{|} \t\r")
_PATH = r"(?P<path>(?:[\w.@+-]*+/)+[\w.@+-]+|[\w@+-]++\.[A-Za-z]\w{0,5})"
_HIT = re.compile(rf"{_PATH}(?:[:-]\d+[:-]|:?$)")
_ENTRY = re.compile(  # of a list of files: rights and owner, a state, or figures, and a path
    rf"\s*(?:[-dl][-rwxsStT]{{9}}[@+.]?\s[^/]*\s|(?:[MADRCTU?!]{{1,2}}\s+)?(?:[\d.,]+[KMGTB]?\s+)*){_PATH}$"
)
LISTED, LONG_SHAPE, _OPEN = "\0", "\1", "\2"
_NEXT = " \n "  # between lines, whose words are then separated
_BETWEEN = "\4"  # the same where all white space separates words
_VARIES = re.compile(
    r'"[^"\\]*+(?:\\.[^"\\]*+)*+"(?P<key> ?:)?'
    r"|'[^']*'"
    r"|(?<![\w@$~+%.\\/-])[\w@$~+%.\\/-]*(?:[\d_./\\@$]|[a-z][A-Z])[\w@$~+%.\\/:-]*"
)
_WHOLE = re.compile(r"[\w@$~+%.\\/-]*(?:[\d_./\\@$]|[a-z][A-Z])[\w@$~+%.\\/:-]*")
_VARYING = re.compile(r"[\d_./\\@$]|[a-z][A-Z]")
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_STATE = 14  # characters of a quoted word that is taken for a state, not for a name; of a longer one its form counts
_RUNS = re.compile(r"\d+|[^\W\d_]+")
_WORD = re.compile(r"[^\W\d_]{2,}")
_ALPHANUMERIC = re.compile(r"[^\W_]")
_FEW = 4
_PLAIN = re.compile("^[!#-&(-~]+$", re.M)  # words of ASCII that hold no quotation
_NO_NUMBER = re.compile(  # what varies in a word without quotations, numbers aside
    r"(?<![\w@$~+%.\\/-])(?!\d+(?![\w@$~+%.\\/:-]))[\w@$~+%.\\/-]*(?:[\d_./\\@$]|[a-z][A-Z])[\w@$~+%.\\/:-]*", re.A
)
_LETTERS = re.compile("[a-zA-Z]+")
_NUMBER, _LONG_NUMBER = re.compile(r"\d+", re.A), re.compile(r"\d{7,}", re.A)
_WORD_OR_END = re.compile(r"[^\W\d_]{2,}|\n", re.A)
_ASCII = bytes(range(128))
_ONLY_LETTERS = bytes(byte if byte < 128 and chr(byte).isalpha() else ord(" ") for byte in range(256))


class Memo(dict[str, Any]):
    """Results for short texts, limited in number: a log has few words, and a file is read again and again."""

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

    def learn(self, texts: Iterable[str], make_lines: Callable[[str], Iterable[str]]) -> None:
        """Make what is new of these texts in one go, as far as they are short and hold no quotation: one on a line."""
        new = [text for text in filterfalse(self.__contains__, set(texts)) if len(text) <= self.chars]
        fresh = _PLAIN.findall("\n".join(new))
        if len(fresh) < _FEW:
            return
        if len(self) + len(fresh) > self.MOST:
            self.clear()
        self.update(zip(fresh, make_lines("\n".join(fresh)), strict=True))


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


def _mark_all(words: str) -> list[str]:
    """Mark what varies in lines, word by word unless a quotation contains a space."""
    said = _NO_NUMBER.sub("x", words)
    return _NUMBER.sub("0", _LONG_NUMBER.sub("\3", said)).replace("\3", "00").split("\n")


def _extract_all(pieces: str) -> Iterator[str]:
    """The words of many pieces at once, one on a line."""
    return map(str.strip, " ".join(_WORD_OR_END.findall(pieces)).split("\n"))


def _extract_words(piece: str) -> str:
    return " ".join(_WORD.findall(piece)) if piece != "\n" else piece


_marks, _words = Memo(_mark_word), Memo(_extract_words)
_KEPT = 16_384  # shapes of lines that were looked at last
_known: dict[str, str] = {}  # lines with zeros for digits, and their shapes


def compute_shapes(lines: Sequence[str]) -> list[str]:
    """The shape of each line of a text; what differs in digits alone is looked at once."""
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
        may_be_listed = "/" in line or "." in line
        said = LONG_SHAPE if len(line) >= LONGEST else get_listing_shape(line, listed) if may_be_listed else ""
        found[place] = said
        if not said:
            fresh.setdefault(asked[place], []).append(place)
    for (one, places), said in zip(fresh.items(), _mark_lines([*fresh]), strict=True) if fresh else ():
        _known[one] = said
        for place in places:
            found[place] = said
    return [said or "" for said in found]


def _zero_digits(text: str) -> str:
    """Replace digits with zeros, which shapes do not distinguish, leaving keys."""
    return text.encode("utf-8", "surrogatepass").translate(_DIGITS).decode("utf-8", "surrogatepass")


def _has_keys(line: str) -> bool:
    return '"' in line and ('":' in line or '" :' in line)


def _mark_lines(lines: Sequence[str]) -> list[str]:
    """The lines with marks for their variable parts: word by word, if no quotation contains a blank."""
    bare = {place: " ".join(line.split()) for place, line in enumerate(lines) if '"' in line or "'" in line}
    quoted = {}
    for place, line in bare.items():
        if '" :' in line or _OPEN in map(_marks.__getitem__, line.split(" ")):
            quoted[place] = line
    found = _mark_words([line for place, line in enumerate(lines) if place not in quoted] if quoted else lines)
    if quoted:
        rest = iter(found)
        found = [_VARIES.sub(_mark, quoted[place]) if place in quoted else next(rest) for place in range(len(lines))]
    return found


def _mark_words(lines: Sequence[str]) -> list[str]:
    """The lines word by word, all of them at once."""
    text = f" {_BETWEEN} ".join(lines)
    if text.count(_BETWEEN) != len(lines) - 1 or _OPEN in text:
        return [get_shape(line) for line in lines]
    words = text.split()
    _marks.learn(words, _mark_all)
    return [line.strip(" ") for line in " ".join(map(_marks.__getitem__, words)).split(_BETWEEN)]


def get_listing_shape(line: str, listed: bool) -> str:
    """The shape of a hit of a search, or of an entry in a list of files; "" of another line."""
    if not ("/" in line or "." in line) or (line[0] in _BESIDE_PATHS and line[-1] in _BESIDE_PATHS):
        return ""
    first, last = line.split(None, 1)[0], line.rsplit(None, 1)[-1]
    hit = _HIT.match(line) if "/" in first or "." in first else None
    if hit is None and ("/" in last or "." in last):
        hit = _ENTRY.match(line)
    if hit is None:
        return ""
    if listed and hit.end() == len(line):
        return f"{LISTED}:" if line[-1] == ":" else f"{LISTED}{hit['path'].rpartition('/')[0]}/"
    return f"{LISTED}{hit['path']}"


def _mark(found: re.Match[str]) -> str:
    said = found[0]
    if found["key"] is not None:
        return said
    if said[0] in "\"'":
        if len(said) <= _STATE and said[1:-1].isalpha():
            return said
        said = said[: 2 * _STATE]
        if said.isascii():  # as `_run` does it, without a call for each
            return _NUMBER.sub("0", _LETTERS.sub("a", said))[:_STATE]
        return _RUNS.sub(_run, said)[:_STATE]
    return ("0" if len(said) < 7 else "00") if said.isdigit() else "x"


def _run(found: re.Match[str]) -> str:
    return "0" if found[0][0].isdigit() else "a"


def merge_shapes(times: Counter[str]) -> dict[str, str]:
    """How shapes are merged: if words that many lines have outnumber the others, those are values too."""
    shapes = [said for said in times if said[:1] not in (LISTED, LONG_SHAPE)]
    least = COMMON * times.total()
    maybe = _find_repeated_words(shapes, times, least)
    holding = [said for said in shapes if any([word in said for word in maybe])] if maybe else []
    worded = _split_into_words(holding) if holding else []
    often = {word for word in maybe if _count_lines(word, holding, worded, times) >= least}
    if not often:
        return {}
    found = [said for said, words in zip(holding, worded, strict=True) if _is_wide(words, often)]
    pieces = _NEXT.join(found).split(" ")
    shown = _mask_rare_words(set(pieces), often)
    return dict(zip(found, " ".join([shown[piece] for piece in pieces]).split(_NEXT), strict=False))


def _find_repeated_words(shapes: list[str], times: Counter[str], least: float) -> list[str]:
    """Words that occur so often, on however many lines: most texts have none, and so none that many lines have."""
    repeated = [said for said in shapes for _ in range(times[said] - 1)]
    counts = Counter(_list_words(" ".join(shapes + repeated)))
    return [word for word, count in counts.items() if count >= least and len(word) > 1]


def _split_into_words(shapes: list[str]) -> list[list[str]]:
    pieces = _NEXT.join(shapes).split(" ")
    _words.learn(pieces, _extract_all)
    return [said.split() for said in " ".join(map(_words.__getitem__, pieces)).split("\n")]


def _count_lines(word: str, shapes: list[str], worded: list[list[str]], times: Counter[str]) -> int:
    return sum([times[said] for said, words in zip(shapes, worded, strict=True) if word in words])


def _list_words(text: str) -> list[str]:
    """The words of a text, and perhaps single letters."""
    data = text.encode("utf-8", "surrogatepass")
    others = "" if len(data) == len(text) else data.translate(None, _ASCII).decode("utf-8", "surrogatepass")
    if others and _ALPHANUMERIC.search(others) is not None:
        return _WORD.findall(text)
    return data.translate(_ONLY_LETTERS).decode("ascii").split()


def _is_wide(words: list[str], often: set[str]) -> bool:
    """Whether most of these words, but not all, are such as many lines have."""
    rare = sum([word not in often for word in words])
    return 0 < rare < len(words) / 2


def _mask_rare_words(pieces: set[str], often: set[str]) -> dict[str, str]:
    """Return pieces of shapes with a mark for each word that few lines have."""
    shown = dict.fromkeys(pieces, "~")
    for piece in pieces:
        if piece in often:
            shown[piece] = piece
        elif len(piece) == 1 or not piece.isalpha():
            words = _WORD.findall(piece)
            if often.issuperset(words):
                shown[piece] = piece
            elif words != [piece]:
                shown[piece] = _WORD.sub(lambda word: word[0] if word[0] in often else "~", piece)
    return shown
