"""Calls that failed by a slip are not told once the same was done well."""

import json

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import Ledger, UserRequest, build_ledger
from secateur.compaction.ledger.brevity import shorten_courses
from secateur.compaction.ledger.entries import Progress, Ticket
from secateur.compaction.ledger.turns.hiccups import find_mended, is_slip, name_head
from secateur.model import Message


def ran(command: str, said: str = "", error: bool = False) -> tuple[Message, Message]:
    return assistant(("1", "bash", json.dumps({"command": command}))), result(said, "bash", "1", error)


def list_steps(*messages: Message) -> tuple[str, ...]:
    (request,) = build_ledger(talk(user("Mend the cart."), *messages).messages).requests
    return request.progress.steps if request.progress else ()


@pytest.mark.parametrize(
    ("error", "is_run", "expected"),
    [
        ("zsh:1: command not found: cart", True, True),
        ("error: unknown flag: --jsn", True, True),
        ("usage: cart [-h] FILE", True, True),
        ("File does not exist.", False, True),
        ("Error: ENOENT: no such file or directory, open 'cart.json'", True, False),
        ("AssertionError: 3 != 4", True, False),
    ],
)
def test_a_slip_is_an_error_of_the_call_and_not_of_the_work(error: str, is_run: bool, expected: bool) -> None:
    assert is_slip(error, is_run) is expected


def test_commands_begin_alike_by_their_program_and_what_it_is_asked_to_do() -> None:
    assert name_head("CART=1 gh --json api repos/a") == "gh api"
    failed = [("gh api repos/b", "404"), ("gh pr view", "404"), ("pytest tests", "2 failed")]
    assert list(find_mended("gh api repos/a", False, failed)) == ["gh api repos/b"]
    assert list(find_mended("pytest tests -q", True, [("pytest tests/unit", "2 failed")])) == []


def test_a_command_that_failed_and_was_made_well_is_told_once() -> None:
    steps = list_steps(
        *ran("cart push --to stor", "Error: no such store: stor", True), *ran("cart push --to store", "pushed")
    )
    assert not any("failed" in step for step in steps)
    assert any(step.startswith("cart push --to store → ok") for step in steps)


def test_a_command_that_failed_last_is_told() -> None:
    steps = list_steps(
        *ran("cart push --to store", "pushed"), *ran("cart push --to stor", "Error: no such store", True)
    )
    assert any("cart push --to stor → failed" in step for step in steps)


def test_an_edit_of_a_wrong_path_is_not_told_once_the_file_was_changed() -> None:
    def edited(path: str, error: str = "") -> tuple[Message, Message]:
        given = json.dumps({"file_path": path, "old_string": "a", "new_string": "b"})
        return assistant(("e", "Edit", given)), result(error or "ok", "Edit", "e", bool(error))

    assert list_steps(*edited("/v/src/cart.py", "File does not exist."), *edited("/w/src/cart.py")) == (
        "changed cart.py",
    )


def test_commands_that_leave_the_machine_and_differ_in_an_id_are_one_step() -> None:
    calls = [
        call
        for id in ("2780867561", "2780867590", "2780873089")
        for call in ran(f"gh api repos/a/cart/comments/{id}/replies -f body=Done", "{}")
    ]
    assert list_steps(*calls) == ("gh api repos/a/cart/comments/…/replies -f body=Done → ok, 3 such calls",)
    assert list_steps(*calls[:2]) == ("gh api repos/a/cart/comments/2780867561/replies -f body=Done → ok",)


def test_looking_for_a_commit_is_no_step() -> None:
    assert not any("merge-base" in step for step in list_steps(*ran("git merge-base HEAD origin/main", "1a2b3c4d")))


def test_what_only_keeps_the_tracker_is_no_step_beside_the_ticket() -> None:
    steps = ("bd update cart-1 --claim && bd show cart-1 → ok", "changed cart.py", "bd close cart-2 → failed: no such")
    done = UserRequest("Mend the cart.", "done", "a", progress=Progress(steps, "It is mended."))
    ledger = Ledger(requests=(done,), tickets=(Ticket("cart-1", "Mend it"),))
    assert shorten_courses(ledger)[0].progress == Progress(steps[1:], "It is mended.")
    assert shorten_courses(Ledger(requests=(done,)))[0].progress == Progress(steps, "It is mended.")


def test_what_was_read_is_told_only_where_nothing_else_is() -> None:
    def shorten(*steps: str, reply: str = "") -> Progress | None:
        one = UserRequest("What is it?", "done", "a", progress=Progress(steps, reply))
        return shorten_courses(Ledger(requests=(one,)))[0].progress

    assert shorten("read cart.py", reply="A cart.") == Progress((), "A cart.")
    assert shorten("read cart.py") == Progress(("read cart.py",))


def test_a_plan_that_is_a_document_lists_no_tasks_without_boxes() -> None:
    def plan(text: str) -> list[str]:
        call = assistant(("p", "exit_plan_mode", json.dumps({"plan": text})))
        ledger = build_ledger(talk(user("Plan it."), call, result("ok", "exit_plan_mode", "p")).messages)
        return [one.text for one in ledger.tasks]

    assert plan("# Plan\n\n- The cart is old\n- [ ] Mend the cart") == ["Mend the cart"]
    assert plan("- Mend the cart\n- Test it") == ["Mend the cart", "Test it"]


def test_a_trial_that_lacked_what_was_installed_since_is_not_told() -> None:
    tried = ran("python -c 'import yaml'", "ModuleNotFoundError: No module named 'yaml'", True)
    assert any("No module named" in step for step in list_steps(*tried))
    installed = ran("pip install pyyaml -q", "Successfully installed")
    assert not any("No module named" in step for step in list_steps(*tried, *installed))


def test_a_check_that_did_not_start_is_told_with_what_it_lacked() -> None:
    said = "collecting ...\nERROR: file or directory not found: test/rows_test.py\n\nno tests ran in 0.00s"
    [step] = list_steps(*ran("pytest test/rows_test.py", said, True))
    assert step.startswith("pytest test/rows_test.py → failed: ")
    assert "file or directory not found" in step
