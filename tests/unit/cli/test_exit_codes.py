"""How a command ends: the code and the sentence of each kind of error."""

import click
import pytest

from secateur.cli.exit_codes import OutputClosed, UnreadableInput, UsageError, format_error, get_exit_code
from secateur.errors import ConfigError, EditError, FormatError, SecateurError, StillTooLong, UnknownFormat


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (ConfigError("no policy x"), 2, "no policy x"),
        (EditError("not a plan"), 2, "not a plan"),
        (SecateurError("something"), 2, "something"),
        (UsageError("may not"), 2, "may not"),
        (click.UsageError("what?"), 2, "what?"),
        (UnknownFormat("no known\nformat"), 3, "no known format"),
        (FormatError("not JSON"), 3, "not JSON"),
        (UnreadableInput("a is empty"), 3, "a is empty"),
        (StillTooLong("too long"), 4, "too long"),
        (FileNotFoundError(2, "No such file", "x"), 2, "x: No such file"),
        (OSError(28, "No space left on device"), 2, "the disk is full: make room, or write to another one"),
        (
            FileNotFoundError(2, "No such file"),  # as `os.getcwd` has it
            2,
            "the current folder is gone: change to another one, then run this again",
        ),
        (
            ModuleNotFoundError("No module named 'numpy'", name="numpy.typing"),
            2,
            "this needs numpy.typing, which is not installed: pip install 'secateur[simulate]'",
        ),
        (
            ModuleNotFoundError("No module named 'secateur.lost'", name="secateur.lost"),
            70,
            "a bug in secateur, ModuleNotFoundError: No module named 'secateur.lost' (SECATEUR_DEBUG=1 shows where)",
        ),
        (MemoryError(), 3, "there is not enough memory for this input: give a smaller one, or more memory"),
        (KeyboardInterrupt(), 130, ""),
        (click.Abort(), 130, ""),
        (OutputClosed(""), 141, ""),
        (
            ZeroDivisionError("division by zero"),
            70,
            "a bug in secateur, ZeroDivisionError: division by zero (SECATEUR_DEBUG=1 shows where)",
        ),
    ],
)
def test_each_error_has_its_code_and_its_sentence(error: BaseException, code: int, sentence: str) -> None:
    assert (get_exit_code(error), format_error(error)) == (code, sentence)
