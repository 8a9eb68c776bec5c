"""Our own commands pass what others' are asked to pass."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from secateur.cli.program import REGISTRY
from secateur.testing import CommandKit

SESSION = str(Path(__file__).parents[3] / "sessions" / "anthropic_messages.json")
STORE = ("--store", "memory://")
ARGUMENTS: dict[str, tuple[Sequence[str], str]] = {
    "check": ([SESSION], "secateur.check/1"),
    "inspect": ([SESSION], "secateur.inspect/1"),
    "doctor": ([SESSION, *STORE], "secateur.doctor/1"),
    "plugins": (["--all"], "secateur.plugins/1"),
    "policies": ([], ""),
    "completion": (["bash"], ""),
}


@pytest.mark.parametrize("name", ARGUMENTS)
@pytest.mark.parametrize("law", [name for name in vars(CommandKit) if name.startswith("test_")])
def test_a_command_keeps_the_law(name: str, law: str) -> None:
    class Kit(CommandKit):
        schema = ARGUMENTS[name][1]

        def command(self) -> Any:
            return REGISTRY.get(name)

        def arguments(self) -> Sequence[str]:
            return ARGUMENTS[name][0]

    getattr(Kit(), law)()
