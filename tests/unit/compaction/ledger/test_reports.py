"""What the agent reports as done at the end of its work."""

import json

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import Ledger, build_ledger, merge, read_back, render_ledger
from secateur.compaction.ledger.reports import find_items
from secateur.model import Message

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
    ],
)
def test_items_of_a_report_are_its_deeds(text: str, items: list[str]) -> None:
    assert list(find_items(text)) == items


def test_a_report_is_listed_and_read_back() -> None:
    ledger = work(HEADED)
    lines = render_ledger(ledger)
    reported = ["- the agent reports: Fixed `parse` and `emit` (parser.go)", "- the agent reports: Added a test helper"]
    assert list(lines["accomplished"]) == reported
    assert render_ledger(read_back(lines))["accomplished"] == lines["accomplished"]
    later = build_ledger(talk(user("Thanks!")).messages)
    assert [one.text for one in merge(ledger, later).reported] == [one.text for one in ledger.reported]


def test_no_report_without_work_or_against_the_user() -> None:
    assert build_ledger(talk(user("What does it do?"), assistant(text=HEADED)).messages).reported == ()
    assert work(HEADED, user("No, that's wrong: the tests fail.")).reported == ()
