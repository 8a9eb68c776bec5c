"""Claims of the agent's last words that calls refute."""

import json

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import build_ledger, merge, read_back, render_ledger
from secateur.model import Message

Round = tuple[Message, Message]
FIX = user("Mend the lamp in the hall.")


def ran(command: str, said: str = "ok", error: bool = False) -> Round:
    return assistant(("1", "bash", json.dumps({"command": command}))), result(said, "bash", "1", error)


def edited(path: str) -> Round:
    given = json.dumps({"path": path, "old_str": "a = 1", "new_str": "a = 2"})
    return assistant(("2", "str_replace", given)), result("The file was edited.", "str_replace", "2")


def wrote(path: str) -> Round:
    given = json.dumps({"path": path, "content": "a = 1"})
    return assistant(("3", "write", given)), result("written", "write", "3")


def refuted(*rounds: Round, said: str, before: tuple[Message, ...] = ()) -> list[str]:
    calls = (one for pair in rounds for one in pair)
    ledger = build_ledger(talk(*before, FIX, *calls, assistant(text=said)).messages)
    return [one.text for one in ledger.standing if one.kind == "refuted"]


LAMP = edited("src/lamp.py")
FAILED, PASSED = ran("pytest -q", "1 failed in 1s", True), ran("pytest -q", "1 passed in 1s")
COMMIT = ran("git commit -am x", "[main 1234abc] x")
ALL_PASS = "The lamp is mended. All tests pass."


@pytest.mark.parametrize(
    ("rounds", "said", "told"),
    [
        ([LAMP, FAILED], ALL_PASS, ["“All tests pass.” — the last test run failed: pytest -q"]),
        ([LAMP, FAILED, ran("ls")], ALL_PASS, ["“All tests pass.” — the last test run failed: pytest -q"]),
        ([LAMP, FAILED, PASSED], ALL_PASS, []),
        ([LAMP, FAILED, ran("./try_lamp.sh", "Exit code: 0\non")], ALL_PASS, []),
        ([LAMP, FAILED], "All tests pass except that of the bell.", []),
        ([LAMP, FAILED], "All tests should pass now.", []),
        ([LAMP], ALL_PASS, ["“All tests pass.” — no call ran a test"]),
        ([LAMP, ran("make hall")], ALL_PASS, []),  # it may have tested
        ([LAMP], "I killed the workers.", ["“I killed the workers.” — no call stopped anything"]),
        ([LAMP, ran("pkill -f worker")], "I killed the workers.", []),
        ([LAMP], "I've opened a pull request.", ["“I've opened a pull request.” — no call opened one"]),
        ([LAMP, ran("gh pr create --fill")], "I've opened a pull request.", []),
        ([LAMP], "I have published it.", ["“I have published it.” — no call published anything"]),
        (
            [wrote("test_lamp.py")],
            "The issue is resolved.",
            ["“The issue is resolved.” — no call changed a file that was there before"],
        ),
        ([wrote("src/lamp.py")], "The issue is resolved.", []),
        ([LAMP], "The issue is resolved.", []),
        ([], "The issue was resolved in version 2, as the changelog says.", []),
        (
            [LAMP, ran("git checkout -- src/lamp.py")],
            "- I fixed the lamp.",
            ["“I fixed the lamp.” — every change was taken back"],
        ),
        ([LAMP, COMMIT], "Committed and pushed.", ["“Committed and pushed.” — no call pushed anything"]),
        ([LAMP, COMMIT, ran("git push", "1..2  main -> main")], "Committed and pushed.", []),
        ([LAMP, COMMIT], "It is not pushed.", []),
        ([LAMP], "It is committed.", ["“It is committed.” — no call made a commit"]),
        ([LAMP, COMMIT], "It is committed.", []),
    ],
)
def test_a_claim_that_calls_refute_is_told_with_what_they_show(rounds: list[Round], said: str, told: list[str]) -> None:
    assert refuted(*rounds, said=said) == told


def test_a_deed_that_no_call_followed_the_request_for_is_told_as_that() -> None:
    def told(*later: Message) -> list[str]:
        messages = (FIX, *LAMP, assistant(text="It is on."), user("Now dim it."), *later)
        return [one.text for one in build_ledger(talk(*messages).messages).standing if one.kind == "refuted"]

    said = assistant(text="I've updated the lamp, it is dim now.")
    assert told(said) == ["“I've updated the lamp, it is dim now.” — no call was made since the user's last message"]
    assert told(*edited("src/lamp.py"), said) == []
    assert told(assistant(text="I've updated it earlier, as you saw.")) == []
    assert told(assistant(text="I will update the lamp.")) == []


def test_what_other_agents_may_have_done_is_not_refuted() -> None:
    helper = (assistant(("4", "Task", '{"prompt": "Commit it."}')), result("done", "Task", "4"))
    assert refuted(LAMP, helper, said="It is committed.") == []


def test_names_of_the_example_before_the_task_are_told() -> None:
    example = (
        user("Mend the SumField.", "harness"),
        Message("assistant", (), assistant(("0", "edit", "SumField._add_up")).parts, "harness"),
    )
    said = "The `SumField` adds up as `_add_up` wants, and `hall_lamp` shines."
    told = ["SumField, _add_up — only the example before the task has them"]
    assert refuted(ran("cat hall_lamp.py"), said=said, before=example) == told
    assert refuted(ran("grep -r SumField"), said=said, before=example) == [
        "_add_up — only the example before the task has it"
    ]
    assert refuted(ran("cat hall_lamp.py"), said=said) == []


def test_it_stands_behind_the_last_words_and_is_read_back() -> None:
    calls = (*LAMP, *FAILED)
    ledger = build_ledger(talk(FIX, *calls, assistant(text=ALL_PASS)).messages)
    lines = render_ledger(ledger)
    at = lines["next"].index(f"- the agent said last: {ALL_PASS}")
    assert lines["next"][at + 1] == "- not borne out: “All tests pass.” — the last test run failed: pytest -q"
    assert render_ledger(read_back(lines)) == lines
    asked = build_ledger(talk(FIX, *calls, assistant(text=ALL_PASS), user("Really?")).messages)
    assert not any(line.startswith("- not borne out") for line in render_ledger(asked)["next"])
    later = merge(ledger, build_ledger(talk(*PASSED, assistant(text="It shines.")).messages))
    assert not any(one.kind == "refuted" for one in later.standing)


def test_what_no_call_checked_stands_behind_the_verdict() -> None:
    lines = render_ledger(build_ledger(talk(FIX, *LAMP, assistant(text="It shines.")).messages))["next"]
    assert lines[1] == "- not verified: no test, build or linter is known to have passed since src/lamp.py was changed"
    assert lines[2] == "- the agent said last: It shines."
