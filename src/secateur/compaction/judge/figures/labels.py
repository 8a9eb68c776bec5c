"""Whether a summary gives to names the figures that are beside them in the history, in the order in which they came.

Rule: figures are found by their neighborhood. One is false where the history has it under another label, in a line
that gives the claimed label another figure, or where what is said to have come first came last. Labels are the words
of the same part of a line, nearest to a figure, so that no language needs a list.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from secateur.compaction.judge.claims import Claim, extract_words
from secateur.compaction.judge.evidence import ClaimRule, Evidence
from secateur.compaction.judge.work.wishes import split_words

MOST_LINES = 40  # of the history that are looked at for one figure
LINE_CHARS = 400  # of a line, around a figure
NEAR_WORDS = 2  # beside a figure that label it
FEWEST_DIGITS = 2  # of a figure that is looked for: smaller ones stand everywhere
TELLING_DIGITS = 3  # of a figure whose first and last place in the history says what came first

FIGURE = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?![\d.]*\w*[/:]\d)(?!\d*[hm]\d)")
_PART = re.compile(r"[;,|()\[\]]\s*|\s{3,}|\s+(?:and|und|y|et|e|и|và|vs\.?)\s+")


def _explain_other_label(claim: Claim, evidence: Evidence) -> str:
    """Say that the history gives a figure to another label: `train 0.8, test 0.7` for `train 0.7, test 0.8`."""
    if claim.is_wished or claim.is_quoted or claim.section in ("next", "goal"):
        return ""
    for figure, own in _read_labels(claim.text, whole=True):
        lines = list_lines(figure, evidence.story) if len(re.sub(r"\D", "", figure)) >= FEWEST_DIGITS else ()
        beside = _list_beside(figure, claim.text)
        if beside and any(beside <= set(FIGURE.findall(line)) for line in lines):
            continue  # the history has all figures of this part of the claim in one line
        known = [(theirs, others) for line in lines for theirs, others in _split_labels(figure, line)]
        every = frozenset[str]().union(*(theirs for theirs, _ in known))
        for theirs, others in known:
            for other, labels in others:
                is_taken = labels - theirs and labels - every and labels <= own
                if is_taken and theirs - labels and not own & (theirs - labels) and is_alike(figure, other):
                    return f"the history has {other} for {', '.join(sorted(labels))}, and {figure} for another"
    return ""


def _list_beside(figure: str, text: str) -> set[str]:
    """Return the other figures in the same part of a claim."""
    parts = (set(FIGURE.findall(part)) for part in _PART.split(text))
    return set().union(*(part - {figure} for part in parts if figure in part))


def is_alike(figure: str, other: str) -> bool:
    """Whether two figures may measure the same thing: the same number of places, about as many digits."""
    if figure.count(".") > 1 or other.count(".") > 1:
        return figure.count(".") == other.count(".")
    (whole, _, places), (whole2, _, places2) = figure.partition("."), other.partition(".")
    return len(places) == len(places2) and abs(len(whole) - len(whole2)) <= 1


@lru_cache(maxsize=512)
def list_lines(figure: str, text: str) -> tuple[str, ...]:
    """Return the lines of a text that hold a figure, as far as they are near it."""
    found: list[str] = []
    for at, end in _find_figure(figure, text):
        start = max(text.rfind("\n", 0, at) + 1, at - LINE_CHARS)
        stop = text.find("\n", end, end + LINE_CHARS)
        found.append(text[start : stop if stop >= 0 else end + LINE_CHARS])
        if len(found) == MOST_LINES:
            break
    return tuple(found)


def _find_figure(figure: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield where a figure begins and ends that is no part of another one; a plain search is faster than a pattern."""
    at = text.find(figure)
    while at >= 0:
        end = at + len(figure)
        before, behind = text[at - 1 : at] if at else "", text[end : end + 2]
        is_begun = before.isdigit() or before in (".", ",")
        is_continued = behind[:1].isdigit() or (behind[:1] in (".", ",") and behind[1:].isdigit())
        if not (is_begun or is_continued):
            yield at, end
        at = text.find(figure, end)


def _split_labels(figure: str, line: str) -> Iterator[tuple[frozenset[str], list[tuple[str, frozenset[str]]]]]:
    """Yield the labels of a figure in a line, and the other figures of the line with theirs."""
    labeled = _read_labels(line)
    for number, labels in labeled:
        if number == figure:
            yield labels, [one for one in labeled if one[0] != figure]


@lru_cache(maxsize=4_096)
def _read_labels(line: str, whole: bool = False) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return the figures of a line with the words that label them: those before it, or behind it if it comes first.

    `whole`: all words of a part of the line that holds one figure.
    """
    found: list[tuple[str, frozenset[str]]] = []
    for part in _PART.split(line):
        figures = list(FIGURE.finditer(part))
        is_first = bool(figures) and not extract_words(part[: figures[0].start()])
        for at, one in enumerate(figures):
            before = part[figures[at - 1].end() if at else 0 : one.start()]
            behind = part[one.end() : figures[at + 1].start() if at + 1 < len(figures) else len(part)]
            if whole and len(figures) == 1:
                found.append((one.group(), split_words(FIGURE.sub(" ", part))))
                continue
            words = behind.split()[:NEAR_WORDS] if is_first else before.split()[-NEAR_WORDS:]
            found.append((one.group(), split_words(" ".join(words))))
    return tuple(found)


FEWEST_WORDS = 2  # of a line whose value is compared

RULES = (ClaimRule("unsupported", _explain_other_label),)
