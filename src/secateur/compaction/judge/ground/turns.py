"""Whether a clause says the opposite of the passages of the history that are most like it.

Rule: opposites stand in pairs (added and removed, before and after). A clause is false where the passage that holds
most of its other words has the other word of the pair, and none that is nearly as much like it, or later, has its own.
How checks ended is for the rules on outcomes, which know the last run.
"""

import re
from collections.abc import Iterator

from secateur.compaction.judge.claims import Claim
from secateur.compaction.judge.clauses import is_denied, split_clauses
from secateur.compaction.judge.evidence import ClaimRule, Evidence
from secateur.compaction.judge.ground.passages import get_claim_stems
from secateur.compaction.judge.lexicon import build_pattern

FEWEST_STEMS = 2  # of a clause beside the word that may be turned
LEAST_SHARE = 0.6  # of the weight of a clause, in a passage that has the opposite
LEAST_GAIN = 0.1  # by which it is more like the clause than what has its own word
_PAIRS = tuple(
    (build_pattern(one), build_pattern(other))
    for one, other in (
        (
            r"add(?:s|ed|ing)?|insert(?:s|ed)?|introduced?|hinzugefügt|ajouté\w*|añadid\w*",
            r"remov\w+|delet\w+|drop(?:s|ped)?|entfernt|gelöscht|supprimé\w*|eliminad\w*",
        ),
        (
            r"keeps?|kept|stays?|stayed|remains?|bleib\w*|behalten",
            r"drop(?:s|ped)?|removed?|deleted?|gives?\s+up|entfernt",
        ),
        (r"enabled?|enables|switched\s+on|turned\s+on", r"disabled?|disables|switched\s+off|turned\s+off"),
        (r"created?|creates", r"deleted?|deletes"),
        (r"increas\w+|rais(?:es?|ed)|erhöht", r"decreas\w+|lower(?:s|ed)?|reduc\w+|gesenkt"),
        (r"before|prior\s+to|bevor|vor|avant|antes", r"after|afterwards|nachdem|nach|après|después"),
        (r"first|erste[rnms]?|première?|primer[ao]?", r"last|letzte[rnms]?|dernière?|últim[ao]"),
    )
)


def _explain_opposite(claim: Claim, evidence: Evidence) -> str:
    """Quote a passage that says the opposite of a clause."""
    if claim.is_quoted or claim.is_question or claim.section == "next":
        return ""
    for clause in split_clauses(claim.text):
        for own, other in _list_turned(clause):
            stems = get_claim_stems(own.sub(" ", clause))
            if len(stems) < FEWEST_STEMS:
                continue
            if found := _find_opposite(stems, own, other, clause, evidence):
                return f"the history says {found.strip()[:100]!r}"
    return ""


def _list_turned(clause: str) -> Iterator[tuple[re.Pattern[str], re.Pattern[str]]]:
    """Yield the pairs of which a clause has one word, its own first."""
    for one, other in _PAIRS:
        has = one.search(clause) is not None, other.search(clause) is not None
        if has[0] != has[1]:
            yield (one, other) if has[0] else (other, one)


def _find_opposite(
    stems: frozenset[str], own: re.Pattern[str], other: re.Pattern[str], clause: str, evidence: Evidence
) -> str:
    """Return the passage with the opposite that is most like a clause.

    None where a step with the clause's own word is about as much like it, or a later one is nearly so: things change.
    """
    matches = evidence.passages.find(stems)
    opposites = [one for one in matches if _is_opposite(one.passage.text, own, other, clause)]
    if not opposites or opposites[0].share < LEAST_SHARE:
        return ""
    newest = max(one.passage.group for one in opposites if one.share >= opposites[0].share - LEAST_GAIN)
    held = [one for one in matches if own.search(one.passage.text)]
    least = opposites[0].share - LEAST_GAIN
    is_known = any(one.share > (least if one.passage.group <= newest else least / 2) for one in held)
    return "" if is_known else opposites[0].passage.text


def _is_opposite(text: str, own: re.Pattern[str], other: re.Pattern[str], clause: str) -> bool:
    return other.search(text) is not None and own.search(text) is None and is_denied(text) == is_denied(clause)


RULES = (ClaimRule("inverted", _explain_opposite, strength="doubt"),)
