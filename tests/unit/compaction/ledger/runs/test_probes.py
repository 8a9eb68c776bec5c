"""Commands whose failure is a finding, and checks that failed for work that is over."""

import json

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import Ledger, build_ledger, render_ledger, settle_states
from secateur.model import Message


def ran(line: str, said: str = "ok", error: bool = False) -> tuple[Message, Message]:
    return assistant(("1", "bash", json.dumps({"command": line}))), result(said, "bash", "1", error)


def read(*messages: Message) -> Ledger:
    return build_ledger(talk(*messages).messages)


def steps(*rounds: tuple[Message, Message]) -> tuple[str, ...]:
    progress = read(user("Look at it."), *(one for some in rounds for one in some)).requests[0].progress
    return progress.steps if progress else ()


@pytest.mark.parametrize(
    ("line", "is_failure"),
    [
        ("go run ./cmd/basket carry --bogus", False),
        ("d=$(mktemp -d) && git -C $d init && git -C $d push nowhere", False),
        ("! make lint", False),
        ("git stash && make lint; git stash pop", False),
        ("git stash pop && make lint", True),
        ("go run ./cmd/basket carry --badge", True),
        ("make lint", True),
    ],
)
def test_a_probe_that_fails_is_told_by_what_it_said(line: str, is_failure: bool) -> None:
    told = steps(ran(line, "Exit code 1\nError: no such thing", True))
    assert any("→ failed" in one for one in told) is is_failure
    assert len(told) == 1
    ledger = read(user("Look at it."), *ran(line, "Exit code 1\nError: no such thing", True))
    assert not [one for one in ledger.commands if one.check and one.ok is False] or is_failure
    assert not [one for one in ledger.standing if one.kind == "failed"]


ON_A, ON_B = ran("git status -sb", "## mend-basket"), ran("git status -sb", "## main")
FAILED = ran("pytest", "1 failed in 1s", True)
REPLY = assistant(text="I looked at it.")


def stands(*messages: Message) -> str:
    return next(one for one in render_ledger(read(*messages))["next"] if one.startswith("- where it stands"))


def test_a_check_that_failed_for_a_closed_request_on_another_branch_is_not_open() -> None:
    first = (user("Review the basket, please."), *ON_A, *FAILED, REPLY)
    second = user("Review the lamp in the other branch.")
    assert "1 failing check" in stands(*first, second, *ON_A, REPLY)
    assert "failing" not in stands(*first, second, *ON_B, REPLY)
    again = ran("pytest", "1 failed in 2s", True)
    assert "1 failing check" in stands(*first, second, *ON_B, *again, REPLY)
    carried = ran("git checkout -b main", "Switched to a new branch 'main'")
    assert "1 failing check" in stands(*first, second, *carried, *ON_B, REPLY)
    assert "1 failing check" in stands(*first, *ON_B, REPLY)
    whole = talk(*first, second, *ON_B, REPLY).messages
    ledger = settle_states(build_ledger(whole[: len(first)]), build_ledger(whole))  # what goes ends with the request
    assert not [one for one in ledger.commands if one.check]


def test_a_check_that_the_machine_forbids_is_not_failing() -> None:
    said = "panic: listen tcp6 [::1]:0: bind: operation not permitted\nFAIL\tbasket/web\t0.1s"
    told = stands(user("Review the basket."), *ran("go test ./web", said, True), REPLY)
    assert told.endswith("; open: 1 check that the machine did not allow")


LINTED = "> basket@1.0.0 check\n> weave check\n\nChecked 5 files in 1s. No fixes applied."
TYPED = "> basket@1.0.0 check\n> weave check && tsc --noEmit\n\nChecked 5 files in 1s. No fixes applied."


@pytest.mark.parametrize(("said", "is_open"), [(LINTED, True), (TYPED, False), ("Checked 5 files in 1s.", False)])
def test_a_task_tells_about_the_checks_that_it_starts(said: str, is_open: bool) -> None:
    failed = ran("npx tsc --noEmit", "src/a.ts(1,2): error TS2339: no such thing", True)
    messages = talk(user("Mend the basket."), *failed, *ran("npm run check", said), REPLY).messages
    told = render_ledger(settle_states(build_ledger(messages), build_ledger(messages)))["next"][0]
    assert ("1 failing check" in told) is is_open
