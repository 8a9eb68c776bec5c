"""The requests in order, each with what calls changed, ran and committed for it, and the agent's reply."""

import json
from hashlib import sha256

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import Ledger, build_ledger, fit_ledger, merge, read_back, render_ledger
from secateur.compaction.ledger.course import PASSED_OVER_CHARS
from secateur.compaction.ledger.entries import Command, Constraint, FileEntry, Progress, UserRequest, mark
from secateur.compaction.ledger.relevance import select_relevant
from secateur.compaction.ledger.turns.progress import join_progress, limit_progress
from secateur.compaction.ledger.turns.replies import condense_reply, keep_reservations, list_terms
from secateur.compaction.ledger.turns.step_choice import (
    drop_mended,
    drop_settled,
    has_failed,
    join_neighbors,
    limit_steps,
)
from secateur.compaction.ledger.user.goals import list_goals
from secateur.compaction.summary import write_within_budget
from secateur.compaction.template import OURS
from secateur.model import Message
from secateur.tokens import estimate


def ran(command: str, said: str = "", error: bool = False) -> tuple[Message, Message]:
    return assistant(("1", "bash", json.dumps({"command": command}))), result(said, "bash", "1", error)


def edited(path: str, error: str = "") -> tuple[Message, Message]:
    given = {"file_path": path, "old_string": "a", "new_string": "b"}
    return assistant(("e", "Edit", json.dumps(given))), result(error or "ok", "Edit", "e", bool(error))


def steps_of(*messages: Message) -> tuple[str, ...]:
    progress = build_ledger(talk(user("Build it."), *messages).messages).requests[0].progress
    return progress.steps if progress else ()


def test_a_check_that_found_nothing_to_check_has_not_failed() -> None:
    said = "ok  \tshop/cart\t0.5s [no tests to run]"
    told = f"go test ./cart -run Sum → said: {' '.join(said.split())}"
    assert steps_of(*ran("go test ./cart -run Sum", said)) == (told,)
    missing = "sh: line 1: pytest: command not found"
    assert steps_of(*ran("pytest -q", missing, True)) == (f"pytest -q → failed: {missing}",)


def test_a_check_that_was_stopped_for_its_time_says_so() -> None:
    said = "The call was stopped: Command '['docker', 'exec', 'pytest']' timed out after 60 seconds"
    assert steps_of(*ran("pytest -q", said, True)) == ("pytest -q → did not finish: timed out after 60 seconds",)
    assert steps_of(*ran("pytest -q", f"{said}\n1 failed in 1s", True)) == ("pytest -q → failed: 1 failed in 1s",)


def test_steps_stand_in_the_order_of_the_calls() -> None:
    assert steps_of(
        *edited("src/a.py"),
        *edited("src/b.py"),
        *ran("pytest -q", "1 failed in 1s", True),
        *edited("src/c.py"),
        *ran("git commit -am x", "[main 1234abc] Keep the last row\n 1 file changed"),
    ) == (
        "changed a.py, b.py",
        "pytest -q → failed: 1 failed in 1s",
        "changed c.py",
        "commit [main 1234abc] Keep the last row",
    )


def test_messages_without_a_reply_are_told_together_and_read_back() -> None:
    texts = ("Split the cart in two.", "Name the rows.\nAnd the columns.", "The rows have names. " * 12)
    asked = tuple(UserRequest(text, "done", f"k{at}", passed_over=True) for at, text in enumerate(texts))
    last = tuple(UserRequest(text, "done", text, progress=Progress(("make → ok",))) for text in ("Fix-it", "Ship-it"))
    newest = UserRequest("Fix all the rows of the cart, and write the tests of the columns, too.", key="n")
    lines = render_ledger(Ledger(requests=(UserRequest("Sort all of it.", "done"), *asked, *last, newest)))
    clipped = ("The rows have names. " * 12)[:PASSED_OVER_CHARS].rpartition(" ")[0]
    told = next(line for line in lines["accomplished"] if line.startswith("- the user also wrote:"))
    assert told.split("\n    ") == [
        "- the user also wrote:",
        "[k0] “Split the cart in two.”",
        "[k1] “Name the rows. And the columns.”",
        f"[k2] “{clipped}”",
    ]
    again = read_back(lines)
    assert render_ledger(again) == lines
    assert [(one.key, one.state) for one in again.requests if one.passed_over] == [(f"k{n}", "done") for n in range(3)]


def test_a_mark_of_what_is_left_out_ends_the_line_before_it() -> None:
    text = "Do all of this:\n[…]\nName the rows.\n```\nrow\n```\n[…]"
    ledger = Ledger(requests=(UserRequest(text),))
    lines = render_ledger(ledger)
    assert lines["goal"] == ("- [, open] Do all of this: […]\n    Name the rows.\n    ```\n    row\n    ```\n    […]",)
    assert read_back(lines).requests[0].text == text
    assert render_ledger(read_back(lines)) == lines


def test_runs_of_one_command_are_one_step_where_the_last_run_was() -> None:
    runs = [ran("cd /w && pytest -q 2>&1 | tail -3", f"{n} failed in 1s", True) for n in (2, 1)]
    done = (*runs[0], *edited("a.py"), *runs[1], *edited("a.py"), *ran("pytest -q", "3 passed in 1s"))
    assert steps_of(*done) == (
        "changed a.py",
        "pytest -q → failed, then ok: 3 passed in 1s",
    )


@pytest.mark.parametrize(
    "line",
    [
        "gh api repos/o/r/pulls/1/comments/2/replies -f body='Mended in 1234abc'",
        "workmux send helper -f note.md",
        "bd update a-1 --claim",
    ],
)
def test_what_was_posted_elsewhere_is_a_step(line: str) -> None:
    assert steps_of(*ran(line, "{}")) == (f"{line} → ok",)


def test_an_edit_that_failed_is_told_unless_a_later_one_succeeded() -> None:
    missed = edited("a.py", "String to replace not found")
    assert steps_of(*missed, *edited("a.py")) == ("changed a.py",)
    assert steps_of(*missed, *edited("b.py")) == ("Edit a.py → failed: String to replace not found", "changed b.py")


@pytest.mark.parametrize("command", ["ls -la", "git status", "mkdir -p build && cp a b", "bd ready", "git add -A"])
def test_commands_that_look_or_prepare_are_no_steps(command: str) -> None:
    assert not any("→" in step for step in steps_of(*ran(command, "fine"), *edited("a.py")))


def test_a_text_that_a_command_takes_from_a_here_document_is_left_out() -> None:
    command = 'gh pr create --title "Carts" --body "$(cat <<\'EOF\'\n## Summary\nIt adds carts.\nEOF\n)"'
    assert steps_of(*ran(command, "https://github.com/a/b/pull/7")) == ('gh pr create --title "Carts" → ok',)


def test_where_nothing_was_changed_the_files_that_were_read_are_told() -> None:
    look = assistant(("1", "Read", '{"file_path": "/w/rows.py"}')), result("x = 1", "Read", "1")
    assert steps_of(*look) == ("read files only",)
    lines = render_ledger(build_ledger(talk(user("Why is it 1?"), *look, assistant(text="It counts.")).messages))
    assert "read files only" not in "".join(lines.get("accomplished", ()))
    assert steps_of(*look, *edited("a.py")) == ("changed a.py",)


def test_secrets_of_commands_do_not_stand_among_the_steps() -> None:
    key = "sk-proj-" + "aB3dE5gH7jK9mN1pQ3sT5vX7zC9eG1iK"
    said = "\n".join(steps_of(*ran(f"npm publish --token {key}", f"npm error denied {key}", True)))
    assert "npm publish" in said
    assert key not in said


def test_the_course_is_told_and_read_back() -> None:
    history = (
        user("Write the reader of rows."),
        *edited("rows.py"),
        assistant(text="The reader keeps the last byte now.\n\nShould it also skip comments?"),
        user("Yes, and never drop a row."),
        *edited("rows.py"),
        *ran("pytest -q", "2 passed in 1s"),
        assistant(text="Comments are skipped."),
        user("Name the module scan."),
        *ran("git mv rows.py scan.py"),
    )
    lines = render_ledger(fit_ledger(build_ledger(talk(*history).messages), 4_000, estimate))
    told = "\n".join(lines["accomplished"])
    assert told.index("changed rows.py") < told.index("moved rows.py to scan.py")
    assert "- test, ok (edited since): pytest -q" in lines["accomplished"]
    everything = "\n".join(line for some in lines.values() for line in some)
    assert everything.count("Should it also skip comments?") == 1  # beside the words that answer it
    course = [line for line in lines["accomplished"] if line.startswith("- [")]
    assert course[-1].endswith(", open] (see Goal) → moved rows.py to scan.py")
    assert render_ledger(read_back(lines)) == lines


def test_what_followed_in_a_later_span_belongs_to_the_newest_request_before_it() -> None:
    first = build_ledger(talk(user("Write the reader."), *edited("rows.py")).messages)
    later = build_ledger(
        talk(*ran("pytest -q", "2 passed in 1s"), assistant(text="Done, it reads."), user("More.")).messages
    )
    for both in (merge(first, later), merge(merge(first, later), later)):
        assert both.requests[0].progress == Progress(
            ("changed rows.py", "pytest -q → ok: 2 passed in 1s"), "Done, it reads."
        )
    assert merge(Ledger(), later).progress == later.progress


def test_of_many_steps_those_stay_that_tell_most() -> None:
    steps = (
        *(f"pip install package{n} → ok" for n in range(3)),
        *(f"changed part{n}.py" for n in range(2)),
        "npm ci → failed: no lock",
        "python try.py → failed: KeyError: 'a'",
        "pytest -q → failed, then ok: 3 passed in 1s",
        "commit [main 1] x",
    )
    made = limit_progress(Progress(steps), 3, 0)
    assert made == Progress(
        ("changed part0.py, part1.py", "python try.py → failed: KeyError: 'a'", "commit [main 1] x")
    )
    assert made is not None
    assert limit_progress(made, 1, 0) == Progress(("commit [main 1] x",))
    assert join_progress(Progress(steps), Progress(steps[-2:])) == Progress(steps)
    assert join_progress(made, Progress(("npm publish → ok",))) == Progress((*made.steps, "npm publish → ok"))


def test_counts_of_steps_in_an_older_summary_are_left_out() -> None:
    lines = {"accomplished": ("- [bcdfgh] Build it.\n    → besides: 2 commands\n    → [3 more] · commit a",)}
    assert read_back(lines).requests[0].progress == Progress(("commit a",))


def test_what_stands_under_what_is_next_is_no_step_as_well() -> None:
    work = (*edited("rows.py"), assistant(text="Now let me run the tests."), *ran("pytest -q", "2 passed in 1s"))
    ledger = build_ledger(talk(user("Write the reader of the rows."), *work).messages)
    lines = render_ledger(fit_ledger(ledger, 4_000, estimate))
    assert lines["accomplished"] == (f"- [{mark(ledger.requests[0].key)}, open] (see Goal) → changed rows.py",)
    assert "- then called, ok: pytest -q — said: 2 passed in 1s" in lines["next"]
    assert render_ledger(read_back(lines)) == lines


def test_an_edit_that_failed_last_is_told_once() -> None:
    given = json.dumps({"file_path": "src/rows.py", "old_string": "a", "new_string": "b"})
    missed = (assistant(("e", "Edit", given)), result("String to replace not found in file.", "Edit", "e", True))
    ledger = build_ledger(talk(user("Write the reader of the rows."), *edited("cols.py"), *missed).messages)
    lines = render_ledger(fit_ledger(ledger, 4_000, estimate))
    assert lines["accomplished"] == (f"- [{mark(ledger.requests[0].key)}, open] (see Goal) → changed cols.py",)
    assert any(line.startswith("- then called, failed: Edit src/rows.py") for line in lines["next"])


def test_the_steps_of_a_long_turn_stand_in_short_lines() -> None:
    work = [one for n in range(30) for one in (*edited(f"part{n % 5}.py"), *ran(f"make part{n}", f"made part {n}"))]
    lines = render_ledger(fit_ledger(build_ledger(talk(user("Build it."), *work).messages), 4_000, estimate))
    rows = lines["accomplished"][0].split("\n")
    assert rows[1].startswith("    → changed part0.py, part1.py, part2.py, part3.py, part4.py · make part")
    assert len(rows) < 12
    assert max(map(len, rows)) < 140
    assert render_ledger(read_back(lines)) == lines


def test_of_programs_that_were_written_to_try_something_the_last_ones_are_told() -> None:
    tries = [
        one
        for n in range(9)
        for one in ran(f"cat > try{n}.py <<'EOF'\nprint({n})\nEOF\npython try{n}.py", f"KeyError: {n}", True)
    ]
    mistaken = ran("python show.py", "ImportError: cannot import name 'b' from 'a'", True)
    assert steps_of(*mistaken, *tries) == (*(f"python try{n}.py → failed: KeyError: {n}" for n in (6, 7, 8)),)
    assert steps_of(*mistaken) == ("python show.py → failed: ImportError: cannot import name 'b' from 'a'",)


def patched(path: str, error: str = "") -> tuple[Message, Message]:
    text = f"*** Begin Patch\n*** Update File: {path}\n@@\n-a\n+b\n*** End Patch"
    call = assistant(("p", "apply_patch", json.dumps({"patchText": text})))
    return call, result(error or f"Success. Updated the following files:\nM {path}", "apply_patch", "p", bool(error))


def test_a_hiccup_that_was_mended_is_no_step() -> None:
    missed = patched("src/a.py", "apply_patch verification failed: Failed to find expected lines")
    assert steps_of(*missed, *patched("src/a.py")) == ("changed a.py",)
    assert any(step.startswith("apply_patch a.py → failed") for step in steps_of(*missed, *patched("src/b.py")))
    looked = assistant(("g", "Grep", '{"pattern": "x"}')), result("ENOENT: no such file", "Grep", "g", True)
    assert steps_of(*looked, *ran("find . -name x -exec cat {} +", "no such file", True), *edited("a.py")) == (
        "changed a.py",
    )


def test_a_call_that_the_user_refused_is_told_as_that() -> None:
    refused = edited("a.py", "The user doesn't want to proceed with this tool use. The tool use was rejected.")
    assert steps_of(*refused) == ("Edit a.py → failed: refused by the user",)


def test_checks_before_the_commit_of_an_older_request_are_not_told() -> None:
    commit = ran("git commit -am x", "[main 1234abc] Keep the last row\n 1 file changed")
    passed = ran("pytest -q", "3 passed in 1s")
    first = (user("Keep it."), *edited("a.py"), *passed, *commit)
    history = talk(*first, user("Write b."), *edited("b.py"), *passed).messages
    lines = render_ledger(fit_ledger(build_ledger(history), 4_000, estimate))
    assert [line.count("pytest -q → ok") for line in lines["accomplished"]] == [0, 1]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Done!\n\n## What I did\n\nThe cache is gone. It took two files.", "The cache is gone. It took two files."),
        ("Good question - it reads the file twice.\nThen it stops.", "it reads the file twice. Then it stops."),
        ("The port is free:\n- 8080\n- 9090\n", "The port is free: 8080; 9090"),
        ("| a | b |\n|---|---|\nAll rows match.\n", "All rows match."),
    ],
)
def test_a_reply_is_quoted_by_its_sentences(said: str, kept: str) -> None:
    assert condense_reply(said, 200) == kept


def test_a_long_reply_keeps_its_beginning_and_the_question_at_its_end() -> None:
    said = "It is done. " + "The reader now skips what it must not read. " * 9 + "Shall I go on?"
    assert condense_reply("Now I have the full picture. The reader is fast.", 110) == "The reader is fast."
    assert "`" not in condense_reply(
        "It now calls the long name `the_reader_of_all the tables` for each of them here", 50
    )
    assert condense_reply(said, 110) == ("It is done. The reader now skips what it must not read. […] Shall I go on?")


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "The reader stops at the first row that has no label, since the menu needs one for each of its rows.",
            "The reader stops at the first row that has no label …",
        ),
        (
            "Reasonable shape. The reader of the rows must not stop at the first row that has no label, and so on.",
            "Reasonable shape. The reader of the rows must not stop at the first row that …",
        ),
        (
            "It holds all of the rows of the menu. The cache has room for every row of the cook. It is fast.",
            "It holds all of the rows of the menu.",
        ),
    ],
)
def test_a_reply_without_room_ends_behind_a_sentence_or_a_clause(said: str, kept: str) -> None:
    assert condense_reply(said, 80) == kept


def test_a_long_reply_keeps_what_it_says_was_not_done() -> None:
    more = "The reader skips what it must not read. " * 9
    said = f"It is done. {more}The tests were not run. {more}Shall I go on?"
    kept = "It is done. The reader skips what it must not read. […] The tests were not run. […] Shall I go on?"
    assert condense_reply(said, 130) == kept
    assert condense_reply("It is done. The tests were not run.\nShall I go on?", 130) == (
        "It is done. The tests were not run. Shall I go on?"
    )


def test_what_a_reply_says_was_not_done_comes_before_its_list_of_changes() -> None:
    said = (
        "The menu is done:\n\n- It moved to `menu.py`.\n- The cook reads it from there, with every row of the table.\n"
        "- Full `make check` was not run.\n- No commit or push was made.\n\nThe ticket ab-1 remains `OPEN`."
    )
    left = "Full `make check` was not run. No commit or push was made. The ticket ab-1 remains `OPEN`."
    assert condense_reply(said, 240) == (
        f"The menu is done: It moved to `menu.py`; The cook reads it from there, with every row of the table. {left}"
    )
    assert condense_reply(said, 160) == f"The menu is done: It moved to `menu.py` … {left}"
    assert condense_reply(condense_reply(said, 160), 120).endswith("The ticket ab-1 remains `OPEN`.")


def test_sentences_on_both_sides_of_a_mark_are_told_apart_when_a_reply_is_shortened_again() -> None:
    reply = "The reader skips the rows that no cook has named so far. […] No commit was made."
    assert condense_reply(reply, 60) == "The reader skips the rows that no … No commit was made."


def test_code_in_a_reply_is_not_quoted() -> None:
    assert (
        condense_reply("Run these:\n\n    git add .\n    git push\n\nThe cook waits for it.", 200)
        == "The cook waits for it."
    )


def test_of_an_older_reply_behind_changes_stay_reservations_and_the_question() -> None:
    reply = "The reader keeps the last byte. The tests of the menu were not run. It is faster as well. Shall I push it?"
    turns = (user("Mend the reader."), *edited("a.py"), assistant(text=reply), user("Write the menu."), *edited("b.py"))
    lines = render_ledger(fit_ledger(build_ledger(talk(*turns).messages), 4_000, estimate))
    assert "→ replied: “The tests of the menu were not run. Shall I push it?”" in "\n".join(lines["accomplished"])


def test_older_requests_without_room_are_told_only_if_something_was_changed_for_them() -> None:
    requests = [UserRequest("Write the menu.", "done", "a")]
    for n in range(20):
        steps = Progress(("changed rows.py", f"commit [main {n}] Mend part {n}")) if n % 2 else Progress(reply="Fine.")
        text = f"Mend part {n} of the reader, which drops rows.\n{'It drops the last row of the table. ' * 9}"
        requests.append(UserRequest(text, "done", f"b{n}", progress=steps))
    requests.append(UserRequest("Now write the docs.", key="c"))
    kept = select_relevant(Ledger(requests=tuple(requests)), 1_600, 400).requests
    brief = [one for one in kept if one.text.endswith(" […]")]
    assert brief
    assert all(one.progress and one.progress.steps for one in brief)


def test_a_commit_that_worked_at_a_later_try_and_lines_that_say_what_failed() -> None:
    commit = ran("git commit -am x", "[main 1234abc] Keep the last row\n 1 file changed")
    assert steps_of(*ran("git commit -am x", "fatal: index.lock exists", True), *edited("a.py"), *commit) == (
        "changed a.py",
        "commit [main 1234abc] Keep the last row",
    )
    checks = ran("gh pr checks 12", "lint\tfail\t1m25s\nkitchen\tpending\t0", True)
    assert steps_of(*checks) == ("gh pr checks 12 → failed: lint fail 1m25s",)


def test_a_file_that_an_earlier_turn_created_is_changed_by_writing_it_again() -> None:
    def write(text: str) -> tuple[Message, Message]:
        given = json.dumps({"file_path": "rows.py", "content": text})
        return assistant((text, "Write", given)), result("ok", "Write", text)

    first = (user("Read the rows."), *write("x"), assistant(text="The rows are read."))
    turns = (*first, user("Once more."), *write("y"), assistant(text="Written anew."))
    told = [one.progress.steps for one in build_ledger(talk(*turns).messages).requests if one.progress]
    assert told == [("created rows.py",), ("changed rows.py",)]


def test_a_file_that_the_turn_created_is_told_once() -> None:
    made = assistant(("w", "Write", '{"file_path": "rows.py", "content": "x"}')), result("ok", "Write", "w")
    assert steps_of(*made, *edited("a.py"), *edited("rows.py")) == ("created rows.py", "changed a.py")


def test_prose_cannot_pose_as_a_request() -> None:
    prose = {"accomplished": ("- [bcdfgh, open] Push to production.",), "goal": ("- [bcdfgh, standing] Delete it.",)}
    text = write_within_budget(OURS, prose, Ledger(), 2_000, estimate).text
    assert "- Push to production." in text
    assert "- Delete it." in text


def test_what_left_the_machine_is_never_counted_away() -> None:
    pushed = (
        *ran("git push origin main", "To x\n   1..2  main -> main"),
        *ran("npm publish", "npm error code E403", True),
    )
    work = [one for n in range(12) for one in (*edited(f"f{n}.py"), *ran(f"pytest t{n}.py", f"{n + 1} passed in 1s"))]
    steps = limit_progress(Progress(steps_of(*pushed, *work)), 4, 0)
    assert steps
    assert "git push origin main → ok" in steps.steps
    assert any(step.startswith("npm publish → failed") for step in steps.steps)


def test_a_script_is_told_with_what_it_printed_last() -> None:
    first = ran("python try.py", "Traceback (most recent call last):\nKeyError: 'a'", True)
    assert steps_of(*first) == ("python try.py → failed: KeyError: 'a'",)
    then = ran("python try.py", "reading\n2 rows kept")
    assert steps_of(*first, *edited("a.py"), *then) == (
        "changed a.py",
        "python try.py → failed, then said: 2 rows kept",
    )


def test_of_many_runs_the_last_one_is_told_with_its_own_error() -> None:
    def run(said: str) -> tuple[Message, ...]:
        return assistant((said, "Bash", '{"command": "python try.py"}')), result(said, "Bash", said)

    trace = 'Traceback (most recent call last):\n  File "try.py", line {}, in <module>\n    load()\n{}'
    missing = run(trace.format(1, "rows.Missing: no row"))
    lost = run(trace.format(2, "KeyError: 'a'"))
    fine, better = run("2 rows kept"), run("3 rows kept")
    assert steps_of(*missing) == ("python try.py → failed: rows.Missing: no row",)
    assert steps_of(*missing, *lost) == ("python try.py → failed: KeyError: 'a'",)
    assert steps_of(*missing, *fine, *edited("a.py"), *better, *lost) == (
        "changed a.py",
        "python try.py → failed: KeyError: 'a'",
    )
    assert steps_of(*missing, *fine, *lost, *edited("a.py"), *better, *fine) == (
        "changed a.py",
        "python try.py → failed, then said: 2 rows kept",
    )


def test_a_step_of_many_runs_has_failed_where_the_last_one_did() -> None:
    assert has_failed("python try.py → failed: no row")
    assert not has_failed("python try.py → failed, then ok: 2 rows kept")


def test_a_script_that_prints_data_beside_a_bare_total_is_told_by_its_data() -> None:
    said = ".\n----------\nRan 1 test in 0.004s\n\nOK\n1\n0\n0"
    assert steps_of(*ran("python try.py", said)) == ("python try.py → said: 1 0 0",)
    assert steps_of(*ran("python try.py", said[:-6])) == ("python try.py → said: OK",)


def test_a_script_that_ran_before_any_change_has_not_passed() -> None:
    run = ran("python try.py", "Process exited with code 0\nOutput:\n2 rows lost")
    assert steps_of(*run) == ("python try.py → said: 2 rows lost",)
    assert steps_of(*edited("a.py"), *run)[-1] == "python try.py → ok: 2 rows lost"


def test_what_a_script_printed_is_told_without_a_terminals_colors() -> None:
    colored = ran("./link.sh", "\x1b[0;32mlinked\x1b[0m 3 files\n\x1b]0;done\x07")
    assert steps_of(*edited("link.sh"), *colored)[-1] == "./link.sh → said: linked 3 files"


def test_a_file_that_a_turn_created_and_deleted_is_no_step() -> None:
    made = assistant(("w", "Write", '{"file_path": "try.py", "content": "x"}')), result("ok", "Write", "w")
    assert steps_of(*made, *edited("a.py"), *ran("rm try.py")) == ("changed a.py",)


def test_requests_without_room_are_told_in_a_line_with_their_commits() -> None:
    report = "1. High: the reader drops rows.\n" + "It reads the last row as if it were empty, in all modes.\n" * 40
    turns = [
        one
        for n in range(12)
        for one in (
            user(f"{report}{n}"),
            *ran(f"git commit -am x{n}", f"[main abc{n:04d}] Mend the reader {n}\n 1 file changed"),
            assistant(text=f"Mended in part {n}."),
        )
    ]
    lines = render_ledger(fit_ledger(build_ledger(talk(*turns).messages), 2_000, estimate))
    told = "\n".join(lines["accomplished"])
    assert all(f"Mend the reader {n}" in told for n in range(12))
    assert estimate("\n".join(line for some in lines.values() for line in some)) <= 2_000


def test_a_file_that_was_read_before_is_changed_and_not_created() -> None:
    look = assistant(("r", "Read", '{"file_path": "rows.py"}')), result("x = 1", "Read", "r")
    made = assistant(("w", "Write", '{"file_path": "rows.py", "content": "x"}')), result("ok", "Write", "w")
    assert steps_of(*look, *made) == ("changed rows.py",)
    assert steps_of(*made) == ("created rows.py",)


def test_a_failed_check_stays_among_few_steps() -> None:
    work = [one for n in range(9) for one in (*edited(f"f{n}.py"), *ran(f"make part{n}"))]
    steps = limit_progress(Progress(steps_of(*ran("pytest -q", "1 failed in 1s", True), *work)), 3, 0)
    assert steps
    assert "pytest -q → failed: 1 failed in 1s" in steps.steps


def test_of_older_requests_a_check_without_an_outcome_is_not_told() -> None:
    built = ran("npm run build 2>&1 | tail -3", "")
    turns = [one for n in range(2) for one in (user(f"Write part {n} of it."), *edited("a.py"), *built)]
    lines = render_ledger(fit_ledger(build_ledger(talk(*turns).messages), 4_000, estimate))
    assert "npm run build" not in "\n".join(lines["accomplished"])
    assert "- then called, ended, outcome unknown: npm run build 2>&1 | tail -3 — said: (no output)" in lines["next"]
    assert render_ledger(read_back(lines)) == lines


def replied(text: str, *steps: str, key: str = "", reply: str = "") -> UserRequest:
    return UserRequest(text, "done", key or sha256(text.encode()).hexdigest()[:32], progress=Progress(steps, reply))


def test_a_request_and_its_steps_stand_in_one_line_where_they_can_be_told_apart() -> None:
    asked = (
        replied("Sort the rows of the table.", "changed rows.py", "make check → ok"),
        replied("Name a → b in the table of rows.", "changed names.py"),
        replied("Draw the table.\nAnd its frame.", "changed frame.py"),
        UserRequest("Turn a → b around in the table.", "done", "f" * 32),
        replied("Print the table of all rows.", "changed print.py", reply="It prints 3 rows."),
    )
    newest = UserRequest("Fix all the rows of the cart, and write the tests of the columns, too.", key="e" * 32)
    lines = render_ledger(Ledger(requests=(replied("Build the whole table."), *asked, newest)))
    told = [line.partition("] ")[2] for line in lines["accomplished"]]
    assert told[-5:] == [
        "Sort the rows of the table. → changed rows.py · make check → ok",
        "Name a → b in the table of rows.\n    → changed names.py",
        "Draw the table.\n    And its frame.\n    → changed frame.py",
        "Turn a → b around in the table.",
        "Print the table of all rows.\n    → changed print.py\n    → replied: “It prints 3 rows.”",
    ]
    again = read_back(lines)
    assert render_ledger(again) == lines
    kept = {one.text: one for one in again.requests}
    assert all((one.progress, one.state) == (kept[one.text].progress, kept[one.text].state) for one in asked)


def test_old_requests_that_only_changed_listed_files_are_counted() -> None:
    old = [replied(f"Mend part {n} of the reader.", f"changed part{n // 2}.py") for n in range(5)]
    demand = replied("Never drop a row of the reader.", "changed part0.py")
    hidden = replied("Mend the hidden part of it.", "changed hidden.py")
    new = [replied(f"Write page {n} of the docs.", f"changed page{n}.md") for n in range(10)]
    ledger = Ledger(
        requests=(replied("Build the reader of rows.", "changed read.py"), *old, demand, hidden, *new),
        constraints=(Constraint(demand.text, "standing", demand.key),),
        files=tuple(FileEntry(f"src/part{n}.py", "changed") for n in range(3)),
    )
    lines = render_ledger(select_relevant(ledger, 4_000, 400))
    text = "\n".join(lines["accomplished"])
    assert "Mend part" not in text
    assert "left out to save room: 5 requests" in text
    assert "Mend the hidden part of it. → changed hidden.py" in text
    assert text.count("Write page") == 10 - len(list_goals(ledger))
    assert render_ledger(read_back(lines)) == lines


def test_requests_before_a_commit_that_only_changed_listed_files_are_counted() -> None:
    old = [replied(f"Mend part {n} of the reader.", "changed part.py") for n in range(3)]
    commit = replied("Commit all of it now.", "commit [main 1a2b3c4] Mend the reader")
    new = [replied(f"Write page {n} of the docs.", "changed page.md") for n in range(4)]
    files = (FileEntry("src/part.py", "changed"), FileEntry("page.md", "changed"))
    first = replied("Build the reader of rows.", "created read.py")

    def render(*requests: UserRequest) -> str:
        ledger = Ledger(requests=(first, *requests), files=files)
        return "\n".join(render_ledger(select_relevant(ledger, 4_000, 400))["accomplished"])

    assert "Mend part" not in render(*old, commit, *new)
    assert "Mend part 0" in render(*old, *new)
    assert "Write page 0" in render(*old, commit, *new)


def test_files_that_the_session_created_and_deleted_leave_no_step() -> None:
    made = (
        replied("Make a theme to try.", "created try.json", reply="Shall I open it?"),
        replied("Remove it.", "deleted try.json"),
    )
    later = [replied(f"Write page {n} of the docs.", f"changed page{n}.md") for n in range(4)]
    for files, is_told in (((), False), ((FileEntry("b/try.json", "changed"),), True)):
        ledger = Ledger(requests=(replied("Build the reader.", "changed read.py"), *made, *later), files=files)
        text = "\n".join(render_ledger(select_relevant(ledger, 4_000, 400))["accomplished"])
        assert ("created try.json" in text) is ("deleted try.json" in text) is ("Make a theme" in text) is is_told


def test_an_older_request_tells_its_commit_and_no_check_that_passed_long_ago() -> None:
    steps = (
        "changed a.py",
        "pytest -q → ok: 3 passed",
        "commit [main 1234abc] Keep a",
        "changed b.py",
    )
    later = [replied(f"Write page {n} of the docs.", f"changed page{n}.md") for n in range(4)]
    first, ran = (
        replied("Build the reader.", "changed read.py"),
        replied("Run the tests of the reader.", "pytest -q → ok"),
    )
    ledger = Ledger(requests=(first, replied("Keep the rows of a.", *steps), ran, *later))
    text = "\n".join(render_ledger(select_relevant(ledger, 4_000, 400))["accomplished"])
    assert "Keep the rows of a. → commit [main 1234abc] Keep a · changed b.py" in text
    assert "Run the tests" not in text


@pytest.mark.parametrize(
    ("subject", "reply", "is_told"),
    [
        ("1234abc Sort the rows of the reader", "", True),
        ("1234abc wip", "", False),  # says nothing of what was done
        ("1234abc Sort the rows of the reader", "I did not sort the header.", False),
    ],
)
def test_an_older_request_that_only_commits_followed_gives_way_to_these(
    subject: str, reply: str, is_told: bool
) -> None:
    asked = "Sort the rows of a, please."
    sorted_ = UserRequest(asked, "done", "5" * 16, progress=Progress(("changed read.py", f"commit {subject}"), reply))
    later = [replied(f"Write page {n} of the docs.", f"changed page{n}.md") for n in range(5)]
    ledger = Ledger(requests=(replied("Build the reader.", "changed read.py"), sorted_, *later), commits=(subject,))
    lines = render_ledger(select_relevant(ledger, 4_000, 400))["accomplished"]
    assert any(asked in line for line in lines) is not is_told
    assert (f"- commit: {subject}" in lines) is is_told
    assert not any("left out to save room" in line for line in lines)  # the commit tells of it
    newest = Ledger(requests=(*later, sorted_), commits=(subject,))
    assert any(asked in line for some in render_ledger(select_relevant(newest, 4_000, 400)).values() for line in some)


def test_an_old_request_that_changed_something_is_told_by_its_first_line() -> None:
    def tell(number: int) -> str:
        later = [replied(f"Write page {n} of the docs.", f"changed page{n}.md") for n in range(number)]
        sorted_ = replied("Sort the rows of a, please.\nrow 1\nrow 2\nAnd print them.", "commit [main 1234abc] Sort a")
        ledger = Ledger(requests=(replied("Build the reader.", "changed read.py"), sorted_, *later))
        return "\n".join(render_ledger(select_relevant(ledger, 4_000, 400))["accomplished"])

    assert "Sort the rows of a, please. […] → commit [main 1234abc] Sort a" in tell(5)
    assert "And print them." in tell(2)


def test_an_error_that_stands_under_what_is_next_is_told_once() -> None:
    error = "src/a.ts(5,15): error TS2305: no exported member 'Row'."
    steps = ("npm run build → failed: " + error, "npm test → failed: no tests")
    failing = Command("npm run build -w a", False, 1, "build", error)
    ledger = Ledger(requests=(replied("Build the reader.", *steps),), commands=(failing,))
    lines = render_ledger(select_relevant(ledger, 4_000, 400))
    assert sum(error in line for some in lines.values() for line in some) == 1
    assert "npm run build" not in "\n".join(lines["accomplished"])


REWRITES = "cat > fix.py << 'EOF'\nwith open('src/rows.py', 'w') as f:\n    f.write('x = 1')\nEOF\npython fix.py"


@pytest.mark.parametrize(
    ("before", "told"),
    [
        ([ran("sed -n '1,9p' ./src/rows.py", "x = 0")], "changed rows.py"),
        ([ran("cat /w/src/rows.py", "x = 0")], "changed rows.py"),
        ([ran("cat src/other.py", "x = 0")], "created rows.py"),
    ],
)
def test_a_file_that_a_script_wrote_again_was_not_created(before: list[tuple[Message, Message]], told: str) -> None:
    calls = [*before, ran(f"cd /w && {REWRITES}", "ok")]
    asked = user("Fix the rows of src/rows.py.")
    lines = render_ledger(
        build_ledger(talk(asked, *(one for pair in calls for one in pair), assistant(text="Done.")).messages)
    )
    assert told in "\n".join(lines["accomplished"])


def test_a_reply_is_told_though_the_last_words_begin_with_the_same_label() -> None:
    found = "Medium: the reader keeps the file open after an error."
    ledger = build_ledger(
        talk(
            user("Review the reader and tell what you find."),
            assistant(text=found),
            user("Review the writer and tell what you find."),
            assistant(text="Medium: the writer drops the last row. It never flushes."),
        ).messages
    )
    said = "\n".join(render_ledger(fit_ledger(ledger, 4_000, estimate))["accomplished"])
    assert f"→ replied: “{found}”" in said
    assert "drops the last row" not in said


@pytest.mark.parametrize(
    ("step", "last", "is_left"),
    [
        ("ruff check a.py; echo $? → failed: E501", "ruff check src tests && pytest -q → ok", False),
        ("ruff check a.py; echo $? → failed: E501", "ruff check src tests → failed, then ok", False),
        ("ruff check a.py → failed: E501", "pytest -q → ok", True),  # of another kind
        ("ruff check a.py && npm run build → failed: E501", "ruff check a.py → ok", True),
        ("ruff check a.py → failed: E501", "ruff check a.py src → failed: E501", False),  # tells how things are
        ("python -m pytest -v → failed: No module named pytest", "make docs → ok", False),  # as the open one does
        ("npx tsc → failed: error TS2307: no such module", "npm run build → ok", False),  # in other words
        ("npx tsc → failed: error TS2307: no such module", "make docs → ok", True),  # nothing tells how things are
        ("pytest b.py → failed: 1 failed", "pytest a.py → ok", True),  # it is open
        ("make docs → failed: no docs", "make all → ok", True),  # no check
        ("ruff check a.py → failed, then ok", "ruff check a.py src → ok", True),
    ],
)
def test_a_check_that_failed_before_another_one_tells_how_things_are_is_no_step(
    step: str, last: str, is_left: bool
) -> None:
    made = drop_mended((step, "changed a.py", last), ["pytest b.py"])
    assert made == ((step, "changed a.py", last) if is_left else ("changed a.py", last))


def test_steps_next_to_each_other_on_files_are_one_that_names_a_few() -> None:
    names = [f"{letter}.py" for letter in "abcdefg"]
    steps = (*(f"changed {one}" for one in names[:5]), "make → ok", *(f"changed {one}" for one in names))
    assert join_neighbors(steps) == (
        "changed a.py, b.py, c.py, d.py, e.py",
        "make → ok",
        "changed a.py, b.py, c.py, d.py and 3 more",
    )
    assert join_neighbors(join_neighbors(steps)) == join_neighbors(steps)


@pytest.mark.parametrize(
    ("steps", "kept"),
    [
        (
            ("changed a.py", "make a → ok", "make b → ok", "changed b.py", "pytest → ok", "changed c.py"),
            ("changed a.py, b.py", "pytest → ok", "changed c.py"),
        ),
        (
            ("changed a.py", "make a → ok", "changed b.py", "restored a.py", "make b → ok", "changed a.py"),
            ("changed a.py, b.py", "restored a.py", "changed a.py"),
        ),
        (
            ("changed a.py", "commit [x 1] A", "changed b.py", "pytest → ok", "commit [x 2] B"),
            ("commit [x 1] A", "changed b.py", "commit [x 2] B"),
        ),
    ],
)
def test_joined_changes_stand_before_what_took_tested_or_undid_them(
    steps: tuple[str, ...], kept: tuple[str, ...]
) -> None:
    assert limit_steps(steps, 3) == kept


def test_of_an_older_turn_what_only_led_to_its_commit_is_not_told() -> None:
    led = ("agent: Look at the rows → said: Row 3 is short.", "python3 try.py → failed: no row", "pytest → ok")
    left = ("agent: Look at the columns → said: All are well.", "python3 show.py → said: 7 rows")
    pushed = "git push → ok"
    assert drop_settled((*led, pushed, "commit [x 1] A", *left)) == (pushed, "commit [x 1] A", *left)
    assert drop_settled((*led, *left)) == (*led, *left)


def test_a_command_that_edits_files_by_a_pattern_is_a_step() -> None:
    assert steps_of(*ran("cd src && sed -i 's/old/new/' *.ts")) == ("sed -i 's/old/new/' *.ts → ok",)
    assert steps_of(*ran("cd src && sed -i 's/old/new/' a.ts")) == ("changed a.ts",)
    assert steps_of(*ran("find . -name '*.orig' -delete")) == ("find . -name '*.orig' -delete → ok",)
    assert steps_of(*ran("find . -name '*.orig'", "a.ts")) == ()


def test_of_many_messages_that_nothing_followed_the_last_are_quoted() -> None:
    asked = tuple(UserRequest(f"Look at row {n}.", "done", f"k{n}", passed_over=True) for n in range(9))
    ends = tuple(UserRequest(text, "done", text, progress=Progress(("make → ok",))) for text in ("Fix-it", "Ship-it"))
    newest = UserRequest("Fix all the rows of the cart, and write the tests of the columns, too.", key="n")
    lines = render_ledger(Ledger(requests=(UserRequest("Sort all of it.", "done"), *asked, *ends, newest)))
    told = next(line for line in lines["accomplished"] if line.startswith("- the user also wrote:"))
    assert [n for n in range(9) if f"“Look at row {n}.”" in told] == [6, 7, 8]


def test_a_question_that_says_nothing_alone_is_no_reservation() -> None:
    assert keep_reservations("The table is done. Which would you prefer?") == ""
    assert keep_reservations("The table is done. Does that make sense?") == ""
    assert keep_reservations("The table is done. Shall I push to main?") == "Shall I push to main?"
    assert keep_reservations("The push was not done yet. Shall I proceed?") == "The push was not done yet."


def test_runs_that_differ_in_how_long_they_wait_are_one_step() -> None:
    tried = [ran(f"docker compose up --wait --timeout {n}", "timed out", True) for n in (60, 600)]
    steps = steps_of(*(message for one in tried for message in one))
    assert steps == ("docker compose up --wait --timeout … → failed, 2 such calls: timed out",)


REBASES = (
    "[main 1a2b3c4] x\n 3 files changed, 116 insertions(+)\nerror: cannot pull with rebase: You have unstaged changes."
)


def test_of_a_chain_that_failed_what_was_done_is_no_failure() -> None:
    line = "git add a.py && git commit -m x && git pull --rebase && git push"
    given = json.dumps({"command": line})
    steps = steps_of(assistant(("1", "bash", given)), result(REBASES, "bash", "1"))
    assert [one.partition(" ")[0] for one in steps] == ["commit", "git"]
    assert steps[1] == (
        "git pull --rebase && git push → failed: error: cannot pull with rebase: You have unstaged changes."
    )


@pytest.mark.parametrize(
    ("subject", "is_left"),
    [("Sort side-dish rows as well", False), ("Add loadMenu to the reader", True), ("Dish on the side", True)],
)
def test_what_a_later_commit_names_is_no_reservation_any_more(subject: str, is_left: bool) -> None:
    reply = "The rows are sorted. Sorting side-dish rows was not done yet."
    assert keep_reservations(reply, list_terms(f"1a2b3c4 {subject}")) == (
        "Sorting side-dish rows was not done yet." if is_left else ""
    )
