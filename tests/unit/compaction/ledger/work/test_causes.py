"""What the agent took for the cause of what still fails."""

import json

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import build_ledger, read_back, render_ledger
from secateur.model import Message

SAID = "I see the issue - the reader does not reach the last row of the file."
TOLD = f"- the agent's newest view of the cause: “{SAID}”"


def ran(command: str, said: str, error: bool = False) -> tuple[Message, Message]:
    return assistant(("1", "bash", json.dumps({"command": command}))), result(said, "bash", "1", error)


def next_of(*messages: Message) -> tuple[str, ...]:
    lines = render_ledger(build_ledger(talk(user("Fix the reader."), *messages).messages))
    assert render_ledger(read_back(lines)) == lines
    return lines["next"]


FAILED = ran("pytest -q", "1 failed in 1s", True)


def test_the_newest_cause_is_quoted_while_the_last_check_fails() -> None:
    assert TOLD in next_of(*FAILED, assistant(text=SAID), *FAILED, assistant(text="Let me look at the rows."))


def test_it_is_not_told_once_the_check_passes_or_the_user_has_spoken() -> None:
    passed = ran("pytest -q", "2 passed in 1s")
    assert TOLD not in next_of(*FAILED, assistant(text=SAID), *passed, assistant(text="All rows are read now."))
    assert TOLD not in next_of(*FAILED, assistant(text=SAID), user("Leave it."), *FAILED)


@pytest.mark.parametrize("said", ["The issue is likely that the last row is not there at all.", "The issue is:"])
def test_guesses_and_lead_ins_are_no_causes(said: str) -> None:
    assert not any("view of the cause" in line for line in next_of(assistant(text=said), *FAILED))


def test_it_says_where_something_was_edited_behind_it_and_gives_way_to_newer_words_on_errors() -> None:
    given = {"file_path": "rows.py", "old_string": "a", "new_string": "b"}
    edited = assistant(("e", "Edit", json.dumps(given))), result("ok", "Edit", "e")
    again = assistant(text="Let me look at the rows.")
    assert f"{TOLD} (edited since)" in next_of(*FAILED, assistant(text=SAID), *edited, again)
    failed = f"{TOLD} (edited since, and the last command failed)"
    assert failed in next_of(*FAILED, assistant(text=SAID), *edited, *FAILED, again)
    assert f"{TOLD} (edited since)" in next_of(*FAILED, assistant(text=SAID), *edited, *FAILED, *edited, again)
    newer = assistant(text="These errors come from the store after all, let me look there.")
    assert not any("view of the cause" in line for line in next_of(*FAILED, assistant(text=SAID), *FAILED, newer))


def test_the_sentence_behind_one_that_only_says_that_the_cause_is_seen_tells_it() -> None:
    newer = "Ah, I see the problem now. The writer leaves the last row open until the next file begins."
    assert any(
        "The writer leaves the last row open" in line for line in next_of(*FAILED, assistant(text=newer), *FAILED)
    )


def test_a_cause_that_is_told_with_the_edit_that_follows_from_it_was_edited_since() -> None:
    given = {"file_path": "rows.py", "old_string": "a", "new_string": "b"}
    edited = assistant(("e", "Edit", json.dumps(given)), text=SAID), result("ok", "Edit", "e")
    again = assistant(text="Let me look at the rows.")
    assert f"{TOLD} (edited since, and the last command failed)" in next_of(*FAILED, *edited, *FAILED, again)
