"""On a terminal: no session is dumped at a person, color is used and NO_COLOR heard, the width respected."""

import os
import pty
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from cli_runs import environment, pi_worked, saved, secateur_on

if not hasattr(os, "openpty"):
    pytest.skip("there are no pseudo-terminals here", allow_module_level=True)

COLOR = re.compile(r"\x1b\[[0-9;]*3[0-9]m")
STYLE = re.compile(r"\x1b\[[0-9;]*m")


def on_terminal(*args: object, columns: int = 80, **env: str) -> tuple[int, str]:
    """Run with standard output and error on a terminal of so many columns; the code, and what it showed."""
    more = environment(TERM="xterm-256color", **env) | {"COLUMNS": str(columns)}
    ours, theirs = pty.openpty()
    with ThreadPoolExecutor(1) as reader:
        shown = reader.submit(read_all, ours)
        with open(theirs, "wb", buffering=0) as terminal:
            code = secateur_on(terminal, more, *args)
        return code, shown.result(60).decode().replace("\r\n", "\n")


def read_all(terminal: int) -> bytes:
    """What is shown on a terminal until nobody has it open any more."""
    shown = b""
    with open(terminal, "rb", buffering=0) as file, suppress(OSError):
        while more := file.read(65536):
            shown += more
    return shown


def test_the_document_is_not_dumped_on_a_terminal(tmp_path: Path) -> None:
    path = saved(tmp_path, pi_worked())
    code, shown = on_terminal("prune", path, "--policy", "opencode")
    assert code == 0
    assert "Pruned 2 of 4 tool results" in shown
    assert "-o FILE writes the result" in shown
    assert "toolResult" not in shown
    assert os.listdir(tmp_path) == ["session.jsonl"]


def test_a_dash_asks_for_it_all_the_same(tmp_path: Path) -> None:
    path = saved(tmp_path, pi_worked())
    code, shown = on_terminal("prune", path, "--policy", "observe", "-o", "-")
    assert code == 0
    assert '"toolResult"' in shown


def test_styles_are_for_terminals_and_no_color_is_heard(tmp_path: Path) -> None:
    path = saved(tmp_path, pi_worked())
    assert COLOR.search(on_terminal("diff", path, "--policy", "opencode")[1])
    assert not COLOR.search(on_terminal("diff", path, "--policy", "opencode", NO_COLOR="1")[1])


def test_a_table_keeps_its_names_on_a_narrow_terminal(tmp_path: Path) -> None:
    shown = STYLE.sub("", on_terminal("inspect", saved(tmp_path, pi_worked()), columns=40)[1])
    by_tool = shown.partition("By tool")[2].partition("By turn")[0]
    assert re.search(r"^ tool +calls", by_tool, re.M)
    assert re.search(r"^ bash +\d", by_tool, re.M)


@pytest.mark.parametrize("columns", [80, 100, 200])
def test_nothing_is_wider_than_the_terminal(tmp_path: Path, columns: int) -> None:
    path = saved(tmp_path, pi_worked())
    for command in (
        ["inspect", path],
        ["prune", path, "--policy", "opencode"],
        ["diff", path],
        ["doctor", path],
        ["policies"],
    ):
        shown = STYLE.sub("", on_terminal(*command, columns=columns)[1])
        assert max(map(len, shown.splitlines())) <= columns, command


def test_json_is_laid_out_for_eyes_on_a_terminal(tmp_path: Path) -> None:
    code, shown = on_terminal("policies", "--json")
    assert code == 0
    assert shown.startswith('[\n  {\n    "name": "balance"')
