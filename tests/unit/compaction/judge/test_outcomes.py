"""What a summary says of how checks ended is compared with the runs that it speaks of, and with no others."""

import json

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.judge.evidence import Evidence, collect_evidence
from secateur.compaction.judge.truth import iterate_contradictions


def history(*runs: tuple[str, str]) -> Evidence:
    """An edit, runs of commands and what they printed; one that begins with an exclamation mark failed."""
    edit = json.dumps({"path": "kettle.py", "old_string": "lid = 1", "new_string": "lid = 2"})
    said = [user("Mend the kettle."), assistant(("edit", "edit", edit)), result("done", call="edit")]
    for number, (command, printed) in enumerate(runs):
        text = f"Exit code 1\n{printed[1:]}" if printed.startswith("!") else printed
        call = assistant((str(number), "bash", json.dumps({"command": command})))
        said += [call, result(text, call=str(number))]
    return collect_evidence(talk(*said).messages)


def is_contradicted(claim: str, evidence: Evidence, section: str = "accomplished") -> bool:
    return any(one.reason == "check" for one in iterate_contradictions({section: (f"- {claim}",)}, evidence))


PARTS = history(
    ("npm test -- tests/unit/boil", "Tests: 6 passed, 6 total"),
    ("npm test -- tests/whole/kettle.test.ts", "!✗ kettle whistles\nTests: 1 failed, 1 total"),
)


def test_a_path_says_which_run_is_meant() -> None:
    assert not is_contradicted("The tests in tests/unit/boil pass.", PARTS)
    assert is_contradicted("The tests in tests/unit/boil fail.", PARTS)
    assert is_contradicted("The test in kettle.test.ts passes.", PARTS)


def test_the_words_of_a_command_say_which_run_is_meant() -> None:
    runs = history(
        ("go test ./...", "ok  	boil	0.1s"), ("go test -race ./...", "!WARNING: DATA RACE\nFAIL	boil	0.2s")
    )
    assert not is_contradicted("Verification: `go test ./...` passed.", runs)
    assert is_contradicted("Verification: `go test -race ./...` is clean.", runs)


def test_a_later_check_that_passed_may_be_the_one_that_is_meant() -> None:
    failed = ("npx eslint src", "!1 problem (1 error, 0 warnings)")
    assert is_contradicted("The linter is happy now.", history(failed))
    assert not is_contradicted("The linter is happy now.", history(failed, ("npm run check", "Checked 9 files")))


def test_a_wider_run_of_the_same_tool_closes_a_failure() -> None:
    failed, passed = ("pytest tests/test_lid.py", "!1 failed, 3 passed"), ("pytest", "44 passed in 2.0s")
    assert is_contradicted("A test still fails.", history(failed, passed))
    assert not is_contradicted("A test still fails.", history(passed, failed))


@pytest.mark.parametrize("claim", ["At first all tests passed.", "Anfangs waren alle Tests grün."])
def test_what_is_said_of_the_beginning_is_compared_with_the_earlier_runs(claim: str) -> None:
    red, green = ("pytest", "!2 failed, 3 passed"), ("pytest", "5 passed in 1.0s")
    assert is_contradicted(claim, history(red, green))
    assert not is_contradicted(claim, history(green, red))


NAMED = history(
    ("pytest", "!FAILED test_lid - assert 1 == 2\nFAILED test_spout - assert\n2 failed, 3 passed"),
    ("pytest", "!FAILED test_lid - assert 1 == 2\n1 failed, 4 passed"),
)


@pytest.mark.parametrize(
    ("claim", "is_false"),
    [
        ("One failure was left, test_lid, which the agent repaired.", True),
        ("One failure was left, test_spout, which the agent repaired.", False),
        ("test_spout still fails.", True),
        ("test_lid still fails.", False),
        ("失败 1 个（test_spout）。", True),
    ],
)
def test_a_named_test_ended_as_it_did_last(claim: str, *, is_false: bool) -> None:
    assert is_contradicted(claim, NAMED) == is_false


def test_a_test_may_be_named_by_a_plain_word() -> None:
    runs = history(
        ("npm test", "!● stove › spout › pours\n● stove › lid › closes\nTests: 2 failed, 9 total"),
        ("npm test", "!● stove › lid › closes\nTests: 1 failed, 8 passed, 9 total"),
    )
    assert is_contradicted("The spout test is broken still.", runs)
    assert not is_contradicted("The lid test is broken still.", runs)


def test_a_failure_that_is_denied_is_a_success() -> None:
    passed, failed = history(("ruff check", "All checks passed!")), history(("ruff check", "!Found 2 errors."))
    for claim in ("The linter has nothing to complain about.", "ruff: from 3 errors to none."):
        assert not is_contradicted(claim, passed)
        assert is_contradicted(claim, failed)


def test_what_makes_tests_pass_is_no_run_of_them() -> None:
    assert not is_contradicted("This makes the test pass regardless of what it does.", history(("ls", "lid.py")))


@pytest.mark.parametrize("claim", ["ruff quiet", "ruff is quiet."])
def test_a_statement_among_the_next_steps_is_judged(claim: str) -> None:
    failed = history(("ruff check", "!Found 2 errors."))
    assert is_contradicted(claim, failed, "next")
    assert not is_contradicted("Make ruff quiet", failed, "next")


@pytest.mark.parametrize(
    "claim",
    [
        "Ensure all tests pass.",
        "Run `make check` to verify everything passes.",
        "**Test failure**: it looked for old words",
    ],
)
def test_a_plan_and_the_name_of_a_failure_tell_of_no_run(claim: str) -> None:
    assert not is_contradicted(claim, history(("make check", "!1 failed")))
    assert not is_contradicted(claim, history(("pytest", "4 passed in 1.0s")))


def test_a_run_on_another_state_of_the_files_is_not_meant() -> None:
    runs = (("pytest", "!1 failed, 3 passed"), ("git stash && pytest", "4 passed in 1.0s"))
    assert not is_contradicted("A test still fails.", history(*runs))
    assert is_contradicted("A test still fails.", history(*runs, ("git stash pop && pytest", "4 passed in 1.0s")))
