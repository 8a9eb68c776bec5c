"""Which of the files that were only read are listed, and in which order they go."""

import json

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import FileEntry, Ledger, UserRequest, build_ledger, merge
from secateur.compaction.ledger.files.selection import MOST_FOREIGN_FILES, MOST_NAMED_FILES, select_files
from secateur.model import Message


def looked(path: str, said: str = "text") -> tuple[Message, Message]:
    return assistant(("r", "Read", json.dumps({"file_path": path}))), result(said, "Read", "r")


def edited(path: str) -> tuple[Message, Message]:
    given = {"file_path": path, "old_string": "a", "new_string": "b"}
    return assistant(("e", "Edit", json.dumps(given))), result("ok", "Edit", "e")


def list_reads(*messages: Message) -> list[str]:
    return [one.path for one in select_files(build_ledger(talk(*messages).messages)) if one.use == "read"]


DONE = assistant(text="It is done, as you asked for.")


def test_what_was_read_for_the_request_in_progress_is_listed_and_what_an_old_one_read_is_not() -> None:
    first = (user("Explain how the boat is steered."), *looked("docs/rudder.md"), assistant(text="By its rudder."))
    change = (user("Paint the hull blue."), *edited("hull.py"), DONE)
    asked = user("Now give the sails another shape.")
    assert list_reads(*first, *change, asked, *looked("config/sails.json")) == ["config/sails.json"]


@pytest.mark.parametrize("word", ["go on", "yes"])
def test_a_word_to_go_on_begins_no_other_subject(word: str) -> None:
    asked = (*edited("hull.py"), user("Give the sails another shape."), *looked("src/sails.py"))
    offered = assistant(text="Shall I also look at the mast?")
    assert list_reads(*asked, offered, user(word), *looked("src/mast.py")) == ["src/sails.py", "src/mast.py"]


def test_a_file_that_calls_turned_to_often_goes_before_newer_ones() -> None:
    plan = (user("Find out why the anchor drags."), *edited("notes.md"), DONE, user("Where does the chain break?"))
    often = [one for _ in range(3) for one in looked("src/anchor.py")]
    others = [one for number in range(MOST_NAMED_FILES) for one in looked(f"src/part_{number}.py")]
    assert "src/anchor.py" in list_reads(*plan, *often, *others)


def test_files_outside_of_the_project_are_few_and_the_records_of_git_are_none() -> None:
    guides = [one for number in range(5) for one in looked(f"/home/kim/.tools/guide_{number}.md")]
    shown = list_reads(user("Review the hull."), *guides, *looked(".git/worktrees/a/gitdir"), *looked("src/hull.py"))
    assert shown[-1] == "src/hull.py"
    assert len(shown) == MOST_FOREIGN_FILES + 1


def test_what_was_current_in_a_span_is_past_where_the_next_one_has_a_request_of_its_own() -> None:
    before = Ledger(files=(FileEntry("a.py", "read", "1", current=True, looks=2),))
    follow = Ledger(files=(FileEntry("a.py", "read", "2", current=True, looks=1),))
    other = Ledger(requests=(UserRequest("Now give the sails another shape.", "open", "k"),))
    assert merge(before, follow).files == (FileEntry("a.py", "read", "2", current=True, looks=3),)
    assert merge(before, other).files == (FileEntry("a.py", "read", "1", looks=2),)
