"""Whether a summary is true by the history: how checks ended, which files were changed, what was run, who gave orders.

Rule: each rule needs evidence against a claim, because a rejected true summary costs as much as a false one that
stands. What nothing is known about stands. The first contradiction that is found is the reason.
"""

from secateur.compaction.judge import (
    bans,
    causes,
    changes,
    checks,
    choices,
    consent,
    deeds,
    demands,
    figures,
    file_states,
    inversion,
    labels,
    names,
    opposites,
    outcomes,
    owners,
    records,
    settings,
    stances,
    states,
    turns,
    values,
    verdicts,
    wishes,
)
from secateur.compaction.judge.claims import Contradiction, read_claims
from secateur.compaction.judge.evidence import Evidence
from secateur.compaction.judge.noise import find_gibberish, find_repetition
from secateur.compaction.summary import Sections

_KINDS = (
    checks,
    verdicts,
    changes,
    consent,
    owners,
    inversion,
    bans,
    demands,
    states,
    figures,
    values,
    settings,
    labels,
    wishes,
    causes,
    choices,
    names,
    opposites,
    records,
    deeds,
    outcomes,
    turns,
    file_states,
    stances,
)  # the order in which reasons are looked for
_RULES = tuple(rule for kind in _KINDS for rule in kind.RULES)


def find_contradiction(sections: Sections, evidence: Evidence) -> Contradiction | None:
    """Find the first thing that the history contradicts."""
    lines = [line for some in sections.values() for line in some]
    known = "\n".join(evidence.texts).casefold()
    if found := find_repetition(lines) or find_gibberish(lines, known):
        return found
    if not evidence.replies and not evidence.calls:
        return None
    claims = read_claims(sections)
    for rule in _RULES:
        for claim in claims:
            is_judged = not rule.sections or claim.section in rule.sections
            if is_judged and (why := rule.explain(claim, evidence)):
                return Contradiction(rule.reason, f"{why}: {claim.text[:120]}")
    return None
