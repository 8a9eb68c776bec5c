"""What the agent reports as done at the end of its work."""

import json

import pytest
from msgspec.structs import replace

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import (
    FileEntry,
    Ledger,
    PlanItem,
    Quote,
    build_ledger,
    fit_ledger,
    merge,
    read_back,
    render_ledger,
)
from secateur.compaction.ledger.files.short_notes import drop_reported
from secateur.compaction.ledger.turns.reports import drop_deeds, find_items, is_committed, list_reported, strip_reported
from secateur.model import Message
from secateur.tokens import estimate

HEADED = """All tests pass.

## Summary of Changes

### 1. Fixed `parse` and `emit` (parser.go)
They dropped the last byte. Both were updated.
- Added a check to `parse`

### 2. Added a test helper
It is new.
"""


def work(closing: str, *then: Message) -> Ledger:
    edit = json.dumps({"file_path": "/a/parser.go", "old_string": "a", "new_string": "b"})
    calls = (assistant(("1", "Edit", edit)), result("done", "Edit", "1"))
    return build_ledger(talk(user("Fix the parser."), *calls, assistant(text=closing), *then).messages)


@pytest.mark.parametrize(
    ("text", "items"),
    [
        (HEADED, ["Fixed `parse` and `emit` (parser.go)", "Added a test helper"]),
        (
            "What got fixed:\n- **`RefPrefixes`** — callers pass the struct. It is shorter.\n\nSkipped:\n- the fixture",
            ["**`RefPrefixes`** — callers pass the struct."],
        ),
        (
            "- Removed the flag\n- Updated the page\n\nNext steps:\n- Added tests later",
            ["Removed the flag", "Updated the page"],
        ),
        ("Options:\n- Replaced by a struct\n- a map", []),
        ("1. Add a flag\n2. Should the parser stop?", []),
        (
            "What I did:\n- Added one reader for both stores:\n  - `src/reader.py`\n- Added tests:\n  - `tests/a.py`\n"
            "- Changed the view to tell:\n  - stores that are empty\n  - stores that are closed\n- Dropped the flag",
            [
                "Added one reader for both stores",
                "Changed the view to tell: stores that are empty · stores that are closed",
                "Dropped the flag",
            ],
        ),
    ],
)
def test_items_of_a_report_are_its_deeds(text: str, items: list[str]) -> None:
    assert list(find_items(text)) == items


def test_a_report_is_listed_and_read_back_where_no_quote_holds_it() -> None:
    ledger = work(HEADED)
    assert not any("the agent reports" in line for line in render_ledger(ledger)["accomplished"])
    ledger = replace(ledger, last_words=Quote("Shall I push it?"), report=None)
    lines = render_ledger(ledger)
    reported = ["- the agent reports:\n    Fixed `parse` and `emit` (parser.go)\n    Added a test helper"]
    assert [line for line in lines["accomplished"] if not line.startswith("- [")] == reported
    assert render_ledger(read_back(lines))["accomplished"] == lines["accomplished"]
    later = build_ledger(talk(user("Thanks!")).messages)
    assert [one.text for one in merge(ledger, later).reported] == [one.text for one in ledger.reported]


def test_no_report_without_work_or_against_the_user() -> None:
    assert build_ledger(talk(user("What does it do?"), assistant(text=HEADED)).messages).reported == ()
    assert work(HEADED, user("No, that's wrong: the tests fail.")).reported == ()


def test_a_report_of_work_that_was_committed_is_none_once_the_user_goes_on() -> None:
    def items(*more: Message) -> int:
        edit = json.dumps({"file_path": "/a/parser.go", "old_string": "a", "new_string": "b"})
        calls = (assistant(("1", "Edit", edit)), result("done", "Edit", "1"))
        history = (user("Fix the parser."), *calls, assistant(text=HEADED), user("Commit it."), *more)
        return len(build_ledger(talk(*history).messages).reported)

    line = json.dumps({"command": "git commit -am 'Keep the byte'"})
    commit = (assistant(("2", "bash", line)), result("[main 1a2b3c4] Keep the byte", "bash", "2"))
    look = (assistant(("3", "bash", '{"command": "git status"}')), result("clean", "bash", "3"))
    assert items(*commit) == 2
    assert items(*commit, user("Now write the docs.")) == 0
    assert items(*look, user("Now write the docs.")) == 2


SAID = """The reader is done.

What I did:
- Updated `parser.go` so that it keeps the last byte of every row that it reads
- Committed as `Keep the last byte` (`1a2b3c4`)
- Added a test of it
- Changed the view to tell:
  - stores that are empty
  - stores that are closed

The docs are not written yet."""


def test_each_item_of_a_report_stands_once() -> None:
    commit = (
        assistant(("2", "bash", json.dumps({"command": "git commit -m x"}))),
        result("[main 1a2b3c4] Keep the last byte\n 1 file changed", "bash", "2"),
    )
    edit = json.dumps({"file_path": "/a/parser.go", "old_string": "a", "new_string": "b"})
    calls = (assistant(("1", "Edit", edit)), result("done", "Edit", "1"), *commit)
    history = [user("Fix the parser."), *calls, assistant(text=SAID)]
    lines = render_ledger(fit_ledger(build_ledger(talk(*history).messages), 4_000, estimate))
    said = "\n".join(line for some in lines.values() for line in some)
    assert said.count("keeps the last byte of every row") == 1
    assert said.count("Keep the last byte") == 1
    assert any("the agent reports" in line for line in lines["accomplished"])
    assert lines["next"][0].endswith("; open: unverified changes, at least 1 unpushed commit")
    quoted = [line.strip() for line in lines["next"][2].split("\n") if line.strip()]
    assert quoted == ["- the agent said last: The reader is done. […]", "The docs are not written yet."]
    assert render_ledger(read_back(lines)) == lines
    short = replace(build_ledger(talk(*history).messages), last_words=Quote("The reader is done.\n\nWhat I did: […]"))
    told = render_ledger(short)["accomplished"]
    assert sum("keeps the last byte of every row" in line for line in told) == 1
    assert any("\n    Added a test of it" in line for line in told)


def test_tasks_that_are_done_stand_in_one_line() -> None:
    ledger = Ledger(tasks=(PlanItem("first", "done"), PlanItem("second", "done"), PlanItem("third")))
    lines = render_ledger(ledger)
    assert lines["accomplished"] == ("- tasks, done: first · second",)
    assert read_back(lines).tasks == ledger.tasks
    odd = replace(ledger, tasks=(PlanItem("a · b", "done"), PlanItem("c", "done")))
    assert render_ledger(odd)["accomplished"] == ("- task, done: a · b", "- task, done: c")
    assert read_back(render_ledger(odd)).tasks == odd.tasks


def test_the_beginning_of_a_reported_sentence_is_no_note_of_a_file() -> None:
    files = (FileEntry("a.py", "changed", about="adds read; “Updated `a.py` to …”"), FileEntry("b.py", "read"))
    dropped = drop_reported(files, ["Updated `a.py` to keep the rows."])
    assert [one.about for one in dropped] == ["adds read", ""]
    assert drop_reported(files, ["Renamed `a.py`."]) == files


def test_a_command_of_which_only_a_long_text_is_left_is_not_listed() -> None:
    long = f"bash -lc 'publish all of it {'and more ' * 12}'"
    history = [user("Go."), assistant(("1", "bash", json.dumps({"command": long}))), result("ok", "bash", "1")]
    ledger = build_ledger(talk(*history, assistant(text="Published.")).messages)
    assert ledger.commands
    assert "accomplished" not in render_ledger(fit_ledger(ledger, 4_000, estimate))


def test_what_a_newer_plan_left_out_is_not_among_what_was_done() -> None:
    ledger = Ledger(tasks=(PlanItem("first", "done"), PlanItem("second", "superseded"), PlanItem("third")))
    lines = render_ledger(fit_ledger(ledger, 4_000, estimate))
    assert lines["accomplished"] == ("- task, done: first",)
    assert lines["next"] == ("- task, open: third",)


def test_an_item_that_only_names_a_commit_is_left_out_where_the_commit_is_listed_with_its_subject() -> None:
    item = "Committed as `1a2b3c4`."
    assert is_committed(item, ["[main 1a2b3c4] Round prices"])
    assert not is_committed(item, ["1a2b3c4"])


@pytest.mark.parametrize(
    ("old", "new", "is_kept"),
    [
        ("print('[OLD]', '[NEW]')", "print(label)", False),
        ("print('[OLD]', '[NEW]')", "print('[NEW]', '[OLD]', 1)", True),
        ("print('[OLD]')", "print('[MID]')", True),
        ("print(1)", "print(2)", True),
    ],
)
def test_an_item_goes_where_later_edits_took_out_what_it_names(old: str, new: str, is_kept: bool) -> None:
    closing = "- Changed the page to show `[OLD]`, `[NEW]` and `[ALL]`.\n- Added a lamp."
    edit = json.dumps({"file_path": "/a/page.go", "old_string": old, "new_string": new})
    calls = (assistant(("2", "Edit", edit)), result("done", "Edit", "2"))
    ledger = work(closing, user("Show the label."), *calls, assistant(text="It shows the label."))
    assert len(ledger.reported) == 1 + is_kept


def test_of_the_last_words_what_was_done_goes_and_what_is_left_stays() -> None:
    said = (
        "The cart is mended. Here is what changed:\n\n- Added a limit to `cart.py`\n  - of ten rows\n"
        "- Renamed the menu\n\n## Caveats\n- The store tests were not run.\n- You need to restart the shop."
    )
    assert drop_deeds(said) == (
        "The cart is mended. […]\n## Caveats\n- The store tests were not run.\n- You need to restart the shop."
    ).replace(" […]", "\n[…]")
    assert drop_deeds(said, 1).split("\n")[2:4] == ["- Added a limit to `cart.py`", "[…]"]
    assert drop_deeds("Nothing is listed here.") == "Nothing is listed here."
    lines = render_ledger(fit_ledger(work(said), 4_000, estimate))
    assert "not run" in "\n".join(lines["next"])
    assert "Renamed the menu" not in "\n".join(lines["next"])
    assert render_ledger(read_back(lines)) == lines


def test_a_table_under_a_heading_of_changes_stays_unless_its_rows_begin_with_names_in_code() -> None:
    behavior = "| Case | Now |\n|---|---|\n| no state | it starts anew |\n| a state | an error |"
    files = "| File | Change |\n|---|---|\n| `cart.py` | a limit |\n| `till.py` | a total |"
    assert drop_deeds(f"All pass.\n\n## Changes\n{behavior}\n\nShall I go on?").count("|\n|") == 3
    assert "cart.py" not in drop_deeds(f"All pass.\n\n## Changes\n{files}\n\nShall I go on?")


def test_what_an_answer_lists_as_done_is_a_report_only_where_its_turn_changed_something() -> None:
    listed = "What is done:\n- Added the reader for both stores\n- Removed the old flag"
    looked = (assistant(("1", "bash", '{"command": "pytest -q"}')), result("2 passed", "bash", "1"))
    turn = (user("What is missing?"), *looked, assistant(text=listed))
    assert not list_reported(talk(*turn).messages)
    written = (assistant(("2", "bash", '{"command": "git commit -am reader"}')), result("ok", "bash", "2"))
    assert not list_reported(talk(user("Begin."), *written, assistant(text="It is begun."), *turn).messages)
    assert len(list_reported(talk(user("Add it."), *looked, *written, assistant(text=listed)).messages)) == 2


def test_an_item_that_names_a_file_alone_is_told_by_what_is_below_it() -> None:
    below = "\n  - The list is sorted by name now."
    text = f"Done:\n- Updated `src/app.ts`{below}\n- Updated `src/page.ts`\n- Removed the flag"
    assert list(find_items(text)) == ["Updated `src/app.ts`: The list is sorted by name now.", "Removed the flag"]


SLOW = "Before:\n- Added one table\n- It was slow\nAfter:\n- Added two tables\n- It is fast"


def test_a_heading_stays_above_what_is_left_of_its_list() -> None:
    reported = [Quote("Added one table"), Quote("Added two tables")]
    assert strip_reported(SLOW, reported, ()) == "Before:\n[…]\n- It was slow\nAfter:\n[…]\n- It is fast"
    plain = SLOW.replace("- It is fast", "It is fast")
    assert strip_reported(plain, reported, ()) == "Before:\n[…]\n- It was slow\nAfter:\n[…]\nIt is fast"
    apart = SLOW.replace("- It is fast", "\nThat is all.")
    assert strip_reported(apart, reported, ()) == "Before:\n[…]\n- It was slow\n[…]\n\nThat is all."
    assert drop_deeds(SLOW) == "Before:\n[…]\n- It was slow\nAfter:\n[…]\n- It is fast"
