"""An input that cannot be read ends with exit code 3 and one sentence, whatever the command and the reason."""

from pathlib import Path

import pytest

from cli_runs import saved, secateur

READERS = ["prune", "compact", "inspect", "check", "repair", "simulate", "scan", "diff", "recover", "doctor", "restore"]


@pytest.mark.parametrize("command", READERS)
def test_an_input_that_cannot_be_read(command: str, tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    empty = saved(tmp_path, b"", "empty.jsonl") if command != "scan" else tmp_path / "none.jsonl"
    for name in (loop, "a" * 5000, tmp_path / "none.jsonl", empty):
        done = secateur(command, name)
        assert done.code == 3, (name, done.err)
        assert len(done.err.splitlines()) == 1
        assert not done.out
