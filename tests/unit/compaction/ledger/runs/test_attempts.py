"""Approaches that the agent gave up, and the paths of values that edits changed."""

import json
from typing import Any

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import Ledger, build_ledger, merge, read_back, render_ledger
from secateur.compaction.ledger.runs.attempts import MOST_ATTEMPTS
from secateur.model import Message


def called(tool: str, said: str = "ok", text: str = "", error: bool = False, **given: Any) -> tuple[Message, Message]:
    return assistant((tool, tool, json.dumps(given)), text=text), result(said, tool, tool, error)


def edited(path: str, old: str, new: str, text: str = "") -> tuple[Message, Message]:
    return called("edit", text=text, file_path=path, old_string=old, new_string=new)


def read(*rounds: tuple[Message, Message]) -> Ledger:
    return build_ledger(talk(user(), *(one for pair in rounds for one in pair)).messages)


TRIED = edited("src/lock.py", "a", "b", "Let me add a lock around the cache of prices.")
WHY = "The lock slows every reader down, so the fix was in the wrong place.\n\nLet me revert it and try again:"
BACK = called("bash", "", WHY, command="git checkout -- src/lock.py")
LINE = (
    "src/lock.py; tried: “add a lock around the cache of prices.”; "
    "why: “The lock slows every reader down, so the fix was in the wrong place.”"
)


def test_a_change_that_was_taken_back_stands_with_what_was_tried_and_why_it_failed() -> None:
    ledger = read(TRIED, BACK)
    assert [one.text for one in ledger.attempts] == [LINE]
    lines = render_ledger(ledger)
    assert f"- tried and taken back: {LINE}" in lines["discoveries"]
    assert render_ledger(read_back(lines)) == lines
    assert merge(ledger, ledger).attempts == ledger.attempts


def test_a_change_that_a_later_edit_put_back_is_told_unless_it_was_made_again() -> None:
    back = edited("src/lock.py", "b", "a", WHY)
    assert [one.text for one in read(TRIED, back).attempts] == [LINE]
    assert read(TRIED, back, TRIED).attempts == ()
    silent = edited("src/lock.py", "b", "a", "Now the lock goes.")
    assert [one.text for one in read(TRIED, silent).attempts] == [LINE.partition("; why")[0]]
    assert read(edited("src/lock.py", "a", "b", "Let me add a debug print for now."), silent).attempts == ()
    assert read(edited("src/lock.py", "a", "b"), silent).attempts == ()
    assert read(TRIED, edited("src/lock.py", "b", "c", WHY)).attempts == ()
    refused = called("edit", "no such text", WHY, True, file_path="src/lock.py", old_string="b", new_string="a")
    assert read(TRIED, refused).attempts == ()


@pytest.mark.parametrize(
    "rounds",
    [
        (TRIED,),
        (BACK,),
        (TRIED, called("bash", "", "", command="git checkout -- src/lock.py")),
        (TRIED, called("bash", "", "I am done with this file for now.", command="git checkout -- src/lock.py")),
        (TRIED, called("bash", "", "Let me revert it.", command="git checkout -- src/lock.py")),
        (TRIED, called("bash", "", WHY, command="git checkout -- src/other.py")),
    ],
)
def test_without_a_change_or_a_reason_no_attempt_is_told(rounds: tuple[tuple[Message, Message], ...]) -> None:
    assert read(*rounds).attempts == ()


def test_what_was_taken_back_without_a_reason_is_counted_beside_what_has_one() -> None:
    silent = called("bash", "", "", command="git checkout -- src/lock.py")
    ledger = read(TRIED, BACK, TRIED, silent, TRIED, silent)
    assert [one.text for one in ledger.attempts] == [LINE, "2 of 3, no reason beside the call: src/lock.py"]
    lines = render_ledger(ledger)
    assert "- tried and taken back: 2 of 3, no reason beside the call: src/lock.py" in lines["discoveries"]
    assert render_ledger(read_back(lines)) == lines
    many = read(*(TRIED, BACK) * 9, TRIED, silent)
    assert len(many.attempts) == MOST_ATTEMPTS


def test_taking_back_everything_names_each_file_and_a_later_attempt_is_another() -> None:
    everything = called("bash", "", WHY, command="git checkout -- .")
    ledger = read(TRIED, edited("src/b.py", "1", "2"), everything, TRIED, BACK)
    assert [one.text.partition(";")[0] for one in ledger.attempts] == ["src/lock.py, src/b.py", "src/lock.py"]


def test_an_error_behind_which_a_file_was_changed_says_so() -> None:
    failed = called("bash", "Error: Cannot find module './a'", error=True, command="node -e \"require('./a')\"")
    for ledger in (read(failed, TRIED), merge(read(failed), read(TRIED))):
        lines = render_ledger(ledger)["discoveries"]
        assert any(line.startswith("- error, not tried again (edited since): Error: Cannot find") for line in lines)
    assert any(line.startswith("- error, not tried again: ") for line in render_ledger(read(failed))["discoveries"])


JSON = '{\n  "scripts": {\n    "test": {\n      "retries": 1\n    }\n  },\n  "retries": 1\n}'
YAML = "jobs:\n  build:\n    timeout: 5\n  test:\n    timeout: 5\n"
TOML = '[tool.a]\nlimit = 1\n\n[tool.b]\nlimit = 1\nname = "x"\n'


@pytest.mark.parametrize(
    ("path", "text", "old", "new", "name"),
    [
        ("package.json", JSON, '{\n      "retries": 1', '{\n      "retries": 3', "scripts.test.retries"),
        ("package.json", JSON, '},\n  "retries": 1', '},\n  "retries": 3', "retries"),
        ("ci.yml", YAML, "  test:\n    timeout: 5", "  test:\n    timeout: 9", "jobs.test.timeout"),
        ("a.toml", TOML, 'limit = 1\nname = "x"', 'limit = 2\nname = "x"', "tool.b.limit"),
        ("package.json", "", '  "on": {\n    "max": 1\n  }', '  "on": {\n    "max": 2\n  }', "on.max"),
        ("ci.yml", YAML, "    timeout: 5", "    timeout: 7", "timeout"),  # it stands there twice
        ("a.py", "class A:\n    limit = 1\n", "    limit = 1", "    limit = 2", "limit"),
    ],
)
def test_a_changed_value_stands_with_the_keys_that_lead_to_it(
    path: str, text: str, old: str, new: str, name: str
) -> None:
    shown = "\n".join(f"{at:5}→{line}" for at, line in enumerate(text.split("\n"), 1))
    rounds = [called("read", shown, file_path=path)] if text else []
    assert [one.name for one in read(*rounds, edited(path, old, new)).values] == [name]
    written = [called("write", file_path=path, content=text)] if text else []
    assert [one.name for one in read(*written, edited(path, old, new)).values] == [name]


def test_the_keys_are_those_of_the_file_as_it_is_after_earlier_edits() -> None:
    renamed = edited("ci.yml", "  test:\n", "  check:\n")
    raised = edited("ci.yml", "  check:\n    timeout: 5", "  check:\n    timeout: 9")
    assert [one.name for one in read(called("write", file_path="ci.yml", content=YAML), renamed, raised).values] == [
        "jobs.check.timeout"
    ]


def test_a_reason_that_the_agent_takes_back_at_once_is_not_quoted() -> None:
    wrong = "My lock is too broad, so it is wrong.\n\nActually, no. {}\n\nLet me revert it."
    back = called("bash", "", wrong.format("Let me think."), command="git checkout -- src/lock.py")
    assert read(TRIED, back).attempts == ()
    other = called("bash", "", wrong.format("The cache is never read here."), command="git checkout -- src/lock.py")
    assert [one.text.partition("why: ")[2] for one in read(TRIED, other).attempts] == [
        "“The cache is never read here.”"
    ]


def test_a_part_shown_later_does_not_hide_the_keys_that_the_whole_file_showed() -> None:
    rounds = [called("read", JSON, file_path="package.json"), called("read", "{", file_path="package.json")]
    raised = edited("package.json", '{\n      "retries": 1', '{\n      "retries": 3')
    assert [one.name for one in read(*rounds, raised).values] == ["scripts.test.retries"]


MISSING = called(
    "bash", "Error: Cannot find module './src/a.js'", error=True, command="node -e \"import('./src/a.js')\""
)


@pytest.mark.parametrize(
    ("later", "is_listed"),
    [
        (called("bash", "", command="git mv src/a.ts lib/a.ts"), False),
        (called("bash", "", command="rm src/a.ts"), False),
        (called("write", file_path="/w/src/a.ts", content="x"), False),
        (called("bash", "", command="git mv src/b.ts lib/b.ts"), True),
        (edited("src/c.ts", "x", "y"), True),
    ],
)
def test_an_error_about_a_path_that_was_created_moved_or_deleted_since_is_not_listed(
    later: tuple[Message, Message], is_listed: bool
) -> None:
    for ledger in (read(MISSING, later), merge(read(MISSING), read(later))):
        assert bool(ledger.failures) is is_listed
    assert read(later, MISSING).failures
