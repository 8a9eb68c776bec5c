"""Whether a summary says truly how the first or the second run of a command ended, and the last one of any program.

The programs are those that the history ran, so that no list of checkers is needed. A command that was run once has no
first run.
"""

import re
from functools import lru_cache

from secateur.compaction.judge.claims import REPORTING, Claim
from secateur.compaction.judge.clauses import is_ahead, is_earlier, is_share, read_outcome, split_clauses
from secateur.compaction.judge.evidence import ClaimRule, CommandRun, Evidence
from secateur.compaction.judge.work.outcomes import FIRST, PART, PAST, TOOL


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


def _explain_program(claim: Claim, evidence: Evidence) -> str:
    """Say how the last run of a program ended that a claim names and that is none of the known checkers."""
    if claim.is_question or claim.is_quoted or claim.is_reported or claim.section == "next":
        return ""
    for clause in split_clauses(claim.text):
        outcome = None if TOOL.search(clause) else _read_present(clause)
        for name, run in _list_programs(evidence.runs) if outcome is not None else ():
            is_named = re.search(rf"(?i)(?<![\w./-]){re.escape(name)}(?![\w/-])", clause) is not None
            if is_named and run.ok != outcome and (outcome or not PAST.search(clause)):
                return f"the last run of {run.text[:60]} {'passed' if run.ok else 'failed'}"
    return ""


def _read_present(clause: str) -> bool | None:
    """Return the outcome that a clause tells of now and of the whole, if it does."""
    is_other = any(is_so(clause) for is_so in (is_ahead, is_earlier, is_share)) or FIRST.search(clause)
    return None if is_other or PART.search(clause) else read_outcome(clause)


@lru_cache(maxsize=2)
def _list_programs(runs: tuple[CommandRun, ...]) -> tuple[tuple[str, CommandRun], ...]:
    """Return the programs whose name no other command shares, each with its last run."""
    last = {found["name"]: run for run in runs if (found := _PROGRAM.match(run.text))}
    return tuple((name, run) for name, run in last.items() if name.casefold() not in _COMMON_PROGRAMS)


_PROGRAM = re.compile(r"(?:\w+=\S*\s+)*(?:[\w.-]*/)*(?P<name>[A-Za-z][\w-]{3,30})(?=\s|$)")
_COMMON_WORDS = (
    "bash cargo curl docker echo gradlew grep head helm java kubectl make mkdir node pnpm psql python python3 sleep"
    " tail terraform yarn export source timeout time find test xargs true bundle rails composer dotnet swift"
)
_COMMON_PROGRAMS = frozenset(_COMMON_WORDS.split())

RULES = (ClaimRule("check", _explain_ordinal, REPORTING), ClaimRule("check", _explain_program, REPORTING))
