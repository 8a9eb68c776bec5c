"""What the help of commands shows: examples that pipe JSON into jq ask for what that JSON has."""

import re
from importlib import import_module

import pytest

from secateur.cli.program import COMMANDS, REGISTRY

JQ = re.compile(r"secateur (\w+) [^\n]*--json \| jq (?:-r )?'?\.(\w+)")
HELPS = {name: command.epilog or "" for name in COMMANDS if (command := REGISTRY.get(name))}


def list_fields(command: str) -> set[str]:
    """The outermost names of what a command may print with `--json`: of values with a schema."""
    reports = [getattr(one, "__struct_fields__", ()) for one in vars(import_module(f"secateur.cli.{command}")).values()]
    return {name for fields in reports if "schema" in fields for name in fields}


@pytest.mark.parametrize("command", [name for name, text in HELPS.items() if "| jq" in text])
def test_examples_name_what_the_json_has(command: str) -> None:
    asked = JQ.findall(HELPS[command])
    assert len(asked) == HELPS[command].count("| jq")
    for whose, name in asked:
        assert name in list_fields(whose)
