"""Steps of checks, builds and installations: which calls run them, and which lines say that one succeeded."""

import json

import pytest

from conversation import assistant, part, result, talk
from secateur.toolcalls.steps import find_passed, has_steps


def runs(line: str) -> bool:
    talked = talk(assistant(("c", "Bash", json.dumps({"command": line}))), result("ok", "Bash", "c"))
    return has_steps(part(talked, 0))


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
        "make -C build -j$(nproc) all",
        "make test > /tmp/log 2>&1; tail -100 /tmp/log",
        "pytest -v | tee out.log | grep -v PASSED",
        "npm --prefix web run build",
        "yarn workspace web build",
        "cargo +nightly test --workspace",
        "cargo nextest run",
        "node --test",
        "docker compose -f dev.yml build",
        "bazelisk test //...",
        "python -m build",
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
        "pytest -v | grep PASSED",  # what is selected was asked for
        "go test -v ./... | sed -n '/PASS/p'",
        "make V=1 | grep -- ' -c '",
        "make -Bnwk",  # what is only told of was asked for
        "make print-SOURCES",
        "make -qp",
        "ninja -C out -t commands app",
        "cmake -LAH ..",
        "cmake -E cat out/build.ninja",
        "ctest -N",
        "apt-get -s install postgresql",
        "go build -n ./...",
        "xcodebuild -showBuildSettings",
        "meson introspect build --targets",
        "pytest --setup-show",
        "cargo test tables",
        "cargo test --release -p ledger",
        "npx jest -v tables",
        "ctest -R tables",
        "python -m unittest tests.test_beds.CutTest -v",
        "bazel test //beds:roses_test",
        "node --test test/beds.mjs",
        "make > /tmp/log; cat src/beds.c",
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
    "[1,204 / 3,100] Compiling src/tax.cc; 3s linux-sandbox",
    "Progress: resolved 12, reused 4, downloaded 3, added 0",
    "00:03 +12 ~1: closes late orders",
    "//tax:late_test          (cached) PASSED in 0.4s",
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
    "00:03 +12 -1: closes late orders [E]",
    "//tax:late_test          FAILED in 3 out of 3 in 0.4s",
    "Progress: resolved 12, reused 4, downloaded 3, added 9, done",
]
DONE = "ok 99 - all"


@pytest.mark.parametrize("line", PASSED)
def test_lines_that_say_that_a_step_went_well(line: str) -> None:
    assert find_passed([line, DONE]) == [True, True]


@pytest.mark.parametrize("line", OTHER)
def test_other_lines_do_not(line: str) -> None:
    assert find_passed([line, DONE]) == [False, True]


def test_a_start_goes_with_the_verdict_that_follows_it() -> None:
    lines = ["=== RUN   TestA", "=== RUN   TestA/late", "--- PASS: TestA (0.00s)", "=== RUN   TestB", "--- FAIL: TestB"]
    assert find_passed(lines) == [True, True, True, False, False]
    assert find_passed(["=== RUN   TestA"]) == [False]


@pytest.mark.parametrize(
    "begun",
    [
        "Test Case '-[BedTests testCut]' started.",
        "        Start  12: beds_cut",
        "[INFO] Running org.example.BedsTest",
        "=== CONT  TestCut",
        "[12/900] CXX obj/beds.o",
        "   Compiling beds v1.2.3",
        "gcc -O2 -c src/beds.c -o beds.o",
        "Setting up beds (1.2-1) ...",
        "00:03 +12: cuts back",
    ],
)
def test_where_a_run_ends_the_step_that_began_stays(begun: str) -> None:
    assert find_passed([begun, begun, "", "Segmentation fault"]) == [True, False, False, False]
    assert find_passed([begun, "", begun]) == [True, False, False]
