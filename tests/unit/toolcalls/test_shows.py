"""What a call was made for: to see the text of files, or to do something."""

import json

import pytest

from secateur.model import Part
from secateur.toolcalls.completed_calls import is_file_access, is_successful_command


def ran(line: str) -> tuple[Part, Part]:
    call = Part("tool_call", (), tool="sh", call_id="1", text=json.dumps({"command": line}))
    return call, Part("tool_result", (), tool="sh", call_id="1", text="a rose\n")


@pytest.mark.parametrize(
    "line",
    [
        "cat src/beds.py",
        "cd src && sed -n '1,40p' beds.py",
        'BEDS=$(go env GOPATH) && cat "$BEDS/pkg/beds.go"',
        'head -n 50 "$BEDS/beds.go"',
        "nl -ba src/*.py",
        "echo x > beds.py",
    ],
)
def test_it_shows_or_writes_files(line: str) -> None:
    assert is_file_access(*ran(line))


@pytest.mark.parametrize("line", ["grep -rn rose . | head -50", "find . -name beds.py", "npm test 2>&1 | tail -n 20"])
def test_it_does_not(line: str) -> None:
    assert not is_file_access(*ran(line))


def test_who_asks_a_tool_for_its_settings_only_looks() -> None:
    assert not is_successful_command(*ran("go env GOPATH"))
    assert is_successful_command(*ran("go test ./..."))
