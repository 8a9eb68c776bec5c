"""Which lines of a text tell how it went, or name a version.

Rule: words are found by their letters, over the whole text at once; a line is judged only where one of them stands.
The judgment itself follows from that line alone.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate

KEPT_CHARS = 16_384  # of a text of which it is kept what was found in it
LONGEST = 1_000  # characters of a line that is looked at; a longer one is like no other
# Words are found by their letters first (fast on any text), then the line is judged.
STEMS = (
    "rror", "RROR", "xception", "raceback", "atal", "ATAL", "anic", "PANIC", "ailed", "AILED", "FAIL", "ailure",
    "ot found", "o such file", "enied", "egmentation fault", "illed", "imed out", "✗", "✘", "❌",
    "xit code", "xit status", "xited with", "xit_code", "xitCode", "eturncode", "eturn code",
)  # fmt: skip


def tells(line: str) -> bool:
    """Whether a line, without the blanks around it, tells of an error or an exit status; source that handles them does
    not.
    """
    return _tells(line) if len(line) <= _SHORT else _judged(line)


def telling(text: str, lines: Sequence[str]) -> Iterator[int]:
    """Places of the lines, long ones aside, that tell of an error or an exit status; `lines` are those of the text."""
    return (place for place in sounding(text, lines) if tells(lines[place].strip()))


def sounding(text: str, lines: Sequence[str]) -> Sequence[int]:
    """Places of the lines, long ones aside, that hold a word that could tell something, in order."""
    return _sounding_in(text) if len(text) <= KEPT_CHARS else _sounding(text, lines)


def possible(text: str) -> list[str]:
    """The stems that a text may hold: what several begin with is looked for once."""
    return [stem for group, stems in _GROUPS.items() if _may_hold(text, group) for stem in stems]


def versioned(text: str, lines: Sequence[str]) -> Iterator[int]:
    """Places of the lines that name a version of something; `lines` are those of the text."""
    starts: list[int] = []
    last = -1
    for found in _DOTTED.finditer(text):
        starts = starts or _starts(lines)
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
_MAY_DENY = re.compile(r"errors?(?:[./-]\w|\W{1,3}0)|fail(?:ed|ures?)\W{1,3}0")  # the same in lower case, too often
_NONE = re.compile(r"(?:0|no|without)[ -](?:\w{1,20}[ -])?(?:error|fail|excep)")
_GROUPS = {
    group: [stem for stem in STEMS if (group == "✗" and not stem.isascii()) or (group and stem.startswith(group))]
    for group in ("✗", "xit", "ail", "eturn")
}
_GROUPS[""] = [stem for stem in STEMS if not any(stem in stems for stems in _GROUPS.values())]
_SHORT = 200  # characters of a line whose judgment is kept
_FOLDED = re.compile("[\u017f\u0131\u0130\u212a]")  # letters that match s, i and k where case does not count
_CODE = re.compile(  # a source file that handles errors, or a listing of one, had none
    r"\d++[\t→]|(?:\d+[:-])?\s*(?://|#|/?\*|<!--|[\w.]++\(|[}@])"
    r"|\W*(?:\d+\W+)?(?:raise|except|try|import|from|def|class|func|fn|return|throws?|catch|if|elif|else|for|while"
    r"|switch|case|export|const|let|var|async|await|public|private|pub|type|struct|enum|interface)\b"
)
_OPENS = ("{", ";", "(", "[")  # how a line of source ends
_VERSION = re.compile(r"\w[ @=-]{1,2}v?\d+\.\d+\.\d+")
_DOTTED = re.compile(r"\.\d++\.\d")


def _judged(line: str) -> bool:
    if not line.isascii() and _FOLDED.search(line) is not None:
        said = _TELLS.search(_DENIES.sub("", line)) is not None
    else:
        said = _says(_DENIES.sub("", line) if _may_deny(line.lower()) else line)
    return said and _CODE.match(line) is None and not (line.endswith(_OPENS) and "\n" not in line)


_tells = lru_cache(maxsize=16_384)(_judged)  # a line is asked about when its text comes, and when it goes


def _may_deny(lower: str) -> bool:
    """Whether a line of lower case may say that there was no error, or name one."""
    if "/error" in lower or "-error" in lower or _MAY_DENY.search(lower) is not None:
        return True
    denies = "0 " in lower or "0-" in lower or "no " in lower or "no-" in lower or "without" in lower
    return denies and _NONE.search(lower) is not None


def _says(line: str) -> bool:
    return any(_TELLS.match(line, found.start()) for found in _BEGINS.finditer(line.lower()))


@lru_cache(maxsize=1_024)
def _sounding_in(text: str) -> tuple[int, ...]:
    return tuple(_sounding(text, text.split("\n")))


def _sounding(text: str, lines: Sequence[str]) -> list[int]:
    found: set[int] = set()
    starts: list[int] = []
    for stem in possible(text):
        at = text.find(stem)
        if at >= 0 and text.count(stem, at) * 2 > len(lines):
            found.update(place for place, line in enumerate(lines) if stem in line)
            continue
        while at >= 0:
            starts = starts or _starts(lines)
            place = bisect_right(starts, at) - 1
            found.add(place)
            at = text.find(stem, starts[place + 1])
    return [place for place in sorted(found) if len(lines[place]) < LONGEST]


def _may_hold(text: str, group: str) -> bool:
    return not text.isascii() if group == "✗" else not group or group in text


def _starts(lines: Sequence[str]) -> list[int]:
    """Where each line begins in its text, and where the text ends."""
    return list(accumulate(map((1).__add__, map(len, lines)), initial=0))
