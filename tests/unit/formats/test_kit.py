"""Our own formats pass what others' are asked to pass."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from every_format import FORMATS_OF_ALL, Step, Turn, document
from secateur import formats
from secateur.formats import Format
from secateur.testing import FormatKit
from vector_cases import FOLDER

TURNS = [
    Turn(
        "Find it.", (Step("bash", '{"command": "ls"}', "a.py\nb.py\n" * 60), Step("read", '{"path": "a.py"}', "x = 1"))
    ),
    Turn("And now?", (Step("bash", '{"command": "make"}', "error: no rule\n" * 40, error=True),)),
    Turn("Thanks.", ()),
]


@pytest.mark.parametrize("name", FORMATS_OF_ALL)
class TestEvery:
    """`FormatKit` for each format."""

    @pytest.mark.parametrize("law", [name for name in vars(FormatKit) if name.startswith("test_")])
    def test_law(self, name: str, law: str) -> None:
        class Kit(FormatKit):
            def format(self) -> Format:
                return formats.get_format(name)

            def documents(self) -> Sequence[bytes]:
                return [document(name, TURNS), document(name, TURNS[:1])]

            def vectors(self) -> Path:
                return FOLDER / name

        getattr(Kit(), law)()
