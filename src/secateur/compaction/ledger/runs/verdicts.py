"""How a check ended, in the words of its tool.

Rule: a total is read in the words of the tool that prints it ("2 failed, 5 passed", "test result: ok", "Found 3
errors"), and a total that names a failure counts before one that names none. Without a total the exit status decides,
then lines that name a failure; a tool that prints nothing unless it finds something has passed. What a tool logs on the
way is no verdict, and neither is what a runner of tasks puts before the lines of a task.
"""

import re

from msgspec import Struct

from secateur.compaction.ledger.runs.last_errors import STARTER, TASK_NAME, clip_line, read_last_error
from secateur.memoizing import memoize_texts
from secateur.text.lossless.lines import strip_escapes


class CheckVerdict(Struct, frozen=True):
    """How a check ended. `line` is the tool's own total; "" where it printed none."""

    ok: bool | None  # None: nothing says so
    line: str = ""
    is_stopped: bool = False  # it did not end by itself: `line` is what its host says of that


MAX_CHARS = 200  # of a total
_SEARCHED, _LINES = 12_000, 160  # characters and lines at the end of an output


@memoize_texts(16_384)
def read_verdict(
    output: str, exit_: int | None, is_error: bool = False, is_hidden: bool = False, is_silent: bool = False
) -> CheckVerdict:
    """Return the verdict of a check with this output and exit status (None: not stated).

    `is_hidden`: the status is that of another program, as behind a pipe, so that success says nothing. `is_silent`: its
    tool prints nothing unless it finds something.
    """
    lines = [TASK_NAME.sub("", line) for line in strip_escapes(output[-_SEARCHED:]).split("\n")[-_LINES:]]
    runs_on = exit_ is None and not is_error and _STILL_RUNS.search(output[:400]) is not None
    for ok, is_told in ((False, _is_failed_total), *(((True, _is_passed_total),) if not runs_on else ())):
        if found := {line for line in {*lines} if is_told(line)}:  # each is judged once: outputs repeat lines
            totals = [line for line in lines if line in found]
            telling = [line for line in totals if not line.endswith("(cached)") and line != "FAIL"]  # which ran before
            behind = lines[lines.index(totals[-1]) + 1 :] if ok and (exit_ or is_error) else []
            if error := next(filter(_PLACED_ERROR.match, behind), ""):  # of another check in the line
                return CheckVerdict(False, clip_line(error))
            told = (telling or totals)[-1]
            cause = next(filter(_PLACED_ERROR.match, lines), "") if _UNBUILT.search(told) else ""
            return CheckVerdict(ok, clip_line(cause or told))
    if (worded := _read_words(lines)) and not (exit_ or is_error or runs_on):
        return worded
    failing = "" if exit_ == 0 and not is_hidden else _find_failing_line(lines) or read_last_error(output)[1]
    if exit_ or is_error or failing:
        return CheckVerdict(False, failing)
    if runs_on:
        return CheckVerdict(None)
    has_said_nothing = is_silent and not any(line.strip() and not _HOST_WORDS.match(line) for line in lines)
    return CheckVerdict(True if has_said_nothing or not is_hidden else None)


def has_failed_total(output: str) -> bool:
    """Whether an output has the total of a tool that names a failure."""
    return any(map(_is_failed_total, strip_escapes(output[-_SEARCHED:]).split("\n")[-_LINES:]))


def is_total(line: str) -> bool:
    """Whether a line is the total of a tool that ran, and not that of a program that started the tool."""
    line = TASK_NAME.sub("", line)
    if STARTER.match(line):
        return False
    return _is_failed_total(line) or (_is_passed_total(line) and line != "PASS")


def _is_failed_total(line: str) -> bool:
    """Whether a line is a total that names a failure; most of them begin the line, and are looked for only there."""
    if _FAILED_TOTAL.match(line) is not None:
        return True
    return ("##[error]" in line or "error TS" in line) and _FAILED_INSIDE.search(line) is not None


def _is_passed_total(line: str) -> bool:
    return _PASSED_TOTAL.match(line) is not None


def _read_words(lines: list[str]) -> CheckVerdict | None:
    """Return the verdict that a script of its own puts into words at the end of its output."""
    ends = [said for line in lines[-_WORDED_LINES:] if 2 <= len(said := line.strip()) <= _WORDED_CHARS]
    for line in reversed(ends):
        if _SAYS_FAILED.search(line):
            return CheckVerdict(False, clip_line(line))
        if _SAYS_PASSED.match(line):
            return CheckVerdict(True, clip_line(line))
    return None


def _find_failing_line(lines: list[str]) -> str:
    return next((clip_line(line) for line in reversed(lines) if _FAILING.search(line)), "")


_WORDED_LINES, _WORDED_CHARS = 8, 160  # at the end of an output, and of one line
_SAYS_FAILED = re.compile(
    r"(?i)\bbug (?:is )?(?:confirmed|reproduced|still (?:there|exists|present))\b"
    r"|\bstill (?:broken|fails|failing|wrong|incorrect|not (?:working|fixed|right))\b"
    r"|\b(?:does|did|do) ?(?:n['’]t| not) work\b|\bnot (?:working|fixed) (?:yet|correctly)\b"
    r"|^\W*(?:\w+ ){0,4}(?:test|check|verification|assertion|case)s? (?:has |have )?failed\b"
    r"|^\W*(?:fail(?:ed|ure)?|broken|not ok)\W*$|^(?:\W{0,3}\s)?(?:FAIL|FAILED|FAILURE|BROKEN)\b\s*[:!–—-]|^\s*[❌✗✘]"
)
_SAYS_PASSED = re.compile(
    r"(?i)^\W*(?:everything(?: is|['’]s)?|all(?: is|['’]s)?|looks) (?:good|fine|ok|okay|well|correct)\W*$"
    r"|^\W*all (?:of )?(?:the )?(?:\w+ ){0,3}(?:tests?|checks?|cases?|assertions?)"
    r" (?:have |has |were |are )?(?:passed|pass|passing|succeeded|successful|ok|green)\b"
    r"|^\W*(?:the )?(?:\w+ ){0,2}(?:test|check|verification)s? (?:has |have )?(?:passed|succeeded)\W*$"
    r"|^\W*(?:it |fix |now |everything )?works(?: (?:now|correctly|as expected|fine))?\W*$"
    r"|^\W*(?:success(?:ful(?:ly)?)?|pass(?:ed)?|ok|okay)\W*$|^\W*(?:the )?bug (?:is |was )?(?:now )?fixed\W*$"
    r"|^\s*[✅✓✔] .*\b(?:passed|passes|works|ok|fixed|success\w*|correct\w*)\b"
)
_HOST_WORDS = re.compile(  # beside an output
    r"\s*(?:\(?(?:bash completed with |command produced |tool ran without )?no output\)?|(?:chunk id|wall time"
    r"|original token count): .*|(?:process|command) exited with code 0|exit code:? 0|output:|\(empty\)"
    r"|</?(?:output|returncode|system|stdout|stderr)>.*)\s*$",
    re.I,
)
_STILL_RUNS = re.compile(r"running in (?:the )?background|Process running with session ID|still running")
_FAILED_TOTAL = re.compile(
    r"^=+ .*\b[1-9]\d* (?:failed|errors?)\b.* in [\d.:]+.*=+$"  # pytest
    r"|^[1-9]\d* (?:failed|errors?)\b.* in [\d.]+m?s"  # pytest -q
    r"|^[1-9]\d* failed(?:, \d+ \w+)*(?: \(\d+\))?$"
    r"|^FAILED \((?:failures|errors|unexpected successes)=.*\)$"  # unittest
    r"|^FAIL(?:\s+\S+(?:\s+[\d.]+s|\s+\[(?:build|setup) failed\]).*)?$|^--- FAIL: "  # go test
    r"|^DONE \d+ tests.* [1-9]\d* failures?"  # gotestsum
    r"|^test result: FAILED\."  # cargo test
    r"|^\s*Summary \[.*\] .*\b[1-9]\d* failed"  # nextest
    r"|^error: could not compile |^error: test failed, to rerun"  # cargo
    r"|^\s*(?:Tests|Test Suites|Test Files|Suites):?\s+(?:\d+ \w+ ?[,|] ?)*[1-9]\d* failed\b"  # jest, vitest
    r"|^\s*[1-9]\d* failing\b|^\s*[1-9]\d* fail$|^# fail [1-9]"  # mocha, bun, node
    r"|^\s*[1-9]\d* (?:failed|flaky)$"  # playwright
    r"|^Found [1-9]\d* errors?\b"  # tsc, mypy, ruff, biome
    r"|^\s*[✖✗×] [1-9]\d* problems? \([1-9]\d* errors?\b"  # eslint
    r"|^Tests run: .*(?:Failures|Errors): [1-9]|^BUILD FAILED\b|^\[INFO\] BUILD FAILURE"
    r"|^\d+ examples?, [1-9]\d* failures?"
    r"|^\d+ tests? completed, [1-9]\d* failed|^Failed!\s+-|^Tests: \d+, .*Failures: [1-9]"
    r"|^g?make(?:\[\d+\])?: \*\*\* .*(?:Error \d+|Stop\.)|^ninja: build stopped"
    r"|^npm (?:ERR!|error) (?:code ELIFECYCLE|command failed|Test failed|Lifecycle script)|^\s*ELIFECYCLE\b"
    r"|^error: script \".*\" exited"
    r"|^X \S.* (?:failed|in \S+)$"  # CI logs
    r"|^The process '.*' failed with exit code [1-9]|^ERROR: Job failed|^=+ FAILURES =+$|^=+ ERRORS =+$"
)
_FAILED_INSIDE = re.compile(r"##\[error\]Process completed with exit code [1-9]|\berror TS\d+: ")  # CI logs, tsc
_PASSED_TOTAL = re.compile(
    r"^=+ .*\b\d+ passed\b.* in [\d.:]+.*=+$|^\d+ passed\b.* in [\d.]+m?s|^\d+ passed(?:, \d+ \w+)*$"
    r"|^OK(?: \(.*\))?$"  # unittest, phpunit
    r"|^ok\s+\S+\s+(?:[\d.]+s|\(cached\))|^PASS$|^DONE \d+ tests"  # go test
    r"|^test result: ok\.|^\s*Summary \[.*\] .*\b\d+ passed|^\s*Finished (?:`?\w+`?|dev|release)\b.* (?:target"
    r"|in [\d.]+)"
    r"|^\s*(?:Tests|Test Suites|Test Files|Suites):?\s+\d+ passed\b"
    r"|^\s*[1-9]\d* passing\b|^\s*\d+ pass$|^# pass [1-9]|^\s*[1-9]\d* passed \("
    r"|^All checks passed!?$|^Success: no issues found|^Found 0 errors?\b|^\d+ files? (?:already formatted"
    r"|left unchanged)"
    r"|^BUILD SUCCESS(?:FUL)?\b|^\[INFO\] BUILD SUCCESS|^\d+ examples?, 0 failures|^Passed!\s+-"
    r"|^Tests run: .*Failures: 0"
    r"|^[✓✔] \S.* (?:passed|in \S+)$|^Job succeeded$|^0 issues\.$|^Checked \d+ files? in .*No fixes (?:applied|needed)"
)
_PLACED_ERROR = re.compile(
    r"^\S{1,300}\.(?:go|rs|py|[cm]?[jt]sx?|c|cc|cpp|h|java|kt|swift|rb|php):\d+:\d+: (?!warning|note|info)\S"
    r"|^\S+:\d+(?::\d+)?: (?:error|[EFW]\d{3,4})[ :]|^error\[E\d+\]: "
)
_UNBUILT = re.compile(r"\[(?:build|setup) failed\]$|^error: could not compile |^g?make(?:\[\d+\])?: \*\*\* |^ninja: ")
_FAILING = re.compile(
    r"^E\s+\w*(?:Error|Exception)\b"  # pytest
    r"|^\s*(?:FAILED [\w./]|FAIL\b|✗ |✘ |not ok \d|npm ERR! |error(?:\[E\d+\]|:)|BUILD FAILED)"
    r"|^\S{1,300}\.(?:go|rs|py|[cm]?[jt]sx?|c|cc|cpp|h|java|kt|swift|rb|php):\d+:\d+: (?!warning|note|info)\S"
    r"|: error: |^\S+:\d+(?::\d+)?: (?:error|[EFW]\d{3,4}) |\b[1-9]\d* (?:failed|failing|failures?)\b"
    r"|\b(?:failures|errors)[=:] ?[1-9]|\b[1-9]\d* errors? (?:generated|found)|^ERROR\b"
)
