"""Whether a summary says truly how the first or the second run of a command ended.

A command that was run once has no first run.
"""

import re
from functools import lru_cache

from secateur.compaction.judge.claims import REPORTING, Claim
from secateur.compaction.judge.clauses import is_ahead, read_outcome, split_clauses
from secateur.compaction.judge.evidence import ClaimRule, CommandRun, Evidence


def _explain_ordinal(claim: Claim, evidence: Evidence) -> str:
    """Say how the first, the second or the third run of a command ended, where a claim has it otherwise."""
    if claim.is_question or claim.is_quoted or claim.is_reported:
        return ""
    for clause in split_clauses(claim.text):
        found, outcome = _ORDINAL.search(clause), read_outcome(clause)
        if found is None or outcome is None or is_ahead(_ORDINAL.sub(" ", clause)):
            continue
        at = next(at for at, words in enumerate(_ORDINALS) if re.fullmatch(words, found["which"], re.I))
        series = [ends for ends in _list_series(evidence.runs) if len(ends) > at]
        if series and all(ends[at] != outcome for ends in series) and (outcome or not any(map(all, series))):
            return f"that run {'failed' if outcome else 'passed'}"
    return ""


@lru_cache(maxsize=2)
def _list_series(runs: tuple[CommandRun, ...]) -> tuple[tuple[bool, ...], ...]:
    """Return how the runs of each command ended that was run more than once, and not always in the same way."""
    ends: dict[str, list[bool]] = {}
    for run in runs:
        ends.setdefault(run.text, []).append(run.ok)
    return tuple(tuple(one) for one in ends.values() if len(set(one)) > 1)


_ORDINALS = (
    r"first|erste[rns]?|premi(?:er|ère)|primer[oa]?|primeir[oa]",
    r"second|zweite[rns]?|deuxième|second[oa]?|segund[oa]",
    r"third|dritte[rns]?|troisième|tercer[oa]?|terceir[oa]",
)
_ORDINAL = re.compile(
    rf"(?i)\b(?P<which>{'|'.join(_ORDINALS)})\s+(?:`[^`]+`|run|attempt|try|time|go|pass|test\s+run|lauf|versuch|essai"
    r"|intento|ejecución|tentativa|--?\w+)\b"
)


RULES = (ClaimRule("check", _explain_ordinal, REPORTING),)
