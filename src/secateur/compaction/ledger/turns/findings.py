"""Which lines of a quoted text are findings of a review or proposals: each of them stays before what explains it.

Rule: by their place alone: a numbered head or an item under a heading of findings ("Issues", "Nits", "Recommendations")
or of proposals, or an item that begins with a severity. What stands under a heading of praise goes first.
"""

import re
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

FINDING_RANK, REMEDY_RANK = 5.7, 5.3  # of a finding, and of a line that says what to do about it
_EXPLAINED_RANK, _PRAISED_RANK = 4, 0.5  # at most, of what explains a finding, and of praise


class QuoteUnit(Struct, frozen=True):
    """A line of a text, or a sentence of a long one, with the number of the line and how much it tells."""

    text: str
    line: int
    rank: float


def rank_findings(units: Sequence[QuoteUnit]) -> list[QuoteUnit]:
    """Rank findings and proposals above what explains them, and praise below all else."""
    made: list[QuoteUnit] = []
    is_found = is_praised = False
    line = -1
    for one in units:
        is_first, line = one.line != line, one.line
        is_numbered = is_first and _NUMBERED.match(one.text) is not None
        if is_first and _HEAD.match(one.text) and not (is_found and is_numbered):
            is_praised = _PRAISE.search(one.text) is not None
            is_found = not is_praised and any(words.search(one.text) for words in (_FAULTS, _PROPOSES))
        made.append(replace(one, rank=_rank(one, is_first, is_numbered, is_found, is_praised)))
    return made


def has_findings(text: str) -> bool:
    """Whether a text lists faults under a heading that calls them so."""
    lines = (QuoteUnit(line, at, 1) for at, line in enumerate(text.split("\n")) if line.strip())
    units = [one for one in lines if not (_HEAD.match(one.text) and _PROPOSES.search(one.text))]
    return any(one.rank == FINDING_RANK for one in rank_findings(units))


def _rank(one: QuoteUnit, is_first: bool, is_numbered: bool, is_found: bool, is_praised: bool) -> float:
    if one.rank < 0:
        return one.rank
    if is_praised:
        return min(one.rank, _PRAISED_RANK)
    if is_first and (_SEVERE.match(one.text) or (is_found and (is_numbered or _ITEM.match(one.text)))):
        return FINDING_RANK
    if is_found and _REMEDY.match(one.text):
        return max(one.rank, REMEDY_RANK)
    return min(one.rank, _EXPLAINED_RANK) if is_found else one.rank


_HEAD = re.compile(r"#{1,6}[ \t]|\*\*[^*\n]{1,160}\*\*[^*\n]{0,80}$|(?![-*•|\d\s])[^\n]{1,80}[:：]\s*$")
_ITEM = re.compile(r"(?:[-*•]|\d{1,2}[.)])[ \t]+")
_NUMBERED = re.compile(
    r"(?i)(?:#{1,6}[ \t]+)?(?:\*\*)?(?:(?:issue|finding|option|proposal|problem|bug|point)[ \t]+)?"
    r"#?\d{1,2}[.):](?:\*\*)?[ \t]"
)
_SEVERE = re.compile(
    r"(?i)(?:[-*•][ \t]+|\d{1,2}[.)][ \t]+|#{1,6}[ \t]+)[*\[(]{0,4}"
    r"(?:critical|high|medium|low|major|minor|blocker|P[0-3])\b[^\w\s]{0,4}(?:[:—–]|[ \t][—–-][ \t]|[\])])"
)
_FAULTS = re.compile(
    r"(?i)\b(?:issues?|findings?|bugs?|problems?|concerns?|nits?|defects?|gaps?|regressions?|weakness(?:es)?"
    r"|critical|high|medium|low|minor|major|must[- ]fix|should[- ]fix)\b"
)
_PROPOSES = re.compile(
    r"(?i)\b(?:recommend(?:ations?|ed)|suggest(?:ions?|ed)|proposals?|options?|improvements? (?:to|i['’]d)"
    r"|(?:remaining|potential|possible) improvements?)\b"
)
_PRAISE = re.compile(
    r"(?i)\b(?:good|well|great|solid|strengths?|positives?|genuine improvements|works|correct|clean|nice|praise|pros"
    r"|no (?:issues?|problems?|concerns?|findings?)|fixed|resolved|addressed)\b|[✅✓✔]"
)
_REMEDY = re.compile(r"(?i)\W{0,4}(?:fix|recommendation|suggestion|remedy|solution|suggested fix|how to fix)\W{0,3}:")
