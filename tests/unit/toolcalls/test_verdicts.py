"""How checks end, in the words of the tools."""

import pytest

from secateur.compaction.ledger.runs.verdicts import read_verdict


@pytest.mark.parametrize(
    "output",
    [
        "FAILED tests/test_a.py::test_x\n==== 1 failed, 3 passed in 0.12s ====",
        "1 failed, 3 passed in 0.12s",
        "Ran 4 tests in 0.1s\n\nFAILED (failures=1, errors=2)",
        "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample.com/a\t0.02s",
        "FAIL\texample.com/a [build failed]\nok  \texample.com/b\t0.1s",
        "test result: FAILED. 3 passed; 1 failed; 0 ignored",
        "error: could not compile `a` (lib) due to 2 previous errors",
        "Tests:       1 failed, 3 passed, 4 total",
        " Test Files  1 failed | 3 passed (4)\n      Tests  2 failed | 9 passed (11)",
        "  52 passing (3s)\n  2 failing",
        " 4 pass\n 1 fail\n 9 expect() calls",
        "# pass 3\n# fail 1",
        "src/a.ts(1,2): error TS2307: Cannot find module 'x'.",
        "✖ 3 problems (1 error, 2 warnings)",
        "Found 3 errors.\n[*] 1 fixable with the `--fix` option.",
        "Found 1 error in 1 file (checked 2 source files)",
        "make: *** [Makefile:3: all] Error 2",
        "##[error]Process completed with exit code 1.",
        "12:00:01 ##[error]Process completed with exit code 2.",
        "[INFO] BUILD FAILURE",
    ],
)
@pytest.mark.parametrize("exit_", [None, 0, 1])
def test_a_total_that_names_a_failure(output: str, exit_: int | None) -> None:
    assert read_verdict(output, exit_).ok is False


@pytest.mark.parametrize(
    "output",
    [
        "ERROR    root: refused, as it must be\n==== 4 passed in 0.12s ====",
        "4 passed, 1 skipped in 0.1s",
        "Ran 4 tests in 0.1s\n\nOK (skipped=1)",
        "ok  \texample.com/a\t0.02s\nok  \texample.com/b\t(cached)",
        "test result: ok. 5 passed; 0 failed; 0 ignored",
        "Test Suites: 2 passed, 2 total\nTests:       9 passed, 9 total",
        " Test Files  4 passed (4)\n      Tests  11 passed (11)",
        "  52 passing (3s)\n  1 pending",
        "Success: no issues found in 3 source files",
        "All checks passed!",
        "[INFO] BUILD SUCCESS",
    ],
)
@pytest.mark.parametrize("exit_", [None, 0, 1])
def test_a_total_that_names_none(output: str, exit_: int | None) -> None:
    assert read_verdict(output, exit_).ok is True


def test_without_a_total_the_status_decides() -> None:
    assert read_verdict("Switched to a new branch 'x'", 0).ok is True
    assert read_verdict("", 2).ok is False
    assert read_verdict("warning: x", None, is_error=True).ok is False
    assert read_verdict("a.py:1: error: bad type", None).ok is False


def test_behind_a_pipe_success_says_nothing() -> None:
    assert read_verdict("=== RUN TestA", 0, is_hidden=True).ok is None
    assert read_verdict("3 passed in 0.1s", 0, is_hidden=True).ok is True
    assert read_verdict("Command running in background with ID: b1", None).ok is None


def test_a_total_begins_its_line() -> None:
    assert read_verdict("it said 3 passed in 0.1s", 0, is_hidden=True).ok is None
    assert read_verdict("it said FAILED (failures=1)\n3 passed in 0.1s", 0).ok is True


def test_the_total_is_quoted() -> None:
    assert read_verdict("x\n\x1b[32m4 passed in 0.1s\x1b[0m\n", 0).line == "4 passed in 0.1s"
