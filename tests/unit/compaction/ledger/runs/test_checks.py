"""Checks: how each ended, whether it started at all, and which later run tells about it."""

import json

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import (
    Ledger,
    build_ledger,
    fit_ledger,
    merge,
    read_back,
    render_ledger,
    settle_states,
)
from secateur.compaction.ledger.coverage import is_covering
from secateur.model import Message
from secateur.tokens import estimate

Ran = tuple[Message, Message]


def ran(command: str, said: str = "", error: bool = False) -> Ran:
    return assistant(("1", "bash", json.dumps({"command": command}))), result(said, "bash", "1", error)


def edited(path: str) -> Ran:
    given = {"file_path": path, "old_string": "a", "new_string": "b"}
    return assistant(("e", "Edit", json.dumps(given))), result("ok", "Edit", "e")


def read(*messages: Message) -> Ledger:
    return build_ledger(talk(user("Mend the ferry timetable."), *messages).messages)


def list_open(*messages: Message) -> list[str]:
    ledger = read(*messages, assistant(text="The timetable is mended."))
    lines = render_ledger(settle_states(ledger, ledger)).get("next", ())
    return [line.removeprefix("- ") for line in lines if line.startswith(("- test", "- build", "- lint", "- where"))]


LINT = '$ biome check .\napp/ferry.ts:3:1 lint/style\nFound 2 errors.\nerror: script "lint" exited with code 1'


@pytest.mark.parametrize(
    ("failed", "passed"),
    [
        (ran("bun run lint", LINT, True), [ran("bunx biome check .", "Checked 40 files in 9ms. No fixes applied.")]),
        (ran("npx eslint app/ferry.ts", "✖ 1 problem (1 error)", True), [ran("npm run lint", "> eslint .\n")]),
        (ran("npm run lint -- app", "✖ 1 problem (1 error)", True), [ran("npm run check", "> tool check\n")]),
        (
            ran("go test ./ferry", "--- FAIL: TestTide", True),
            [ran("mise run test", "[test] $ go test ./...\nok  \tx\t1s")],
        ),
        (
            ran("make lint && make test", "2 failed, 1 passed in 1s", True),
            [ran("make lint", "0 issues."), ran("make test", "3 passed in 1s")],
        ),
        (
            ran("npx tsc -p tsconfig.json", "a.ts(1,2): error TS2307: no such module", True),
            [ran("npm run check 2>&1 | tail -5", "> tsc --noEmit\n\nChecked 9 files in 8ms. No fixes applied.")],
        ),
    ],
)
def test_a_check_is_not_open_where_another_command_checked_as_much(failed: Ran, passed: list[Ran]) -> None:
    assert any(line.startswith(("test, failed", "lint, failed", "build, failed")) for line in list_open(*failed))
    runs = [message for run in passed for message in run]
    assert list_open(*failed, *edited("app/ferry.ts"), *runs)[1:] == []


def test_errors_of_a_check_that_another_command_passed_are_not_open_either() -> None:
    """A summary that lists the errors of a check as open says that it fails."""
    history = (*ran("bun run lint", LINT, True), *ran("git ls-files -z '*.ts' | xargs -0 bunx biome check"))
    span, whole = read(*history[:2]), read(*history)
    assert span.failures
    assert whole.failures == span.failures
    assert settle_states(span, whole).failures == ()


@pytest.mark.parametrize(
    ("failed", "passed"),
    [
        ("npm run test:e2e", "npm test"),  # a kind of its own
        ("go test -tags=integration ./...", "make test"),
        ("make lint && make test", "make test"),  # half of it
        ("npx eslint app", "cd web && npm run lint"),  # of a part of the project
        ("npx eslint .", "npx biome check ."),  # another tool
        ("pytest tests/test_a.py | tail -5", "ls | tail -5"),
        ("npm test", "npm run lint"),
    ],
)
def test_a_check_stays_open_where_a_later_run_checked_less(failed: str, passed: str) -> None:
    lines = list_open(*ran(failed, "2 failed, 1 passed in 1s", True), *ran(passed, "All checks passed!"))
    assert any(" failed" in line and failed in line for line in lines[1:])


CHECKS = "lint\tpass\t20s\thttps://ci.example/1\ntests\tpass\t1m\thttps://ci.example/2\n"
PUSHED = "To git.example:ferry.git\n   1111111..2222222  main -> main"


def test_checks_of_a_pull_request_that_passed_tell_about_what_was_pushed() -> None:
    failed, looked = ran("npm test", "2 failed, 1 passed in 1s", True), ran("gh pr checks 7", CHECKS)
    pushed = ran("git push", PUSHED)
    assert list_open(*failed, *edited("app/ferry.ts"), *pushed, *looked)[1:] == []
    assert len(list_open(*failed, *looked)) == 2  # of an earlier state
    waiting = ran("gh pr checks 7", CHECKS.replace("tests\tpass", "tests\tpending"))
    assert len(list_open(*failed, *pushed, *waiting)) == 2


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("npm run lint -- --apply", "error: unknown option '--apply'\n\nUsage: tool lint [files]"),
        ("go test -run TestTide", "# .\nno Go files in /work\nFAIL\t. [setup failed]"),
        ("npm run lint", 'npm error Missing script: "lint"'),
        ("pytest tests/gone.py", "ERROR: file or directory not found: tests/gone.py\n\ncollected 0 items"),
        ("make lint", "make: *** No rule to make target 'lint'.  Stop."),
    ],
)
def test_a_check_that_could_not_start_is_none(command: str, said: str) -> None:
    assert [one for one in read(*ran(command, said, True)).commands if one.check] == []


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("1 passed\n\nCommand timed out after 120s", "timed out after 120s"),
        (
            "EXECUTION TIMED OUT because the command was running for more than 60 seconds.",
            "EXECUTION TIMED OUT because",
        ),
        ("ok  \tferry/tide\t1s\n\nCommand aborted", "Command aborted"),
    ],
)
def test_a_check_that_was_stopped_neither_passed_nor_failed(said: str, told: str) -> None:
    lines = list_open(*ran("go test ./...", said, True))
    assert lines[0].endswith("open: 1 check that did not finish")
    assert lines[1].startswith(f"test, did not finish: go test ./... — said: {told}")
    ledger = read(*ran("go test ./...", said, True))
    back = read_back({"next": render_ledger(ledger)["next"]}).commands[0]
    assert (back.ok, back.stopped, back.text) == (None, True, "go test ./...")
    passed = ran("go test ./...", "ok  \tferry\t1s")
    assert merge(ledger, read(*passed)).commands[-1].ok is True
    assert list_open(*ran("go test ./...", said, True), *passed)[1:] == []


def test_a_total_that_names_a_failure_counts_also_where_the_rest_was_stopped() -> None:
    assert list_open(*ran("pytest", "2 failed in 1s\nCommand timed out after 9s", True))[1].startswith("test, failed")


@pytest.mark.parametrize("error", [True, False])
def test_the_status_of_a_search_behind_a_pipe_is_not_that_of_the_check(error: bool) -> None:
    said = "Exit code 1\n" if error else ""
    commands = read(*ran("pytest -v tests/test_a.py 2>&1 | grep L060", said, error)).commands
    assert [(one.ok, one.exit) for one in commands] == [(None, None)]


def test_a_runner_names_the_task_before_each_of_its_lines() -> None:
    said = "[lint:go] $ golangci-lint run\n[lint:go] 0 issues.\n[lint:go] Finished in 3.3s"
    assert [(one.ok, one.told) for one in read(*ran("mise run lint 2>&1 | tail", said)).commands] == [
        (True, "0 issues.")
    ]


def test_a_bare_total_gives_way_to_what_says_why() -> None:
    said = "panic: could not listen on port 0: operation not permitted\nFAIL\tferry/tide\t0.4s\nFAIL"
    assert read(*ran("go test ./...", said, True)).commands[0].told.startswith("panic: could not listen")


@pytest.mark.parametrize(("path", "since"), [("patch.txt", ""), ("ferry.py.orig", ""), ("ferry.py", " (edited since)")])
def test_patches_and_copies_beside_the_files_change_nothing_that_checks_look_at(path: str, since: str) -> None:
    lines = list_open(*ran("pytest", "1 failed in 1s", True), *ran(f"cat > {path} << 'X'\na\nX"))
    assert lines[1] == f"test, failed{since}: pytest — said: 1 failed in 1s"


def test_a_place_with_a_message_is_a_finding_where_the_status_is_hidden() -> None:
    said = "[lint] $ golangci-lint run\nferry/tide.go:12:72: not enough arguments in call"
    assert [one.ok for one in read(*ran("mise run lint 2>&1 | head -30", said)).commands] == [False]


def test_of_several_packages_one_that_ran_now_is_quoted() -> None:
    said = "ok  \tshop/cart\t2.1s\nok  \tshop/ads\t(cached)"
    assert [one.told for one in read(*ran("go test ./...", said)).commands] == ["ok shop/cart 2.1s"]


def test_an_error_of_pytest_is_a_failure_where_the_status_is_hidden() -> None:
    said = "E   ModuleNotFoundError: No module named 'rows'"
    assert [one.ok for one in read(*ran("pytest test_rows.py | head -20", said)).commands] == [False]
    assert not read(
        *ran("pytest test_rows.py | head -20", f"ImportError while loading conftest 'a.py'.\n{said}")
    ).commands


def test_the_place_of_a_finding_is_told_rather_than_that_a_task_failed() -> None:
    said = (
        "[lint:go] cart/rows.go:116:2: missing cases in switch of type Kind (exhaustive)\n[lint:go] ERROR task failed"
    )
    [one] = read(*ran("mise run lint", said, True)).commands
    assert one.told == "cart/rows.go:116:2: missing cases in switch of type Kind (exhaustive)"


def test_what_failed_before_everything_was_checked_again_is_not_shown() -> None:
    failed = ran("npm run lint -- src/rows.ts", "Found 3 errors.", True)
    work = (user("Mend the rows."), *failed, *edited("src/rows.ts"))
    passed = ran("npm run check", "Checked 61 files in 2s. No fixes applied.")
    lines = render_ledger(fit_ledger(read(*work, *passed), 4_000, estimate))
    assert not any(line.startswith(("- lint, failed", "- error")) for some in lines.values() for line in some)
    assert "its last call, a check, passed" in lines["next"][0]
    open_ = render_ledger(fit_ledger(read(*work), 4_000, estimate))
    assert any("Found 3 errors" in line for line in open_["next"])


BIOME = "\n> shop@1.0.0 check\n> biome check\n\nsrc/a.ts:1:2 lint/style\nFound 7 errors."


def find_label(command: str, said: str, error: bool = True) -> str:
    ledger = read(*ran(command, said, error))
    return f"{ledger.commands[-1].check}, {ledger.commands[-1].ok}"


@pytest.mark.parametrize(
    ("command", "said", "label"),
    [
        ("npm run check", BIOME, "lint, False"),
        (
            "npm run check",
            "\n> shop@1.0.0 check\n> tsc --noEmit\n\na.ts(1,2): error TS2307: no such module",
            "build, False",
        ),
        ("npm run check", "error: it does not work", "build, False"),
        ("npm run check && npm test", BIOME, "lint, False"),
        ("npm run check && npm test", "Tests  2 failed | 3 passed (5)", "test, False"),
        (
            "mise run test && mise run lint",
            "ok  \tshop/cart\t0.3s\ncart.go:7:1: Error return value is not checked (errcheck)",
            "lint, False",
        ),
        ("npm test && git push", "Tests  3 passed (3)\nerror: failed to push some refs", "test, True"),
        ("make build", "error: no such thing", "build, False"),
    ],
)
def test_a_check_is_told_as_the_kind_that_failed(command: str, said: str, label: str) -> None:
    assert find_label(command, f"Exit code 1\n{said}") == label


def test_a_check_that_only_runs_a_linter_and_passed_is_one() -> None:
    passed = "Exit code: 0\n\n> shop@1.0.0 check\n> biome check\n\nChecked 9 files in 4ms. No fixes applied."
    assert find_label("npm run check", passed, False) == "lint, True"


@pytest.mark.parametrize(
    ("later", "number"),
    [
        (ran("npm run check && npm test", BIOME, True), 1),
        (ran("npm test && npm run check", "Tests  2 failed | 3 passed (5)", True), 2),
        (ran("npm run check -- src/a.ts", BIOME.replace("biome check", "biome check src/a.ts"), True), 2),
    ],
)
def test_a_check_that_failed_again_as_the_first_of_a_chain_is_counted_once(later: Ran, number: int) -> None:
    ledger = read(*ran("npm run check", BIOME.replace("7", "9"), True), *later)
    shown = fit_ledger(ledger, 4_000, estimate)
    assert sum(one.ok is False for one in shown.commands) == number


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "ok  \tshop/cart\t0.3s\n--- FAIL: TestTide\nFAIL\tshop/tide\t0.2s\nFAIL",
            "--- FAIL: TestTide · FAIL shop/tide 0.2s · ok: shop/cart",
        ),
        ("--- FAIL: TestTide\nFAIL\tshop/tide\t0.2s\nFAIL", "--- FAIL: TestTide · FAIL shop/tide 0.2s"),
        (
            "# shop/tide\n./tide.go:9:2: undefined: moon\nFAIL\tshop/tide [build failed]\nFAIL",
            "./tide.go:9:2: undefined: moon",
        ),
        (
            "".join(f"ok  \tshop/p{n}\t0.3s\n" for n in range(5)) + "FAIL\tshop/tide\t0.2s\nFAIL",
            "FAIL shop/tide 0.2s · ok: 5 other packages",
        ),
    ],
)
def test_packages_that_passed_are_told_beside_those_that_failed(said: str, told: str) -> None:
    (command,) = read(*ran("go test ./...", said, True)).commands
    assert command.told == told


def test_a_script_that_ended_well_and_printed_an_error_has_no_known_outcome() -> None:
    for said, ok in (("Exit code: 0\nError: no tide\n", None), ("Exit code: 0\nno tide\n", True)):
        assert read(*ran("python test_tide.py", said)).commands[-1].ok is ok


def test_a_linter_that_few_projects_call_by_name_is_one() -> None:
    failed = ran("npx prettier --check src", "src/a.ts\nFound 2 errors.", True)
    passed = ran("npm run lint", "> prettier --check .\nAll matched files use Prettier code style!")
    assert is_covering("npm run lint", "npx prettier --check src")
    assert list_open(*failed, *passed)[0].endswith("no call edited a file")


def test_a_check_of_which_only_lines_with_errors_are_let_through_has_passed_where_nothing_is_printed() -> None:
    failed = ran("npm run check 2>&1 | tail -9", "a.ts(2,1): error TS2304: Cannot find name 'tide'.")
    for sieve in ('grep "error"', 'grep -E "(error|warning)" | head -9', "grep -i 'fail\\|error' | tail -3"):
        checked = ran(f"npm run check 2>&1 | {sieve}", "(no output)")
        told = render_ledger(read(*failed, *edited("a.ts"), *checked))["discoveries"]
        assert told[0].startswith("- error, resolved: a.ts(2,1)")
    for sieve in ('grep -v "error"', 'grep "error in b"', 'grep -c "error"', "grep tide"):
        checked = ran(f"npm run check 2>&1 | {sieve}", "(no output)")
        assert "error, open" in render_ledger(read(*failed, *edited("a.ts"), *checked))["discoveries"][0]


def test_a_script_that_its_runner_says_has_failed_is_failing() -> None:
    assert "test, failed" in list_open(*ran("npm test 2>&1 | tail -2", "npm error command failed\nnpm error x"))[1]
