"""Whether the history knows the reason that a summary gives, and the wish that it says the user has.

Rule: a true reason may be told in other words, but some of them stand together in one step of the history, and the more
the longer it is: in a long history any two words stand somewhere. A wish of the user is in the user's words, in an
answer of the user, or in what the host says in the user's name. Words of two languages are not compared.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from math import log10

from secateur.compaction.judge.claims import Claim
from secateur.compaction.judge.evidence import ClaimRule, Evidence
from secateur.compaction.judge.ground.passages import PassageIndex, get_claim_stems
from secateur.compaction.judge.user.choices import is_same_language

FEWEST_STEMS = 2  # of a reason or of a wish that is looked for
BEGINNING = 4  # letters by which other forms of them are found in a short history
SHARE_PER_DIGIT, SHARE_OFFSET = 0.15, 0.2  # of the stems of a reason, by the digits of the number of passages
REASON_CHARS = 160


def _explain_unknown_reason(claim: Claim, evidence: Evidence) -> str:
    """Say that no step of the history holds enough of the words of a reason."""
    if claim.is_quoted or not is_same_language(claim.summary, evidence.agent + evidence.user):
        return ""
    for reason in _list_reasons(claim.text):
        stems = get_claim_stems(reason)
        if _may_be_known(stems, evidence):
            continue
        shares = evidence.passages.measure_groups(stems)
        if max(shares.values(), default=0.0) < _compute_least(evidence.passages):
            return f"nothing in the history tells of this reason ({reason.strip()[:60]!r})"
    return ""


def _may_be_known(stems: frozenset[str], evidence: Evidence) -> bool:
    """Whether there are too few stems, or one of them may stand in a short history in another form."""
    if len(stems) < FEWEST_STEMS:
        return True
    story = _fold_case(f"{evidence.story}\n{evidence.kept}")
    return len(story) < LONG_STORY and any(stem[:BEGINNING] in story for stem in stems)


@lru_cache(maxsize=2)
def _fold_case(story: str) -> str:
    return story.casefold()


LONG_STORY = 100_000  # characters of a history that holds the beginnings of most words


def _compute_least(passages: PassageIndex) -> float:
    """Return the share of a reason's stems that one step has to hold."""
    return max(0.01, SHARE_PER_DIGIT * log10(len(passages.passages) + 1) - SHARE_OFFSET)


def _list_reasons(text: str) -> Iterator[str]:
    for found in _BECAUSE.finditer(text):
        yield found["reason"][:REASON_CHARS]


_BECAUSE = re.compile(
    r"(?i)(?:\b(?:because(?:\s+of)?|(?<=,\s)since(?!\s+then)|due\s+to|owing\s+to|weil|wegen|parce\s+qu\w*|à\s+cause\s+d\w+"
    r"|porque|debido\s+a|ya\s+que|devido\s+a|потому\s+что|из-за|bởi\s+vì)\b|因为|由于)\s*(?P<reason>[^,;()\n]{4,})"
)


def _explain_unheard_wish(claim: Claim, evidence: Evidence) -> str:
    """Say that the user never said a word of what a claim has the user want."""
    if claim.is_quoted or claim.is_question or not is_same_language(claim.summary, evidence.user):
        return ""
    found = _WISH.search(claim.text)
    stems = get_claim_stems(_FRAME.sub(" ", found["what"])) if found else frozenset[str]()
    if _may_be_known(stems, evidence) or evidence.passages.measure_groups(stems, ("user", "host")):
        return ""
    heard = get_claim_stems(_FRAME.sub(" ", f"{evidence.kept}\n{evidence.user}\n{_join_asked(evidence)}"))
    return "" if stems & heard else "the user never spoke of this"


def _join_asked(evidence: Evidence) -> str:
    """Return what the user answered to."""
    return "\n".join(one.before for one in evidence.replies)


_WISH = re.compile(
    r"(?i)\b(?:users?|customers?|clients?|nutzer\w*|benutzer\w*|utilisat\w+|usuari[oa])\s+(?:also\s+|now\s+|then\s+|explicitly\s+|has\s+|had\s+|then\s+|hat\s+|a\s+)*"
    r"(?:wants?|wanted|ask(?:s|ed)|told|said|says|requests?|requested|needs?|requires?|required|orders?|ordered|demands?|demanded|expects?|expected|insists?|insisted"
    r"|prefers?|preferred|approved|möchte|will|verlangt\w*|bat|wünscht|veut|demande|demandé|exige|quiere|pidió|pide|exige)\b(?P<what>[^,.;\n]{4,200})"
)
_FRAME = re.compile(r"(?i)\b(?:to|that|for|it|agent|assistant|done|work|please|be|have|the|changes?|changed)\b")

RULES = (
    ClaimRule("unsupported", _explain_unknown_reason, strength="doubt"),
    ClaimRule("approval", _explain_unheard_wish, strength="doubt"),
)
