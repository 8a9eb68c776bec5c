"""What of a ledger is shown to whoever goes on, and what is left out as saying nothing any more."""

import json

import pytest
from msgspec.structs import replace

from conversation import assistant, in_order, result, talk, user
from secateur.compaction.ledger import FileEntry, Ledger, build_ledger, fit_ledger, merge, read_back, render_ledger
from secateur.compaction.ledger.entries import (
    Command,
    Constraint,
    Failure,
    PlanItem,
    Progress,
    Quote,
    Scope,
    Ticket,
    UserRequest,
    ValueChange,
)
from secateur.compaction.ledger.files.values import select_values
from secateur.compaction.ledger.relevance import select_relevant
from secateur.compaction.ledger.runs.selection import join_errors
from secateur.compaction.ledger.user.project_rules import MOST_PROJECT_RULES
from secateur.model import Message
from secateur.tokens import estimate


def ran(command: str, said: str = "", error: bool = False) -> tuple[Message, Message]:
    return assistant(("1", "bash", json.dumps({"command": command}))), result(said, "bash", "1", error)


def edited(path: str, error: str = "") -> tuple[Message, Message]:
    given = {"file_path": path, "old_string": "a", "new_string": "b"}
    return assistant(("e", "Edit", json.dumps(given))), result(error or "ok", "Edit", "e", bool(error))


def ledger_of(*messages: Message) -> Ledger:
    return build_ledger(talk(*messages).messages)


def shown(*messages: Message, room: int = 4_000) -> dict[str, tuple[str, ...]]:
    lines = render_ledger(fit_ledger(ledger_of(*messages), room, estimate))
    assert render_ledger(read_back(lines)) == lines
    return lines


def list_requests(lines: dict[str, tuple[str, ...]]) -> list[str]:
    """The requests that are no goals, open or not, with what followed them."""
    listed = (*lines.get("instructions", ()), *lines.get("accomplished", ()))
    return [line for line in listed if line.startswith("- [") and "(see " not in line]


def list_commits(lines: dict[str, tuple[str, ...]]) -> list[str]:
    """The commits, told alone or among the steps behind a request."""
    rows = (row.strip() for line in lines["accomplished"] for row in line.removeprefix("- ").split("\n"))
    told = (piece for row in rows for piece in row.removeprefix("→ ").split(" · "))
    return [piece.replace("commit: ", "commit ") for piece in told if piece.startswith(("commit ", "commit: "))]


def spoken(*texts: str) -> list[Message]:
    """Each text of the user's, answered."""
    return [one for text in texts for one in (user(text), assistant(text="That is done now, as you asked."))]


@pytest.mark.parametrize("words", ["ok", "thanks!", "yo", "wow", "ls", "go on", "Great, it works", "you are a wizard"])
def test_agreement_and_thanks_are_no_instructions(words: str) -> None:
    lines = shown(*spoken("Write the parser for dates.", words, "Now write its tests.", "Write the docs as well."))
    assert not any(line.partition("] ")[2].startswith(words) for line in list_requests(lines))
    assert len(in_order(lines["goal"])[1:]) + len(list_requests(lines)) == 3


def test_a_request_that_is_a_demand_as_a_whole_is_listed_once() -> None:
    demand = "The icons must be small files."
    messages = spoken("Draw the icons for the list.", demand, "Write the docs for them.", "Write their tests now.")
    lines = shown(*messages)
    assert [line for some in lines.values() for line in some if demand in line] == list(lines["constraints"])
    assert any("Write the docs for them." in line for line in list_requests(lines))


def test_questions_that_were_answered_long_ago_are_left_out_and_late_ones_stay() -> None:
    old, new = "why is the cache there?", "does it also work with files?"
    lines = shown(*spoken("Write the cache.", old, *(f"Write part {n} of it." for n in range(4)), new))
    said = "\n".join(line for some in lines.values() for line in some)
    assert old not in said
    assert new in said


def test_requests_that_are_told_nowhere_are_counted() -> None:
    old = ("why is the cache there?", "thanks", "Never push to the main branch.", "who reads it then?")
    lines = shown(*spoken("Write the cache.", *old, *(f"Write part {n} of it." for n in range(4))))
    assert [line for line in lines["accomplished"] if line.startswith("- left out")] == [
        "- left out to save room: 2 requests"
    ]


def test_a_question_that_waits_for_its_answer_is_always_shown() -> None:
    lines = shown(*spoken(*(f"Write part {n} of it." for n in range(6))), user("why is part 3 so slow?"))
    assert any("why is part 3 so slow?" in line for line in lines["goal"])


def test_a_pasted_report_that_was_answered_keeps_its_ends() -> None:
    report = "Review of the change.\n" + "\n".join(f"{n}. `part{n}` checks nothing here." for n in range(80)) + "\nBye."
    lines = shown(*spoken("Write the parser for dates.", report, "Now write its tests."))
    kept = next(line for line in list_requests(lines) if "Review of the change." in line)
    assert len(kept) < 600
    assert kept.partition("\n    → ")[0].endswith("Bye.")


def test_the_users_own_short_requests_have_room_before_pasted_reports() -> None:
    report = "Review {}.\n" + "Nothing checks the length of this field here. " * 60
    reports = [report.format(n) for n in range(12)]
    lines = shown(*spoken("Write the parser.", "Make a new branch first.", *reports, "Now write tests."), room=900)
    said = "\n".join((*lines["goal"], *list_requests(lines)))
    assert "Make a new branch first." in said
    assert any("requests" in line for line in lines["accomplished"] if line.startswith("- left out"))


def test_the_goal_moves_on_with_the_newest_task_and_not_with_a_question() -> None:
    lines = shown(
        *spoken("Write the parser.", "No, put it into a queue, and flush it later. does that make sense?", "why?")
    )
    assert [line.partition("] ")[2] for line in in_order(lines["goal"])[1:]] == [
        "Write the parser.",
        "No, put it into a queue, and flush it later. does that make sense?",
    ]


def test_a_question_about_how_to_build_something_opens_the_goal() -> None:
    asked = "brainstorm: how do we add a cache to the parser?\n\nfollow up: then how do we keep it small?"
    lines = shown(*spoken(asked, "does it read files?", "Write the cache for dates.", "Write the docs for it."))
    assert [line.partition("] ")[2].replace("\n    ", "\n") for line in in_order(lines["goal"])[1:]] == [
        asked,
        "Write the docs for it.",
    ]


@pytest.mark.parametrize(
    "words",
    [
        "retry the tests, I had to restart you",
        "can you check it again",
        "let's do that",
        "/simplify the tests of it",
    ],
)
def test_an_order_to_try_again_is_no_goal_once_it_is_answered(words: str) -> None:
    said = spoken("Write the parser for dates.", "Write its tests with a made-up calendar.", words)
    assert [line.partition("] ")[2] for line in in_order(shown(*said)["goal"])[1:]] == [
        "Write the parser for dates.",
        "Write its tests with a made-up calendar.",
    ]
    assert any(words in line for line in shown(*said[:-1])["goal"])


@pytest.mark.parametrize("words", ["after that commit push", "nice, commit and push it", "finally push the branch"])
def test_an_order_to_commit_or_push_is_no_goal_once_it_is_answered(words: str) -> None:
    said = spoken("Write the parser for dates.", "Write its tests with a made-up calendar.", words)
    goals = in_order(shown(*said)["goal"])
    assert goals[-1].endswith("Write its tests with a made-up calendar.")


def test_a_long_first_task_that_was_answered_keeps_what_says_what_to_do() -> None:
    report = "The date 31.02. is read as 03.03. although there is no such day in this calendar. " * 40
    asked = f"There is a project in ./dates. {report}\nYour task is to make the parser refuse such dates.\n{report}"
    lines = shown(*spoken(asked))
    assert "Your task is to make the parser refuse such dates." in in_order(lines["goal"])[1]
    assert len(in_order(lines["goal"])[1]) < 3_100


def test_what_a_terminal_printed_is_no_task() -> None:
    log = "$ node cli.js\nError: Cannot find module './config'\n    at load (node:internal:12)"
    lines = shown(*spoken(log, "Write the parser for dates.", "Now write its tests."))
    assert not any("Cannot find module" in line for line in lines["goal"])


def test_scratch_files_stand_in_one_line_and_only_the_newest() -> None:
    trials = [
        one for n in range(9) for one in ran(f"cat > test_case{n}.py <<'EOF'\nprint({n})\nEOF\npython test_case{n}.py")
    ]
    lines = shown(user("Fix the date parser."), *trials, *edited("src/dates.py"), *ran("echo x > /tmp/out.txt"))
    assert lines["files"] == (
        "- changed: src/dates.py",
        "- scratch files, 6 of 9: test_case3.py · test_case4.py · test_case5.py · test_case6.py · test_case7.py"
        " · test_case8.py",
    )


def test_the_number_of_scratch_files_outlives_a_further_compaction() -> None:
    lines = {"files": ("- scratch files, 6 of 10: /tmp/: a.py, b.py, c.py, d.py, e.py, f.py",)}
    back = read_back(lines)
    assert render_ledger(back) == lines
    both = fit_ledger(merge(back, Ledger(files=(FileEntry("/tmp/g.py", "created", scratch=True),))), 800, estimate)
    assert render_ledger(both)["files"][-1].startswith("- scratch files, 6 of 11: ")


def test_a_file_that_was_read_is_listed_where_something_came_of_it() -> None:
    reads = [
        one
        for path in ("lib/row-table.ts", "lib/dates.ts", "lib/money.ts", "doc/index.md")
        for one in (assistant(("r", "Read", json.dumps({"file_path": path}))), result("x", "Read", "r"))
    ]
    given = json.dumps({"file_path": "src/list.ts", "content": "RowTable.of(rows)"})
    use = (assistant(("w", "Write", given)), result("ok", "Write", "w"))
    told = assistant(text="Done as lib/dates.ts does it; money needs nothing.")
    more = user("Make a table of it, with a row for each of the dates.")
    asked = (user("Make a list."), *reads, *use, told)
    assert "- read: lib/row-table.ts · lib/dates.ts" in shown(*asked, more)["files"]
    assert shown(*asked)["files"] == ("- created: src/list.ts",)  # nothing is open
    begun = (assistant(("e", "Edit", json.dumps({"file_path": "src/list.ts"}))), result("ok", "Edit", "e"))
    assert not any("- read" in line for line in shown(*asked, more, *begun)["files"])  # it is in the work by now
    shot = (assistant(("s", "Read", json.dumps({"file_path": "/tmp/row-table.png"}))), result("x", "Read", "s"))
    files = shown(user("Make a list."), *reads, *shot, *use, told, more)["files"]
    assert "- read: lib/row-table.ts · lib/dates.ts" in files  # and nothing of temporary folders
    early = assistant(text="Let me look at lib/money.ts and index.md first.")
    assert not any("money" in line for line in shown(user("Make a list."), early, *reads, *use, told)["files"])
    assert shown(user("What is there?"), *reads)["files"] == (
        "- read: lib/: row-table.ts, dates.ts, money.ts · doc/index.md",
    )


@pytest.mark.parametrize(
    ("asked", "commands"),
    [
        ("Fix it and add test_dates.py.", ("cat > test_dates.py <<'EOF'\nx\nEOF\npython test_dates.py",)),
        ("Fix it.", ("cat > test_dates.py <<'EOF'\nx\nEOF\npython test_dates.py", "git add test_dates.py")),
        ("Fix it.", ("cat > tests/test_dates.py <<'EOF'\nx\nEOF\npython tests/test_dates.py",)),
        ("Fix it.", ("cat > main.py <<'EOF'\nx\nEOF\npython main.py",)),
        ("Fix it.", ("cat > test_dates.py <<'EOF'\nx\nEOF",)),
    ],
)
def test_a_file_that_was_asked_for_added_or_never_run_is_no_scratch_file(asked: str, commands: tuple[str, ...]) -> None:
    ledger = ledger_of(user(asked), *(one for command in commands for one in ran(command)))
    assert [one.scratch for one in ledger.files if one.use == "created"] == [False]


@pytest.mark.parametrize(("line", "is_scratch"), [("echo SUBMIT_FINAL && cat mend.patch", False), ("cat a.py", True)])
def test_the_file_that_was_handed_in_is_no_scratch_file(line: str, is_scratch: bool) -> None:
    ledger = ledger_of(user("Fix it."), *ran("git diff > mend.patch"), *ran(line))
    assert [one.scratch for one in ledger.files if one.path == "mend.patch"] == [is_scratch]


def test_errors_that_were_resolved_on_the_way_are_left_out() -> None:
    lines = shown(
        user("Fix the date parser."),
        *ran("pytest", "FAILED tests/test_a.py::test_b\n1 failed in 1s", True),
        *edited("src/dates.py", "String to replace not found in file."),
        *edited("src/dates.py"),
        *ran("pytest", "4 passed in 1s"),
    )
    assert "discoveries" not in lines
    assert "pytest → failed, then ok: 4 passed in 1s" in lines["accomplished"][0]


def test_an_error_of_no_check_is_told_while_nothing_was_changed_and_it_stands() -> None:
    lost = ran("curl shop.example", "curl: (6) Could not resolve host: shop.example", True)
    found = "- error, not tried again: curl: (6) Could not resolve host: shop.example — during: curl shop.example"
    assert found in shown(user("Look at the shop."), *lost)["discoveries"]
    assert "discoveries" not in shown(user("Look at the shop."), *lost, *edited("src/shop.py"))
    assert "discoveries" not in shown(user("Look at the shop."), *lost, *ran("curl shop.example", "<html>"))


@pytest.mark.parametrize(
    ("path", "about", "is_told"),
    [
        ("a.py", "`max_rows = 10` → `max_rows = 20`", False),
        ("a.py", "changes load", True),
        ("b.py", "`max_rows = 10` → `max_rows = 20`", True),
    ],
)
def test_a_value_that_the_note_of_its_file_shows_is_not_told_again(path: str, about: str, is_told: bool) -> None:
    value = ValueChange("a.py", "max_rows", "10", "20")
    files = (FileEntry(path, "changed", about=about),)
    ledger = Ledger(requests=(UserRequest("Set the rows."),), values=(value,), files=files)
    assert bool(select_relevant(ledger, 4_000, 400).values) is is_told


@pytest.mark.parametrize(
    ("old", "asked", "is_told"),
    [
        ("10", "Set it.", True),
        ("", "Set it.", False),  # the session itself added it
        ("", "Set max_rows.", True),
        ("", "Set it to 200.", True),
    ],
)
def test_a_new_value_is_told_where_the_user_spoke_of_it(old: str, asked: str, is_told: bool) -> None:
    assert bool(select_values((ValueChange("a.py", "max_rows", old, "200"),), asked)) is is_told


def test_a_switch_is_not_what_the_user_spoke_of() -> None:
    assert not select_values((ValueChange("a.py", "quiet", "false", "true"),), "Is it true?")


def test_calls_and_changes_under_what_is_next_name_files_below_the_root() -> None:
    given = json.dumps({"file_path": "/home/ann/shop/src/cart.py", "old_string": "a", "new_string": "b"})
    calls = (assistant(("e", "Edit", given), text="Let me mend it:"), result("ok", "Edit", "e"))
    where = ran("cd /home/ann/shop && git rev-parse --show-toplevel", "/home/ann/shop")
    lines = shown(user("Mend the cart."), *where, *calls)["next"]
    assert "- not verified: no test, build or linter is known to have passed since ./src/cart.py was changed" in lines
    assert any(line.startswith("- then called, ok: Edit ./src/cart.py") for line in lines)


def test_notes_of_committed_files_are_short_and_their_values_stay() -> None:
    values = revalued("src/menu.py", "max_rows = 10", "max_rows = 20")
    commit = ran("git commit -am x", "[main 1a2b3c4] Mend it")
    work = (user("Mend the menu."), *values, *commit, assistant(text="Done."))
    open_ = shown(user("Mend the menu."), *values, assistant(text="Done."))
    assert "- changed: src/menu.py — `max_rows = 10` → `max_rows = 20`" in open_["files"]
    for lines in (shown(*work), shown(*work, user("Write the docs of the menu."))):
        assert "- changed: src/menu.py" in lines["files"]
        assert "- value: max_rows in src/menu.py: 10 → 20" in lines["accomplished"]


def test_a_pass_of_more_stands_for_a_pass_of_less() -> None:
    passed = fit_ledger(
        ledger_of(
            *ran("pytest tests/test_a.py", "1 passed in 1s"),
            *ran("ruff check src", "All checks passed!"),
            *ran("pytest", "4 passed in 1s"),
        ),
        4_000,
        estimate,
    )
    assert render_ledger(passed)["accomplished"] == (
        "- lint, ok: ruff check src — said: All checks passed!",
        "- test, ok: pytest — said: 4 passed in 1s",
    )


def test_of_commands_those_stay_that_changed_what_no_file_shows() -> None:
    lines = shown(
        user("Set it up."),
        *ran("bd ready"),
        *ran("npm install left-pad"),
        *ran("git add -A"),
        *ran("docker compose up -d"),
    )
    assert [line.split("→ ", 1)[1] for line in lines["accomplished"]] == ["npm install left-pad → ok"]
    assert "- then called, ended, outcome unknown: docker compose up -d — said: (no output)" in lines["next"]


def test_names_in_the_users_words_are_not_listed_again() -> None:
    address = "https://tracker.example.org/tickets/5150"
    ledger = ledger_of(user(f"Solve {address} now."), assistant(text="Done."))
    assert ledger.identifiers == (address,)
    assert not any(line.startswith("- names") for line in shown(user(f"Solve {address} now.")).get("discoveries", ()))


@pytest.mark.parametrize(
    "junk",
    [
        "utf-8",
        "2026-03-04",
        "http://www.w3.org/2000/svg",
        "#424242",
        "ENOENT",
        "session-123",
        "v23.4.0",
        "showError",
        "1200p",
        "120-133",
        "L120-133",
        "L12",
        "gap-4",
        "py-1.5",
        "bg-blue-400",
        "aa4444",
        "#aa4444",
        "128-color",
        "2026-03-04T05-06-07-890Z",
        "Linux-6.1.0-13-amd64-x86_64-with-glibc2.36",
        "TypeError",
    ],  # fmt: skip
)
def test_names_that_tell_nothing_are_none(junk: str) -> None:
    assert ledger_of(user(f"See {junk} there."), assistant(text=f"{junk} and {junk}")).identifiers == ()


def test_of_a_projects_rules_the_firm_ones_for_every_case_stay() -> None:
    rules = "\n".join(
        ["- We like short functions.", "- **Mode:** off", "- Never do these:", "- When a user asks, you must answer."]
        + [f"- Never edit the folder gen{n} by hand. It is made by a script." for n in range(MOST_PROJECT_RULES)]
    )
    text = f"# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\n{rules}\n</INSTRUCTIONS>"
    said = Message("user", (), (*user(text).parts,), "harness")
    kept = shown(said, user("Go on."))["constraints"]
    assert [line.partition("] ")[2] for line in kept] == [
        f"- Never edit the folder gen{n} by hand. It is made by a script." for n in range(MOST_PROJECT_RULES)
    ]


@pytest.mark.parametrize(("room", "is_whole"), [(4_000, True), (900, False)])
def test_an_open_request_is_told_whole_where_nothing_else_needs_the_room(room: int, is_whole: bool) -> None:
    plan = "\n".join(f"Part {n} of the roof is laid on the beams of part {n - 1}, in slate." for n in range(50))
    ledger = build_ledger(talk(user(plan), *edited("roof.md")).messages)
    goal = "\n".join(render_ledger(fit_ledger(ledger, room, estimate))["goal"])
    assert all(f"Part {n} of" in goal for n in range(50)) is is_whole


def committed(number: int, title: str = "Do part") -> tuple[Message, Message]:
    return ran(
        f"git commit -am '{title} {number}'", f"[topic {0xABC1000 + number:x}] {title} {number}\n 1 file changed"
    )


def test_all_commits_are_listed_where_they_have_room() -> None:
    lines = shown(user("Do the parts."), *(one for n in range(14) for one in committed(n)), assistant(text="Done."))
    assert list_commits(lines) == [f"commit {0xABC1000 + n:x} Do part {n}" for n in range(14)]


def test_commits_without_room_are_counted_and_the_newest_stay() -> None:
    turns = (one for n in range(60) for one in committed(n, "Describe at some length what was done for part"))
    lines = shown(user("Do the parts."), *turns, room=500)
    listed = list_commits(lines)
    assert 1 < len(listed) < 60
    assert sorted(listed)[-1].endswith("part 59")
    before = next(line for line in lines["accomplished"] if line.startswith("- earlier commits: "))
    hashes = before.partition(": ")[2].split(" · ")
    assert not any(f" {hash_}]" in line for hash_ in hashes for line in listed)
    assert any(" commits" in line for line in lines["accomplished"] if line.startswith("- left out"))
    back = read_back(lines)
    assert set(hashes) <= {*back.commits}
    assert hashes[0] not in merge(back, Ledger(commits=(f"[topic {hashes[0]}] Do part 0",))).commits


UNCOMMITTED = "- changed since the last commit: "


def test_a_change_behind_the_last_commit_is_open() -> None:
    done = assistant(text="All parts are written.")
    asked = (user("Do the parts."), *edited("src/a.py"), *edited("src/b.py"))
    pushed = ran("git push origin topic", "To github.com:a/b\n   1..2  topic -> topic")
    told = shown(*asked, *committed(1), *pushed, done)["next"][0]
    assert told.endswith("; the user is next; open: unverified changes")
    lines = shown(*asked, *committed(1), *edited("src/b.py"), *edited("src/c.py"), done)["next"]
    assert f"{UNCOMMITTED}src/b.py · src/c.py" in lines
    assert "uncommitted changes" in lines[0]


@pytest.mark.parametrize(
    "behind",
    [
        ran("git checkout -- src/b.py"),
        ran("git add -A && git commit -q -m more"),
        ran("git status", "On branch topic\nnothing to commit, working tree clean"),
        ran("cat src/b.py", "x = 1"),
    ],
)
def test_what_git_took_back_or_committed_is_not_open(behind: tuple[Message, Message]) -> None:
    change = () if "cat" in behind[0].parts[0].text else edited("src/b.py")
    lines = shown(user("Do the parts."), *edited("src/a.py"), *committed(1), *change, *behind, assistant(text="Done."))
    assert not any(UNCOMMITTED in line for line in lines["next"])


def test_a_session_without_commits_has_no_uncommitted_files() -> None:
    lines = shown(user("Do the parts."), *edited("src/a.py"), assistant(text="Done."))
    assert not any(UNCOMMITTED in line for line in lines["next"])


def test_of_many_uncommitted_files_the_newest_are_named() -> None:
    edits = [one for n in range(28) for one in edited(f"src/part{n}.py")]
    listed = next(line for line in shown(user("Do."), *committed(1), *edits)["next"] if UNCOMMITTED in line)
    assert listed == f"{UNCOMMITTED}… · src/: " + ", ".join(f"part{n}.py" for n in range(4, 28))


def test_a_commit_of_a_later_span_ends_the_list_of_the_earlier_one() -> None:
    earlier = ledger_of(user("Do the parts."), *committed(1), *edited("src/a.py"))
    later = ledger_of(*edited("src/b.py"))
    assert merge(earlier, later).uncommitted == ("src/a.py", "src/b.py")
    assert merge(merge(earlier, later), ledger_of(*committed(2))).uncommitted == ()


def test_a_session_that_works_on_tickets_names_what_is_not_committed() -> None:
    ticket = ran("bd update shop-12 --claim", "Updated issue: shop-12")
    lines = shown(user("Do shop-12."), *ticket, *edited("src/a.py"), assistant(text="The cart is written."))["next"]
    assert "- not committed: src/a.py" in lines
    assert "uncommitted changes" in lines[0]


@pytest.mark.parametrize(
    ("asked", "is_goal"),
    [
        ("can you show me the text in one line", False),
        ("why is the cart written in two files?", False),
        ("can you write the checkout page as well", True),
    ],
)
def test_an_answered_question_is_no_goal(asked: str, is_goal: bool) -> None:
    lines = shown(*spoken("Write the cart of the shop.", "Write the tests of the cart.", asked))
    assert any(asked in line for line in lines["goal"]) is is_goal


def test_names_that_stand_in_a_shown_line_are_not_listed_again() -> None:
    lines = shown(user("Do it."), *committed(1), assistant(text="abc1001 is in."), assistant(text="See abc1001."))
    assert not any(line.startswith("- names") for line in lines.get("discoveries", ()))


def test_an_order_to_look_that_was_answered_is_left_out() -> None:
    looked, kept = "ok, show me the log of the last run", "Write the second part, with its own tests."
    lines = shown(*spoken("Write the parser.", looked, kept, *(f"Write part {n} of it." for n in range(4))))
    said = "\n".join((*lines["goal"], *list_requests(lines)))
    assert looked not in said
    assert kept in said


def test_errors_of_work_that_was_answered_are_left_out() -> None:
    failing = ran("node -e 'load()'", "Error: Cannot find module './config'", True)
    assert not any(
        "error" in one for one in shown(user("Mend it."), *failing, assistant(text="Done.")).get("discoveries", ())
    )
    assert any("error" in one for one in shown(user("Mend it."), *failing)["discoveries"])


def test_an_error_that_is_raised_again_under_another_name_is_listed_once() -> None:
    output = "sqlite3.IntegrityError: FOREIGN KEY failed\ndjango.db.IntegrityError: FOREIGN KEY failed"
    lines = shown(user("Mend it."), *ran("pytest -q", f"{output}\n1 failed", True))
    assert sum("FOREIGN KEY" in line for line in lines["next"]) == 1
    assert "discoveries" not in lines


def test_a_long_text_that_a_command_was_given_is_left_out() -> None:
    told = "Do this and that, with all the words that are needed to say what it is about."
    lines = shown(user("Set it up."), *ran(f'bd create --title="A part" --description="{told}"'))
    assert [line.split("→ ", 1)[1] for line in lines["accomplished"]] == [
        'bd create --title="A part" --description="…" → ok'
    ]


REVIEWS = (
    'Second pass.\n\n## Findings\n\n- `copy --all` must fail with "use sync" when a tag differs.',
    "1. High: `copy` loses tags (a.go:12). It should refuse the second tag and must never say that all went well.",
    "1. `copy` has to lock the target (a.go:12)\n2. the counter never is zero (b.go:7), it should be an int.",
    "Rows are lost on closing\n\nHigh Severity\n\nThe writer closes the file before the reader has read it.",
)


@pytest.mark.parametrize("review", REVIEWS)
def test_an_answered_review_that_was_pasted_is_neither_goal_nor_instruction(review: str) -> None:
    order = "Add a flag --all to the copy command, which warns by default."
    lines = shown(*spoken(order, review, "ok, make a smoke test of it"))
    assert order in in_order(lines["goal"])[1]
    said = "\n".join((*lines["goal"], *list_requests(lines)))
    assert review.partition("\n")[0] not in said


@pytest.mark.parametrize("review", REVIEWS)
def test_a_review_that_waits_for_work_is_the_goal(review: str) -> None:
    lines = shown(*spoken("Add a flag --all to the copy command."), user(review))
    assert review.partition("\n")[0] in in_order(lines["goal"])[-1]


def test_the_text_that_a_host_writes_for_a_typed_command_is_not_the_users() -> None:
    typed = user("<command-message>tidy</command-message>\n<command-name>/tidy</command-name>")
    template = user("# Tidy: clean the code\n\nYou must delete every comment.\n\nFix each thing that you find.")
    lines = shown(*spoken("Write the parser of the shop."), typed, template, assistant(text="All is tidy now."))
    assert "constraints" not in lines
    assert "Write the parser" in in_order(lines["goal"])[1]
    assert not any("Tidy" in line for some in lines.values() for line in some)


def test_a_typed_command_that_opens_the_conversation_gives_the_task() -> None:
    typed = user("<command-name>/solve</command-name>")
    lines = shown(typed, user("# Solve\n\nFix the parser and add its tests."))
    assert "Fix the parser" in in_order(lines["goal"])[0]


def test_what_a_user_types_after_a_local_command_is_the_users() -> None:
    typed = user("<command-name>/login</command-name>"), user("<local-command-stdout>Done</local-command-stdout>")
    lines = shown(*spoken("Write the parser."), *typed, user("# Now the printer\n\nWrite it with its tests."))
    assert "Now the printer" in in_order(lines["goal"])[-1]


def revalued(path: str, old: str, new: str) -> tuple[Message, Message]:
    given = {"file_path": path, "old_string": old, "new_string": new}
    return assistant(("e", "Edit", json.dumps(given))), result("ok", "Edit", "e")


def test_values_are_listed_that_are_settings_or_that_the_user_spoke_of() -> None:
    edits = (
        *revalued("src/menu.py", 'title = "Soups"', 'title = "Stews"'),
        *revalued("src/menu.py", "max_rows = 10", "max_rows = 20"),
        *revalued("tests/test_menu.py", "max_rows = 1", "max_rows = 2"),
        *revalued("src/menu.py", 'flavor = "plain"', 'flavor = "smoky"'),
    )
    told = [line for line in shown(user("Make them smoky."), *edits)["accomplished"] if line.startswith("- value")]
    assert told == [
        "- value: max_rows in src/menu.py: 10 → 20",
        '- value: flavor in src/menu.py: "plain" → "smoky"',
    ]


def test_of_commands_beside_the_steps_those_are_listed_that_left_the_machine_or_are_tasks() -> None:
    work = [one for n in range(12) for one in ran(f"make part{n}", f"made part {n}")]
    prepared = (*ran("git add src/menu.py docs", "ok"), *ran("mkdir -p a && kitchen open it", "open"))
    told = "\n".join(shown(user("Build it."), *prepared, *work, *edited("a.py"))["accomplished"])
    assert "- ran, ok: make part0" in told
    assert "git add" not in told
    assert "kitchen" not in told


def test_a_check_that_is_older_than_the_edits_goes_where_another_of_its_kind_passed_since() -> None:
    first = (
        user("Fix it."),
        *edited("src/a.py"),
        *ran("pytest tests/test_a.py", "1 passed in 1s"),
        *edited("src/b.py"),
    )
    assert any(line.startswith("- not verified: ") for line in shown(*first)["next"])
    told = shown(*first, *ran("make test", "4 passed in 1s"))
    assert not any("edited since" in line for line in told["accomplished"])
    assert "make test → ok: 4 passed in 1s" in told["accomplished"][0]


def test_names_of_the_user_are_listed_only_where_the_words_of_a_request_are_cut() -> None:
    rows = [f"The tide table has a row for each harbor and for hour {n} of the day.\n" for n in range(80)]
    named = rows[40].replace("tide", "OPS-4471")
    asked = f"Write the table.\n{''.join(rows[:40])}{named}{''.join(rows[41:])}Keep it small."
    assert "- names: OPS-4471" in shown(user(asked))["discoveries"]
    assert "discoveries" not in shown(*spoken("Write the table of OPS-4471.", "Write the docs."))


def test_of_a_failing_check_the_newest_run_counts_and_of_one_run_two_errors() -> None:
    old = Command("npm run check", False, 1, "build", "a.ts(1,1): error TS1: old", edited_since=True)
    new = Command("npm run build", False, 1, "build", "a.ts(2,2): error TS2: new")
    errors = [Failure(f"a.ts({n},9): error TS{n}: part {n}", new.text, check=True) for n in range(3, 7)]
    stale = [
        Failure(f"b.ts({n},9): error TS{n}: part {n}", old.text + str(n), check=True, edited_since=True) for n in (7, 8)
    ]
    unknown = Command("npm run lint", None, None, "lint", edited_since=True)
    other = Command("npm test", False, 1, "test", "1 failed", edited_since=True)
    made = select_relevant(Ledger(commands=(old, unknown, other, new), failures=(*errors, *stale)), 4_000, 400)
    told = " · ".join((*(one.line for one in errors[:2]), new.told))
    assert made.commands == (other, replace(new, told=told))
    assert made.failures == (stale[1],)
    alone = select_relevant(Ledger(commands=(old,), failures=tuple(stale)), 4_000, 400)
    assert (alone.commands, alone.failures) == ((old,), tuple(stale))  # nothing newer says how it stands


def test_what_is_done_of_a_plan_is_told_beside_what_is_open() -> None:
    done = (PlanItem("Read the rows.", "done"), PlanItem("Sort them.", "done"))
    asked = UserRequest("Sort the rows.", "done", "k", progress=Progress(("changed rows.py",)))
    left = PlanItem("Print them.")
    assert select_relevant(Ledger(requests=(asked,), tasks=done), 4_000, 400).tasks == ()
    assert select_relevant(Ledger(requests=(asked,), tasks=(*done, left)), 4_000, 400).tasks == (*done, left)
    assert select_relevant(Ledger(tasks=done), 4_000, 400).tasks == done  # no step tells it


def test_of_many_scratch_files_those_among_the_sources_are_listed() -> None:
    made = [edited("/w/src/rows.py"), ran("cd /w && cp src/rows.py src/rows.py.backup", "")]
    for n in range(9):
        made.append(ran(f"cd /w && echo 'import rows' > test_case{n}.py && python test_case{n}.py", "ok"))
    lines = shown(user("Fix the rows."), *(one for pair in made for one in pair), assistant(text="Done."))
    listed = next(line for line in lines["files"] if line.startswith("- scratch files, 6 of 10: "))
    assert "src/rows.py.backup" in listed
    assert "test_case8.py" in listed
    assert "test_case3.py" not in listed


def test_the_errors_of_a_failing_check_stand_beside_it_and_nowhere_else() -> None:
    output = "FAILED tests/test_dates.py::test_leap\n=== 1 failed, 4 passed in 0.2s ==="
    lines = shown(user("Mend the dates."), *edited("dates.py"), *ran("pytest -q", output, True))
    [failing] = [line for line in lines["next"] if line.startswith("- test, failed")]
    assert "FAILED tests/test_dates.py::test_leap" in failing
    assert "1 failed, 4 passed" in failing
    assert not any("test_leap" in line for id in lines for line in lines[id] if line != failing)


def test_an_error_that_the_total_of_a_failing_check_repeats_stands_once() -> None:
    output = "--- FAIL: TestTide (0.2s)\n--- FAIL: TestFerry (0.1s)\nFAIL\texample.com/tide\t0.4s"
    lines = shown(user("Mend the tide."), *edited("tide.go"), *ran("go test ./...", output, True))
    [failing] = [line for line in lines["next"] if line.startswith("- test, failed")]
    assert failing.count("TestTide") == failing.count("TestFerry") == 1


def test_demands_among_the_many_lines_of_a_goal_are_listed_as_constraints_only() -> None:
    lines = [f"Part {n} of the table is about the harbor." for n in range(6)]
    text = "\n".join(("Write the table of the harbor.", *lines, "Never edit the file rows.csv."))
    shown_lines = shown(user(text), *ran("ls", "rows.csv"))
    assert "Never edit" not in "".join(shown_lines["goal"])
    assert any("Never edit the file rows.csv." in line for line in shown_lines["constraints"])


def test_a_text_that_stands_for_a_missing_result_is_no_outcome() -> None:
    lines = shown(user("Try it."), *ran("python try_it.py", "[No result was recorded.]"))
    assert "- no result yet: bash — python try_it.py" in lines["next"]
    assert not any("No result was recorded" in line for id in lines for line in lines[id])


def test_what_an_older_plan_had_done_is_not_told_beside_a_newer_one() -> None:
    old = PlanItem("Read the tide tables.", "done", "first")
    done, left = PlanItem("Write the reader.", "done", "second"), PlanItem("Write its tests.", "open", "second")
    more = PlanItem("Write the docs.", "open", "second")
    assert select_relevant(Ledger(tasks=(old, done, left, more)), 4_000, 400).tasks == (done, left, more)


def test_what_only_keeps_the_tracker_is_not_told_beside_the_ticket() -> None:
    command = Command("bd create --title=rows")
    assert select_relevant(Ledger(commands=(command,)), 4_000, 400).commands == (command,)
    assert select_relevant(Ledger(commands=(command,), tickets=(Ticket("rows-1"),)), 4_000, 400).commands == ()


def test_a_check_that_was_run_again_behind_a_change_without_an_error_is_not_open() -> None:
    def is_open(*messages: Message) -> bool:
        return any(line.startswith("- build, failed") for line in shown(*messages)["next"])

    failed = ran("npx tsc --noEmit", "src/cart.ts(3,1): error TS2304: Cannot find name 'sum'.", True)
    again = ran("npm run build 2>&1 | tail -3", "copied 2 themes")
    begun = (user("Mend the cart."), *failed, *edited("src/cart.ts"))
    assert is_open(*begun)
    assert not is_open(*begun, *again)
    narrow = ran("npm run build -w basket 2>&1 | tail -3", "copied 2 themes")
    assert is_open(*begun, *narrow)


def test_a_request_that_nothing_followed_and_that_was_said_again_is_told_once() -> None:
    answer = assistant(text="The cart is committed.")
    lines = shown(user("Mend the cart."), *edited("cart.py"), user("commit."), user("Commit"), answer)
    assert sum("ommit" in line and line.startswith("- [") for line in (*lines["goal"], *lines["accomplished"])) == 1
    assert not any("also wrote" in line for line in lines["accomplished"])
    other = shown(user("Mend the cart."), *edited("cart.py"), user("and the basket"), user("Commit"), answer)
    assert any("and the basket" in line for lines in other.values() for line in lines)


def test_talk_before_the_newest_change_is_only_counted() -> None:
    def lines(reply: str, *, is_changed: bool, later: int = 2) -> tuple[str, ...]:
        talk = (user("the sheet opens on my machine now"), assistant(text=reply))
        work = (
            user("Sort the rows of the sheet."),
            *(edited("rows.py") if is_changed else ()),
            assistant(text="The rows are sorted."),
        )
        more = [one for n in range(later) for one in (user(f"Print row number {n} of it."), *ran(f"cat {n}"))]
        return shown(user("Mend the sheet."), *edited("sheet.py"), *talk, *work, *more)["accomplished"]

    reply = "That is the sheet which was mended."
    assert any("on my machine" in line for line in lines(reply, is_changed=False))
    told = lines(reply, is_changed=True)
    assert not any("on my machine" in line for line in told)
    assert any(line.startswith("- left out to save room: ") for line in told)
    assert any("on my machine" in line for line in lines("The tests were not run.", is_changed=True))
    told = lines("The tests were not run.", is_changed=True, later=5)
    assert not any("on my machine" in line for line in told)


def test_errors_of_a_check_that_fails_stand_beside_it_whatever_pipe_it_had() -> None:
    build = Command("go build ./... 2>&1", False, check="build", told="too many errors")
    errors = (Failure("a.go:3:1: undefined: rows", "go build ./... 2>&1 | head -80", check=True),)
    commands, failures = join_errors(Ledger(commands=(build,), failures=errors), (build,))
    assert failures == ()
    assert commands == (replace(build, told="a.go:3:1: undefined: rows · too many errors"),)
    passed = replace(build, ok=True, told="ok")
    assert join_errors(Ledger(commands=(passed,), failures=errors), (passed,)) == ((passed,), errors)


@pytest.mark.parametrize(
    ("said", "scratch"),
    [
        (
            "Mend the rudder. You don't have to modify any of the tests in any way!",
            ["tests/__init__.py", "tests/test_rudder.py"],
        ),
        ("Mend the rudder without adding tests.", ["tests/__init__.py", "tests/test_rudder.py"]),
        ("Mend the rudder, and never change a test but tests/test_rudder.py.", ["tests/__init__.py"]),
        ("Mend the rudder, and don't forget to add tests.", []),
        ("Do not modify the sails but add tests.", []),
    ],
)
def test_a_new_test_is_left_over_where_the_user_wants_none_changed(said: str, scratch: list[str]) -> None:
    def wrote(path: str) -> tuple[Message, Message]:
        return assistant(("w", "Write", json.dumps({"file_path": path, "content": "x = 1\n"}))), result(
            "ok", "Write", "w"
        )

    names = ("src/rudder.py", "tests/__init__.py", "tests/test_rudder.py")
    files = ledger_of(user(said), *(one for name in names for one in wrote(name))).files
    assert [one.path for one in files if one.scratch] == scratch


def test_what_the_last_words_say_again_is_no_report() -> None:
    items = [Quote("Added the reader of all rows", "r"), Quote("Removed the old flag of the menu", "r")]
    asked = UserRequest("Add the reader to the table.", "done", "q")
    again = Quote("The reader that was added takes all rows of the table.", "w")
    assert select_relevant(Ledger(requests=(asked,), reported=(*items,), last_words=again), 900, 900).reported == (
        items[1],
    )
    same = Quote(again.text, "r")  # of the report itself what is listed is taken out instead
    assert len(select_relevant(Ledger(requests=(asked,), reported=(*items,), last_words=same), 900, 900).reported) == 2


PICKED = UserRequest(
    "2", "done", "k1", answers="Where do the rows go? 2) Into a file …", progress=Progress((), "Good.")
)


def worked(number: int, key: str = "", *steps: str) -> UserRequest:
    done = Progress(steps or (f"changed part{number}.py", f"commit {number}{number}{number}abcd Write part {number}"))
    return UserRequest(f"Write part {number} of the importer.", "done", key or f"p{number}", progress=done)


def test_of_an_old_choice_the_words_stay_and_what_the_agent_said_to_it_goes_once_work_followed() -> None:
    def told(*after: UserRequest) -> str:
        lines = render_ledger(select_relevant(Ledger(requests=(PICKED, *after)), 9_000, 900))
        return "\n".join(line for line in lines["accomplished"] if "2) Into a file" in line)

    assert "Good." in told(replace(PICKED, text="1", key="k2"))
    assert "Good." not in told(*map(worked, range(1, 6)))
    assert told(*map(worked, range(1, 6)))


def test_a_demand_that_was_carried_out_before_a_commit_is_not_told_with_its_file() -> None:
    def told(scope: Scope) -> bool:
        demand = Constraint("The dates in the header should be dimmer.", scope, "d1")
        asked = UserRequest(demand.text, "done", "d1", progress=Progress(("changed part1.py",)))
        files = (FileEntry("/w/part1.py", "changed"),)
        ledger = Ledger(requests=(asked, *map(worked, range(1, 6))), constraints=(demand,), files=files)
        return any(
            demand.text in line for some in render_ledger(select_relevant(ledger, 9_000, 900)).values() for line in some
        )

    assert told("standing")
    assert not told("request")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("I moved all tables into their own file. {}", "I moved all tables into their own file."),
        ("{} I moved all tables into their own file.", "I moved all tables into their own file."),
        ("See there. {}", "See there. {}"),
        ("I moved all tables into their own file.", "I moved all tables into their own file."),
    ],
)
def test_a_sentence_that_is_listed_as_a_demand_is_not_told_in_the_goal_again(line: str, told: str) -> None:
    demand = Constraint("You must not touch any of the tables!", "standing", "d1")
    lines = [*(f"Part {number} reads its rows." for number in range(6)), line.format(demand.text)]
    request = UserRequest("\n".join(["Write the importer.", *lines]), "open", "d1")
    made = select_relevant(Ledger(requests=(request,), constraints=(demand,)), 9_000, 900)
    assert made.requests[0].text.split("\n")[-1] == told.format(demand.text)
    assert any(demand.text in shown for shown in render_ledger(made)["constraints"]) or demand.text in told.format(
        demand.text
    )


def test_a_request_whose_demand_was_carried_out_is_counted_where_nothing_tells_of_it() -> None:
    demand = Constraint("The dates in the header should be dimmer.", "request", "d1")
    asked = UserRequest(demand.text, "done", "d1", progress=Progress(("changed part1.py",)))
    files = (FileEntry("/w/part1.py", "changed"),)
    ledger = Ledger(requests=(asked, *map(worked, range(1, 6))), constraints=(demand,), files=files)
    assert select_relevant(ledger, 9_000, 900).omitted["requests"] == 1
