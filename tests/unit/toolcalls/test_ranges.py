"""Where in its file a shown range begins, as far as the call itself says."""

import json
from typing import Any

import pytest

from secateur.model import Part
from secateur.strategies.condense import ShownRange, find_shown_range

TEXT = "def cut():\n    pass\n"


def shown(tool: str, text: str = TEXT, **given: Any) -> ShownRange:
    call = Part("tool_call", (), text=json.dumps(given), tool=tool, call_id="c", key="k")
    return find_shown_range(call, Part("tool_result", (), text=text, tool=tool, call_id="c", key="r"))


@pytest.mark.parametrize(
    "line",
    [
        "sed -n 240,420p src/beds.py",
        "sed -n '240,420p' src/beds.py",
        'sed -n "240,420p" src/beds.py',
        "cd src && sed -n '240,$p' beds.py",
        "tail -n +240 beds.py",
        "tail -n +240 beds.py | head -50",
    ],
)
def test_a_range_that_a_command_shows(line: str) -> None:
    assert shown("Bash", command=line) == ShownRange(240)
    header = "Chunk ID: 0a\nProcess exited with code 0\nOutput:\n"
    assert shown("exec_command", f"{header}{TEXT}", cmd=line) == ShownRange(240, 3)


@pytest.mark.parametrize("name", ["offset", "start_line", "startLine"])
def test_a_read_with_an_offset(name: str) -> None:
    assert shown("read", path="beds.py", **{name: 240}) == ShownRange(240)


@pytest.mark.parametrize(
    ("tool", "text", "given"),
    [
        ("Bash", TEXT, {"command": "cat beds.py"}),
        ("Bash", TEXT, {"command": "sed -n 240,420p beds.py && cat more.py"}),
        ("Bash", TEXT, {"command": "sed -n 240,420p *.py"}),
        ("Bash", TEXT, {"command": "sed -n 240,420p beds.py | grep def"}),
        ("Bash", TEXT, {"command": "sed -n -e 240,250p -e 300,310p beds.py"}),
        ("Bash", "   240\tdef cut():\n", {"command": "cat -n beds.py | sed -n 240,420p"}),
        ("Read", "   240→def cut():\n", {"file_path": "beds.py", "offset": 240}),
        ("Read", TEXT, {"file_path": "beds.py", "offset": True}),
        ("Read", TEXT, {"file_path": "beds.py", "offset": "240"}),
        ("Read", TEXT, {"file_path": "beds.py", "offset": -240}),
        ("Read", TEXT, {"file_path": "beds.py"}),
        ("Bash", TEXT, {}),
    ],
)
def test_anything_else_begins_with_its_first_line(tool: str, text: str, given: dict[str, Any]) -> None:
    assert shown(tool, text, **given) == ShownRange()


def test_without_a_call_nothing_is_known() -> None:
    assert find_shown_range(None, Part("tool_result", (), text=TEXT)) == ShownRange()
