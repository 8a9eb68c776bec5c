"""Requests, plans, questions, commands, errors, pending calls, the repository."""

import json

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import Command, Ledger, Pending, build_ledger
from secateur.model import Message


def read(*messages: Message) -> Ledger:
    return build_ledger(talk(*messages).messages)


def ran(command: str, said: str = "", error: bool = False, id: str = "1") -> tuple[Message, Message]:
    return assistant((id, "bash", json.dumps({"command": command}))), result(said, "bash", id, error)


def planned(*items: tuple[str, str]) -> tuple[Message, Message]:
    todos = [{"content": text, "status": status} for text, status in items]
    return assistant(("p", "TodoWrite", json.dumps({"todos": todos}))), result("ok", "TodoWrite", "p")


def test_a_request_is_done_when_the_agent_ends_its_turn() -> None:
    ledger = read(user("Do a."), *ran("make x"), assistant(text="Done."), user("Do b."), *ran("make y"))
    assert [(one.text, one.state) for one in ledger.requests] == [("Do a.", "done"), ("Do b.", "open")]


def test_a_question_leaves_the_request_open_until_it_is_answered() -> None:
    asked = [user("Do a."), assistant(text="I looked at it.\n\nShall I drop the table?")]
    ledger = read(*asked)
    assert [one.state for one in ledger.requests] == ["open"]
    assert [one.text for one in ledger.questions] == ["Shall I drop the table?"]
    ledger = read(*asked, user("Yes."), assistant(text="Dropped."))
    assert [one.state for one in ledger.requests] == ["done", "done"]
    assert ledger.questions == ()


@pytest.mark.parametrize("words", ["Stop, do b.", "never mind", "Thôi, dừng lại.", "算了", "Cancela eso."])
def test_a_request_that_is_taken_back_is_superseded(words: str) -> None:
    ledger = read(user("Do a."), *ran("make x"), user(words), assistant(text="Ok."))
    assert [one.state for one in ledger.requests] == ["superseded", "done"]


def test_a_tool_that_asks_and_waits_is_an_open_question() -> None:
    ledger = read(user("Go."), assistant(("q", "ask", json.dumps({"questions": [{"question": "Which port?"}]}))))
    assert [one.text for one in ledger.questions] == ["Which port?"]


def test_the_newest_plan_counts() -> None:
    ledger = read(
        user("Go."),
        *planned(("a", "completed"), ("b", "in_progress"), ("c", "pending")),
        *planned(("b", "completed"), ("d", "pending")),
    )
    assert {one.text: one.state for one in ledger.tasks} == {"a": "done", "b": "done", "c": "superseded", "d": "open"}


def test_plans_are_read_in_the_shapes_of_other_hosts() -> None:
    steps = {"plan": [{"step": "s", "status": "completed"}, {"step": "t", "status": "pending"}]}
    ledger = read(user(), assistant(("1", "update_plan", json.dumps(steps))), result("ok", "update_plan", "1"))
    assert [(one.text, one.state) for one in ledger.tasks] == [("s", "done"), ("t", "open")]
    text = {"todos": "- [x] first\n- [ ] second"}
    ledger = read(user(), assistant(("1", "todo", json.dumps(text))), result("ok", "todo", "1"))
    assert [(one.text, one.state) for one in ledger.tasks] == [("first", "done"), ("second", "open")]


def test_tasks_made_and_changed_one_by_one() -> None:
    ledger = read(
        user(),
        assistant(("1", "TaskCreate", '{"subject": "write docs"}')),
        result("Task #7 created", "TaskCreate", "1"),
        assistant(("2", "TaskUpdate", '{"taskId": "7", "status": "completed"}')),
        result("ok", "TaskUpdate", "2"),
    )
    assert [(one.text, one.state, one.id) for one in ledger.tasks] == [("write docs", "done", "7")]


@pytest.mark.parametrize(
    ("said", "error", "exit_"),
    [
        ("Exit code 2\nboom", True, 2),
        ("Chunk ID: 1\nProcess exited with code 3\nOutput:\nx", False, 3),
        ("<returncode>4</returncode>\n<output>x</output>", False, 4),
        ('{"output": "x", "metadata": {"exit_code": 5}}', False, 5),
        ("x\n[The command completed with exit code 6.]", False, 6),
        ("x\n\nCommand exited with code 7", True, 7),
        ("<returncode>0</returncode>", False, 0),
        ("no word of it", False, None),
    ],
)
def test_exit_statuses_are_read_where_hosts_state_them(said: str, error: bool, exit_: int | None) -> None:
    (one,) = read(user(), *ran("make it", said, error)).commands
    assert (one.exit, one.ok) == (exit_, not exit_)


def test_commands_that_only_look_are_left_out_and_others_told_once() -> None:
    ledger = read(
        user(),
        *ran("ls -la && git status"),
        *ran("npm install x"),
        *ran("git push", "x", id="2"),
        *ran("npm install x"),
    )
    assert [one.text for one in ledger.commands] == ["git push", "npm install x"]


def test_the_last_status_of_a_check() -> None:
    ledger = read(
        user(),
        *ran("pytest -q 2>&1 | tail -5", "FAILED tests/test_a.py::test_x\n1 failed, 3 passed"),
        *ran("pytest -q 2>&1 | tail -20", "4 passed in 0.1s"),
        *ran("npm run build", "error TS2307: no module"),
    )
    assert [(one.check, one.ok, one.told) for one in ledger.commands] == [
        ("test", True, "4 passed in 0.1s"),
        ("build", False, "error TS2307: no module"),
    ]


def test_an_error_is_resolved_when_the_same_thing_succeeds() -> None:
    fails = ran("go test ./...", "--- FAIL: TestA\n--- FAIL: TestB\nFAIL", error=False)
    half = ran("go test ./... -v", "--- FAIL: TestB\nFAIL")
    states = {one.line: one.resolved for one in read(user(), *fails, *half).failures}
    assert states == {"--- FAIL: TestA": True, "--- FAIL: TestB": False}
    states = {one.line: one.resolved for one in read(user(), *fails, *half, *ran("go test ./...", "ok")).failures}
    assert states == {"--- FAIL: TestA": True, "--- FAIL: TestB": True}


def test_the_line_that_says_what_went_wrong() -> None:
    trace = 'Exit code 1\nTraceback (most recent call last):\n  File "a.py", line 1\nValueError: bad port 70000\n'
    (one,) = read(user(), *ran("python a.py", trace, error=True)).failures
    assert (one.line, one.during, one.resolved) == ("ValueError: bad port 70000", "python a.py", False)


def test_a_search_without_a_hit_is_no_error() -> None:
    assert read(user(), *ran("grep needle a.py", "Process exited with code 1")).failures == ()


def test_calls_without_a_result_are_pending() -> None:
    messages = talk(user(), assistant(("1", "bash", '{"command": "sleep 100 &"}'), ("2", "task", "{}"))).messages
    bash, task = messages[1].parts
    assert build_ledger(messages).pending == (
        Pending("bash", "sleep 100 &", bash.key, "1"),
        Pending("task", "", task.key, "2"),
    )


def test_ids_that_repeat_or_are_empty_pair_within_their_round() -> None:
    one = assistant(("", "bash", '{"command": "make a"}'), ("", "bash", '{"command": "make b"}'))
    ledger = read(user(), one, result("Exit code 1", "bash", "", True), result("fine"))
    assert [(run.text, run.ok) for run in ledger.commands] == [("make a", False), ("make b", True)]
    ledger = read(user(), *ran("make a", "Exit code 1", True), *ran("make b", "fine"))
    assert [(run.text, run.ok) for run in ledger.commands] == [("make a", False), ("make b", True)]


def test_the_branch_and_the_commits_as_git_prints_them() -> None:
    ledger = read(
        user(),
        *ran("git checkout -b topic", "Switched to a new branch 'topic'"),
        *ran("git commit -m x", "[topic 1234abc] Say what it does\n 1 file changed"),
        *ran("cat notes.txt", "On branch evil"),
    )
    assert (ledger.branch, ledger.commits) == ("topic", ("[topic 1234abc] Say what it does",))


def test_names_that_the_user_used_and_not_those_that_only_the_agent_used() -> None:
    ledger = read(
        user("See issue #4711 at https://example.org/a/b."),
        *ran("git show 1f2e3d4c", "Author: x\n9999abcd"),
        assistant(text="Commit 1f2e3d4c broke it."),
    )
    assert ledger.identifiers == ("#4711", "https://example.org/a/b")


@pytest.mark.parametrize(
    ("then", "is_gone"),
    [
        ((), False),
        (ran("git commit --amend --no-edit", "[main 2b3c4d5] Sum up the cart"), True),
        (ran("git commit -m More", "[main 2b3c4d5] More"), False),
        (ran("git rebase main", "Successfully rebased and updated refs/heads/topic."), True),
        (ran("git rebase main", "fatal: no rebase in progress"), False),
        ((assistant(text="So `1a2b3c4` is gone."),), True),
    ],
)
def test_a_commit_that_was_replaced_is_no_name(then: tuple[Message, ...], is_gone: bool) -> None:
    said = user("Then look at 1a2b3c4 and at job-4711-a.")
    ledger = read(user("Go."), *ran("git commit -m Sum", "[main 1a2b3c4] Sum up the cart"), said, *then)
    assert ledger.identifiers == (("job-4711-a",) if is_gone else ("1a2b3c4", "job-4711-a"))


def test_coordinates_and_ranges_are_no_names() -> None:
    drawn = "Use <path d='M4.8l-1.2-1.2M18.5 16.2c-1.1'/> at 1.2-2.3 since 2026-12-09T00 for ticket OPS-4471."
    assert read(user(drawn)).identifiers == ("OPS-4471",)


def test_pictures_and_round_amounts_are_no_names() -> None:
    said = "Look at https://example.org/a/row-12.png?x=1 and at the 20K-row table of OPS-4471."
    assert read(user(said)).identifiers == ("OPS-4471",)


@pytest.mark.parametrize(
    ("says", "names"),
    [
        ("started job-1f2e3d-7\nrow 1\nrow 2", ("job-1f2e3d-7",)),
        ("Successfully created deployment dep-90aa41c2", ("dep-90aa41c2",)),
        ("* Listening on http://127.0.0.1:8443/app", ("http://127.0.0.1:8443/app",)),
        ("Build ID: bld-77ac01fe", ("bld-77ac01fe",)),
        ("job-1f2e3d-7 is one of 40 that were started", ()),
        ("row 1f2e3d4c5b of the table", ()),
    ],
)
def test_what_a_command_says_it_has_started_keeps_its_name(says: str, names: tuple[str, ...]) -> None:
    assert read(user("Go."), *ran("./submit.sh", says)).identifiers == names


def test_of_a_long_output_the_ends_are_searched_and_the_newest_names_are_kept() -> None:
    far = ("row\n" * 4_000).join(f"started job-{name}\n" for name in ("aaaa11-1", "bbbb22-2", "cccc33-3"))
    assert read(user("Go."), *ran("./submit.sh", far)).identifiers == ("job-aaaa11-1", "job-cccc33-3")
    many = [one for n in range(60) for one in ran("./submit.sh", f"started job-{n:04x}aa-1")]
    assert read(user("Go."), *many).identifiers == tuple(f"job-{n:04x}aa-1" for n in range(36, 60))


@pytest.mark.parametrize(
    ("line", "ok"),
    [
        ("go vet ./... 2>&1", True),
        ("go vet ./... >/dev/null", True),
        ("make lint 2>&1 | head", None),
        ("make lint 2>&1; echo done", None),
        ("go vet ./... 2>&1 | head", True),  # it prints nothing unless it finds something
        ("npx tsc --noEmit 2>&1 | tail -5", True),
    ],
)
def test_only_another_programs_status_hides_that_of_a_check(line: str, ok: bool | None) -> None:
    assert [one.ok for one in read(user("Go."), *ran(line)).commands] == [ok]


def test_secrets_are_redacted_wherever_they_stand() -> None:
    secret = "ghp_" + "a1B2" * 9
    ledger = read(
        user(f"Never print {secret}."),
        *ran(f"export TOKEN={secret} && make", f"Exit code 1\nError: bad token {secret}", True),
        *planned((f"use {secret}", "pending")),
        assistant(("w", "write", json.dumps({"path": f"out/{secret}.txt", "content": ""}))),
        result("ok", "write", "w"),
        assistant(text=f"Should I keep {secret}?"),
    )
    assert all((ledger.failures, ledger.files, ledger.questions))
    assert secret not in repr(ledger)


def test_one_command() -> None:
    messages = talk(user(), *ran("make it", "fine")).messages
    assert build_ledger(messages).commands == (Command("make it", key=messages[2].parts[0].key),)
