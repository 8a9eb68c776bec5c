"""How a command ended and what it printed, as hosts tell it."""

import pytest

from conversation import assistant, result
from secateur.toolcalls.actions import get_output, list_actions
from secateur.toolcalls.file_effects import list_file_effects

GEMINI = "Output: \nthe hedge fell over\n"


@pytest.mark.parametrize(
    ("end", "exit_", "printed"),
    [
        ("Exit Code: 1\nProcess Group PGID: 42", 1, "the hedge fell over"),
        ("Exit Code: 1\nSignal: 15\nBackground PIDs: 7, 8\nProcess Group PGID: 42", 1, "the hedge fell over"),
        ("Process Group PGID: 42", None, "the hedge fell over"),
        ("the Exit Codes: 9 of them", None, "the hedge fell over\nthe Exit Codes: 9 of them"),
    ],
)
def test_the_end_of_a_result_of_gemini_cli_states_the_exit_status(end: str, exit_: int | None, printed: str) -> None:
    call = assistant(("1", "run_shell_command", '{"command": "make hedge"}'))
    (action,) = list_actions((call, result(GEMINI + end, "run_shell_command", "1")))
    assert (action.exit, action.ok) == (exit_, not exit_)
    assert get_output(action).strip() == printed


@pytest.mark.parametrize(
    "said",
    [
        "ERROR:\nThe file is there already.",
        "No replacement was performed.",
        "Error: no match",
        "Ran into [Errno 2] No such file or directory: 'hedge.py' while trying to write to hedge.py",
        "Invalid `path` parameter: hedge.py. It has to be absolute.",
    ],
)
def test_an_edit_that_its_tool_refuses_in_words_has_failed_and_a_command_has_not(said: str) -> None:
    edit = assistant(("1", "str_replace_editor", '{"command": "create", "path": "hedge.py", "file_text": "x"}'))
    shown = assistant(("2", "bash", '{"command": "cat hedge.log"}'))
    refused, read = list_actions((edit, result(said, "edit", "1"), shown, result(said, "bash", "2")))
    assert (refused.ok, read.ok) == (False, True)
    assert list_file_effects(refused) == ()
