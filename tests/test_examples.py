"""Every example runs, says something, and leaves the sessions it reads as they were."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_example_runs(example: Path, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in (ROOT / "sessions").iterdir()}
    env = {**os.environ, "HOME": str(tmp_path)}
    argv = [sys.executable, "-W", "error", str(example)]
    done = subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert before == {path: path.read_bytes() for path in (ROOT / "sessions").iterdir()}
