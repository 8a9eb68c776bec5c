"""Whether a summary gives to names the figures that are beside them in the history, in the order in which they came.

Rule: figures are found by their neighborhood. One is false where the history has it under another label, in a line
that gives the claimed label another figure, or where what is said to have come first came last. Labels are the words
of the same part of a line, nearest to a figure, so that no language needs a list.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from secateur.compaction.judge.claims import Claim, extract_words
from secateur.compaction.judge.evidence import ClaimRule, Evidence
from secateur.compaction.judge.figures.turns import has_turn
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


def _explain_turned_order(claim: Claim, evidence: Evidence) -> str:
    """Say that a figure is said to have become one that the history had before it."""
    for found in _BECAME.finditer(claim.text):
        old, new = found["old"] or found["was"], found["new"] or found["is"]
        if min(len(re.sub(r"\D", "", one)) for one in (old, new)) < TELLING_DIGITS:
            continue
        was, now = _find_places(old, evidence.story), _find_places(new, evidence.story)
        if was and now and now[0] < was[0] and now[1] < was[1] and not has_turn(old, new, evidence):
            return f"the history has {new} before {old}"
    return ""


def _find_places(figure: str, story: str) -> tuple[int, int] | None:
    """Return the first and the last place of a figure."""
    pattern = re.compile(rf"(?<![\d.,]){re.escape(figure)}(?![\d]|[.,]\d)")
    places = [one.start() for one in pattern.finditer(story)]
    return (places[0], places[-1]) if places else None


_NUMBER = r"\d+(?:[.,]\d+)*"
_BECAME = re.compile(
    rf"(?i)\b(?:from|von|de|desde|da|с|от|từ)\s+(?P<old>{_NUMBER})\s*[%\w./]{{0,12}}\s+(?:to|auf|zu|à|a|para|на|до"
    rf"|thành|xuống|lên)\s+(?P<new>{_NUMBER})"
    rf"|(?P<was>{_NUMBER})\s*[%\w./]{{0,8}}\s*(?:->|→|=>)\s*(?P<is>{_NUMBER})"
)


def _explain_other_value(claim: Claim, evidence: Evidence) -> str:
    """Quote the line of the history that says the same with another figure or another commit."""
    if claim.is_wished or claim.is_quoted or claim.is_earlier or claim.section in ("next", "goal"):
        return ""
    for clause in re.split(r"[;,]\s", claim.text):
        values = _EXACT.findall(clause)
        own = split_words(_EXACT.sub(" ", clause))
        told = [one for one in _read_told(evidence.agent, evidence.looked_up) if len(values) == 1 and one.words <= own]
        if told and all(one.value.isdigit() == values[0].isdigit() for one in told):
            is_known = any(_is_same(values[0], one.value) for one in told)
            if not is_known and not any(own & split_words(line) for line in list_lines(values[0], evidence.story)):
                return f"the history says {told[-1].text.strip()[:80]!r}"
    return ""


def _is_same(value: str, other: str) -> bool:
    plain, known = value.replace(",", ""), other.replace(",", "")
    return plain == known or known.startswith(f"{plain}.") or plain.startswith(f"{known}.")


class _Told(Struct, frozen=True):
    """A short line or clause of the history with one value."""

    text: str
    words: frozenset[str]
    value: str


@lru_cache(maxsize=2)
def _read_told(agent: str, shown: str) -> tuple[_Told, ...]:
    """Return the clauses with one value and at least two words, of the agent and of short lines of outputs."""
    lines = (line for line in shown[-SHOWN_CHARS:].split("\n") if len(line) <= SHORT_LINE)
    found: list[_Told] = []
    for text in (*re.split(r"[;,.]\s|\n", agent), *lines):
        values = _EXACT.findall(text)
        words = split_words(_EXACT.sub(" ", text)) if len(values) == 1 else frozenset[str]()
        if len(words) >= FEWEST_WORDS:
            found.append(_Told(text, words, values[0]))
    return tuple(found)


FEWEST_WORDS = 2  # of a line whose value is compared
SHORT_LINE = 60  # characters of a line of an output that is compared
SHOWN_CHARS = 60_000  # of outputs, the newest, that are read for such lines
_EXACT = re.compile(
    r"(?<![\w.,/#-])(?:\d{1,3}(?:,\d{3})+|\d{2,}(?:\.\d+)?"
    r"|(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,12})(?![\w:/-]|[.,]\w)"
)

RULES = (
    ClaimRule("unsupported", _explain_other_value),
    ClaimRule("unsupported", _explain_other_label),
    ClaimRule("unsupported", _explain_turned_order),
)
