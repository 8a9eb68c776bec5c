"""What was called after the agent's last words."""

import json
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import Ledger, Quote, build_ledger, merge, read_back, render_ledger
from secateur.compaction.ledger.quotes import select_quotes
from secateur.model import Message, Part

FOUND = 'Found 1 matches for "def build" in /app.py:'


def called(text: str, command: str, said: str, error: bool = False) -> tuple[Message, Message]:
    return assistant(("1", "bash", json.dumps({"command": command})), text=text), result(said, "bash", "1", error)


def read(*messages: Message) -> Ledger:
    return build_ledger(talk(user("Fix the build."), *messages).messages)


def list_next(*messages: Message) -> tuple[str, ...]:
    return render_ledger(read(*messages)).get("next", ())


@pytest.mark.parametrize(
    ("words", "error", "line"),
    [
        (
            "Let me find where `build` is defined first:",
            False,
            f"then called, ok: ./find build — said: {FOUND}",
        ),
        ("Let me find where `build` is defined first:", True, f"then called, failed: ./find build — said: {FOUND}"),
        ("The method was renamed.", False, f"then called, ok: ./find build — said: {FOUND}"),
    ],
)
def test_an_announcement_is_shown_with_the_call_that_followed_it(words: str, error: bool, line: str) -> None:
    lines = list_next(*called(words, "./find build", FOUND, error))
    assert lines[1:3] == (f"- the agent said last: {words}", f"- {line}")


@pytest.mark.parametrize(
    "above", ["", "Chunk ID: 1a2b3c\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\n", "Exit code: 1\n"]
)
@pytest.mark.parametrize(
    ("said", "quoted"),
    [
        ('Traceback (most recent call last):\n  File "a.py", line 1\nKeyError: "TIDE"\n', 'KeyError: "TIDE"'),
        ("Traceback (most recent call last):\n  not here", "Traceback (most recent call last):"),
        ("the harbour is closed\nthe end", "the harbour is closed"),
    ],
)
def test_what_a_host_writes_above_an_output_is_not_what_it_says(above: str, said: str, quoted: str) -> None:
    lines = list_next(*called("The method was renamed.", "./find build", f"{above}{said}", True))
    assert lines[2].endswith(f": ./find build — said: {quoted}")


@pytest.mark.parametrize("said", ["OK", "Done.", "success"])
def test_a_result_that_says_nothing_beside_its_outcome_is_not_quoted(said: str) -> None:
    lines = list_next(*called("The method was renamed.", "./find build", said))
    assert lines[2].endswith(": ./find build")


def test_a_call_without_a_result_is_pending_and_not_called() -> None:
    lines = list_next(called("Let me run it:", "./run", "")[0])
    assert "- no result yet: bash — ./run" in lines
    assert not any("then called" in line for line in lines)


def test_a_command_that_the_user_ran_is_no_request() -> None:
    record = Message("user", (), (Part("text", (0,), "find ."), Part("text", (1,), "./.git\n./src/a.py")))
    assert len(build_ledger(talk(user("Fix the build."), assistant(text="It is done."), record).messages).requests) == 1
    why = Part("text", (1,), "It is slow on two machines.\nPlease look at the parser first.")
    asked = Message("user", (), (Part("text", (0,), "make it fast"), why))
    assert build_ledger(talk(asked).messages).requests


def test_of_many_calls_the_first_and_the_newest_are_listed() -> None:
    rounds = [called("Let me see:" if not at else "", f"./step {at}", "ok then") for at in range(6)]
    made = read(*(one for pair in rounds for one in pair))
    assert [one.text for one in made.last_calls] == ["./step 0", "./step 4", "./step 5"]


def test_new_words_of_the_agent_or_the_user_begin_anew() -> None:
    first = called("Let me see:", "./step", "ok then")
    assert not read(*first, assistant(text="It is done.")).last_calls
    assert not read(*first, user("Now write the docs.")).last_calls


def test_calls_of_a_later_span_are_added_and_lines_read_back_say_the_same() -> None:
    earlier = read(*called("Let me see:", "./step 1", "ok then"))
    later = build_ledger(talk(*called("", "./step 2", "ok again")).messages)
    both = merge(earlier, later)
    assert [one.text for one in both.last_calls] == ["./step 1", "./step 2"]
    assert merge(both, later).last_calls == both.last_calls
    assert render_ledger(read_back(render_ledger(both))) == render_ledger(both)


def test_files_that_no_call_committed_are_named() -> None:
    given = json.dumps({"file_path": "/w/a.py", "old_string": "a", "new_string": "b"})
    begun = called("", "git status", "On branch main")
    edit = assistant(("e", "Edit", given)), result("ok", "Edit", "e")
    lines = list_next(*begun, *edit, assistant(text="It is fixed."))
    assert any(line.startswith("- not committed: ") and "a.py" in line for line in lines)
    assert lines[0].endswith("; open: unverified changes")  # nobody speaks of commits
    asked = list_next(user("Commit when it works."), *begun, *edit, assistant(text="It is fixed."))
    assert asked[0].endswith("; open: unverified and uncommitted changes")


@pytest.mark.parametrize(
    ("said", "line", "outcome"),
    [
        (
            "cart.py:3: UserWarning: old\n  warn()\nError importing carts: no module named x\n",
            "Error importing carts: no module named x",
            "ended, outcome unknown",
        ),
        (
            "Error importing carts: no such cart\n(Open file: /w/cart.py)\n(Current directory: /w)\nbash-$",
            "Error importing carts: no such cart",
            "ended, outcome unknown",
        ),
        ("Traceback (most recent call last):\n  File \"a.py\"\nKeyError: 'cart'", "KeyError: 'cart'", "failed"),
        ("KeyError: 'cart'\nThe error was caught and the carts are fine", "KeyError: 'cart'", "ok"),
        ("Read 3 carts\nbash: trolley: command not found\n", "bash: trolley: command not found", "failed"),
        ("loading\nbash: ./cart: No such file or directory", "bash: ./cart: No such file or directory", "failed"),
        ("Read 3 carts\nThere were no errors: fine", "Read 3 carts", "ok"),
    ],
)
def test_of_a_result_the_error_is_quoted_and_without_an_exit_status_no_success_is_told(
    said: str, line: str, outcome: str
) -> None:
    shown = list_next(*called("Let's try it:", "python try.py", said))
    ended = "ended ok" if outcome == "ok" else outcome
    assert shown[0].endswith(f"] (its last call {ended}), and no call edited a file yet")
    assert shown[2] == f"- then called, {outcome}: python try.py — said: {line}"


@pytest.mark.parametrize(
    ("command", "said", "line", "outcome"),
    [
        (
            "cart push",
            "pushing\nError: push failed\nhint: try again\n  \b\b: exit status 1",
            "Error: push failed",
            "failed",
        ),
        (
            "cart push",
            "pushing\nError: no such remote\nhint: try again",
            "Error: no such remote",
            "ended, outcome unknown",
        ),
        (
            "git pull",
            "Exit code: 1\nerror: it is dirty: a.py\nerror: stash: do so",
            "error: it is dirty: a.py",
            "failed",
        ),
        ("gh pr checks", "Exit code: 1\ntype pass 1s\nlint fail 9s\nrobot pending", "lint fail 9s", "failed"),
        ("patch <a", "Exit code: 1\npatching a\n**** malformed patch\nthe end", "**** malformed patch", "failed"),
        ("cart push", "Exit code: 0\nError: is printed", "Error: is printed", "ok"),
    ],
)
def test_of_a_call_the_line_that_says_so_is_quoted(command: str, said: str, line: str, outcome: str) -> None:
    shown = list_next(*called("It is so.", command, said))[2]
    assert shown.replace(" (1)", "") == f"- then called, {outcome}: {command} — said: {line}"


def test_a_stated_exit_status_and_a_command_that_only_looks_are_believed() -> None:
    said = "KeyError: 'cart'"
    shown = list_next(*called("Let's try it:", "./try", f"Exit code: 0\n{said}"))
    assert shown[2].startswith("- then called, ok")
    assert list_next(*called("Let's see it:", "tail cart.log", said))[2].startswith("- then called, ok")


def test_a_check_that_ends_with_an_uncaught_error_is_no_success() -> None:
    made = read(*called("", "python test_cart.py", "Traceback (most recent call last):\n  x\nImportError: no cart"))
    assert [(one.check, one.ok) for one in made.commands] == [("test", False)]


@pytest.mark.parametrize(
    ("command", "said", "ok"),
    [
        ("npm run format", "Checked 9 files.\nFound 3 errors.\nFound 1 warning.", False),
        ("npm run format", "format ━━\n  × Some errors were emitted while applying fixes.", False),
        ("make fmt", "Found 2 errors (1 fixed, 1 remaining).", False),
        ("make fmt", "Found 2 errors (2 fixed, 0 remaining).", True),
        ("npm run format", "Formatted 9 files. No fixes applied.", True),
        ("npm run seed", "Found 3 errors.", True),
    ],
)
def test_a_formatter_that_tells_of_errors_left_has_failed(command: str, said: str, ok: bool) -> None:
    assert [one.ok for one in read(*called("", command, said)).commands] == [ok]


def test_once_the_work_is_handed_in_the_user_waits_for_nothing_and_the_call_stands_once() -> None:
    lines = list_next(*called("Now I hand it in:", "echo TASK_SUBMITTED && cat a.patch", "TASK_SUBMITTED"))
    assert lines == (
        "- where it stands: the agent handed its work in with `echo TASK_SUBMITTED && cat a.patch`, "
        "which ended the session; no call edited a file",
        "- the agent said last: Now I hand it in:",
    )
    again = list_next(*called("Now I hand it in:", "echo TASK_SUBMITTED", "ok"), user("Add a test."))
    assert again[0].startswith("- where it stands: the user spoke last and waits for [")


def test_a_long_command_that_is_cut_ends_with_a_sign_of_it() -> None:
    made = read(*called("Let's try it:", f"./try {'a-cart ' * 60}", "ok then"))
    for one in (*made.last_calls, *made.commands):
        assert one.text.startswith("./try a-cart")
        assert one.text.endswith(" a-cart …")
        assert len(one.text) <= 240
    assert read_back(render_ledger(made)).last_calls == tuple(replace(one, key="") for one in made.last_calls)
    assert not read(*called("Let's try it:", f"./{'try' * 100} it", "ok then")).commands


def test_a_command_that_a_shell_echoes_is_not_what_it_said() -> None:
    lines = list_next(*called("The method was renamed.", "./find build", f"./find build\n{FOUND}"))
    assert lines[2] == f"- then called, ok: ./find build — said: {FOUND}"


def think(text: str) -> Message:
    return Message("assistant", (), (Part("reasoning", (), text), *assistant(("9", "bash", '{"command": "ls"}')).parts))


def test_what_the_agent_was_thinking_is_quoted_where_it_said_nothing_with_it() -> None:
    thought = "The cart is full already, so that only the test of it is left to write."
    looked = (think(thought), result("cart.py", "bash", "9"))
    made = read(*looked)
    lines = render_ledger(made)
    assert f"- the agent was thinking: {thought}" in lines["next"]
    assert read_back(lines).thought == Quote(thought)
    spoke = read(*looked, assistant(text="The cart is full, and its test is missing."))
    assert spoke.thought is None
    assert read(*looked, user("And the basket?")).thought is None
    assert read(*looked, *called("", "./count", "2 carts")).thought is None  # it has gone on
    assert read(think("c2VjcmV0"), result("cart.py", "bash", "9")).thought is None  # it cannot be read


def test_what_the_agent_was_thinking_after_its_last_words_is_quoted_behind_them() -> None:
    words = called("The cart is full:", "./fill cart", "filled")
    lines = list_next(*words, think("Now the test of the cart has to import the basket."), result("", "bash", "9"))
    told = [line.partition(":")[0] for line in lines]
    assert told.index("- the agent was thinking") > told.index("- the agent said last")
    aloud = Message("assistant", (), (*assistant(text="The cart is full.").parts, *think("It is full.").parts))
    assert not any("was thinking" in line for line in list_next(aloud, result("", "bash", "9")))


def test_a_command_that_looks_and_prints_nothing_is_told_with_that() -> None:
    said = "Process exited with code 0\nOutput:\n"
    assert (
        list_next(*called("", "git status --short", said))[-1]
        == "- then called, ok: git status --short — said: (no output)"
    )


def test_a_search_that_is_pending_is_told_with_what_it_looks_for() -> None:
    given = json.dumps({"pattern": "def build", "path": "src"})
    lines = list_next(assistant(("1", "grep", given), text="Let me look for it:"))
    assert '- no result yet: grep — "def build" src' in lines


def test_of_a_diff_the_files_are_named_and_of_printed_files_nothing_is_quoted() -> None:
    said = "diff --git a/cart.py b/cart.py\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/ads.py b/ads.py\n@@ -1 +1 @@\n-a\n+b"
    shown = list_next(*called("", "git diff main", said))[-1]
    assert shown == "- then called, ok: git diff main — said: diff of cart.py, ads.py"
    printed = list_next(*called("", "sed -n '1,9p' cart.go", "package main\n"))[-1]
    assert printed == "- then called, ok: sed -n '1,9p' cart.go"


def test_what_the_agent_was_about_to_call_is_not_told_once_the_call_ended() -> None:
    thought = "The linter fails for one case only. Let me run it to see which one."
    lines = list_next(think(thought), result("cart.py", "bash", "9"))
    assert "- the agent was thinking: The linter fails for one case only." in lines


def test_of_git_the_state_is_quoted_and_of_a_chain_that_failed_no_count() -> None:
    clean = "On branch main\nYour branch is up to date.\n\nnothing to commit, working tree clean"
    assert list_next(*called("", "git status", clean))[-1].endswith("— said: nothing to commit, working tree clean")
    said = " 3 files changed, 1 insertion(+)\nerror: cannot pull with rebase: You have unstaged changes."
    lines = list_next(*called("", "git commit -qm x && git pull --rebase", said, True))
    assert not any("3 files changed" in line for line in lines)


def test_a_number_alone_is_what_a_program_said() -> None:
    shown = list_next(
        *called("Let's try it:", "python try.py", "344\n\n(Open file: /w/cart.py)\n(Current directory: /w)")
    )
    assert shown[2].endswith("python try.py — said: 344")


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("The file cart.py has been edited. Here is a part of it:", "- then called, ok: editor cart.py"),
        ("ERROR:\nNo such text in cart.py.", "- then called, failed: editor cart.py — said: No such text in cart.py."),
    ],
)
def test_an_edit_is_told_by_its_file_and_only_where_it_failed_with_what_was_said(said: str, line: str) -> None:
    given = {"command": "str_replace", "path": "cart.py", "old_str": "a", "new_str": "b"}
    call = assistant(("1", "editor", json.dumps(given)), text="Let me mend it:")
    assert line in list_next(call, result(said, "editor", "1"))


@pytest.mark.parametrize(
    ("given", "aim"),
    [
        ({"old_string": "row = sail(", "new_string": "row = haul("}, ": `row = sail(` → `row = haul(`"),
        (
            {"old_string": "def f():\n    pass", "new_string": "def f():\n    haul()\n    pass"},
            ": adds `haul()`",
        ),
        (
            {"old_string": "sail", "new_string": "haul", "instruction": "Name the call after the rope. It is old."},
            ": “Name the call after the rope.”",
        ),
        (
            {"old_string": "sail()", "new_string": "def haul():\n    pull()\n    tie()\n\n    sail()"},
            ": adds haul",
        ),
        (
            {"old_string": "def sail():", "new_string": "def haul():\n    pull()\n    tie()"},
            ": `def sail():` → `def haul():` …",
        ),
        (
            {
                "old_string": "sail()\nrow()\nrest()",
                "new_string": '"net/url"\ntide "sea/tide"\nhaul()\nsail()\nrow()\nrest()',
            },
            ": adds `haul()` …",
        ),
        ({"content": "sail = 1"}, ""),
    ],
)
def test_an_edit_is_told_with_what_it_is_for(given: dict[str, str], aim: str) -> None:
    call = assistant(("1", "edit", json.dumps({"file_path": "cart.py", **given})), text="Let me mend it:")
    made = read(call, result("Done", "edit", "1"))
    lines = render_ledger(made)
    assert f"- then called, ok: edit cart.py{aim}" in lines["next"]
    assert [one.text for one in read_back(lines).last_calls] == [f"edit cart.py{aim}"]
    waiting = render_ledger(read(call))
    assert f"- no result yet: edit — cart.py{aim}" in waiting["next"]
    assert read_back(waiting).pending[0].target == f"cart.py{aim}"


def test_the_newest_edit_of_work_in_progress_is_told_though_nothing_announced_it() -> None:
    given = {"file_path": "cart.py", "old_string": "row = sail(", "new_string": "row = haul("}
    work = (assistant(("1", "edit", json.dumps(given)), text="The cart is full."), result("Done", "edit", "1"))
    line = "- then called, ok: edit cart.py: `row = sail(` → `row = haul(`"

    def select(*messages: Message) -> Sequence[str]:
        return render_ledger(select_quotes(read(*messages))).get("next", ())

    assert line in select(*work)
    assert line not in select(*work, assistant(text="It hauls now."))


@pytest.mark.parametrize("above", ["Command: sh -c './find build'\n", ""])
def test_the_command_that_a_host_repeats_is_not_what_it_said(above: str) -> None:
    lines = list_next(*called("The method was renamed.", "./find build", f"{above}Chunk ID: 1a\nOutput:\n{FOUND}"))
    assert lines[2] == f"- then called, ok: ./find build — said: {FOUND}"


def test_a_call_of_git_that_git_says_failed_has_failed() -> None:
    said = "remote: Permission denied to cart.\nfatal: unable to access 'https://shop/cart/': error: 403"
    assert any("then called, failed: git push" in line for line in list_next(*called("", "git push", said)))
    assert any("outcome unknown: ./push" in line for line in list_next(*called("", "./push", said)))


def test_a_thought_ends_with_what_is_announced_unless_that_was_called() -> None:
    thought = "The whole was too much at once. Now I'll start with the basket."
    whole = f"- the agent was thinking: {thought}"
    looked = (think(thought), result("It is full.", "bash", "9"))
    failed = (think(thought), result("It is full.", "bash", "9", True))
    assert whole in list_next(*called("", "./fill", "filled"), think(thought))
    for behind in (looked, failed):
        lines = list_next(*called("The cart is full.", "./fill", "filled"), *behind)
        assert "- the agent was thinking: The whole was too much at once." in lines
    begun = think("Good! Now I need to weigh the basket. I'll put it behind the cart.")
    lines = list_next(*called("The cart is full.", "./fill", "filled"), begun, result("It is full.", "bash", "9"))
    assert not any("was thinking" in line for line in lines)
    writes = assistant(("9", "Write", json.dumps({"file_path": "rim.py", "content": "reed"})))
    for text, is_told in (("**Rim**\n\nI'm currently focused on the rim.", False), ("**Rim**\n\nIt needs reed.", True)):
        message = Message("assistant", (), (Part("reasoning", (), f"{text} That is all of it."), *writes.parts))
        lines = list_next(*called("The cart is full.", "./fill", "filled"), message, result("ok", "Write", "9"))
        assert any("was thinking" in line for line in lines) is is_told


def test_of_a_patch_the_files_are_named_and_a_list_of_tasks_is_no_last_call() -> None:
    patch = "*** Begin Patch\n*** Update File: cart.py\n@@\n-a\n+b\n*** Update File: shop.py\n@@\n-a\n+b\n*** End Patch"
    call = assistant(("1", "apply_patch", json.dumps({"patchText": patch})), text="Let me mend both:")
    assert "- then called, ok: apply_patch cart.py and 1 more" in list_next(call, result("Done", "apply_patch", "1"))
    assert "- no result yet: apply_patch — cart.py and 1 more" in list_next(call)
    planned = assistant(("2", "TodoWrite", '{"todos": []}'))
    ended = read(*called("The method was renamed.", "./find build", FOUND), planned, result("Set", "TodoWrite", "2"))
    assert [one.text for one in select_quotes(ended).last_calls] == ["./find build"]


def test_of_a_check_behind_a_pipe_that_hides_its_end_the_outcome_is_not_known() -> None:
    lines = list_next(*called("Let me build it:", "npm run build 2>&1 | tail -3", "copied 2 themes"))
    assert "(its last call ended, outcome unknown)" in lines[0]
    assert "- then called, ended, outcome unknown: npm run build 2>&1 | tail -3 — said: copied 2 themes" in lines
    lines = list_next(*called("Let me test it:", "pytest -q | tail -3", "4 passed in 0.1s"))
    assert "(its last call, a check, passed)" in lines[0]


@pytest.mark.parametrize(
    ("command", "said", "outcome"),
    [
        ("npm run check", "> biome check\nFound 1 error.", "failed"),
        ("npm run check | tail -5", "Found 1 error.", "failed"),
        ("npm run format", "Found 3 errors.", "failed"),
        ("npx eslint . || true", "✖ 4 problems (4 errors, 0 warnings)", "failed"),
        ("pytest -q; echo done", "2 failed, 3 passed in 1s\ndone", "failed"),
        ("cargo test 2>&1 | tail", "test result: FAILED. 1 passed; 2 failed", "failed"),
        ("go test ./... | tail -3", "--- FAIL: TestTide\nFAIL", "failed"),
        ("npx tsc | head", "a.ts(1,2): error TS2307: no such module", "failed"),
        ("tool capture x | tail -3", "Error: no agent runs there", "ended, outcome unknown"),
        ("tool capture x | tail -3", "all is quiet", "ok"),
        ("pytest -q | tail -3", "5 passed in 1s", "ok"),
        ("git add a.py b.py", "", "ok"),
        ("mkdir -p x && cp a.py x", "", "ok"),
        ("./quiet a.py", "", "ended, outcome unknown"),
    ],
)
def test_a_call_whose_output_says_that_errors_were_found_is_not_ok(command: str, said: str, outcome: str) -> None:
    made = read(*called("Let me see:", command, said))
    lines = render_ledger(replace(made, commands=()))["next"]
    assert any(line.startswith(f"- then called, {outcome}: {command}") for line in lines)


@pytest.mark.parametrize(
    "command", ["rg -n build src", "cd src && grep -rn build .", "git show main:app.py", "sed -n '1,90p' app.py"]
)
def test_of_many_hits_or_of_a_shown_file_no_line_is_quoted_and_of_few_the_first(command: str) -> None:
    many = "\n".join(f"app.py:{n}: build the harbour" for n in range(4))
    few = many.rpartition("\n")[0]

    def list_calls(line: str, said: str) -> list[str]:
        told = list_next(*called("The method was renamed.", line, said))
        return [one.removeprefix("- then called, ok: ") for one in told if one.startswith("- then called")]

    assert list_calls(command, many) == [command]
    assert list_calls("rg -n build src", few) == ["rg -n build src — said: app.py:0: build the harbour"]
    assert list_calls("./find build", many) == ["./find build — said: app.py:0: build the harbour"]


@pytest.mark.parametrize("clipped", [False, True])
@pytest.mark.parametrize(
    ("command", "mark"),
    [
        ("git diff main", "…1,204 tokens truncated…"),
        ("git diff main", "... [38 lines truncated] ..."),
        ("git diff main", "Output too large (48KB)."),
        ("git diff main | head -300", ""),
    ],
)
def test_the_files_of_a_clipped_diff_are_not_counted_as_all(command: str, mark: str, clipped: bool) -> None:
    said = "".join(f"diff --git a/{name}.py b/{name}.py\n@@ -1 +1 @@\n-a\n+b\n" for name in "abcdefgh")
    command = command if clipped else "git diff main"
    shown = list_next(*called("", command, f"{said}{mark if clipped else ''}\n"))[-1]
    least = "at least " if clipped else ""
    assert shown == f"- then called, ok: {command} — said: diff of a.py, b.py, c.py, d.py, e.py, f.py and {least}2 more"


@pytest.mark.parametrize(
    ("said", "ended"),
    [
        ("ok  \tharbour/tides\t0.004s [no tests to run]", "ok"),
        ("?   \tharbour/tides\t[no test files]", "ok"),
        ("?   \tharbour/tides\t[no test files]\nFAIL\tharbour/quay [build failed]", "failed"),
        ("go: downloading harbour/quay v1.2.0", "ended, outcome unknown"),
    ],
)
def test_a_check_that_says_that_it_has_nothing_to_test_ended_well(said: str, ended: str) -> None:
    lines = list_next(*called("Let me run it:", "go test -run Tide ./tides | tail -5", said))
    told = next(line for line in lines if "go test" in line)
    assert told.startswith((f"- then called, {ended}: ", f"- test, {ended}: "))
    assert ("(its last call ended ok)" in lines[0]) == (ended == "ok")
    assert "a check, passed" not in lines[0]


def test_a_call_that_was_made_again_stands_where_it_was_made_last() -> None:
    calls = [
        (assistant((name, "bash", json.dumps({"command": command}))), result("ok", "bash", name))
        for name, command in zip(
            "1234", ("./weave lid", "./weave rim", "git checkout lid.txt", "./weave lid"), strict=True
        )
    ]
    said = [one for pair in calls for one in pair]
    texts = [one.text for one in read(assistant(text="I weave the lid now:"), *said).last_calls]
    assert texts == ["./weave rim", "git checkout lid.txt", "./weave lid"]


@pytest.mark.parametrize(("rows", "told"), [(1, ' — said: [{"row": 0}]'), (40, "")])
def test_of_a_long_record_no_line_tells_how_it_begins(rows: int, told: str) -> None:
    said = json.dumps([{"row": number} for number in range(rows)])
    assert f"- then called, ok: ./find rows{told}" in list_next(*called("I look for the rows:", "./find rows", said))


def test_where_a_request_was_only_read_for_the_newest_look_is_told() -> None:
    shown = assistant(("1", "read", json.dumps({"path": "hull.json"}))), result("{\n}", "read", "1")
    looked = assistant(("2", "grep", json.dumps({"pattern": "sail"}))), result("No matches found", "grep", "2")
    lines = render_ledger(select_quotes(read(*shown, *looked)))
    assert any("read files only" in line for line in lines["accomplished"])
    assert any(line.startswith("- then called, ok: grep") for line in lines["next"])
