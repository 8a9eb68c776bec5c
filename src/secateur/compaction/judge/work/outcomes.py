"""Whether a summary says truly how checks ended: which passed, which failed, now, at first or ever.

Rule: a clause is read into a subject and an outcome. What it says of now is compared with the last run of the subject,
what it says of the beginning with the earlier runs, what it says of the past with all. A clause about a part, a
condition or a plan is not judged. Which runs are meant is told in `subjects`, what they counted in `counts`.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from secateur.compaction.judge.claims import REPORTING, SENTENCE, Claim
from secateur.compaction.judge.clauses import (
    is_ahead,
    is_denied,
    is_earlier,
    is_present,
    is_share,
    read_outcome,
    split_clauses,
)
from secateur.compaction.judge.evidence import CheckRun, ClaimRule, Evidence
from secateur.compaction.judge.lexicon import FAILS, PASSES, PAST, TEST, build_pattern
from secateur.compaction.judge.work.counts import has_counted
from secateur.compaction.judge.work.subjects import (
    NAME,
    TOOL,
    has_subject,
    list_ends,
    list_names,
    list_states,
    select_runs,
)

SHORT = 3  # words of a clause that is no order
LABEL_CHARS = 60  # of what a clause without a subject is said of


class _Told(Struct, frozen=True):
    """A clause that says how something ended, and when."""

    clause: str
    outcome: bool
    is_first: bool = False

    @property
    def is_strict(self) -> bool:
        """Whether it is said of now: what only failed or passed may have been otherwise since."""
        return is_present(self.clause) or not PAST.search(self.clause)


def _explain_outcome(claim: Claim, evidence: Evidence) -> str:
    """Explain which run of what a claim speaks of ended otherwise."""
    if claim.is_question or claim.is_quoted or claim.is_reported:
        return ""
    for told in _read_told(claim.text):
        is_short = told.outcome and len(told.clause.split()) <= SHORT
        is_order = claim.section == "next" and not (is_short or is_present(told.clause) or _HELD.search(told.clause))
        if not is_order and (why := _compare(told, select_runs(told.clause, evidence), evidence)):
            return why
    return ""


def _explain_named(claim: Claim, evidence: Evidence) -> str:
    """Say how a test or a job ended that a claim names."""
    if claim.is_question or claim.is_quoted or claim.is_reported:
        return ""
    names: Sequence[str] = ()
    for piece in _PIECE.split(claim.text):
        names = list_names(piece) or (names if _WHICH.match(piece) else ())
        outcome = _read_named(NAME.sub(" ", piece))
        is_strict = outcome or is_present(piece) or not (PAST.search(piece) or claim.raw.lstrip().startswith("|"))
        for name in names if outcome is not None else ():
            states = [] if TOOL.search(name) else list_states(name, evidence)
            if states and states[-1] != outcome and (is_strict or outcome not in states):
                return f"{name} {'passed' if states[-1] else 'failed'} when it was last run"
    return ""


def _read_named(piece: str) -> bool | None:
    """Return how what a piece names is said to have ended, be it mended; None where it says nothing plainly."""
    if any(one.search(piece) for one in (_PART, _MAKES)) or _ORDER.match(piece) or is_ahead(piece) or is_earlier(piece):
        return None
    outcome = read_outcome(piece)
    return True if outcome is None and _MENDED.search(piece) and not is_denied(piece) else outcome


_WHICH = re.compile(r"(?i)\s*(?:which|that|die|der|das|que|qui|who)\b")
_MENDED = build_pattern(
    r"fixed|repaired|mended|corrected|resolved|solved|behoben|repariert|corrigée?s?|réparée?s?|corregid[oa]s?|arreglad[oa]s?|corrigid[oa]s?|исправлен\w*",
    "已修复|已解决|修正済み|해결",
)


_PIECE = re.compile(r"[,;，；。、]\s*|\.\s+|\s+(?:and|but|und|aber|y|pero|et|mais)\s+")


def _read_told(text: str) -> Iterator[_Told]:
    """Yield what a claim says plainly of how something ended."""
    clauses = [_REASON.split(one)[0] for one in _join_labels(split_clauses(text))]
    earlier = list(_list_earlier(clauses))
    outcomes = [None if was else read_outcome(one) for one, was in zip(clauses, earlier, strict=True)]
    for outcome, clause in zip(outcomes, clauses, strict=True):
        is_first = _AT_FIRST.search(clause) is not None
        if outcome is None or (is_ahead(clause) and not is_first):
            continue
        is_both = (not outcome) in outcomes and not is_first
        is_vague = is_both and (not is_present(clause) or any(map(str.isdigit, clause)))
        is_part = outcome and (is_share(clause) or _PART.search(clause) or _AIMS.search(clause))
        if not (is_vague or is_part or _ORDER.match(clause) or _is_topic(clause, outcome)):
            yield _Told(clause, outcome, is_first)


def _list_earlier(clauses: Sequence[str]) -> Iterator[bool]:
    """Yield of each clause whether it tells of a time that is over, other than the beginning."""
    was_earlier = False
    for clause in clauses:
        is_over = is_earlier(_NO_MORE.sub(" ", clause)) or (was_earlier and not is_present(clause))
        was_earlier = is_over and not _AT_FIRST.search(clause)
        yield was_earlier


def _join_labels(clauses: Sequence[str]) -> list[str]:
    """Return the clauses, those that name no subject with the one before: `last run` and `red`."""
    joined: list[str] = []
    for clause in clauses:
        label = joined[-1] if joined and not has_subject(clause) else ""
        if label and read_outcome(label) is None and len(label) <= LABEL_CHARS:
            joined[-1] = f"{label}: {clause}"
        elif label and not _BARE.sub("", clause).strip(" .!"):
            joined.append(f"{_SUBJECT.split(label)[0]}: {clause}")
        else:
            joined.append(clause)
    return joined


# What a clause says only of what the one before speaks of: `and is green again`
_BARE = build_pattern(
    "|".join(one.pattern.removeprefix("(?i)") for one in (PASSES, FAILS))
    + r"|and|but|then|it|they|is|are|was|were|has|have|now|still|again|since|then|yet"
    r"|und|aber|dann|ist|sind|jetzt|wieder|noch|et|mais|est|sont|encore|y|pero|está|ahora|e|mas|agora|unsolved|unresolved"
)
_SUBJECT = re.compile(
    r"\s(?:is|are|was|were|has|have|failed|fails|passed|passes|ist|sind|war|est|sont|était|está|era)\b"
)


def _is_topic(clause: str, outcome: bool) -> bool:
    """Whether a clause only names an error or tells of work on it: `added a warning`, `lint error: unused name`."""
    if _WORK.match(clause):
        return True
    found = None if outcome else _NAMED_BAD.search(clause)
    return found is not None and not (is_present(clause) or any(map(str.isdigit, clause)) or _REPORTS.search(clause))


def _compare(told: _Told, runs: Sequence[CheckRun], evidence: Evidence) -> str:
    if not runs:
        return _explain_missing(told, evidence)
    last, ended = runs[-1], f"the last run of {runs[-1].text[:60]}"
    if told.is_first:
        before = [run for run in runs[:-1] if run.text == last.text]
        is_known = not before or told.outcome in {run.ok for run in before}
        return "" if is_known else f"all runs of {last.text[:60]} but the last {'failed' if told.outcome else 'passed'}"
    if told.outcome and last.ok is False and not has_counted(told.clause, last):
        is_refuted = told.is_strict or not any(run.ok for run in runs)
        is_open = _has_passed_since(last, evidence) or _has_passed_part(told.clause, last)
        return f"{ended} failed" if is_refuted and not is_open else ""
    if not told.outcome and all(list_ends(runs)) and (told.is_strict or all(run.ok for run in runs)):
        return f"{ended} passed"
    return f"{ended} passed that part" if not told.outcome and _has_passed_part(told.clause, last) else ""


def _has_passed_since(run: CheckRun, evidence: Evidence) -> bool:
    """Whether another check passed behind a run that may be what is meant: no tests, unless these are tests."""
    behind = evidence.checks[evidence.checks.index(run) + 1 :]
    return any(one.ok and (one.kind == run.kind or "test" not in (one.kind, run.kind)) for one in behind)


def _has_passed_part(clause: str, run: CheckRun) -> bool:
    """Whether the lines of a run about the one part that a clause names tell of success: `the tests of api`."""
    named = _PART_NAME.search(clause)
    lines = [one for one in run.output.split("\n") if named and re.search(rf"\b{re.escape(named['name'])}\b", one)]
    return {outcome for line in lines if (outcome := read_outcome(line)) is not None} == {True}


def _explain_missing(told: _Told, evidence: Evidence) -> str:
    """Say that no check, or no test, was run."""
    if not told.outcome or not has_subject(told.clause) or _MAKES.search(told.clause):
        return ""
    if not evidence.checks and not _CHECKING.search(evidence.calls + evidence.kept + evidence.user):
        return "no check was run"
    is_run = any(_CHECKING.search(run.text) for run in evidence.runs)
    return "no test was run" if TEST.search(told.clause) and not is_run and not _has_told_passing(evidence) else ""


def _has_told_passing(evidence: Evidence) -> bool:
    """Whether the user, the agent or an earlier summary says that tests passed."""
    texts = (evidence.user, evidence.agent, evidence.kept)
    return any(TEST.search(one) and PASSES.search(one) for text in texts for one in SENTENCE.split(text))


_AT_FIRST = build_pattern(
    r"at\s+first|initially|at\s+the\s+(?:start|beginning|outset)|(?:on|in)\s+the\s+first\s+run|(?:the\s+)?first\s+run|zuerst|zunächst|anfangs|im\s+ersten\s+lauf"
    r"|au\s+début|d['’]abord|al\s+principio|no\s+início|сначала",
    "最初|起初|一开始|처음",
)
_PART = build_pattern(
    r"some|most(?!\s+recent)|partly|partially|except|apart|other|others|another|rest|besides|only|one\s+of|two\s+of|half|but|"
    r"einige|teils|außer|andere|nur|certains|sauf|autres?|seul\w*|algunos|salvo|otr[oa]s?|sólo|solo",
    "部分|其他|除|だけ|以外|一部|일부",
)
_WORK = re.compile(
    r"(?i)\W*(?:\w+\.\w+\W+)?(?:add(?:ed|s)?|updat(?:ed?|es)|chang(?:ed?|es)|remov(?:ed?|es)|creat(?:ed?|es)|implement(?:ed|s)?|wrote|writes?|modif(?:y|ied|ies)"
    r"|refactor(?:ed|s)?|renam(?:ed?|es)|replac(?:ed?|es)|mov(?:ed?|es)|use[sd]?|check(?:s|ed)?|clear(?:s|ed)?|set|when|wenn)\s"
)
_NAMED_BAD = re.compile(
    r"(?i)^\W*(?:\w+\s+){0,3}?(?:errors?|failures?|warnings?|problems?|findings?|fehler|erreurs?|errores|erros?)\b"
)
_REPORTS = re.compile(r"(?i)\b(?:reports?|shows?|gives?|has|have|found|meldet|zeigt|signale|muestra|mostra)\b")
# What somebody is told to do has no outcome yet
_ORDER = re.compile(
    r"(?i)\W*(?:fix|make|get|ensure|confirm|update|re-?run|verify|make\s+sure|resolve|investigate|address|debug)\b(?!\W*$)"
)
_PART_NAME = re.compile(
    rf"(?i)\b(?:{TEST.pattern.removeprefix('(?i)')})\s+(?:of|for|in|von|de)\s+(?:the\s+)?`?(?P<name>[\w./-]{{2,40}})"
)
_AIMS = re.compile(r"(?i)\b(?:verify|ensure|confirm|make\s+sure)\b")  # before what is to come out
_MAKES = re.compile(r"(?i)\bma(?:kes?|king|de)\b")
_NO_MORE = re.compile(r"(?i)\bany\s?more\b")
_HELD = re.compile(
    r"(?i)\b(?:is|are|has|have|been|was|were|still|no|none|now|fails|passes|ist|sind|wurden?|est|sont|está[n]?|fue|ha[ns]?)\b|已|了|た|ている"
)
# What a result is put down to has no result of its own
_REASON = re.compile(r"(?i)(?<=\w)\s+(?:because|since|weil|da|parce\s+qu\w*|porque|ya\s+que)\s")
_CHECKING = re.compile(r"(?i)test|spec|check|verif|build|tsc|lint|make|\bci\b|valid|compile|cargo|gradle|mvn|run")

RULES = (
    ClaimRule("check", _explain_named, REPORTING),
    ClaimRule("check", _explain_outcome, REPORTING),
)
