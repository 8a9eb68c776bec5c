"""A log as templates, and of each line what differs.

    [secateur: log of 3 lines, none left out: a line begins with its template, then its values in order]
    A: 10:03:{} INFO handled {} in {} ms
    A 11.204 9f0c11aa 12
    A 11.310 77b2e01c 4
    10:03:12.001 ERROR request 77b2e01d failed

Rule: `expand_templates(fold_templates(text)) == text`, character by character, and every value stands whole, in the
order of the lines; of times of day what all lines share is part of the template. Of lines that share no more than the
minute of their time that much is a template. Other lines stay as they are. Each line is taken apart once. Whether a
text is a log is not decided here.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from os.path import commonprefix

from secateur.text.lossless.logs import BEGINS, MOSTLY, STAMP

LEAST = 8  # lines of one template
_COMMON = 0.2  # of the lines with so many words: a word in one place that so many have is part of the template
_HEAD = "[secateur: log of {} lines, none left out: a line begins with its template, then its values in order]"
_HEADED = re.compile(re.escape(_HEAD).replace(r"\{\}", r"(\d{1,12})") + r"\n")
_NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_FOLDED = re.compile(r"([A-Z])(?: |$)")
_HELD = re.compile(r"[A-Z](?: |$)|=")  # how a line begins that is marked by `=`, since it could be taken for another


def fold_templates(text: str) -> str:
    """The text as templates and values; the text itself where too few lines are alike."""
    lines = text.split("\n")
    if len(lines) < LEAST or len(lines) != text.count("\n") + 1 or _HEADED.match(text):
        return text
    found = _find_templates(lines)
    begun = _find_prefixes(lines, {place for places in found for place in places}, len(_NAMES) - len(found))
    if sum(map(len, (*found, *begun.values()))) < MOSTLY * len(lines):
        return text
    made = [f"={line}" if _HELD.match(line) else line for line in lines]
    heads = [_HEAD.format(len(lines))]
    for name, places in zip(_NAMES, found, strict=False):
        template = _Template([lines[place].split(" ") for place in places])
        heads.append(f"{name}: {template.text}")
        for place, words in zip(places, template.rows, strict=True):
            made[place] = " ".join((name, *template.pick_values(words)))
    for name, (prefix, places) in zip(_NAMES[len(found) :], begun.items(), strict=False):
        heads.append(f"{name}: {prefix}{_SLOT}")
        for place in places:
            made[place] = f"{name} {lines[place][len(prefix) :]}"
    return "\n".join((*heads, *made))


def expand_templates(text: str) -> str:
    """The text that `fold_templates` made this of."""
    head = _HEADED.match(text)
    if head is None:
        return text
    lines = text[head.end() :].split("\n")
    first = len(lines) - int(head[1])
    templates = {line[0]: line[3:].split(_SLOT) for line in lines[:first]}
    return "\n".join([_expand_line(line, templates) for line in lines[first:]])


def _expand_line(line: str, templates: dict[str, list[str]]) -> str:
    if line.startswith("="):
        return line[1:]
    if _FOLDED.match(line) is None or line[0] not in templates:
        return line
    pieces = templates[line[0]]
    values = line.split(" ", len(pieces) - 1)[1:]  # the last one may be the rest of a line
    return "".join([piece for pair in zip(pieces, [*values, ""], strict=True) for piece in pair])


def is_templated(text: str) -> bool:
    """Whether `fold_templates` made this text: it has as many lines as it says, and templates above them."""
    head = _HEADED.search(text)
    if head is None:
        return False
    lines = text[head.end() :].split("\n")
    first = len(lines) - int(head[1])
    return 0 < first <= len(_NAMES) and all(line[1:3] == ": " and line[0] in _NAMES for line in lines[:first])


_SLOT = "{}"
_MARK = "\0"  # replaces a value
_LONGEST = 2_000  # characters of a line
_PUNCTUATION = "[](){}<>.,:;|\"'*=#-"


def _mask(line: str) -> str:
    """A line with marks for the words that are values by their form: all but letters, with punctuation around them."""
    return " ".join([word if not word or word.strip(_PUNCTUATION).isalpha() else _MARK for word in line.split(" ")])


def _find_templates(lines: Sequence[str]) -> list[list[int]]:
    """The places of the lines of each template, the most frequent first."""
    by_form: defaultdict[str, list[int]] = defaultdict(list)
    for place, line in enumerate(lines):
        if line and _SLOT not in line and _MARK not in line and len(line) < _LONGEST:
            by_form[_mask(line)].append(place)
    joined: defaultdict[str, list[int]] = defaultdict(list)
    by_size: defaultdict[int, list[str]] = defaultdict(list)
    for form in by_form:
        by_size[form.count(" ")].append(form)
    for forms in by_size.values():
        for form, wider in zip(forms, _widen(forms, by_form), strict=True):
            joined[wider] += by_form[form]
    found = [sorted(places) for places in joined.values() if len(places) >= LEAST]
    return sorted(found, key=lambda places: (-len(places), places[0]))[: len(_NAMES)]


def _find_prefixes(lines: Sequence[str], taken: set[int], most: int) -> dict[str, list[int]]:
    """Of the lines that have no template, those that begin alike as far as the minute of their time."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for place, line in enumerate(lines):
        stamp = STAMP.search(line, 0, BEGINS) if place not in taken and _SLOT not in line[:BEGINS] else None
        if stamp is not None:
            found[line[: stamp.end() - _SECONDS]].append(place)
    often = sorted(found.items(), key=lambda one: (-len(one[1]), one[1][0]))[: max(0, most)]
    return {prefix: places for prefix, places in often if len(places) >= LEAST}


_SECONDS = 2  # characters at the end of a time


def _widen(forms: Sequence[str], places: dict[str, list[int]]) -> Iterator[str]:
    """Forms with as many words each, where words that few lines have in their place are values too."""
    split = [form.split(" ") for form in forms]
    sizes = [len(places[form]) for form in forms]
    least = max(1.0, _COMMON * sum(sizes))
    common: list[set[str]] = []
    for column in zip(*split, strict=True):
        counts: Counter[str] = Counter()
        for word, size in zip(column, sizes, strict=True):
            counts[word] += size
        common.append({word for word, count in counts.items() if count >= least})
    for form, words in zip(forms, split, strict=True):
        if len(places[form]) >= LEAST and len(places[form]) >= least:
            yield form
        else:
            yield " ".join([word if word in often else _MARK for word, often in zip(words, common, strict=True)])


class _Template:
    """What lines with the same number of words share, and where they differ."""

    def __init__(self, rows: list[list[str]]) -> None:
        self.rows = rows
        pieces: list[str] = []
        self._slots: list[Callable[[list[str]], str]] = []
        for at, column in enumerate(zip(*rows, strict=True)):
            values = set(column)
            if len(values) == 1:
                pieces.append(column[0])
                continue
            start, end = _find_shared(values)
            pieces.append(f"{column[0][:start]}{_SLOT}{column[0][len(column[0]) - end :] if end else ''}")
            self._slots.append(_build_cutter(at, start, end))
        self.text = " ".join(pieces)

    def pick_values(self, words: list[str]) -> Iterable[str]:
        """The values of a line in the slots."""
        return [pick(words) for pick in self._slots]


def _build_cutter(at: int, start: int, end: int) -> Callable[[list[str]], str]:
    return lambda words: words[at][start : len(words[at]) - end]


_ENDS = frozenset("\"')]}>,;:Z")
_TIME = re.compile(r"(?:\d{4}-\d\d-\d\d[T ]?|\d\d/[A-Z][a-z]{2}/\d{4}:?)?(?:\d\d:)*")
_BEFORE = re.compile(r".*[=\"'(\[{<\t]", re.S)


def _find_shared(values: set[str]) -> tuple[int, int]:
    """How many characters these words share at the start and at the end, without splitting a name."""
    prefix = commonprefix(list(values))
    before = _BEFORE.match(prefix)
    start = before.end() if before else 0
    time = _TIME.match(prefix, start)
    start = time.end() if time else start
    rest = [value[start:][::-1] for value in values]
    suffix = commonprefix(rest)
    end = next((at for at, letter in enumerate(suffix) if letter not in _ENDS), len(suffix))
    return start, end
