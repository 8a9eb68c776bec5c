"""Deduplicate, supersede and condense: what goes, what is left in its place, what stays."""

import json

import pytest
from msgspec.structs import replace

from conversation import assistant, part, result, talk, user
from secateur.budget import Budget
from secateur.model import Message, Rewrite, Transcript
from secateur.protect import Protection
from secateur.strategies import Condense, Deduplicate, Strategy, Supersede
from secateur.text.own_text import is_own

CODE = "\n".join(f"def step_{number}(): return {number}" for number in range(40))
READ = '{"path":"src/a.py"}'


def proposed(
    strategy: Strategy,
    talked: Transcript,
    protect: Protection | None = None,
    edited: dict[str, str] | None = None,
    handles: bool = False,
) -> dict[int, str]:
    """Message number → its new text."""
    budget = Budget(
        window=0,
        tokens_used=0,
        count=len,
        protect=protect or Protection(),
        edited_by=edited or {},
        recall_handles=handles,
    )
    numbers = {one.key: number for number, message in enumerate(talked.messages) for one in message.parts}
    edits = list(strategy(talked, budget))
    assert all(isinstance(edit, Rewrite) for edit in edits)
    return {numbers[edit.key]: edit.text for edit in edits if isinstance(edit, Rewrite)}


def twice(said: str = CODE, again: str = CODE, **more: bool) -> Transcript:
    return talk(
        user(),
        assistant(("c1", "look", READ)),
        result(said, "look", "c1", **more),
        assistant(("c2", "look", READ)),
        result(again, "look", "c2"),
    )


def test_the_older_of_two_says_that_the_same_stands_below() -> None:
    said = '[secateur: look "src/a.py" gave 979 chars, 40 lines; the same result came again below]'
    assert proposed(Deduplicate(), twice()) == {2: said}
    assert proposed(Deduplicate(), twice(), handles=True)[2].startswith(f"{said[:-1]}, recall ")
    assert proposed(Deduplicate(), twice(again=CODE + "x")) == {}
    assert proposed(Deduplicate(min_result_chars=5_000), twice()) == {}


def test_the_newest_results_that_stay_do_not_count_but_pins_and_turns_do() -> None:
    pin = part(twice(), 2).key
    assert list(proposed(Deduplicate(), twice(), Protection(last_results=9))) == [2]
    for protect in (
        Protection(part_keys=(pin,)),
        Protection(last_turns=1),
        Protection(tools=("look",)),
        Protection(tool_kinds=("read",)),
    ):
        assert proposed(Deduplicate(), twice(), protect) == {}


def test_a_view_that_was_gone_over_gets_nothing_more() -> None:
    for strategy in (Deduplicate(), Supersede(), Condense()):
        talked = twice()
        texts = proposed(strategy, talked)
        edited = {part(talked, number).key: "done" for number in texts}
        assert texts
        assert proposed(strategy, talked, edited=edited) == {}


def test_superseded_results_say_why() -> None:
    assert proposed(Supersede(), twice(again=CODE + "\nx"))[2].endswith("; shown again below]")
    assert proposed(Supersede(reread_files=False), twice(again=CODE + "\nx")) == {}
    tests = '{"command":"npm test"}'
    talked = talk(
        user(),
        assistant(("c1", "do", tests)),
        result("1 failed\n" * 99, "do", "c1"),
        assistant(("c2", "do", tests)),
        result("9 passed", "do", "c2"),
    )
    assert proposed(Supersede(), talked)[2].endswith("; asked again below]")
    assert proposed(Supersede(repeated_commands=False), talked)[2].endswith("; it went well later]")
    assert proposed(Supersede(repeated_commands=False, resolved_errors=False), talked) == {}


def test_open_failures_and_reads_in_use_stay() -> None:
    failed = talk(user(), assistant(("c", "do", '{"command":"make all"}')), result("Exit code 2\n" * 50, "do", "c"))
    assert list(proposed(Condense(), failed)) == [2]
    assert proposed(Condense(), failed, Protection(unresolved_errors=True)) == {}
    assert list(proposed(Condense(), twice())) == [2, 4]
    assert list(proposed(Condense(), twice(), Protection(recent_files=1))) == [2]
    size = len(part(twice(), 4).text)
    assert list(proposed(Condense(), twice(), Protection(recent_files=1, recent_file_chars=size))) == [2]
    assert list(proposed(Condense(), twice(), Protection(recent_files=1, recent_file_chars=size - 1))) == [2, 4]


def test_condensed_code_keeps_what_it_defines() -> None:
    text = "\n".join(
        ["import os", "class Garden:", *("    x = 1" for _ in range(200)), "    def prune(self):", "# end"]
    )
    kept = proposed(Condense(), twice(text, "short"))[2].split("\n")
    assert kept[0].startswith('[secateur: look "src/a.py" gave ')
    assert kept[1:] == ["1: import os", "2: class Garden:", "203: def prune(self):", "204: # end"]


def test_condensed_searches_keep_the_files() -> None:
    text = "\n".join(f"src/{name}.py:{number}: found it here" for name in ("a", "b") for number in range(60))
    assert proposed(Condense(), twice(text, "short"))[2].split("\n")[1:] == ["1: src/a.py", "61: src/b.py"]


def test_nothing_grows() -> None:
    for said in ("ok", "x" * 60, "def a(): pass\n" * 4):
        talked = twice(said, said)
        for strategy in (Deduplicate(min_result_chars=0), Supersede(), Condense()):
            assert all(len(text) < len(said) for text in proposed(strategy, talked).values())


def test_an_excerpt_goes_for_its_original() -> None:
    talked = twice()
    shown = part(talked, 2)
    budget = Budget(
        window=0,
        tokens_used=0,
        count=len,
        protect=Protection(),
        edited_by={shown.key: "excerpt"},
        originals={shown.key: replace(shown, text=CODE * 2)},
    )
    [edit] = [one for one in Condense()(talked, budget) if isinstance(one, Rewrite) and one.key == shown.key]
    assert f"gave {2 * len(CODE)} chars" in edit.text


def wrote(path: str) -> tuple[Message, Message]:
    edit = json.dumps({"file_path": path, "old_string": "1", "new_string": "2"})
    return assistant(("w", "Edit", edit)), result("The file was updated.", "Edit", "w")


def test_a_condensed_file_says_whether_it_was_changed_since() -> None:
    read = assistant(("r", "Read", '{"file_path": "src/a.py"}')), result(CODE, "Read", "r")
    for path, ends in (("src/a.py", "the file was changed since]"), ("src/b.py", "removed, call again if needed]")):
        kept = proposed(Condense(), talk(user(), *read, *wrote(path)))[2]
        assert kept.split("\n")[0].endswith(f"; {ends}")
        assert is_own(part(talk(result(kept)), 0))
    again = talk(user(), *wrote("src/a.py"), *read)  # what was read after the change is as it is
    assert proposed(Condense(), again)[4].split("\n")[0].endswith("; removed, call again if needed]")


def test_a_condensed_range_has_the_numbers_of_its_file() -> None:
    call = json.dumps({"command": "sed -n 240,279p src/a.py"})
    kept = proposed(Condense(), talk(user(), assistant(("r", "Bash", call)), result(CODE, "Bash", "r")))[2].split("\n")
    assert kept[1:3] == ["240: def step_0(): return 0", "241: def step_1(): return 1"]


@pytest.mark.parametrize(
    "words",
    [
        "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nuse tabs",
        "The user rejected permission to use this tool call with the following feedback: use tabs",
        "The user denied this operation and provided the following feedback:\n<feedback>use tabs</feedback>",
    ],
)
def test_what_the_user_said_when_refusing_a_call_stays_whatever_went_well_later(words: str) -> None:
    call = json.dumps({"command": "pytest tests"})
    refused = assistant(("c1", "Bash", call)), result(words + " " * 300, "Bash", "c1", error=True)
    later = assistant(("c2", "Bash", call)), result("4 passed" + " " * 300, "Bash", "c2")
    for protect in (Protection(), Protection(unresolved_errors=True)):
        assert proposed(Supersede(), talk(user(), *refused, *later), protect) == {}
    assert 2 not in proposed(Condense(), talk(user(), *refused, *later), Protection(unresolved_errors=True))
    failed = assistant(("c1", "Bash", call)), result("4 failed" + " " * 300, "Bash", "c1", error=True)
    assert 2 in proposed(Supersede(), talk(user(), *failed, *later))
