"""Whether a summary says truly how checks ended: which passed, which failed, with how many of how many.

Rule: a clause is read into a subject (a tool, a kind of check, the words of a command) and an outcome, now or earlier.
What it says of now is compared with the last run of the subject, what it says of earlier with all of its runs. A clause
about a part, a condition or a plan is not judged.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from secateur.compaction.judge.claims import REPORTING, Claim, extract_words, quote
from secateur.compaction.judge.clauses import is_ahead, is_earlier, is_present, is_share, read_outcome, split_clauses
from secateur.compaction.judge.evidence import CheckRun, ClaimRule, Evidence
from secateur.compaction.judge.lexicon import PAST, TEST, build_pattern
from secateur.compaction.judge.work.checks import has_counted

_BUILD = build_pattern(
    r"build\w*|compil\w*|kompil\w*|type-?\s?check\w*|сборк\w*|tsc|gradle|maven|mvn|construcción",
    "构建|编译|ビルド|빌드",
)
_LINT = build_pattern(r"lint\w*|eslint|ruff|mypy|pyright|clippy|flake8|biome|rubocop|go\s+vet|vet", "")
_KINDS = (("test", TEST), ("build", _BUILD), ("lint", _LINT))
TOOL = re.compile(
    r"(?i)(?<![\w./-])(?:pytest|jest|vitest|mocha|rspec|phpunit|ctest|junit|gradlew?|maven|mvn|sbt|go\s+(?:test|vet|build)"
    r"|cargo\s+(?:test|clippy|build|check)|clippy|tsc|mypy|pyright|ruff|eslint|flake8|pylint|biome|rubocop|shellcheck"
    r"|prettier|npm\s+(?:test|run\s+\w+)|make\s+\w+|-race)(?![\w/])"
)
_NAMES = {"maven": "mvn", "gradle": "gradlew", "clippy": "clippy"}
_RUN = build_pattern(r"runs?|lauf|läufe|ejecución|exécution|execução|прогон|checks?", "运行|実行|실행")
PART = build_pattern(
    r"some|most(?!\s+recent)|partly|partially|except|apart|other|others|another|rest|besides|only|one\s+of|two\s+of|half|but|"
    r"einige|teils|außer|andere|nur|certains|sauf|autres?|seul\w*|algunos|salvo|otr[oa]s?|sólo|solo",
    "部分|其他|除|だけ|以外|一部|일부",
)
_COUNT = re.compile(
    r"(?<![\w.,/-])(?P<part>\d{1,5})\s*(?:/|of|out\s+of|von|de|sur|из)\s*(?:the\s+|los\s+|las\s+|les\s+|den\s+)?"
    r"(?P<total>\d{1,5})(?![\w./-]*\d)|(?P<total2>\d{1,5})\s*[个件個].{0,4}?[中里]の?(?:有)?\s*(?P<part2>\d{1,5})\s*[个件個]?"
)
_SPECIFIC = re.compile(
    r"\btest_\w+|\bTest[A-Z]\w+|::\w+|[\w-]+\.(?:py|tsx?|jsx?|go|rs|java|rb|kt|c|cpp)\b|`[^`]+`|\b[a-z]+[A-Z]\w+"
)


def _explain_outcome(claim: Claim, evidence: Evidence) -> str:
    """Explain which run of what a claim speaks of ended otherwise."""
    is_order = claim.section == "next" and not _HELD.search(claim.text)
    if is_order or claim.is_question or claim.is_quoted or claim.is_reported:
        return ""
    was_earlier = False
    clauses = [_REASON.split(one)[0] for one in _join_labels(split_clauses(claim.text))]
    told = [read_outcome(one) for one in clauses]
    for outcome, clause in zip(told, clauses, strict=True):
        was_earlier = is_earlier(clause) or (was_earlier and not is_present(clause))
        is_told_otherwise = outcome is not None and (not outcome) in told and not is_present(clause)
        is_tally = outcome is not None and (not outcome) in told and any(map(str.isdigit, clause))
        if (
            outcome is None
            or _ORDER.match(clause)
            or _is_topic(clause, outcome)
            or is_ahead(clause)
            or was_earlier
            or is_told_otherwise
            or is_tally
            or PART.search(clause)
        ):
            continue
        if (_SPECIFIC.search(clause) and not TOOL.search(clause)) or is_share(clause):
            continue
        runs = _select_runs(clause, evidence)
        if runs and outcome and has_counted(clause, runs[-1]):
            continue
        part = _tell_part(clause, runs[-1]) if runs else None
        if runs and (why := _compare(clause, outcome, runs) if part is None else _compare_part(outcome, part)):
            return why
    return ""


def _is_topic(clause: str, outcome: bool) -> bool:
    """Whether a clause only names an error or tells of work on it: `added a warning`, `lint error: unused name`."""
    if _WORK.match(clause):
        return True
    found = None if outcome else _NAMED_BAD.search(clause)
    return found is not None and not (is_present(clause) or any(map(str.isdigit, clause)) or _REPORTS.search(clause))


_WORK = re.compile(
    r"(?i)\W*(?:\w+\.\w+\W+)?(?:add(?:ed|s)?|updat(?:ed?|es)|chang(?:ed?|es)|remov(?:ed?|es)|creat(?:ed?|es)|implement(?:ed|s)?|wrote|writes?|modif(?:y|ied|ies)"
    r"|refactor(?:ed|s)?|renam(?:ed?|es)|replac(?:ed?|es)|mov(?:ed?|es)|use[sd]?|check(?:s|ed)?|clear(?:s|ed)?|set|when|wenn)\s"
)
_NAMED_BAD = re.compile(
    r"(?i)^\W*(?:\w+\s+){0,3}?(?:errors?|warnings?|problems?|findings?|fehler|erreurs?|errores|erros?)\b"
)
_REPORTS = re.compile(r"(?i)\b(?:reports?|shows?|gives?|has|have|found|meldet|zeigt|signale|muestra|mostra)\b")

# What somebody is told to do has no outcome yet
_ORDER = re.compile(r"(?i)\W*(?:fix|update|re-?run|verify|make\s+sure|resolve|investigate|address|debug)\b(?!\W*$)")


def _tell_part(clause: str, run: CheckRun) -> str | None:
    """Return the lines of a run about the one part of it that a clause names: `the tests of api`."""
    named = _PART_NAME.search(clause)
    if run.ok or named is None:
        return None
    lines = [line for line in run.output.split("\n") if re.search(rf"\b{re.escape(named['name'])}\b", line)]
    told = {outcome for line in lines if (outcome := read_outcome(line)) is not None}
    return "\n".join(lines) if told == {True} else None


_PART_NAME = re.compile(
    rf"(?i)\b(?:{TEST.pattern.removeprefix('(?i)')})\s+(?:of|for|in|von|de)\s+(?:the\s+)?`?(?P<name>[\w./-]{{2,40}})"
)


def _compare_part(outcome: bool, lines: str) -> str:
    """Quote the lines of a part that passed, where a claim has it as failed."""
    return "" if outcome else quote("a tool", lines)


_HELD = re.compile(
    r"(?i)\b(?:is|are|has|have|been|was|were|still|no|none|now|ist|sind|wurden?|est|sont|está[n]?|fue|ha[ns]?)\b|已|了|た|ている"
)


# What a result is put down to has no result of its own
_REASON = re.compile(r"(?i)(?<=\w)\s+(?:because|since|weil|da|parce\s+qu\w*|porque|ya\s+que)\s")


def _join_labels(clauses: Sequence[str]) -> list[str]:
    """Return the clauses, those that name no subject with the one before: `last run` and `red`."""
    joined: list[str] = []
    for clause in clauses:
        is_bare = bool(joined) and not _has_subject(clause) and read_outcome(joined[-1]) is None
        if is_bare and len(joined[-1]) <= LABEL_CHARS:
            joined[-1] = f"{joined[-1]}: {clause}"
        else:
            joined.append(clause)
    return joined


LABEL_CHARS = 60  # of what a clause without a subject is said of


def _has_subject(clause: str) -> bool:
    return any(pattern.search(clause) for pattern in (TEST, _BUILD, _LINT, TOOL, _RUN))


def _compare(clause: str, outcome: bool, runs: Sequence[CheckRun]) -> str:
    last = runs[-1]
    ends = {run.text: run.ok for run in runs}
    if outcome and last.ok is False:
        is_strict = is_present(clause) or not PAST.search(clause)
        if is_strict or not any(run.ok for run in runs):
            return f"the last run of {last.text[:60]} failed"
    if not outcome and all(ends.values()):
        is_strict = is_present(clause) or not PAST.search(clause)
        if (is_strict and not FIRST.search(clause)) or all(run.ok for run in runs):
            return f"the last run of {last.text[:60]} passed"
    return ""


FIRST = re.compile(r"(?i)\b(?:first|second|third|\d+(?:st|nd|rd|th))\b|第[一二三]|最初|(?:1|2|3)\s*回目")


def _select_runs(clause: str, evidence: Evidence) -> list[CheckRun]:
    """Return the runs that a clause speaks of: of the tool that it names, of the command, or of its kind."""
    runs = [run for run in evidence.checks if run.ok is not None]
    tools = {_normalize(one.group()) for one in TOOL.finditer(clause)}
    if tools:
        return [run for run in runs if any(tool in _normalize(run.text) for tool in tools)]
    kinds = [kind for kind, pattern in _KINDS if pattern.search(clause)]
    if not kinds and _RUN.search(clause):
        kinds = ["test"]
    some = [run for run in runs if run.kind in kinds]
    words = extract_words(clause)
    shared = [len(words & _read_words(run.text)) for run in some]
    most = max(shared, default=0)
    if len({run.text for run in some}) > MOST_COMMANDS and len(clause.split()) > SHORT_CLAUSE:
        return []  # a long clause on one of many checks
    return [run for run, count in zip(some, shared, strict=True) if not most or count == most]


MOST_COMMANDS = 4  # of a kind, among which a clause that names no tool may mean any
SHORT_CLAUSE = 6  # words of a clause that tells of the checks as a whole


def _normalize(text: str) -> str:
    plain = " ".join(text.casefold().split())
    return _NAMES.get(plain, plain)


@lru_cache(maxsize=256)
def _read_words(command: str) -> frozenset[str]:
    return extract_words(re.sub(r"[-_/.:=]+", " ", command))


def _explain_share(claim: Claim, evidence: Evidence) -> str:
    """Say that no run had the share of tests that a claim gives: `26/28 passing` where it was 28 of 28."""
    runs = [run for run in evidence.checks if run.kind == "test"]
    if claim.is_question or claim.is_quoted or not runs:
        return ""
    known = frozenset().union(*(_read_shares(run.output) for run in runs))
    totals = {total for _, total in known}
    for clause in split_clauses(claim.text):
        is_test = TEST.search(claim.line) or TOOL.search(claim.line)
        for found in _COUNT.finditer(clause) if is_test and read_outcome(clause) is not None else ():
            part, total = int(found["part"] or found["part2"]), int(found["total"] or found["total2"])
            if total in totals and (part, total) not in known:
                return f"no run had {part} of {total}"
    return ""


@lru_cache(maxsize=64)
def _read_shares(output: str) -> frozenset[tuple[int, int]]:
    """Return how many of how many passed or failed, by each line of an output that counts both or a total."""
    found: set[tuple[int, int]] = set()
    for line in output.split("\n"):
        passed, failed = (_sum(pattern, line) for pattern in (_PASSED, _FAILED))
        total = _sum(_TOTAL, line)
        if passed is None and failed is None:
            continue
        whole = total if total is not None else (passed or 0) + (failed or 0)
        bad = failed if failed is not None else whole - (passed or 0)
        good = passed if passed is not None else whole - bad
        found |= {(good, whole), (bad, whole)}
    return frozenset(found)


def _sum(pattern: re.Pattern[str], line: str) -> int | None:
    numbers = [int(next(filter(None, one.groups()))) for one in pattern.finditer(line)]
    return sum(numbers) if numbers else None


_PASSED = re.compile(r"(?i)\b(\d+)\s+(?:passed|passing|ok)\b|\bpass(?:ed)?:?\s+(\d+)\b")
_FAILED = re.compile(
    r"(?i)\b(\d+)\s+(?:failed|failing|failures?|errors?)\b|\b(?:failures|errors|failed|fail):\s*(\d+)\b"
)
_TOTAL = re.compile(
    r"(?i)\b(\d+)\s+(?:tests?|examples?|total)\b|\b(?:tests?\s+run|tests|total):\s*(\d+)\b|\((\d+)\)\s*$"
)


def _explain_named(claim: Claim, evidence: Evidence) -> str:
    """Say how a test ended that a claim names, whatever its name looks like."""
    if claim.is_question or claim.is_quoted or claim.is_reported or claim.section == "next":
        return ""
    for piece in _PIECE.split(claim.text):
        outcome = read_outcome(_NAME.sub(" ", piece))
        if outcome is None or is_ahead(piece) or is_earlier(piece) or PART.search(piece) or FIRST.search(piece):
            continue
        for name in _NAME.findall(piece):
            state = _find_state(name, evidence)
            if state is not None and state != outcome and (outcome or not PAST.search(piece) or is_present(piece)):
                return f"{name} {'passed' if state else 'failed'} in its last run"
    return ""


def _find_state(name: str, evidence: Evidence) -> bool | None:
    """Whether a test that failed once passed when its command was last run; None if it is no such test."""
    runs = [run for run in evidence.checks if run.kind == "test" and run.ok is not None]
    told = [run for run in runs if run.ok is False and _FAILED_NAME.search(_join_lines(name, run.output))]
    if not told:
        return None
    same = [run for run in runs if run.text == told[-1].text]
    return same[-1] is not told[-1]


def _join_lines(name: str, output: str) -> str:
    return "\n".join(line for line in output.split("\n") if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line))


_PIECE = re.compile(r"[,;，；。、]\s*|\.\s+|\s+(?:and|but|und|aber|y|pero|et|mais)\s+")
_NAME = re.compile(
    r"(?<![A-Za-z0-9_./])(?:[a-z]\w*?[A-Z]\w*|Test[A-Z]\w+|test_\w+)(?<![\u3040-\u9fff])(?![A-Za-z0-9_./]*[A-Za-z0-9_])"
)
_FAILED_NAME = re.compile(r"(?i)fail|error|expected|✗|✘|×|but was")

RULES = (
    ClaimRule("check", _explain_named, REPORTING),
    ClaimRule("check", _explain_outcome, REPORTING),
    ClaimRule("check", _explain_share, REPORTING),
)
