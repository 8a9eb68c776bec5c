"""States on the whole history: what a summary calls open, answered, failing or replaced."""

import json

import pytest
from msgspec.structs import replace

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import (
    Ledger,
    ValueChange,
    build_ledger,
    fit_ledger,
    merge,
    read_back,
    render_ledger,
    settle_states,
)
from secateur.compaction.ledger.coverage import is_covering, is_overtaken
from secateur.compaction.ledger.entries import Command, Question, mark
from secateur.compaction.ledger.files.values import merge_values
from secateur.model import Message
from secateur.tokens import estimate


def ran(command: str, said: str = "", error: bool = False) -> tuple[Message, Message]:
    return assistant(("1", "bash", json.dumps({"command": command}))), result(said, "bash", "1", error)


def edited(path: str, old: str, new: str) -> tuple[Message, Message]:
    given = {"file_path": path, "old_string": old, "new_string": new}
    return assistant(("e", "Edit", json.dumps(given))), result("ok", "Edit", "e")


def settled(messages: list[Message], cut: int) -> Ledger:
    """The ledger of the messages before the cut, as things are at the end."""
    all_ = talk(*messages).messages
    return settle_states(build_ledger(all_[:cut]), build_ledger(all_))


def test_a_request_that_was_answered_behind_the_span_is_answered() -> None:
    history = [user("Make the parser fast."), *ran("make x"), assistant(text="Done."), user("Now write the docs.")]
    ledger = settled(history, 3)
    assert [(one.text, one.state) for one in ledger.requests] == [
        ("Make the parser fast.", "done"),
        ("Now write the docs.", "open"),
    ]
    assert render_ledger(ledger)["next"] == (
        f"- where it stands: the user spoke last and waits for [{mark(history[-1].key)}]",
        "- before that the agent said: Done.",
    )


def test_that_nothing_was_edited_is_said_where_it_is_so() -> None:
    history = [user("Make the parser fast."), *ran("make x"), assistant(text="It is twice as fast.")]
    assert render_ledger(settled(history, 2))["next"] == (
        "- where it stands: the agent ended its turn; the user is next; no call edited a file",
        "- the agent said last: It is twice as fast.",
    )


def test_something_is_open_where_the_agents_last_words_say_so() -> None:
    said = "Fixed and tested. The branch is committed, but the push did not complete."
    last = render_ledger(settled([user("Fix it."), *ran("make x"), assistant(text=said)], 4))["next"]
    assert last == (
        "- where it stands: the agent ended its turn; the user is next; open: what the agent says is not done",
        f"- the agent said last: {said}",
    )


def test_what_is_not_done_stays_when_long_last_words_are_cut() -> None:
    body = "\n".join(
        f"Part {number} of the change does what part {number} of the plan asked for." for number in range(60)
    )
    last = f"All follow-ups are written.\n{body}\nThe work is not committed yet.\n{body}\nThat is all.\n```\ncode\n```"
    history = [user("Write the follow-ups of the plan."), assistant(text=last)]
    _, said = render_ledger(settled(history, 2))["next"]
    assert "    The work is not committed yet. […]\n" in said
    assert said.endswith("That is all.\n        code")


def test_words_that_are_all_code_are_no_last_words() -> None:
    history = [user("Do a."), assistant(text="Done, ready to push."), user("Show it."), assistant(text="```\nx\n```")]
    assert render_ledger(settled(history, 4))["next"] == (
        "- where it stands: the agent ended its turn; the user is next; no call edited a file",
        "- before that the agent said: Done, ready to push.",
    )


def test_an_offer_is_an_answer_and_a_question_is_none() -> None:
    done = settled([user("Fix it."), assistant(text="Fixed.\n\nWould you like me to add a test?")], 1)
    assert [one.state for one in done.requests] == ["done"]
    asks = settled([user("Fix it."), assistant(text="Two ways are possible.\n\nWhich port is right?")], 1)
    assert [one.state for one in asks.requests] == ["open"]
    assert render_ledger(asks)["next"][0] == (
        "- where it stands: the agent asked “Which port is right?” and waits for the answer"
    )
    assert not any(line.startswith("- the user waits for") for line in render_ledger(asks)["next"])
    assert "questions" not in render_ledger(asks)  # the line on where it stands asks it
    assert [one.text for one in read_back(render_ledger(asks)).questions] == ["Which port is right?"]
    two = replace(asks, questions=(Question("Which host?"), *asks.questions))
    assert render_ledger(two)["questions"] == ("- asked the user: Which host?",)
    assert render_ledger(read_back(render_ledger(two))) == render_ledger(two)


def test_what_the_user_urges_on_is_what_is_waited_for() -> None:
    ledger = settled([user("Port the parser to the new grammar."), *ran("make x"), user("continue"), *ran("make y")], 2)
    key = ledger.requests[0].key
    assert render_ledger(ledger)["next"][0].startswith(
        f"- where it stands: the agent is in the middle of its work on [{mark(key)}]"
    )


def test_a_message_that_begins_with_a_wish_to_stop_something_takes_nothing_back() -> None:
    ledger = settled([user("Do a."), *ran("make x"), user("Please stop grouping build and commit."), *ran("make y")], 2)
    assert [one.state for one in ledger.requests] == ["open", "open"]


def test_the_last_verdict_of_each_check() -> None:
    history = [
        user("Go."),
        *ran("pytest tests/a.py", "1 failed, 2 passed in 0.1s", True),
        *ran("npm run lint", "✖ 2 problems (1 error, 1 warning)", True),
        *ran("pytest", "9 passed in 1s"),
    ]
    ledger = settled(history, 5)
    assert [(one.text, one.ok) for one in ledger.commands] == [("npm run lint", False), ("pytest", True)]
    assert "- lint, failed: npm run lint — said: ✖ 2 problems (1 error, 1 warning)" in render_ledger(ledger)["next"]
    states = {one.during: one.resolved for one in ledger.failures}
    assert states.get("pytest tests/a.py", True) is True


def test_a_check_that_goes_on_in_a_session_ends_as_a_later_call_reads() -> None:
    def polled(id: str, text: str) -> tuple[Message, Message]:
        return assistant((id, "write_stdin", '{"session_id": 41, "chars": ""}')), result(text, "write_stdin", id)

    goes_on = "Wall time: 30.0 seconds\nProcess running with session ID 41\nOutput:\ncompiling"
    started = (assistant(("1", "exec_command", '{"cmd": "make build"}')), result(goes_on, "exec_command", "1"))
    still = polled("2", "Process running with session ID 41\nOutput:\nlinking")
    history = [user("Build it."), *started, *still]
    assert [one.ok for one in build_ledger(talk(*history).messages).commands] == [None]
    for code, ok in ((0, True), (2, False)):
        ended = polled("3", f"Process exited with code {code}\nOutput:\nend")
        ledger = build_ledger(talk(*history, *ended).messages)
        assert [(one.text, one.ok, one.exit) for one in ledger.commands] == [("make build", ok, code)]


def test_the_goal_holds_the_newest_task_beside_questions_and_agreement() -> None:
    said = [
        "Move the config module to src.",
        "Then find out why bash calls hang.",
        "can leave it",
        "what was that?",
        "ok",
    ]
    history = [one for text in said for one in (user(text), assistant(text="Done."))]
    goal = "\n".join(render_ledger(settled(history, len(history)))["goal"])
    assert "Move the config module" in goal
    assert "Then find out why bash calls hang." in goal
    assert "can leave it" not in goal


def test_a_later_report_that_was_pasted_is_no_goal() -> None:
    report = "Third pass. " + "The branch filter is ignored for tags here. " * 60
    said = ["Add a flag for all refs.", "Yes, close the two gaps now.", report]
    history = [one for text in said for one in (user(text), assistant(text="Done."))] + [
        user("ok"),
        assistant(text="Ok."),
    ]
    goal = "\n".join(render_ledger(settled(history, len(history)))["goal"])
    assert "Add a flag for all refs." in goal
    assert "Yes, close the two gaps now." in goal


def test_words_of_git_on_standard_error_are_no_error() -> None:
    history = [user(), *ran("git checkout -b x && false", "Exit code 1\nSwitched to a new branch 'x'", True)]
    ledger = settled(history, 3)
    assert ledger.failures == ()
    assert [(one.ok, one.exit) for one in ledger.commands] == [(False, 1)]


def test_a_call_that_the_user_refused_is_no_error() -> None:
    said = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    assert settled([user(), *ran("rm -r x", said, True)], 3).failures == ()


def test_a_call_that_a_host_canceled_without_an_error_did_not_run() -> None:
    ledger = build_ledger(
        talk(user(), *ran("git add a.svg", "[Operation Cancelled] Reason: User denied execution.")).messages
    )
    assert ledger.commands == ()


def test_a_check_that_the_user_refused_did_not_run() -> None:
    said = "The user doesn't want to proceed with this tool use. The user said: don't run the slow tests"
    ledger = settled([user(), *ran("make test", said, True)], 3)
    assert ledger.commands == ()
    assert "nothing is open" not in render_ledger(settled([user(), *ran("make test", "Exit code 2", True)], 3))["next"]


def test_a_run_of_more_tests_by_their_names_tells_about_one() -> None:
    assert is_covering("go test -run TestCart ./...", "go test -run TestCart_Empty ./...")
    assert is_covering("go test -run TestCart ./...", "go test -run TestCart ./...")
    assert not is_covering("go test -run TestCart_Empty ./...", "go test -run TestCart ./...")
    assert not is_covering("go test -run TestCar ./...", "go test -run TestCart ./...")


def test_an_error_that_nobody_tried_again_is_told_as_that() -> None:
    ledger = settled([user(), *ran("python a.py", "Exit code 1\nValueError: x", True)], 3)
    assert "- error, not tried again: ValueError: x — during: python a.py" in render_ledger(ledger)["discoveries"]


def test_an_edit_of_the_same_file_resolves_a_failed_one() -> None:
    call = ("e", "Edit", json.dumps({"file_path": "a.py", "old_string": "x", "new_string": "y"}))
    failed = "<tool_use_error>String to replace not found in file.\nString: x</tool_use_error>"
    ledger = settled([user(), assistant(call), result(failed, "Edit", "e", True), *edited("a.py", "z", "y")], 3)
    assert [(one.line, one.resolved) for one in ledger.failures] == [("String to replace not found in file.", True)]


@pytest.mark.parametrize(
    ("later", "earlier", "line", "does"),
    [
        ("pytest", "pytest tests/a.py", "", True),
        ("pytest tests/b.py", "pytest tests/a.py", "", False),
        ("pytest tests", "python -m pytest tests/a.py -q", "", True),
        ("pytest tests/a.py", "pytest", "FAILED tests/a.py::test_x", True),
        ("go test ./...", "go test -run TestA ./cmd/x", "", True),
        ("go test -run TestA ./...", "go test ./...", "--- FAIL: TestB", False),
        ("go test -run TestA ./...", "go test ./...", "--- FAIL: TestA (0.1s)", True),
        ("cd b && npm test", "cd a && npm test", "", False),
        ("mise run fmt", "mise run test", "", False),
        ("vitest run a.test.tsx", "vitest run a.test.ts", "", True),
        ("ruff check .", "mypy .", "", False),
    ],
)
def test_which_check_tells_about_which(later: str, earlier: str, line: str, does: bool) -> None:
    assert is_covering(later, earlier, line) is does


def test_constants_with_their_old_and_new_values() -> None:
    patch = "*** Begin Patch\n*** Update File: c.toml\n@@\n-retries = 3\n+retries = 5\n*** End Patch"
    ledger = build_ledger(
        talk(
            user(),
            *edited("a.py", "LIMIT = 10\nx = f(1)", "LIMIT = 20\nx = g(1)"),
            *edited("a.py", "LIMIT = 20", "LIMIT = 25  # per call"),
            *edited("c.go", '    return "tags and others"', '    return "the rest"'),
            *edited("b.ts", "  timeoutMs: 100,", "  timeoutMs: 200,"),
            *edited("b.ts", "  timeoutMs: 200,", "  timeoutMs: 100,"),
            assistant(("p", "apply_patch", json.dumps({"patch": patch}))),
            result("Done", "apply_patch", "p"),
        ).messages
    )
    assert [(one.path, one.name, one.old, one.new) for one in ledger.values] == [
        ("a.py", "LIMIT", "10", "25"),
        ("c.toml", "retries", "3", "5"),
    ]
    assert "- value: LIMIT in a.py: 10 → 25" in render_ledger(ledger)["accomplished"]


def test_a_constant_that_the_session_added_has_no_first_value() -> None:
    rounds = (
        *edited("p.json", '  "name": "x"', '  "name": "x",\n  "icon": "a.svg"'),
        *edited("p.json", '  "icon": "a.svg"', '  "icon": "b.png"'),
        *edited("p.json", '  "icon": "b.png"', '  "icon": "c.png"'),
        *edited("a.py", "LIMIT = 1", "LIMIT = 2"),
        *edited("a.py", "LIMIT = 2", "LIMIT = 1"),
    )
    ledger = build_ledger(talk(user(), *rounds).messages)
    lines = render_ledger(ledger)["accomplished"]
    assert [one for one in lines if "value" in one] == ['- value: icon in p.json: added: "c.png"']
    assert read_back({"accomplished": lines}).values == tuple(replace(one, key="") for one in ledger.values)


@pytest.mark.parametrize("keys", [("m1", "m2"), ("", "")])
def test_values_merged_a_second_time_are_the_same(keys: tuple[str, str]) -> None:
    first, second = ValueChange("a.py", "N", "1", "2", keys[0]), ValueChange("a.py", "N", "2", "3", keys[1])
    merged = merge_values((first, second))
    assert [(one.old, one.new) for one in merged] == [("1", "3")]
    assert merge_values((*merged, second)) == merged


def test_places_of_one_name_are_not_taken_for_one_constant() -> None:
    places = (ValueChange("a.py", "N", "1", "2"), ValueChange("a.py", "N", "5", "6"))
    assert merge_values(places) == places


def test_rules_of_the_projects_files_are_kept_as_such_and_are_no_request() -> None:
    rules = "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nNever edit generated files.\n</INSTRUCTIONS>"
    ledger = build_ledger(talk(user(rules, origin="harness"), user("Fix the bug. Do not push.")).messages)
    assert [one.text for one in ledger.requests] == ["Fix the bug. Do not push."]
    assert [(one.text, one.scope) for one in ledger.constraints] == [
        ("Never edit generated files.", "project"),
        ("Do not push.", "request"),
    ]


def test_a_call_that_was_interrupted_is_not_waited_for() -> None:
    history = [user("Go."), assistant(("1", "bash", '{"command": "make"}')), assistant(text="I stopped."), user("Ok.")]
    assert settled(history, 2).pending == ()
    assert [one.tool for one in settled(history[:2], 2).pending] == ["bash"]


def test_a_long_request_keeps_its_ends_where_there_is_little_room() -> None:
    text = f"Begin with the parser. {' '.join(f'More words about {n}.' for n in range(150))} Finish with the docs."
    ledger = fit_ledger(build_ledger(talk(user(text)).messages), 250, estimate)
    assert ledger.requests[0].text.startswith("Begin with the parser.")
    assert ledger.requests[0].text.endswith("Finish with the docs.")
    assert "[…]" in ledger.requests[0].text


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("python -m pytest tests", "/usr/bin/python: No module named pytest"),
        (
            "cd /w && python runtests.py",
            "python: can't open file '/w/runtests.py': [Errno 2] No such file or directory",
        ),
        ("pytest -q", "bash: line 1: pytest: command not found"),
        ("./node_modules/.bin/jest", "sh: 1: ./node_modules/.bin/jest: not found"),
        ("npm test", "> jest\n\nsh: 1: jest: not found\nnpm ERR! code ELIFECYCLE"),
        ("go test ./x -run Z", "testing: warning: no tests to run\nPASS\nok  \tx/y\t0.1s [no tests to run]"),
        ("go test ./...", "?   \tx/y\t[no test files]"),
        ("pytest -k nothing", "collected 0 items\n\n==== no tests ran in 0.01s ===="),
        ("pytest -q -k nothing", "5 deselected in 0.02s"),
        ("python -m unittest", "\nRan 0 tests in 0.000s\n\nOK"),
        ("npx jest x", "No tests found, exiting with code 1"),
        ("cargo test x", "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 3 filtered out"),
    ],
)
@pytest.mark.parametrize("error", [True, False])
def test_a_check_that_did_not_run_is_no_check(line: str, said: str, error: bool) -> None:
    ledger = settled([user(), *ran(line, f"Exit code 1\n{said}" if error else said, error)], 3)
    assert (ledger.commands, ledger.failures) == ((), ())
    earlier = ran(line, "Exit code 1\n==== 1 failed, 3 passed in 0.12s ====", True)
    after = settled([user(), *earlier, *ran(line, said, error)], 5)
    assert [(one.text, one.ok) for one in after.commands] == [(line, False)]


@pytest.mark.parametrize(
    ("line", "said", "ok"),
    [
        ("go test ./...", "?   \tx/a\t[no test files]\nok  \tx/b\t0.1s", True),
        ("go test ./...", "ok  \tx/a\t0.1s [no tests to run]\n--- FAIL: TestB (0.0s)\nFAIL\tx/b\t0.1s", False),
        ("pytest", "collected 0 items / 1 error\n==== 1 error in 0.1s ====", False),
        ("pytest", "E   ModuleNotFoundError: No module named 'yaml'\n==== 1 failed in 0.1s ====", False),
        ("foo; pytest -q", "bash: foo: command not found\n4 passed in 0.1s", True),
        ("cargo test", "test result: ok. 3 passed; 0 failed\ntest result: ok. 0 passed; 0 failed", True),
    ],
)
def test_a_check_that_ran_in_part_is_one(line: str, said: str, ok: bool) -> None:
    assert [one.ok for one in settled([user(), *ran(line, said)], 3).commands] == [ok]


@pytest.mark.parametrize(
    ("line", "ok"),
    [
        ("npm install", True),
        ("cd /w && npm install 2>&1", True),
        ("cd /w; npm install", True),
        ("npm install && echo done", True),
        ("set -o pipefail; npm install | tail -5", True),
        ("cat > a.sh <<'EOF'\nls | head\nEOF\nnpm install", True),
        ("npm install | head -50", None),
        ("npm install; echo done", None),
        ("npm install || true", None),
        ("npm install\nls", None),
        ("npm install | tee log && npm start", None),
    ],
)
def test_behind_a_pipe_or_a_semicolon_nobody_knows_how_a_command_ended(line: str, ok: bool | None) -> None:
    (one,) = settled([user(), *ran(line, "Process exited with code 0\nOutput:\nfine")], 3).commands
    assert (one.ok, one.exit) == (ok, 0 if ok else None)


def test_a_search_without_a_hit_does_not_say_that_the_command_before_it_failed() -> None:
    (one,) = settled([user(), *ran("npm install; grep x log", "Exit code 1", True)], 3).commands
    assert one.ok is None
    (one,) = settled([user(), *ran("npm install; grep x log", "Exit code 2", True)], 3).commands
    assert one.ok is False


def test_an_error_that_a_later_run_does_not_show_again_is_resolved() -> None:
    first = ran("python a.py", "Exit code 1\nValueError: bad port", True)
    for said, is_resolved in (("fine", True), ("ValueError: bad port", False)):
        ledger = settled([user(), *first, *ran("python a.py 2>&1 | head -50", said)], 5)
        assert [one.resolved for one in ledger.failures] == [is_resolved]


@pytest.mark.parametrize(
    ("line", "is_listed"),
    [
        ("mytool --help | head -50", False),
        ("mytool doctor", False),
        ("systemctl status x; echo done", False),
        ("gh pr list --json title | head", False),
        ("printenv | sort", False),
        ("python --version; node --version", False),
        ("mkdir status", True),
        ("mytool list > found.txt", True),
        ("mytool --help; npm install", True),
        ("npm run list", True),
        ("npm install list", True),
    ],
)
def test_commands_that_only_ask_are_left_out(line: str, is_listed: bool) -> None:
    assert bool(settled([user(), *ran(line, "fine")], 3).commands) is is_listed


def test_long_last_words_are_their_beginning_and_their_end_with_a_mark_between() -> None:
    text = "The roses are cut.\n" + "They were red and there were many of them. " * 80 + "\nThe shears are clean."
    words = build_ledger(talk(user("Cut the roses."), assistant(text=text)).messages).last_words
    assert words is not None
    lines = words.text.split("\n")
    assert (lines[0], lines.count("[…]"), lines[-1]) == ("The roses are cut.", 1, "The shears are clean.")


@pytest.mark.parametrize(("second", "is_open"), [("2 passed in 1s", False), ("1 failed in 1s", True)])
def test_a_trial_that_failed_before_an_edit_is_not_open_once_a_later_one_passed(second: str, is_open: bool) -> None:
    def wrote(path: str) -> tuple[Message, Message]:
        given = json.dumps({"path": path, "content": "def test_a():\n    assert cart()\n"})
        return assistant(("w", "write", given)), result("written", "write", "w")

    given = json.dumps({"path": "src/cart.py", "old_str": "a", "new_str": "b"})
    edit = (assistant(("e", "str_replace", given)), result("edited", "str_replace", "e"))
    first = ran("python test_first.py", "KeyError: 'cart'\n1 failed in 1s", True)
    later = ran("python test_later.py", second, not second.startswith("2"))
    history = [user("Fix it."), *wrote("test_first.py"), *first, *edit, *wrote("test_later.py"), *later]
    lines = render_ledger(settled(history, len(history)))
    shown = [
        line
        for line in (*lines["next"], *lines.get("discoveries", ()))
        if line.startswith(("- check", "- test", "- error"))
    ]
    assert ("test_first.py" in "\n".join(shown)) is is_open


NUDGE = "Please continue working on the task on whatever approach you think is suitable."


def test_an_order_of_the_host_to_go_on_is_open_while_nothing_follows_it() -> None:
    history = [user("Fix the parser."), *ran("make x"), assistant(text="It is fixed."), user(NUDGE)]
    shown = render_ledger(settled(history, len(history)))
    assert [line.partition(", ")[2] for line in shown["goal"]] == ["replied to] Fix the parser."]
    assert [line.partition(", ")[2] for line in shown["instructions"]] == [f"open] {NUDGE}"]
    assert shown["next"] == (
        "- where it stands: the host told the agent to go on",
        "- before that the agent said: It is fixed.",
    )
    went_on = [*history, *ran("make y"), assistant(text="It still is.")]
    for cut in (len(history), len(went_on)):
        assert NUDGE not in str(render_ledger(settled(went_on, cut)))
    known, later = build_ledger(talk(*history).messages), build_ledger(talk(*went_on).messages[len(history) :])
    assert NUDGE in str(render_ledger(merge(known, build_ledger(()))))
    assert NUDGE not in str(render_ledger(merge(known, later)))


def test_a_request_that_the_whole_history_has_no_room_for_stays_in_its_place() -> None:
    span = build_ledger(talk(user("Port the parser."), assistant(text="Done."), user("Drop the tabs.")).messages)
    whole = replace(span, requests=span.requests[:1])
    assert [one.text for one in settle_states(span, whole).requests] == ["Port the parser.", "Drop the tabs."]


def test_an_opening_question_is_told() -> None:
    history = [user("should we close the old ticket on the parser?"), assistant(text="Not yet.")]
    history += [one for n in range(5) for one in (user(f"Write part {n} of it."), assistant(text="Done."))]
    lines = render_ledger(fit_ledger(build_ledger(talk(*history).messages), 4_000, estimate))
    assert any("should we close the old ticket" in line for line in lines["accomplished"])


def test_a_file_that_was_read_behind_the_span_is_listed_as_well() -> None:
    reading = assistant(("r", "Read", json.dumps({"file_path": "/w/rows.py"}))), result("a = 1", "Read", "r")
    made = settled([user("Look at the rows."), *ran("ls", "rows.py"), *reading], 3)
    assert [(one.path, one.use) for one in made.files] == [("/w/rows.py", "read")]


EDIT = edited("lamp.py", "on = 0", "on = 1")
COMMIT = ran("git commit -am lamp", "[main 1a2b3c4] lamp\n 1 file changed, 1 insertion(+)")


@pytest.mark.parametrize(
    ("asked", "work", "question", "next_", "state"),
    [
        ("Mend the old lamp.", EDIT, "The lamp is mended. Which room is next?", "Now look at the roof of it.", "done"),
        ("Mend the old lamp.", EDIT, "One half is mended. Which socket is it?", "the left one", "open"),
        ("Mend the old lamp.", (), "Which lamp is it?", "Look at the roof before that.", "open"),
        ("Mend the old lamp.", (), "Which lamp is it?", "the left one", "open"),
        ("commit", (), "It is all there. What do you miss?", "Also, I want a better sign at the door.", "done"),
        ("fix lamps", (), "Which of them?", "the left ones", "open"),
        ("Why does it blink?", (), "The socket is loose. What did you expect?", "the left one", "done"),
        ("Could you mend the lamp?", (), "Which lamp is it?", "the left one", "open"),
        ("¿Puedes arreglar la lámpara?", (), "¿Cuál de ellas es?", "la izquierda", "open"),
    ],
)
def test_what_the_agent_replied_to_with_a_question_is_answered_once_the_user_goes_on_with_something_else(
    asked: str, work: tuple[Message, ...], question: str, next_: str, state: str
) -> None:
    made = build_ledger(talk(user(asked), *work, assistant(text=question), user(next_)).messages)
    assert [one.state for one in made.requests] == [state, "open"]


def test_what_stood_open_before_a_span_is_not_known_to_be_a_mere_question() -> None:
    made = build_ledger(talk(assistant(text="Which lamp is it?"), user("Look at the roof before that.")).messages)
    assert made.before == "open"


@pytest.mark.parametrize(("committed", "is_left"), [(COMMIT, False), ((*COMMIT, *EDIT), True)])
def test_work_that_was_committed_before_the_user_wrote_on_is_not_left_half_done(
    committed: tuple[Message, ...], is_left: bool
) -> None:
    said = [
        user("Mend the old lamp."),
        *EDIT,
        *committed,
        user("Look at the roof."),
        *ran("make x", "Exit code: 0\nok"),
    ]
    stands = render_ledger(build_ledger(talk(*said).messages))["next"][0]
    assert ("open before it" in stands) is is_left


@pytest.mark.parametrize(
    ("said", "at_rest", "at_work"),
    [
        ("The lamp is mended, but not yet committed.", True, True),
        ("I looked for uncommitted changes of the lamp.", True, True),
        ("I'm looking for uncommitted changes of the lamp.", True, False),
        ("Ready to commit or merge.", False, False),
        ("Want to see it, or is it still to do?", False, False),
        ("It blinks because the socket is not finished.", False, False),
        ("1. High: a loose socket is not fixed by this.", False, False),
        ("The lamp is mended.", False, False),
    ],
)
def test_what_the_agent_says_is_not_done_is_a_statement_of_its_own_words(
    said: str, at_rest: bool, at_work: bool
) -> None:
    told = "; open: what the agent says is not done"
    rests = render_ledger(build_ledger(talk(user("Mend the lamp."), *ran("make x"), assistant(text=said)).messages))
    assert (told in rests["next"][0]) is at_rest
    call = assistant(("1", "bash", json.dumps({"command": "make x"})), text=said)
    works = build_ledger(talk(user("Mend the lamp."), call, result("Exit code: 0\nok", "bash", "1")).messages)
    assert (told in render_ledger(works)["next"][0]) is at_work


def test_words_that_announce_more_work_answer_nothing_where_they_end_all() -> None:
    said = [user("Mend the old lamp."), *EDIT, assistant(text="Now the socket. Let me add its spring.")]
    made = build_ledger(talk(*said).messages)
    assert [one.state for one in made.requests] == ["open"]
    lines = render_ledger(made)
    assert ", open] Mend the old lamp." in lines["goal"][0]
    assert "the agent ended its turn; its last words announce more work" in lines["next"][0]
    assert not any(line.startswith("- the user waits for") for line in lines["next"])
    done = build_ledger(talk(*said[:-1], assistant(text="It is mended. Let me know how it shines.")).messages)
    assert [one.state for one in done.requests] == ["done"]


PLANNED = (
    assistant(("p", "TodoWrite", json.dumps({"todos": [{"content": "Mend the socket", "status": "pending"}]}))),
    result("ok", "TodoWrite", "p"),
)


@pytest.mark.parametrize(
    ("later", "is_older"),
    [
        ((), False),
        ((assistant(text="The lamp is mended."), user("Look at the roof.")), False),
        (
            (
                assistant(text="The lamp is mended."),
                user("Look at the roof."),
                assistant(text="It leaks."),
                user("Mend the roof."),
            ),
            True,
        ),
    ],
)
def test_a_plan_that_no_later_work_was_told_in_is_an_older_one(later: tuple[Message, ...], is_older: bool) -> None:
    made = build_ledger(talk(user("Mend the old lamp."), *PLANNED, *later, *ran("make x")).messages)
    lines = render_ledger(made)["next"]
    assert any(line.startswith("- the agent's plan is older than: the reply to [") for line in lines) is is_older
    assert ("1 task of an older plan" in lines[0]) is is_older


def test_a_request_that_the_newest_words_only_answer_is_named_once() -> None:
    asked = assistant(text="Half of it is mended. Is the left socket the right one?")
    said = [user("Mend the old lamp and its socket."), *EDIT, asked, user("yes"), *ran("make x", "Exit code: 0\nok")]
    made = build_ledger(talk(*said).messages)
    assert [one.state for one in made.requests] == ["open", "open"]
    assert "open before it" not in render_ledger(made)["next"][0]


@pytest.mark.parametrize(
    ("earlier", "told", "later", "is_gone"),
    [
        ("go vet ./... | head -9", "vet: menu/row_test.go:3:1: unknown field Dish", "go test -race ./...", True),
        ("go vet ./...", "vet: menu/row_test.go:3:1: unknown field Dish", "go test ./menu", False),
        ("go vet ./...", "menu/row.go:3:1: unreachable code", "go test ./...", False),
        ("go build ./...", "menu/row.go:3:1: undefined: cook", "go test ./...", True),
        ("cargo clippy", "error[E0425]: cannot find value `cook`", "cargo test", True),
        ("cargo clippy", "error: this loop never loops", "cargo test", False),
        ("gofmt -l menu/row.go; go test ./menu -run TestRow", "FAIL", "gofmt -w menu/row.go && go test ./menu", True),
        ("prettier --check menu", "1 file", "prettier -w menu", True),
    ],
)
def test_what_does_not_compile_is_overtaken_by_tests_of_it_that_pass(
    earlier: str, told: str, later: str, is_gone: bool
) -> None:
    failed = Command(earlier, False, 1, "build", told)
    assert is_overtaken(failed, [Command(later, True, 0, "test")]) is is_gone
