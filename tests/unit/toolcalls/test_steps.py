"""Steps of checks, builds and installations: which calls run them, and which lines say that one succeeded."""

import json

import pytest

from conversation import assistant, part, result, talk
from secateur.toolcalls.steps import find_passed, has_steps


def runs(line: str) -> bool:
    talked = talk(assistant(("c", "Bash", json.dumps({"command": line}))), result("ok", "Bash", "c"))
    return has_steps(part(talked, 0), part(talked, 1))


@pytest.mark.parametrize(
    "line",
    [
        "pytest -v",
        "cd /srv && python -m pytest -n 4 tests 2>&1 | tail -200",
        "FOO=1 timeout 600 npm test",
        "go test -v ./...",
        "apt-get update && apt-get install -y postgresql",
        "./gradlew build && echo done",
        "pytest --cov=src -v",
        "make -j8",
    ],
)
def test_checks_builds_and_installations_run_steps(line: str) -> None:
    assert runs(line)


@pytest.mark.parametrize(
    "line",
    [
        "npm test -- src/a.test.ts",  # what is named was asked for
        "pytest -v tests/test_beds.py",
        "pytest -v -k cut",
        "pytest -v tests::test_cut",
        "go test -v ./beds",
        "go test ./beds/roses/... -v",
        "go test -run=TestCut ./...",
        "pytest --collect-only",
        "cargo test -- --list",
        "make -n all",
        "make help",
        "npm run build && git diff",
        "cargo test; cat src/lib.rs",
        "python plan.py",
        "npm ls --all",
        "pip list",
        "go test ./... -list .",
        "echo done",
        "python - <<'EOF'\nimport pytest\nEOF",
    ],
)
def test_what_prints_something_that_was_asked_for_does_not(line: str) -> None:
    assert not runs(line)


PASSED = [
    "tests/test_a.py::test_b[x y] PASSED [ 33%]",
    "[gw0] [ 10%] PASSED tests/test_a.py::test_b",
    "test_a (tests.test_a.ATest.test_a) ... ok",
    "test tax::late ... ok",
    "--- PASS: TestLate (0.00s)",
    "ok  \texample.org/ledger\t0.021s",
    "        PASS [   0.012s] ledger tax::late",
    "  ✓ closes late orders (3 ms)",
    "ok 12 - closes late orders",
    "   Compiling tax-split v1.2.3",
    "[12/900] Building CXX object tax.o",
    "gcc -O2 -Iinclude -c src/tax.c -o tax.o",
    "> Task :tax:compile UP-TO-DATE",
    "Requirement already satisfied: tax in /usr/lib",
    "Setting up tax (1.2-1) ...",
    "#7 1.20 Collecting tax==1.0",
    "go: downloading example.org/tax v1.0.0",
]
OTHER = [
    "tests/test_a.py::test_b FAILED [ 33%]",
    "tests/test_a.py::test_b drift=0.1 PASSED?",
    "PASSED",
    "test tax::late ... FAILED",
    "--- FAIL: TestLate (0.00s)",
    "FAIL\texample.org/ledger\t0.021s",
    "  ✕ closes late orders (3 ms)",
    " ✓ src/tax.test.ts (12 tests | 3 skipped)",
    "not ok 12 - closes late orders",
    "ok 13 - closes late orders # SKIP no database",
    "warning: unused variable: `late`",
    "[12/900] Building tax.o failed",
    "> Task :tax:compile",
    "Successfully installed tax-1.0",
    "src/tax.c:41:9: error: expected ';'",
    "BUILD SUCCESSFUL in 4s",
    "",
    "1 failed, 12 passed",
]


def test_lines_that_say_that_a_step_went_well() -> None:
    assert [line for line, passed in zip(PASSED, find_passed(PASSED), strict=True) if not passed] == []
    assert [line for line, passed in zip(OTHER, find_passed(OTHER), strict=True) if passed] == []


def test_a_start_goes_with_the_verdict_that_follows_it() -> None:
    lines = ["=== RUN   TestA", "=== RUN   TestA/late", "--- PASS: TestA (0.00s)", "=== RUN   TestB", "--- FAIL: TestB"]
    assert find_passed(lines) == [True, True, True, False, False]
    assert find_passed(["=== RUN   TestA"]) == [False]
