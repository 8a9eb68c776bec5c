"""How the work stands: what was not checked, what failed last, outdated patches, what the edits do, how it ended."""

import json

import pytest
from msgspec.structs import replace

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import Ledger, build_ledger, merge, read_back, render_ledger
from secateur.compaction.ledger.entries import Constraint, Quote, Standing, Ticket, UserRequest
from secateur.compaction.ledger.work.endings import ENDINGS
from secateur.model import Message

Round = tuple[Message, Message]


def ran(command: str, said: str = "ok", error: bool = False) -> Round:
    return assistant(("1", "bash", json.dumps({"command": command}))), result(said, "bash", "1", error)


def edited(path: str, old: str = "a = 1", new: str = "a = 2", said: str = "The file was edited.") -> Round:
    given = json.dumps({"path": path, "old_str": old, "new_str": new})
    return assistant(("2", "str_replace", given)), result(said, "str_replace", "2")


def wrote(path: str, text: str = "a = 1\n") -> Round:
    given = json.dumps({"path": path, "content": text})
    return assistant(("3", "write", given)), result("written", "write", "3")


def typed(tool: str, line: str, said: str) -> Round:
    return assistant(("4", tool, line)), result(said, tool, "4")


def read(*rounds: Round, behind: tuple[Message, ...] = ()) -> Ledger:
    return build_ledger(talk(user("Fix the cart."), *(one for pair in rounds for one in pair), *behind).messages)


def tell(kind: str, *rounds: Round, behind: tuple[Message, ...] = ()) -> list[str]:
    return [one.text for one in read(*rounds, behind=behind).standing if one.kind == kind]


CART = edited("src/cart.py")
UNCHECKED = "no test, build or linter is known to have passed since src/cart.py was changed"


@pytest.mark.parametrize(
    "rounds",
    [
        [CART],
        [ran("pytest -q", "3 passed in 1s"), CART],
        [CART, ran("git diff"), ran("cat src/cart.py"), ran("git add . && git commit -m x", "[main 1234abc] x")],
        [CART, edited("docs/cart.md")],
        [CART, wrote("try.py"), ran("rm try.py")],
    ],
)
def test_code_that_nothing_checked_since_its_last_change_is_told(rounds: list[Round]) -> None:
    assert [one.partition(";")[0] for one in tell("unchecked", *rounds)] == [UNCHECKED]


@pytest.mark.parametrize(
    "rounds",
    [
        [CART, ran("pytest -q", "3 passed in 1s")],
        [CART, ran("pytest -q", "1 failed in 1s", True)],
        [CART, ran("./ci/verify.sh")],
        [CART, ran("mise run test:all")],
        [CART, ran("sed -i s/a/b/ src/cart.py && make")],
        [CART, typed("run_tests", '{"suite": "cart"}', "all passed")],
        [CART, typed("task", '{"prompt": "look at the cart and run what is there"}', "done")],
        [CART, typed("pytest", "pytest tests/cart.py", "3 passed in 1s")],
        [edited("docs/cart.md")],
        [wrote("/tmp/try.py")],
        [CART, ran("git checkout src/cart.py", "Updated 1 path from the index")],
        [ran("pytest -q", "3 passed in 1s")],
        [],
    ],
)
def test_code_that_was_checked_may_have_been_or_is_as_it_was_is_not_told_as_unchecked(rounds: list[Round]) -> None:
    assert tell("unchecked", *rounds) == []


def test_what_ran_since_the_last_change_stands_beside_it_and_a_script_that_is_run_is_no_part_of_the_work() -> None:
    tried = [wrote("repro.py", "print(1)\n"), ran("python repro.py")]
    assert tell("unchecked", CART, *tried) == [f"{UNCHECKED}; run since then: python repro.py"]
    assert tell("unchecked", *tried) == []


NO_TOOL = "bash: pytest: command not found"
NO_FOLDER = "/bin/sh: 1: cd: can't cd to /app/build\nmake: *** [Makefile:9: build] Error 2"
NO_MODULE = "Traceback (most recent call last):\n  File 't.py', line 1\nModuleNotFoundError: No module named 'yaml'"


@pytest.mark.parametrize(
    ("rounds", "said"),
    [
        ([CART, ran("pytest", NO_TOOL, True)], [UNCHECKED, f"pytest never started: {NO_TOOL}"]),
        (
            [CART, ran("make", NO_FOLDER, True)],
            [
                f"make failed: {NO_FOLDER.partition(chr(10))[0]}; "
                "nothing that ran since src/cart.py was changed shows that it works"
            ],
        ),
        (
            [CART, ran("python run_tests.py", NO_MODULE, True)],
            [
                "python run_tests.py failed: ModuleNotFoundError: No module named 'yaml'; "
                "nothing that ran since src/cart.py was changed shows that it works"
            ],
        ),
        ([CART, ran("make", NO_FOLDER, True), ran("make", "cc cart.c")], []),
        ([CART, ran("make", "cart.c:3:1: error: expected ';'\nmake: *** [Makefile:9: build] Error 1", True)], []),
        ([CART, ran("pytest", "ModuleNotFoundError: No module named 'cart.py'", True)], []),
    ],
)
def test_a_check_that_failed_for_want_of_something_verifies_nothing(rounds: list[Round], said: list[str]) -> None:
    assert tell("unchecked", *rounds) == said


TYPES = (
    "a.ts(5,28): error TS2305: no member 'Theme'.\nb.ts(7,1): error TS2304: no name 'b'.\n"
    "npm error Lifecycle script `build` failed with error:"
)


@pytest.mark.parametrize(
    ("line", "output", "told"),
    [
        ("npm run build", TYPES, "a.ts(5,28): error TS2305: no member 'Theme'."),
        ("make", "x\ncart.c:3:1: error: no type\nmake: *** [Makefile:9: all] Error 2", "cart.c:3:1: error: no type"),
        ("make", NO_FOLDER, "/bin/sh: 1: cd: can't cd to /app/build"),
        ("pytest -q", "E       AssertionError: 2 != 3\n1 failed in 1s", "E AssertionError: 2 != 3 · 1 failed in 1s"),
        ("pytest -q", "1 failed in 1s", "1 failed in 1s"),
    ],
)
def test_a_failing_check_is_told_with_the_line_that_says_why(line: str, output: str, told: str) -> None:
    assert [one.told for one in read(ran(line, output, True)).commands] == [told]


LOGGED = ("total = 1\n", "total = 1\nlogger.debug('total: %s', total)\n")


@pytest.mark.parametrize(
    ("rounds", "said"),
    [
        (
            [edited("a.py", *LOGGED), edited("b.py", "x()", "print('x')\nx()")],
            "the edits so far only add calls that log or print",
        ),
        (
            [edited("a.py", *LOGGED), edited("b.js", "x();", "console.log(1);\nconsole.log(2);\ny();\nx();")],
            "3 of the 4 lines that the edits so far added log or print",
        ),
        ([edited("a.py", *LOGGED), CART], ""),
        ([edited("a.py", *LOGGED), wrote("b.py")], ""),
        ([edited("a.py", *LOGGED), edited("b.py", "x()", "y()\nz()\nw()")], ""),
        (
            [CART, ran("git checkout .", "Updated 1 path")],
            "every change of existing files was taken back (src/cart.py)",
        ),
        ([wrote("src/new.py")], "no file that was there before was changed; the changed files are all new"),
        ([wrote("src/new.py"), ran("npx prettier --write .")], ""),
        ([wrote("src/new.py"), CART], ""),
    ],
)
def test_what_all_edits_have_in_common_is_told(rounds: list[Round], said: str) -> None:
    assert tell("edits", *rounds) == ([said] if said else [])


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            "Please fix the bug in the cart.",
            "not fixed: no file that was there before was changed; the changed files are all new",
        ),
        ("Add a page for the cart.", "no file that was there before was changed; the changed files are all new"),
    ],
)
def test_a_defect_is_not_fixed_where_no_existing_file_was_changed(asked: str, said: str) -> None:
    messages = talk(user(asked), *wrote("src/new.py")).messages
    assert [one.text for one in build_ledger(messages).standing if one.kind == "edits"] == [said]


def test_code_that_writes_files_may_have_changed_existing_ones() -> None:
    messages = talk(
        user("Fix the bug."), *wrote("src/a.py"), *ran("python -c \"open('b.py', 'w').write('x')\"")
    ).messages
    assert not any("not fixed" in one.text for one in build_ledger(messages).standing)


def test_lines_that_stood_in_a_file_before_an_edit_by_numbers_are_not_added_ones() -> None:
    shown = "[File: /app/cart.py (3 lines total)]\n1:def total(cart):\n2:    return sum(cart)\n3:"
    edit = "edit 1:2\ndef total(cart):\n    logger.info(cart)\n    return sum(cart)\nend_of_edit"
    rounds = [typed("open", "open cart.py", shown), typed("edit", edit, shown)]
    assert tell("edits", *rounds) == ["the edits so far only add calls that log or print"]
    given = json.dumps({"input": edit})
    rounds = [typed("open", "open cart.py", shown), typed("edit", given, f"warning: old shell\n{shown}")]
    assert tell("edits", *rounds) == ["the edits so far only add calls that log or print"]


PATCH = ran("git diff src/cart.py > fix.patch")


@pytest.mark.parametrize(
    ("rounds", "said"),
    [
        ([CART, PATCH, CART], "fix.patch was written before src/cart.py was changed"),
        (
            [CART, PATCH, ran("git checkout src/cart.py", "Updated 1 path")],
            "fix.patch was written before src/cart.py was taken back",
        ),
        (
            [CART, ran("git diff > patch.txt"), ran("git checkout .", "Updated")],
            "patch.txt was written before the changes were taken back",
        ),
        ([CART, PATCH], ""),
        ([CART, PATCH, edited("src/other.py")], ""),
        ([CART, PATCH, CART, PATCH], ""),
        ([CART, PATCH, CART, ran("rm fix.patch")], ""),
        ([CART, ran("git diff > /tmp/a.patch"), CART], ""),
        ([CART, ran("git diff 2> /dev/null"), CART], ""),
    ],
)
def test_a_patch_that_was_written_before_later_changes_is_outdated(rounds: list[Round], said: str) -> None:
    assert tell("outdated", *rounds) == ([said] if said else [])


DECLINED = "[Operation Cancelled] Reason: User denied execution."
NO_ROUTE = "ssh: connect to host git.example port 22: timed out\nfatal: Could not read from remote repository."


@pytest.mark.parametrize(
    ("rounds", "said"),
    [
        (
            [ran("git push origin main", NO_ROUTE)],
            ["git push origin main — said: ssh: connect to host git.example port 22: timed out"],
        ),
        ([ran("git commit -m x", "lint failed", True)], ["git commit -m x — said: lint failed"]),
        ([ran("npm publish", "npm error code E403", True)], ["npm publish — said: npm error code E403"]),
        ([ran("git push", NO_ROUTE), ran("git push", "To git.example:a/b\n   1234abc..5678def  main -> main")], []),
        ([ran("git push", NO_ROUTE), ran("git status", "Your branch is up to date with 'origin/main'.")], []),
        ([ran("git commit -m x", "lint failed", True), ran("./commit.sh", "[main 1234abc] x")], []),
        ([ran("git push", DECLINED)], []),
        (
            [
                ran("git commit -m x", "[Operation Cancelled] Reason: Denied."),
                ran("git commit -m x", "[main 1234abc] x"),
            ],
            [],
        ),
        ([ran("git log", "fatal: not a git repository", True)], []),
    ],
)
def test_a_push_or_a_commit_that_failed_last_is_told(rounds: list[Round], said: list[str]) -> None:
    assert tell("failed", *rounds) == said


NO_HOST = "ssh: connect to host cart.example port 22: timed out\nfatal: Could not read from remote repository."
SHIP = "git commit -am x && git tag v2 && git push origin main v2"
SHIPPED = "[main 1234abc] x\nTo cart.example:a/b\n   1234567..1234abc  main -> main\n * [new tag]         v2 -> v2"
NO_RIGHT = "npm error code E403\nnpm error 403 Forbidden: no right to publish cart"
FETCHED = "From cart.example:a/b\n   1234567..89abcde  main       -> origin/main\nerror: could not apply 12ab"


@pytest.mark.parametrize(
    ("rounds", "said"),
    [
        ([ran("git pull --rebase && ./sync && git push", NO_HOST)], ["git pull --rebase && ./sync && git push"]),
        ([ran("git pull && git push", NO_HOST), ran("git push", "pushed")], ["git pull"]),
        ([ran("git pull && git push", f"Already up to date.\n{NO_HOST}")], ["git push"]),
        ([ran("git pull --rebase && git push", FETCHED)], ["git pull --rebase && git push"]),
        ([ran("git pull; git push", NO_HOST)], ["git pull · git push"]),
        ([ran(SHIP, SHIPPED), ran("npm run publish", NO_RIGHT)], ["npm run publish"]),
        ([ran(f"{SHIP} && npm publish", f"{SHIPPED}\n{NO_RIGHT}")], ["npm publish"]),
        ([ran("npm run publish 2>&1 | tail -3", NO_RIGHT)], ["npm run publish"]),
        ([ran("bash ci/release.sh 2.0", "no right", True)], ["bash ci/release.sh 2.0"]),
        ([ran("npm run publish", NO_RIGHT), ran("npm publish", "+ cart@2.0.0")], []),
        ([ran("npm run publish:dry", NO_RIGHT), ran("npm publish --dry-run", NO_RIGHT)], []),
        ([ran("npm publish", "+ cart@2.0.0")], []),
    ],
)
def test_of_a_chain_that_failed_only_what_is_not_shown_done_is_told(rounds: list[Round], said: list[str]) -> None:
    assert [one.partition(" — said: ")[0] for one in tell("failed", *rounds)] == [
        one.replace("./sync", "sync") for one in said
    ]


@pytest.mark.parametrize(
    ("shown", "is_left"),
    [
        ('{"state": "MERGED", "url": "https://git.example/ferry/pull/7"}', False),
        ('{"state": "MERGED", "url": "https://git.example/ferry/pull/8"}', True),
        ('{"state": "OPEN", "url": "https://git.example/ferry/pull/7"}', True),
    ],
)
def test_a_merge_that_failed_on_the_way_is_done_where_the_pull_request_is_shown_merged(
    shown: str, is_left: bool
) -> None:
    failed = ran("gh pr merge 7 --squash", "fatal: repository 'https://git.example/other' not found", error=True)
    assert bool(tell("failed", failed, ran("gh pr view 7 --json state,url", shown))) is is_left


def test_what_is_handed_in_as_a_patch_of_some_files_has_no_others() -> None:
    rounds = [edited("/w/ferry.py"), wrote("/w/notes.py"), wrote("/w/ferry.py.backup2")]
    rounds += [ran("cd /w && git diff -- ferry.py > patch.txt"), ran("submit")]
    scratch = {one.path: one.scratch for one in read(*rounds).files}
    assert scratch["/w/ferry.py.backup2"]
    handed_in = assistant(
        ("s", "bash", json.dumps({"command": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && cat patch.txt"}))
    )
    files = {one.path: one.scratch for one in read(*rounds[:-1], behind=(handed_in,)).files}
    assert (files["/w/ferry.py"], files["/w/notes.py"]) == (False, True)


def test_a_command_that_is_cut_for_room_says_so() -> None:
    told = tell("failed", ran(f"git push origin {'a-branch ' * 40}", NO_HOST))[0].partition(" — said: ")[0]
    assert told.endswith(" …")
    assert len(told) <= 160


def went(folder: str, command: str, said: str = "ok") -> Round:
    given = json.dumps({"command": command, "workdir": folder})
    return assistant(("6", "bash", given)), result(said, "bash", "6")


CHECKED = went("/w/cart", "pytest -q", "3 passed in 1s")
BOTH = (went("/w/cart", "git status"), went("/w/shop", "git status"))


@pytest.mark.parametrize(
    ("rounds", "is_edited"),
    [
        ([*BOTH, CHECKED, went("/w/shop", "rm -r src/old.py")], False),
        ([*BOTH, CHECKED, edited("/w/shop/src/old.py")], False),
        ([*BOTH, CHECKED, went("/w/cart", "git commit -am x", "[main 1234abc] x")], False),
        ([*BOTH, CHECKED, went("/w/cart", "rm -r src/old.py")], True),
        ([*BOTH, CHECKED, edited("/w/cart/src/old.py")], True),
        ([*BOTH, CHECKED, edited("/w/cart/src/old.py"), edited("/w/shop/src/old.py")], True),
        ([*BOTH, CHECKED, edited("src/old.py")], True),  # of which no one knows where it is
        ([BOTH[0], CHECKED, edited("/w/shop/src/old.py")], True),  # no call shows a repository there
        ([*BOTH, went("/w", "git status"), CHECKED, edited("/w/shop/src/old.py")], True),  # one repository
        ([*BOTH, ran("pytest -q", "3 passed in 1s"), edited("/w/shop/src/old.py")], True),
    ],
)
def test_only_a_change_in_the_repository_of_a_check_leaves_it_open(rounds: list[Round], is_edited: bool) -> None:
    assert [one.edited_since for one in read(*rounds).commands if one.check] == [is_edited]


LAST = assistant(text="The cart is fixed.")


@pytest.mark.parametrize(
    ("rounds", "behind", "said"),
    [
        ([typed("submit", "submit", "")], (), "the agent handed its work in with `submit`"),
        (
            [ran("echo COMPLETE_TASK_AND_SUBMIT && cat fix.patch")],
            (),
            "the agent handed its work in with `echo COMPLETE_TASK_AND_SUBMIT && cat fix.patch`",
        ),
        ([typed("finish", '{"message": "fixed"}', "")], (), "the agent handed its work in with `finish`"),
        (
            [],
            (LAST, Message("assistant", (), assistant(text="Exit due to cost limit").parts, "harness")),
            "the session was stopped: “Exit due to cost limit”",
        ),
        ([], (LAST, user("[Request interrupted by user]", "harness")), "the user interrupted the agent"),
        (
            [],
            (LAST, user("<turn_aborted>\nThe user interrupted.\n</turn_aborted>", "harness")),
            "the user interrupted the agent",
        ),
        (
            [],
            (assistant(text="The types differ! The cart was never built. Did we take"),),
            "the agent's last message breaks off within a sentence",
        ),
        ([typed("submit", "submit", "")], (user("One more thing."),), ""),
        ([], (LAST, user("[Request interrupted by user]", "harness"), user("Go on.")), ""),
        ([], (LAST, user("<system-reminder>You have no todo list.</system-reminder>", "harness")), ""),
        ([], (LAST,), ""),
        ([], (assistant(text="Fixed. What is left:\n- the cart of guests"),), ""),
        ([ran("echo submitted")], (), ""),
    ],
)
def test_how_the_session_ended_is_told(rounds: list[Round], behind: tuple[Message, ...], said: str) -> None:
    assert tell("ended", *rounds, behind=behind) == ([said] if said else [])


def test_what_stands_is_shown_with_what_comes_next() -> None:
    lines = render_ledger(
        read(CART, ran("git commit -qam x && git push", "[main 1234abc] x\nfatal: no"), behind=(LAST,))
    )
    assert f"- not verified: {UNCHECKED}" in lines["next"]
    assert "- failed, and not done since: git push — said: fatal: no" in lines["next"]
    checked = read(
        CART, ran("pytest", "1 passed in 1s"), ran("git commit -m x && git push", "[main 1234abc] x"), behind=(LAST,)
    )
    assert render_ledger(checked)["next"][0].endswith("; nothing is open")


def test_what_stands_is_read_back_as_it_was_shown() -> None:
    told = tuple(Standing(kind, f"{kind}: a · b — c") for kind in ("edits", "unchecked", "outdated", "failed"))
    for ended in ("", *(f"{ending}“a; open: b”" for ending in ENDINGS)):
        standing = (*([Standing("ended", ended)] if ended else []), *told)
        made = Ledger(requests=(UserRequest("Fix it."),), standing=standing)
        assert read_back(render_ledger(made)).standing == standing
        alone = replace(made, standing=standing[:1])
        assert read_back(render_ledger(alone)).standing == standing[:1]


def test_a_later_span_says_anew_how_the_work_stands() -> None:
    before = read(CART)
    assert merge(before, Ledger()).standing == before.standing
    assert merge(before, read(ran("pytest", "1 passed in 1s"))).standing == ()
    new = read(wrote("src/new.py"))
    assert [one.kind for one in new.standing] == ["edits", "unchecked"]
    assert [one.kind for one in merge(before, new).standing] == ["unchecked"]


@pytest.mark.parametrize(
    ("rounds", "is_older"),
    [
        ([ran("pytest", "1 passed in 1s"), CART], True),
        ([ran("pytest", "1 passed in 1s"), edited("docs/cart.md")], False),
        ([ran("pytest", "1 passed in 1s"), wrote("repro.py"), ran("python repro.py")], False),
        ([CART, ran("pytest", "1 passed in 1s")], False),
    ],
)
def test_a_check_that_passed_before_code_was_changed_says_so(rounds: list[Round], is_older: bool) -> None:
    since = " (edited since)" if is_older else ""
    line = f"- test, ok{since}: pytest — said: 1 passed in 1s"
    whole = render_ledger(read(*rounds))
    is_told_as_unchecked = any(one.startswith("- not verified: ") for one in whole["next"])
    assert (line in whole["accomplished"] or is_told_as_unchecked) is is_older  # else the step alone tells it
    assert "pytest → ok: 1 passed in 1s" in "\n".join(whole["accomplished"])
    both = render_ledger(merge(read(*rounds[:1]), read(*rounds[1:])))
    is_told = "pytest → ok" in "\n".join(both["accomplished"])
    is_unchecked = any(one.startswith("- not verified: ") for one in both["next"])
    assert (line in both["accomplished"]) is ((is_older and not is_unchecked) or not is_told)
    assert read_back({"discoveries": (line,)}).commands[0].edited_since == is_older


RULE = Constraint("Before saying done you MUST run: git status, git commit, git push", "project", "", "", "AGENTS.md")
LEFT = "- not done yet: "
ENDS = Constraint("At the end of the session run the tests and close the ticket.")
OPEN = {"standing": (Standing("unchecked", "no call ran a test"),), "tickets": (Ticket("b-1"),)}


@pytest.mark.parametrize(
    ("ledger", "line"),
    [
        (Ledger(constraints=(RULE,), uncommitted=("a.py",)), f"{LEFT}commit, push — demanded by AGENTS.md"),
        (Ledger(constraints=(RULE,), unpushed=("1234abc",)), f"{LEFT}push — demanded by AGENTS.md"),
        (
            Ledger(constraints=(RULE,), unpushed=("1234abc",), last_words=Quote("I did not push it.")),
            f"{LEFT}push — demanded by AGENTS.md; the agent says that it left it out",
        ),
        (Ledger(constraints=(ENDS,), **OPEN), f"{LEFT}tests, close the ticket — demanded by the user"),
        (Ledger(constraints=(ENDS,), tickets=(Ticket("b-1", state="done"),)), ""),
        (Ledger(constraints=(RULE,), **OPEN), ""),
        (
            Ledger(constraints=(Constraint("Work is not complete until `git push` succeeds."),), unpushed=("1234abc",)),
            f"{LEFT}push — demanded by the user",
        ),
        (
            Ledger(constraints=(Constraint("- NEVER push it", "project", "", "", "P.md"), RULE), uncommitted=("a.py",)),
            f"{LEFT}commit — demanded by AGENTS.md",
        ),
        (Ledger(constraints=(RULE,)), ""),
        (Ledger(constraints=(replace(RULE, replaced_by="Leave it uncommitted."),), uncommitted=("a.py",)), ""),
        (Ledger(constraints=(Constraint("Do not push before you finish."),), unpushed=("1234abc",)), ""),
        (Ledger(constraints=(Constraint("Write clear commit messages."),), uncommitted=("a.py",)), ""),
        (Ledger(constraints=(Constraint("Run the linter before you commit."),), uncommitted=("a.py",)), ""),
    ],
)
def test_what_a_rule_demands_before_the_end_and_no_call_did_is_told(ledger: Ledger, line: str) -> None:
    assert [one for one in render_ledger(ledger).get("next", ()) if one.startswith(LEFT)] == ([line] if line else [])
    assert render_ledger(read_back(render_ledger(ledger))) == render_ledger(ledger)


CONFLICT = "CONFLICT (content): ferry.py\nAutomatic merge failed; fix conflicts and then commit the result."


@pytest.mark.parametrize(
    ("rounds", "is_begun"),
    [
        ([ran("git merge topic --no-commit || true", CONFLICT)], True),
        ([ran("git merge topic", CONFLICT, error=True), edited("/w/ferry.py")], True),
        ([ran("git merge topic", CONFLICT), ran("git merge --abort", "")], False),
        (
            [ran("git merge topic", CONFLICT), ran("git add -A && git commit --no-edit", "[main 1a2b3c4] Merge topic")],
            False,
        ),
        ([ran("git rebase main", "error: could not apply 1a2b3c4... Tides"), ran("git rebase --continue", "")], False),
        ([ran("git merge topic", "Already up to date.")], False),
    ],
)
def test_a_merge_that_stopped_is_under_way_until_a_call_ends_it(rounds: list[Round], is_begun: bool) -> None:
    assert bool(tell("begun", *rounds)) is is_begun
    assert not tell("failed", *rounds)
    lines = "\n".join(render_ledger(read(*rounds))["next"])
    assert ("open: " in lines and "a merge or rebase that has begun" in lines) is is_begun


def test_the_files_that_a_merge_could_not_join_are_named() -> None:
    said = CONFLICT.replace("ferry.py", "Merge conflict in src/ferry.py\nAuto-merging tide.py\n" + CONFLICT, 1)
    (line,) = tell("begun", ran("git merge topic", said, error=True))
    assert line.endswith("fix conflicts and then commit the result. Conflicts: src/ferry.py, ferry.py")


PLAN = "The tide goes to `src/tide.py`, the ferry to `ferry.py` and the lamp to `lamp.py`. Let me begin:"


@pytest.mark.parametrize(
    ("words", "paths", "left"),
    [
        (PLAN, ["/w/src/tide.py"], ["ferry.py · lamp.py"]),
        (PLAN, ["/w/src/tide.py", "/w/lamp.py"], ["ferry.py"]),
        (PLAN, ["/w/src/tide.py", "/w/lamp.py", "/w/old_ferry.py"], ["ferry.py"]),
        (PLAN, ["/w/src/tide.py", "/w/lamp.py", "ferry.py"], []),
        (PLAN, ["/w/sea.py"], []),
        (PLAN.replace("Let me begin:", "All of them are read."), ["/w/src/tide.py"], []),
    ],
)
def test_the_files_of_a_plan_that_no_call_has_changed_yet_are_named(
    words: str, paths: list[str], left: list[str]
) -> None:
    assert tell("untouched", (assistant(text=words), user("")), *map(wrote, paths)) == left
    made = read((assistant(text=words), user("")), *map(wrote, paths))
    lines = render_ledger(made)
    assert [line.partition("known: ")[2] for line in lines["next"] if line.startswith("- named in these words")] == left
    assert [one.text for one in read_back(lines).standing if one.kind == "untouched"] == left


def test_of_a_chain_that_failed_behind_a_rebase_that_went_through_the_pull_is_done() -> None:
    said = "Rebasing (1/2)\rRebasing (2/2)\rSuccessfully rebased and updated refs/heads/main.\nError: no harbour"
    assert tell("failed", ran("git pull --rebase && ship && git push", said, error=True)) == [
        "git push — said: Error: no harbour"
    ]


def test_a_change_that_was_pushed_is_not_told_as_unchecked_once_the_user_went_on() -> None:
    pushed = ran("git push origin main", "To github.com:shop/cart\n   1..2  main -> main")
    told = (assistant(text="It is pushed."),)
    assert tell("unchecked", CART, pushed, behind=told)
    later = (user("Where is the lamp?"), assistant(text="It is in the hall."))
    assert not tell("unchecked", CART, pushed, behind=(*told, *later))
    assert tell("unchecked", CART, behind=(*told, *later))


def test_new_files_are_not_told_as_all_that_changed_where_a_commit_took_more() -> None:
    said = "[main 1a2b3c4] Add the lamp\n 2 files changed\n create mode 100644 lamp.py\n delete mode 100644 old.py"
    assert tell("edits", wrote("src/lamp.py"))
    assert not tell("edits", wrote("src/lamp.py"), ran("git add -A && git commit -m lamp", said))


@pytest.mark.parametrize(
    ("rounds", "said"),
    [
        ([ran("git add . && git commit -m x", DECLINED)], ["git add . && git commit -m x"]),
        ([ran("git commit -m x", DECLINED), ran("git commit -m y", "[main 1234abc] y")], []),
        ([ran("git push", NO_ROUTE), ran("git push", DECLINED)], ["git push"]),
        ([ran("git push", DECLINED), ran("git push", NO_ROUTE)], []),
        ([ran("git log", DECLINED)], []),
    ],
)
def test_what_the_user_did_not_let_the_agent_do_is_declined_and_no_failure(
    rounds: list[Round], said: list[str]
) -> None:
    shown = ["git commit -m x" if one.startswith("git add") else one for one in said]
    assert tell("declined", *rounds) == shown
    lines = render_ledger(read(*rounds))["next"]
    assert [f"- declined by the user: {one}" in lines for one in shown] == [True] * len(shown)
    assert "failed" not in "".join(lines).replace("(its last call failed)", "") or not shown


MARKS = "<<<<<<< HEAD\na = 1\n=======\na = 2\n>>>>>>> topic\n"
TWO = (
    "CONFLICT (content): Merge conflict in src/ferry.py\nCONFLICT (content): Merge conflict in src/tide.py\n"
    "Automatic merge failed; fix conflicts and then commit the result."
)


@pytest.mark.parametrize(
    ("later", "told"),
    [
        ([], "Conflicts: src/ferry.py, src/tide.py"),
        ([edited("src/ferry.py", MARKS, "a = 2")], "Conflicts: src/ferry.py, src/tide.py"),
        ([ran("git add src/ferry.py", "")], "Conflicts: src/tide.py. Conflicts resolved since: src/ferry.py"),
        (
            [ran("git checkout --theirs src/tide.py", "")],
            "Conflicts: src/ferry.py. Conflicts resolved since: src/tide.py",
        ),
        ([ran("git add -A", "")], "Conflicts resolved since: src/ferry.py, src/tide.py"),
        ([ran("grep -rn '<<<<<<<' src", "")], "Conflicts resolved since: src/ferry.py, src/tide.py"),
        ([ran("grep -n '<<<<<<<' src/tide.py", "")], "Conflicts: src/ferry.py. Conflicts resolved since: src/tide.py"),
        ([ran("grep -rn '<<<<<<<' src", "src/tide.py:1:<<<<<<< HEAD")], "Conflicts: src/ferry.py, src/tide.py"),
        ([ran("git add src/quay.py", "")], "Conflicts: src/ferry.py, src/tide.py"),
    ],
)
def test_conflicts_that_a_later_call_resolved_are_told_apart(later: list[Round], told: str) -> None:
    (line,) = tell("begun", ran("git merge topic", TWO, error=True), *later)
    assert line.partition("commit the result. ")[2] == told


def test_equal_calls_without_a_result_stand_in_one_line() -> None:
    waits = assistant(
        ("6", "bash", json.dumps({"command": "make x"})), ("7", "bash", json.dumps({"command": "make x"}))
    )
    made = build_ledger(talk(user("Fix the cart."), waits).messages)
    lines = render_ledger(made)
    assert "- no result yet: bash — make x — such calls: 2" in lines["next"]
    assert len(read_back(lines).pending) == 2
    assert render_ledger(read_back(lines)) == lines


def test_a_merge_with_conflicts_is_done_once_its_commit_is_made() -> None:
    said = "Auto-merging cart.py\nCONFLICT (content): Merge conflict in cart.py\nAutomatic merge failed; fix conflicts."
    merged = ran("git merge origin/main", said, True)
    for behind, is_done in (
        (ran("git commit --no-edit", "[side 1234abc] Merge remote-tracking branch 'origin/main' into side"), True),
        (ran("git diff --stat", " cart.py | 2 +-"), False),
    ):
        lines = render_ledger(read(CART, merged, behind, behind=(LAST,)))["next"]
        assert any("git merge origin/main" in line for line in lines) is not is_done
