"""Which lines of a text say how it went, and which only say again what others said.

Rule: two lines are alike if they differ in numbers, names and quoted values alone: a log says the same thing hundreds
of times of hundreds of things. What is said once, or of another state than its neighbours, has a shape of its own. A
hit of a search is like the other hits in its file. What a line tells follows from the text alone; nothing is left out
here.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator

LONGEST = 1_000  # characters of a line that is looked at; a longer one is like no other
ALIKE = 4  # lines of one shape from which on they are repetitions
MANY = 1_000  # lines of a list that nobody reads path by path
EACH = 3  # lines of one shape that are shown of those that tell something
COMMON = 0.2  # of the lines of a log: words that so many have are its own, others are what it speaks of
MOSTLY = 0.5  # of the lines of a log that are like others
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
    return bool(_TELLS.search(_DENIES.sub("", line))) and not _CODE.match(line)


def alike(lines: list[str]) -> list[str]:
    """Of each line the shape that it shares with others, `ALIKE` of them at least; "" where it is like none.

    An empty line is like the line before it. The shape of a hit, and of an entry in a list of files, begins with a zero
    character. In a list of more than `MANY` lines the paths of one folder are alike, and so are the names of folders.
    """
    shapes = [_shape_of(line, len(lines) > MANY) for line in lines]
    wider = _wider(Counter(shapes))
    shapes = [wider[shape] for shape in shapes]
    times = Counter(shapes)
    found: list[str] = []
    for shape in shapes:
        if not shape and found:
            found.append(found[-1])
        else:
            found.append(shape if times[shape] >= ALIKE and shape != _LONG else "")
    return found


def single(lines: list[str]) -> list[bool]:
    """Of each line whether it is like no other, where most are like others; of another text none is."""
    shapes = alike(lines)
    if sum(map(bool, shapes)) < MOSTLY * len(lines):
        return [False] * len(lines)
    return [not shape and bool(line.strip()) for line, shape in zip(lines, shapes, strict=True)]


def few(lines: list[str], fits: Callable[[str], object]) -> Iterator[int]:
    """Places of the lines that fit, at most `EACH` of a shape."""
    seen: Counter[str] = Counter()
    for number, line in enumerate(lines):
        if len(line) < LONGEST and fits(line):
            seen[said := shape(line)] += 1
            if seen[said] <= EACH:
                yield number


def versioned(line: str) -> bool:
    """Whether a line names a version of something."""
    return "." in line and _VERSION.search(line) is not None


def shape(line: str) -> str:
    """A line with the same mark for every number, name and value in it; words and keys stay."""
    return _VARIES.sub(_mark, " ".join(line.split()))


_PATH = r"(?P<path>(?:[\w.@+-]*/)+[\w.@+-]+|[\w@+-]+\.[A-Za-z]\w{0,5})"
_HIT = re.compile(rf"{_PATH}(?:[:-]\d+[:-]|:?$)")
_ENTRY = re.compile(  # of a list of files: rights and owner, a state, or figures, and a path
    rf"\s*(?:[-dl][-rwxsStT]{{9}}[@+.]?\s[^/]*\s|(?:[MADRCTU?!]{{1,2}}\s+)?(?:[\d.,]+[KMGTB]?\s+)*){_PATH}$"
)
_FOUND, _LONG = "\0", "\1"
_VARIES = re.compile(
    r'"(?:[^"\\]|\\.)*"(?P<key> ?:)?'
    r"|'[^']*'"
    r"|[\w@$~+%.\\/-]*(?:[\d_./\\@$]|[a-z][A-Z])[\w@$~+%.\\/:-]*"
)
_STATE = 14  # characters of a quoted word that is taken for a state, not for a name; of a longer one its form counts
_RUNS = re.compile(r"\d+|[^\W\d_]+")
_VERSION = re.compile(r"\w[ @=-]{1,2}v?\d+\.\d+\.\d+")
_WORD = re.compile(r"[^\W\d_]{2,}")


def _shape_of(line: str, listed: bool) -> str:
    if len(line) >= LONGEST:
        return _LONG
    hit = _HIT.match(line) or _ENTRY.match(line)
    if hit and listed and hit.end() == len(line):
        return f"{_FOUND}:" if line[-1] == ":" else f"{_FOUND}{hit['path'].rpartition('/')[0]}/"
    return f"{_FOUND}{hit['path']}" if hit else shape(line)


def _mark(found: re.Match[str]) -> str:
    said = found[0]
    if found["key"] is not None:
        return said
    if said[0] in "\"'":
        return said if len(said) <= _STATE and said[1:-1].isalpha() else _RUNS.sub(_run, said[: 2 * _STATE])[:_STATE]
    return ("0" if len(said) < 7 else "00") if said.isdigit() else "x"


def _run(found: re.Match[str]) -> str:
    return "0" if found[0][0].isdigit() else "a"


def _wider(times: Counter[str]) -> dict[str, str]:
    """Each shape as it is shared: where words that many lines have outnumber the others, those are values too."""
    spoken = {shape: _WORD.findall(shape) for shape in times if shape[:1] not in (_FOUND, _LONG)}
    common: Counter[str] = Counter()
    for shape, words in spoken.items():
        common.update(dict.fromkeys(words, times[shape]))
    least = COMMON * times.total()
    often = {word for word, count in common.items() if count >= least}
    found = {shape: shape for shape in times}
    for shape, words in spoken.items():
        rare = sum([word not in often for word in words])
        if 0 < rare < len(words) / 2:
            found[shape] = _WORD.sub(lambda word: word[0] if word[0] in often else "~", shape)
    return found


_TELLS = re.compile(
    r"(?<![a-zA-Z])(?:error|exception)s?\b|(?:Error|Exception)s?\b|\bERRORS?\b|\bTraceback\b|(?i:\bfatal\b|\bpanic(?:ked)?\b|\bfail(?:ed|ures?)?\b"
    r"|\bnot found\b|\bno such file\b|\bdenied\b|\bsegmentation fault\b|\bkilled\b|\btimed out\b)|[✗✘❌]"
    r"|(?i:\bexit(?:ed)?[ _]?(?:with)?[ _]?(?:code|status)?\b\W{0,4}-?\d|\breturn ?code\b\W{0,4}-?\d)"
)
_DENIES = re.compile(  # "0 errors", "failures: 0", errors.py
    r"(?i)\b(?:0|no|without)[ -](?:\w{1,20}[ -])?(?:errors?|failures?|failed|exceptions?)\b"
    r"|\b(?:errors?|failures?|failed)\W{1,3}0\b|[\w/-]*\berrors?[./-]\w|[/-]errors?\b"
)
_CODE = re.compile(  # a source file that handles errors, or a listing of one, had none
    r"\d+[\t→]|(?:\d+[:-])?\s*(?://|#|/?\*|<!--|[\w.]+\(|[}@])|.*[{;(\[]$"
    r"|\W*(?:\d+\W+)?(?:raise|except|try|import|from|def|class|func|fn|return|throws?|catch|if|elif|else|for|while"
    r"|switch|case|export|const|let|var|async|await|public|private|pub|type|struct|enum|interface)\b"
)
