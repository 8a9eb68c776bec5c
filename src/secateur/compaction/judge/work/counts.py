"""Whether a summary counts what the runs of checks counted: how many passed or failed, of how many.

Rule: a number beside a word of success or of failure has to be one that a run printed, or that follows from it. What
the user or the agent said counts as well.
"""

import re
from functools import lru_cache

from secateur.compaction.judge.claims import REPORTING, Claim
from secateur.compaction.judge.clauses import read_outcome, split_clauses
from secateur.compaction.judge.evidence import CheckRun, ClaimRule, Evidence
from secateur.compaction.judge.lexicon import PASSES, TEST
from secateur.compaction.judge.work.subjects import TOOL


def has_counted(text: str, run: CheckRun) -> bool:
    """Whether a run that failed counts as passed what a claim counts so: `114 tests passed` beside one that failed."""
    counts = [one["before"] or one["behind"] for one in _COUNT.finditer(text)]
    return bool(counts) and all(re.search(rf"(?<![\d.]){one}\s+(?:passed|passing|ok)\b", run.output) for one in counts)


_COUNT = re.compile(
    rf"(?i)\b(?P<before>\d+)\s+(?:of\s+(?:them|the\s+\w+)\s+|\w+\s+){{0,4}}?(?:{PASSES.pattern.removeprefix('(?i)')})"
    r"|\bpass(?:ed|es|ing)?:?\s+(?:all\s+)?(?:of\s+)?(?:(?:the|its|their|our)\s+)?(?P<behind>\d+)\b"
)


def _explain_share(claim: Claim, evidence: Evidence) -> str:
    """Say that no run had the share of tests that a claim gives: `26/28 passing` where it was 28 of 28."""
    runs = [run for run in evidence.checks if run.kind == "test"]
    if claim.is_question or claim.is_quoted or not runs:
        return ""
    known = frozenset().union(*(_read_shares(run.output) for run in runs))
    totals = {total for _, total in known}
    for clause in split_clauses(claim.text):
        is_test = TEST.search(claim.line) or TOOL.search(claim.line)
        for found in _SHARE.finditer(clause) if is_test and read_outcome(clause) is not None else ():
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


_SHARE = re.compile(
    r"(?<![\w.,/-])(?P<part>\d{1,5})\s*(?:/|of|out\s+of|von|de|sur|из)\s*(?:the\s+|los\s+|las\s+|les\s+|den\s+)?"
    r"(?P<total>\d{1,5})(?![\w./-]*\d)|(?P<total2>\d{1,5})\s*[个件個].{0,4}?[中里]の?(?:有)?\s*(?P<part2>\d{1,5})\s*[个件個]?"
)


def _explain_tally(claim: Claim, evidence: Evidence) -> str:
    """Quote how many passed or failed, where no run says the number of a claim."""
    if claim.is_wished:
        return ""
    told = list(_TALLY.finditer(claim.text))
    for found in told:
        is_good = PASSES.search(found["how"]) is not None
        known = _read_tallies(tuple(run.output for run in evidence.checks), is_good)
        agent = _read_tallies((evidence.agent, evidence.user, evidence.kept), is_good)
        number = int(found["number"])
        if known and number not in known | agent:
            return f"no run had {number} that {'passed' if is_good else 'failed'}"
    return ""


@lru_cache(maxsize=8)
def _read_tallies(outputs: tuple[str, ...], is_good: bool) -> frozenset[int]:
    """Return the numbers beside words of success or of failure, and what is left of a total."""
    found: set[int] = set()
    for output in outputs:
        for line in output.split("\n"):
            here = [(int(one["number"]), PASSES.search(one["how"]) is not None) for one in _TALLY.finditer(line)]
            totals = [int(one or other) for one, other in _TOTALS.findall(line)]
            found |= {number for number, good in here if good == is_good}
            for number, good in here:
                found |= {total - number for total in (*totals, sum(n for n, _ in here)) if good != is_good} | set(
                    totals if is_good else ()
                )
            found |= (
                {int(one) for one in re.findall(r"(?i)^\W*(?:Tests?\s+)?(\d+)\s+(?:passed|failed)", line)}
                if is_good is (PASSES.search(line) is not None)
                else set()
            )
            if is_good and len(here) > 1:
                found.add(sum(number for number, _ in here))
    return frozenset(found)


_TOTALS = re.compile(
    r"(?i)(?:(?:out\s+of|of|von|de|sur|/|\(|\b(?:tests?|total)(?:\s+run)?:)\s*(\d{1,9})\b)|\b(\d{1,9})\s+(?:tests?|examples?|specs?|total)\b"
)
_TALLY = re.compile(
    r"(?i)(?<![\w.,/#:-])(?<!of )(?<!von )(?<!de )(?<!sur )(?P<number>\d{1,5})(?!\s*[%.]\d?\d?\s*%)\s*(?:件|个|個"
    r"|개)?\s*(?:(?:of|von|de|sur)\s+(?:the\s+|los\s+|las\s+|les\s+)?\d+\s+)?(?:(?:tests?|testcases?|cases"
    r"|examples?|checks?|pruebas|casos|testes|essais|тест\w*|テストが?|测试)\s+)?(?:(?:are|have|haben|sind|is|ont)\s+)?"
    r"(?P<how>pass(?:es|ed|ing)?\b|fail(?:s|ed|ing|ures?)?\b|bestanden\b|bestehen\b|schlagen\s+fehl"
    r"|fehlgeschlagen\b|pasan?\b|pasaron\b|fallan?\b|fallaron\b|passam\b|falham\b|passent\b|échouent\b|успешн\w+"
    r"|упал\w*|成功|通过|失敗|失败|통과|실패)"
)


RULES = (
    ClaimRule("check", _explain_share, REPORTING),
    ClaimRule("check", _explain_tally, REPORTING),
)
