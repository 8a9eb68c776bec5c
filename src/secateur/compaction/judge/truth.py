"""Whether a summary is true by the history: how checks ended, which files were changed, what was run, who gave orders.

Rule: each rule needs evidence against a claim, because a rejected true summary costs more than a false line that
stands. What nothing is known about stands. The first contradiction that is found is the reason.
"""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from secateur.compaction.judge.claims import Claim, Contradiction
from secateur.compaction.judge.evidence import ClaimRule, Evidence
from secateur.compaction.judge.figures import bindings, names, settings, support, turns, values
from secateur.compaction.judge.ground import anchors, backing, places, reasons, unsettled
from secateur.compaction.judge.ground import turns as opposed
from secateur.compaction.judge.noise import find_gibberish, find_repetition
from secateur.compaction.judge.reading import read_claims
from secateur.compaction.judge.user import (
    choices,
    consent,
    demands,
    injected,
    owners,
    rulings,
)
from secateur.compaction.judge.weighing import GRADES, MARKED
from secateur.compaction.judge.work import (
    causes,
    changes,
    counts,
    deeds,
    outcomes,
    records,
    series,
    standing,
    states,
)
from secateur.compaction.summary import Sections

_KINDS = (
    outcomes,
    counts,
    changes,
    consent,
    owners,
    injected,
    demands,
    states,
    support,
    values,
    settings,
    causes,
    choices,
    names,
    records,
    deeds,
    turns,
    bindings,
    series,
    standing,
    reasons,
    anchors,
    opposed,
    unsettled,
    rulings,
    places,
    backing,
)  # the order in which reasons are looked for, the certain ones first
_OF_ACTS = frozenset({"unchanged_file", "not_run"})  # reasons that need something said to have happened
NO_LABELS: Mapping[str, str] = MappingProxyType({})
_RULES = tuple(sorted((rule for kind in _KINDS for rule in kind.RULES), key=lambda one: GRADES[one.strength]))


def find_contradiction(
    sections: Sections, evidence: Evidence, labels: Mapping[str, str] = NO_LABELS
) -> Contradiction | None:
    """Find the first thing that the history contradicts. `labels`: the words of the heading above each line."""
    found = (one for one in iterate_contradictions(sections, evidence, labels) if one.strength != "unbacked")
    return find_noise(sections, evidence) or next(found, None)


def find_noise(sections: Sections, evidence: Evidence) -> Contradiction | None:
    """Find what no language is: a line again and again, or words without sentences."""
    lines = [line for some in sections.values() for line in some]
    known = "\n".join(evidence.texts).casefold()
    return find_repetition(lines) or find_gibberish(lines, known)


def iterate_contradictions(
    sections: Sections,
    evidence: Evidence,
    labels: Mapping[str, str] = NO_LABELS,
    selects: Callable[[Claim], bool] | None = None,
) -> Iterator[Contradiction]:
    """Yield what the history contradicts, once for each line, and for each sentence that is only doubtful.

    `selects`: which claims are judged, all without it.
    """
    if not evidence.replies and not evidence.calls:
        return
    claims = [one for one in read_claims(sections, labels) if not one.is_question and (not selects or selects(one))]
    seen: set[str] = set()
    for rule in _RULES:
        for claim in claims:
            is_new = claim.raw not in seen and f"{claim.raw}\0{claim.text}" not in seen
            is_judged = is_new and (not rule.sections or claim.section in rule.sections)
            is_judged = is_judged and not (rule.reason in _OF_ACTS and claim.is_pending)
            if is_judged and (why := rule.explain(claim, evidence)):
                seen.add(f"{claim.raw}\0{claim.text}" if rule.strength in MARKED else claim.raw)
                told = f"{why}: {claim.text[:120]}"
                yield Contradiction(rule.reason, told, claim.raw, _name_rule(rule), claim.sentence, rule.strength, why)


def _name_rule(rule: ClaimRule) -> str:
    """Return the module and the function that a rule is made of."""
    return f"{rule.explain.__module__.rpartition('.')[2]}.{rule.explain.__name__.removeprefix('_explain_')}"
