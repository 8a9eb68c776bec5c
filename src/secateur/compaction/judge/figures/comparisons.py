"""Whether a summary compares two things the way the history does: which is more, faster, earlier or better.

Rule: `A is faster than B` has two sides and a direction. Sentences of the history that compare the same two are read in
the same way, and lines that give a number to each of them show which is greater. A comparison is false where the
history has it only the other way around; what is compared nowhere stands.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from secateur.compaction.judge.claims import SENTENCE, Claim
from secateur.compaction.judge.evidence import ClaimRule, Evidence
from secateur.compaction.judge.ground.passages import PassageIndex
from secateur.compaction.judge.ground.stems import get_stems

MOST_LINES = 400  # of the history with a number, that hold a side of a comparison
NEAR_LINES = 6  # between two lines that give numbers to two sides


class _Comparison(Struct, frozen=True):
    """Two sides, the first being more in its dimension."""

    more: frozenset[str]
    less: frozenset[str]
    dimension: str
    text: str


def _explain_turned(claim: Claim, evidence: Evidence) -> str:
    """Quote what the history compares the other way around."""
    if claim.is_question or claim.is_quoted or claim.is_wished or claim.section == "next":
        return ""
    for one in read_comparisons(claim.text):
        told = _list_told(evidence.agent, evidence.user)
        directions = [(_align(one, other), other.text) for other in told if other.dimension == one.dimension]
        directions = [pair for pair in directions if pair[0]] or list(_measure(one, evidence.passages))
        if directions and all(direction < 0 for direction, _ in directions):
            return f"the history says {directions[-1][1].strip()[:80]!r}"
    return ""


def read_comparisons(text: str) -> Iterator[_Comparison]:
    """Yield what a text compares."""
    for sentence in SENTENCE.split(text):
        for found in _THAN.finditer(sentence) if not sentence.rstrip().endswith("?") else ():
            if _DEGREE.match(found["middle"]) or found["other"][0].isdigit():
                continue
            word = found["word"].casefold()
            dimension = next(name for name, words in _DIMENSIONS.items() if word in words[0] or word in words[1])
            one, other = get_stems(f"{found['one']} {found['middle']}"), get_stems(found["other"])
            sides = one - other - _LIGHT, other - one - _LIGHT
            if all(sides):
                more, less = sides if word in _DIMENSIONS[dimension][0] else sides[::-1]
                yield _Comparison(more, less, dimension, found.group())


_DIMENSIONS = {
    name: (frozenset(more.split()), frozenset(less.split()))
    for name, more, less in (
        (
            "size",
            "more larger bigger higher heavier greater mehr größer höher",
            "less fewer smaller lower lighter weniger kleiner",
        ),
        ("speed", "faster quicker schneller", "slower langsamer"),
        ("length", "longer länger", "shorter kürzer"),
        ("time", "later später", "earlier sooner früher"),
        ("worth", "better stronger besser stärker", "worse weaker schlechter schwächer"),
    )
}
_ALL = "|".join(sorted(word for sides in _DIMENSIONS.values() for words in sides for word in words))
_THAN = re.compile(
    rf"(?i)(?P<one>[^.;:]{{3,160}}?)\b(?P<word>{_ALL})\b(?P<middle>(?:\W+\w+){{0,6}}?)\W+(?:than|als)\s+(?P<other>[^.,;:()]{{3,100}})"
)
_DEGREE = re.compile(r"(?i)\W+\w+(?:ant|ent|able|ible|ful|ous|ive|al|ly|less)\b")  # `more important` counts nothing
_LIGHT = get_stems("take need one ones that do use make other way time")


@lru_cache(maxsize=2)
def _list_told(agent: str, user: str) -> tuple[_Comparison, ...]:
    return tuple(read_comparisons(f"{agent}\n{user}"))


def _align(one: _Comparison, other: _Comparison) -> int:
    """Return 1 where two comparisons have the same sides, -1 where these are exchanged, 0 where they are others."""
    same = bool(one.more & other.more) + bool(one.less & other.less)
    turned = bool(one.more & other.less) + bool(one.less & other.more)
    return 0 if max(same, turned) < 2 or same == turned else 1 if same > turned else -1


def _measure(one: _Comparison, passages: PassageIndex) -> Iterator[tuple[int, str]]:
    """Yield whether the numbers of the history go the way of a comparison (1) or the other way (-1)."""
    if one.dimension == "worth":
        return
    parts = [(at, part) for at in _list_lines(one.more | one.less, passages) for part in _split(at, one, passages)]
    read = [(at, part, get_stems(part), _read_numbers(part, one.dimension)) for at, part in parts]
    every = [stems for _, _, stems, _ in read]
    more, less = _leave_common(one.more, one.less, every), _leave_common(one.less, one.more, every)
    for at, text, stems, numbers in read:
        for place, _, others, smaller in read if stems & more and not stems & less else ():
            is_near = abs(at - place) <= NEAR_LINES and bool(others & less) and not others & more
            if is_near and len(numbers) == len(smaller) and (direction := _compare(numbers, smaller)):
                yield direction if one.dimension != "speed" else -direction, text


def _leave_common(side: frozenset[str], other: frozenset[str], lines: Sequence[frozenset[str]]) -> frozenset[str]:
    """Return the stems of one side without those that stand in each line of the other: what is measured."""
    theirs = [line for line in lines if line & other]
    return frozenset(stem for stem in side if not theirs or any(stem not in line for line in theirs))


def _list_lines(stems: frozenset[str], passages: PassageIndex) -> list[int]:
    places = {at for stem in stems for at in passages.list_places(stem)[-MOST_LINES:]}
    return [at for at in sorted(places) if _NUMBER.search(passages.passages[at].text)][-MOST_LINES:]


def _split(at: int, one: _Comparison, passages: PassageIndex) -> list[str]:
    """Return a line, or its parts where it tells of both sides."""
    text = passages.passages[at].text
    stems = get_stems(text)
    return _PART.split(text) if stems & one.more and stems & one.less else [text]


_PART = re.compile(r"[,;|]\s+")


def _read_numbers(text: str, dimension: str) -> tuple[float, ...]:
    """Return the numbers of a line; durations only, where a speed is told by them."""
    found = (_DURATION if dimension == "speed" else _NUMBER).finditer(text)
    return tuple(float(one["number"].replace(",", "")) for one in found)


def _compare(more: tuple[float, ...], less: tuple[float, ...]) -> int:
    """Return 1 where all numbers of one line are greater than those of another, -1 where all are smaller."""
    signs = {(a > b) - (a < b) for a, b in zip(more, less, strict=True)}
    return signs.pop() if len(signs) == 1 else 0


_NUMBER = re.compile(r"(?<![\w.,/-])(?P<number>[-+]?\d+(?:,\d{3})*(?:\.\d+)?)(?![\w./]*[./]\d)")
_DURATION = re.compile(
    r"(?<![\w.,/-])(?P<number>\d+(?:,\d{3})*(?:\.\d+)?)\s?(?:ns|us|µs|ms|s|sec|seconds?|m|min|minutes?|h)\b"
)

RULES = (ClaimRule("unsupported", _explain_turned),)
