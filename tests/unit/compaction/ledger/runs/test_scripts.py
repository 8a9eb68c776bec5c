"""Scripts that the session wrote itself, and whether a run of them is a check."""

import json

import pytest

from conversation import assistant, result, talk, user
from secateur.compaction.ledger import build_ledger
from secateur.model import Message

PRINTS = 'width = 4\nprint("A cell is 4 wide.")\nprint("all good")\n'


def written(name: str, text: str) -> tuple[Message, Message]:
    return assistant(("w", "Write", json.dumps({"file_path": name, "content": text}))), result("ok", "Write", "w")


def ran(command: str, said: str = "", error: bool = False) -> tuple[Message, Message]:
    return assistant(("1", "bash", json.dumps({"command": command}))), result(said, "bash", "1", error)


def checks(*rounds: tuple[Message, Message]) -> list[tuple[str | None, bool | None]]:
    messages = talk(user(), *(one for some in rounds for one in some)).messages
    return [(run.check, run.ok) for run in build_ledger(messages).commands if "python" in run.text]


def test_a_script_that_only_prints_is_no_check() -> None:
    assert checks(written("test_cell.py", PRINTS), ran("python test_cell.py", "all good")) == [(None, True)]
    line = f"cat > test_cell.py <<'EOF'\n{PRINTS}EOF\npython test_cell.py"
    assert checks(ran(line, "A cell is 4 wide.\nall good")) == [(None, True)]


@pytest.mark.parametrize(
    "text",
    [
        "from cells import width\nassert width == 4\n",
        "def test_width():\n    compare(4)\n",
        "import sys\nsys.exit(run())\n",
        "if width() == 4:\n    print('PASS')\n",
        "print('PASS' if width() == 4 else 'FAIL')\n",
        "try:\n    width()\nexcept ValueError:\n    print('FAIL')\n",
    ],
)
def test_a_script_whose_outcome_depends_on_something_is_a_check(text: str) -> None:
    assert checks(written("test_cell.py", text), ran("python test_cell.py", "PASS")) == [("test", True)]


def test_a_script_with_a_condition_is_a_check_where_it_printed_a_verdict() -> None:
    text = "for one in find():\n    if one.fixes:\n        print(one)\nprint('After the fix:', width())\n"
    assert checks(written("test_cell.py", text), ran("python test_cell.py", "After the fix: 9")) == [(None, True)]
    assert checks(written("test_cell.py", text), ran("python test_cell.py", "✅ width works")) == [("test", True)]


def test_a_script_that_failed_is_a_check() -> None:
    failed = ran("python test_cell.py", "Exit code 1\nKeyError: 'cell'", True)
    assert checks(written("test_cell.py", PRINTS), failed) == [("test", False)]


def test_a_script_of_the_project_or_one_that_was_edited_is_a_check() -> None:
    assert checks(ran("python test_cell.py", "all good")) == [("test", True)]
    given = {"file_path": "test_cell.py", "old_string": "width = 4", "new_string": "assert width() == 4"}
    edit = (assistant(("e", "Edit", json.dumps(given))), result("ok", "Edit", "e"))
    assert checks(written("test_cell.py", PRINTS), edit, ran("python test_cell.py", "all good")) == [("test", True)]


def test_a_script_beside_another_tool_is_a_check() -> None:
    both = ran("python test_cell.py && pytest", "1 passed in 0.1s")
    assert checks(written("test_cell.py", PRINTS), both) == [("test", True)]
