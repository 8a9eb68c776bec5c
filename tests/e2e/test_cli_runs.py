"""A run in a fork of a loaded interpreter is the same as one in a new interpreter: code, output and errors."""

import subprocess
import sys
from pathlib import Path

import pytest

from cli_runs import LONG, afresh, chat, environment, secateur, worked, write_command

BODY = chat(*worked(LONG, LONG, "short", LONG))


@pytest.mark.parametrize(
    ("args", "env"),
    [
        (("prune", "-", "--policy", "opencode"), {}),
        ((), {}),
        (("pruen",), {}),
        (("simulate", "--help"), {}),
        (("compact", "-", "--window", "1"), {}),
        (("inspect", "-"), {"FORCE_COLOR": "1", "COLUMNS": "100"}),
        (("inspect", "-", "--json", "--counter", "o200k"), {}),
        (("check", "none.json"), {"SECATEUR_DEBUG": "1"}),
        (("simulate", "-", "--policy", "observe", "--json"), {}),
        (("sessions", "--json"), {"SECATEUR_STORE": "sqlite:////none/kept.db"}),
    ],
)
def test_output_is_the_same(args: tuple[str, ...], env: dict[str, str]) -> None:
    done = secateur(*args, stdin=BODY, **env)
    assert done == afresh(*args, stdin=BODY, **env)
    assert done.out or done.err


def test_a_run_leaves_nothing_for_the_next() -> None:
    first = secateur("inspect", "-", stdin=BODY)
    assert secateur("inspect", "-", stdin=BODY, FORCE_COLOR="1") != first
    assert secateur("inspect", "-", stdin=BODY) == first
    assert secateur("inspect", "-").code == 3


@pytest.mark.skipif(sys.platform == "win32", reason="processes cannot be forked")
def test_a_command_is_forked_unless_it_is_to_find_other_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "one's own")
    command = tmp_path / "secateur"
    files = write_command(command, is_forked=True)
    forked, without_server, anew = (
        subprocess.run([command, "--version"], env=environment(PYTHONPATH=path), pass_fds=passed, capture_output=True)
        for path, passed in (("one's own", files), ("one's own", ()), ("another", ()))
    )
    assert without_server.returncode
    assert (forked.returncode, anew.returncode) == (0, 0), anew.stderr
    assert forked.stdout == anew.stdout
