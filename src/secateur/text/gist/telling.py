"""Which lines of a text state its outcome, or name a version.

Rule: words are found by their letters, over the whole text at once; a line is judged only if it contains one of them.
The judgment itself follows from that line alone.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, chain

LONGEST = 1_000  # characters of a line that is looked at; a longer one is like no other
# Words are found by their letters first (fast on any text), then the line is judged.
STEMS = (
    "rror", "RROR", "xception", "raceback", "atal", "ATAL", "anic", "PANIC", "ailed", "AILED", "FAIL", "ailure",
    "ot found", "o such file", "enied", "egmentation fault", "illed", "imed out", "✗", "✘", "❌",
    "xit code", "xit status", "xited with", "xit_code", "xitCode", "eturncode", "eturn code",
)  # fmt: skip


def is_telling(line: str) -> bool:
    """Whether a line, without surrounding blanks, reports an error or an exit status; source code that handles them
    does not.
    """
    return _tells(line) if len(line) <= _SHORT else _is_telling_line(line)


def find_candidates(text: str, lines: Sequence[str]) -> Sequence[int]:
    """Return places of lines, except long ones, that hold a possibly telling word, in order."""
    stems = find_stems(text)
    if not stems:
        return ()
    if max(map(len, lines)) >= LONGEST:
        short = [place for place, line in enumerate(lines) if len(line) < LONGEST]
        some = [lines[place] for place in short]
        return [short[place] for place in _find_places("\n".join(some), some, stems)] if short else ()
    return _find_places(text, lines, stems)


def find_stems(text: str) -> tuple[str, ...]:
    """Return the stems that a text holds.

    What several stems share is searched for first, in any case: most texts have none of it.
    """
    data = text.encode("utf-8", "surrogatepass")
    letters = data.translate(_LOWER, _NO_LETTERS)
    maybe = [stem for root, stems in _ROOTS.items() if root in letters for low, stem in stems if low in letters]
    found = [stem for stem in maybe if stem in text]
    return (*found, *(mark for mark in _SIGNS if mark in text)) if len(data) > len(text) else tuple(found)


def find_versions(text: str, lines: Sequence[str]) -> Iterator[int]:
    """Yield places of the lines of a text that name a version of something."""
    starts: list[int] = []
    last = -1
    for found in _DOTTED.finditer(text):
        starts = starts or _compute_starts(lines)
        place = bisect_right(starts, found.start()) - 1
        if place > last and len(lines[place]) < LONGEST and _VERSION.search(lines[place]) is not None:
            yield place
        last = place


_TELLS = re.compile(
    r"(?<![a-zA-Z])(?:error|exception)s?\b|(?:Error|Exception)s?\b|\bERRORS?\b|\bTraceback\b|(?i:\bfatal\b|\bpanic(?:ked)?\b|\bfail(?:ed|ures?)?\b"
    r"|\bnot found\b|\bno such file\b|\bdenied\b|\bsegmentation fault\b|\bkilled\b|\btimed out\b)|[✗✘❌]"
    r"|(?i:\bexit(?:ed)?[ _]?(?:with)?[ _]?(?:code|status)?\b\W{0,4}-?\d|\breturn ?code\b\W{0,4}-?\d)"
)
# Where what tells begins, in a line of lower case: found by first letters, many times faster than the pattern itself.
# None of these ends in an `e`, so that none hides the `Error` or `Exception` of a longer word.
_BEGINS = re.compile("error|excep|traceb|fatal|panic|fail|not fo|no su|denied|segm|killed|timed|exit|return|✗|✘|❌")
_DENIES = re.compile(  # "0 errors", "failures: 0", errors.py
    r"(?i)\b(?:0|no|without)[ -](?:\w{1,20}[ -])?(?:errors?|failures?|failed|exceptions?)\b"
    r"|\b(?:errors?|failures?|failed)\W{1,3}0\b|[\w/-]*\berrors?[./-]\w|[/-]errors?\b"
)
_ERROR_DENIED = re.compile(r"errors?(?:[./-]\w|\W{1,3}0)")  # the same in lower case, too often
_FAILURE_DENIED = re.compile(r"fail(?:ed|ures?)\W{1,3}0")
_NONE = re.compile(r"\b(?:0|no|without)[ -](?:\w{1,20}[ -])?(?:error|fail|excep)")
_SIGNS = tuple(stem for stem in STEMS if not stem.isascii())
_SHARED = ("ail", "anic", "xit", "eturn")
# What stems share, in lower case and without blanks, each with the stems that have it and how these read so.
_ROOTS: dict[bytes, list[tuple[bytes, str]]] = {}
for _stem in STEMS:
    if _stem.isascii():
        _low = _stem.lower().replace(" ", "").replace("_", "")
        _root = next((root for root in _SHARED if root in _low), _low).encode()
        _ROOTS.setdefault(_root, []).append((_low.encode(), _stem))
_LETTERS = b"".join(low for low, _ in chain.from_iterable(_ROOTS.values()))
_NO_LETTERS = bytes(set(range(256)).difference(_LETTERS, _LETTERS.upper()))
_LOWER = bytes(range(256)).lower()
_FEW = 20  # lines that are gone through one by one
_SHORT = 200  # characters of a line whose judgment is kept
_FOLDED = "\u017f\u0131\u0130\u212a"  # letters that match s, i and k where case does not count
_CODE = re.compile(  # a source file that handles errors, or a listing of one, had none
    r"\d++[\t→]|(?:\d+[:-])?\s*(?://|#|/?\*|<!--|[\w.]++\(|[}@])"
    r"|\W*(?:\d+\W+)?(?:raise|except|try|import|from|def|class|func|fn|return|throws?|catch|if|elif|else|for|while"
    r"|switch|case|export|const|let|var|async|await|public|private|pub|type|struct|enum|interface)\b"
)
_OPENS = ("{", ";", "(", "[")  # how a line of source ends
_VERSION = re.compile(r"\w[ @=-]{1,2}v?\d+\.\d+\.\d+")
_DOTTED = re.compile(r"\.\d++\.\d")


def _is_telling_line(line: str) -> bool:
    lower = line.lower()
    if not line.isascii() and any([letter in line for letter in _FOLDED]):
        said = _TELLS.search(_DENIES.sub("", line)) is not None
    elif _may_deny(lower):
        said = _find_telling_word(allowed := _DENIES.sub("", line), allowed.lower()) >= 0
    else:
        said = _find_telling_word(line, lower) >= 0
    return said and _CODE.match(line) is None and not (line.endswith(_OPENS) and "\n" not in line)


_tells = lru_cache(maxsize=16_384)(_is_telling_line)  # a log says much again


def _may_deny(lower: str) -> bool:
    """Whether a line of lower case may say that there was no error, or name one."""
    if "error" in lower and ("/error" in lower or "-error" in lower or _ERROR_DENIED.search(lower) is not None):
        return True
    if "fail" in lower and _FAILURE_DENIED.search(lower) is not None:
        return True
    denies = "0 " in lower or "0-" in lower or "no " in lower or "no-" in lower or "without" in lower
    return denies and _NONE.search(lower) is not None


def _find_telling_word(line: str, lower: str) -> int:
    """Return where the first telling word begins; -1 if there is none."""
    for found in _BEGINS.finditer(lower):
        if _TELLS.match(line, found.start()) is not None:
            return found.start()
    return -1


def _may_tell(line: str, stems: Sequence[str]) -> bool:
    """Whether a line is short enough to be looked at, and holds one of these stems."""
    for stem in stems:  # a loop: it is asked of every line
        if stem in line:
            return len(line) < LONGEST
    return False


def _find_places(text: str, lines: Sequence[str], stems: Sequence[str]) -> list[int]:
    """Return places of the lines that hold one of these stems, in order."""
    if len(stems) == 1:
        return [place for place, line in enumerate(lines) if stems[0] in line]
    if len(lines) <= _FEW:
        return [place for place, line in enumerate(lines) if _may_tell(line, stems)]
    found: set[int] = set()
    starts: list[int] = []
    for stem in stems:
        at = text.find(stem)
        if text.count(stem, at) * 2 > len(lines):
            found.update([place for place, line in enumerate(lines) if stem in line])
            continue
        while at >= 0:
            starts = starts or _compute_starts(lines)
            place = bisect_right(starts, at) - 1
            found.add(place)
            at = text.find(stem, starts[place + 1])
    return sorted(found)


def _compute_starts(lines: Sequence[str]) -> list[int]:
    """Return where each line begins in its text, and where the text ends."""
    return list(accumulate(map((1).__add__, map(len, lines)), initial=0))
