"""What a line became, what two versions of a line differ in, and what many lines were changed in alike.

Rule: of a long line only the words that differ are shown, with a word before them where one side would say little. A
change that several lines have in common is told once.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

WHOLE_CHARS = 45  # of the longer of two lines that are both shown whole
LEAST_CHARS = 8  # of the words that differ, to be understood without those before them
MIDDLE_SHARE = 0.6  # of a line, that the part which differs may be, to be shown in its place
FEWEST_ALIKE = 2  # lines that were changed alike
ALIKE_SHARE = 0.5  # of the changed lines, that must have the commonest change
SIMILAR_SHARE = 0.75  # of two lines, that one surely became the other
LEAST_SIMILAR, COMPARED_CHARS = 0.5, 200  # of two lines of which one came in place of the other
ALIKE_CHARS = 40  # of either side of a change that lines have in common


def cut_to_difference(old: str, new: str) -> tuple[str, str]:
    """Return of two versions of a long line the words that differ; both whole where little would be left out."""
    if max(len(old), len(new)) <= WHOLE_CHARS:
        return old, new
    cut = _cut(old.split(" "), new.split(" "), " ", LEAST_CHARS)
    is_shorter = all(len(part) <= MIDDLE_SHARE * len(line) for part, line in zip(cut, (old, new), strict=True))
    return cut if is_shorter else (old, new)


@lru_cache(maxsize=64)  # a change is quoted in several ways
def pair_lines(removed: Sequence[str], added: Sequence[str]) -> Sequence[tuple[str, str]]:
    """Return the lines that were changed, each with the most similar one that came in its place."""
    left = [(new, SequenceMatcher(None, "", new[:COMPARED_CHARS])) for new in added]
    pairs: list[tuple[str, str]] = []
    for old in removed:
        found = _find_most_similar(old[:COMPARED_CHARS], [matcher for _, matcher in left])
        if found is not None:
            pairs.append((old, left.pop(found)[0]))
    return pairs


def find_common_change(pairs: Iterable[tuple[str, str]], lines: int) -> tuple[str, str] | None:
    """Return the change that most of these lines have in common; None without such.

    `pairs`: lines with what each became; `lines`: how many lines were changed at all.
    """
    counts: Counter[tuple[str, str]] = Counter()
    for old, new in pairs:
        cut = _cut(_TOKEN.findall(old), _TOKEN.findall(new), "", 1)
        if all(_WORD.search(side) and len(side) <= ALIKE_CHARS for side in cut):
            counts[cut] += 1
    found, count = next(iter(counts.most_common(1)), (None, 0))
    return found if count >= max(FEWEST_ALIKE, ALIKE_SHARE * lines) else None


def find_small_change(pairs: Iterable[tuple[str, str]]) -> tuple[str, str] | None:
    """Return the first line, with what it became, of which only a few words were changed; None without such."""
    for old, new in pairs:
        cut = cut_to_difference(old, new)
        words = {*_WORD.findall(old)} ^ {*_WORD.findall(new)}
        is_telling = max(map(len, cut)) <= WHOLE_CHARS and any(map(_TELLING.search, words))
        if is_telling and SequenceMatcher(None, old, new).ratio() >= SIMILAR_SHARE:
            return cut
    return None


def _find_most_similar(old: str, matchers: Sequence[SequenceMatcher[str]]) -> int | None:
    """Return the first of those most similar to a line; None where none is similar."""
    found, best = None, LEAST_SIMILAR
    for number, matcher in enumerate(matchers):
        matcher.set_seq1(old)
        if matcher.real_quick_ratio() < best or matcher.quick_ratio() < best:  # bounds that cost little
            continue
        ratio = matcher.ratio()
        if ratio > best or (ratio == best and found is None):
            found, best = number, ratio
    return found


def _cut(old: Sequence[str], new: Sequence[str], glue: str, least: int) -> tuple[str, str]:
    """Return the parts of two versions that differ; where one has fewer characters, with more of what is before."""
    most = min(len(old), len(new))
    same = next((at for at in range(most) if old[at] != new[at]), most)
    most -= same
    end = 0
    while end < most and old[-1 - end] == new[-1 - end]:
        end += 1
    while True:
        made = glue.join(old[same : len(old) - end]), glue.join(new[same : len(new) - end])
        if min(map(len, made)) >= least or not (same or end):
            return made
        same, end = (same - 1, end) if same else (same, end - 1)


_TOKEN = re.compile(r'"[^"]*"|\'[^\']*\'|`[^`]*`|\w+(?:\.\w+)*|\s+|.')
_TELLING = re.compile(r"\d|\w{4}")  # a word that says what was changed: no one-letter name
_WORD = re.compile(r"\w+")
