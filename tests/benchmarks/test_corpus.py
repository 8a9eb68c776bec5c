"""A benchmark that needs recorded sessions says so in a sentence where none are named."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
NEEDS = sorted(file.stem for file in BENCHMARKS.glob("*.py") if "find_corpus()" in file.read_text("utf-8"))


def run(name: str, corpus: str | None) -> subprocess.CompletedProcess[str]:
    env = {key: value for key, value in os.environ.items() if key != "SECATEUR_CORPUS"}
    env |= {"SECATEUR_CORPUS": corpus} if corpus is not None else {}
    command = [sys.executable, str(BENCHMARKS / f"{name}.py")]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("name", ["bills", "ledger", "simulate", "split", "truth", "usage"])
def test_without_sessions_it_says_what_to_set(name: str) -> None:
    done = run(name, None)
    assert done.returncode == 2
    assert done.stderr == "set SECATEUR_CORPUS to a folder of recorded sessions\n"


def test_a_name_of_no_folder_is_said(tmp_path: Path) -> None:
    done = run("split", str(tmp_path / "nothing"))
    assert done.returncode == 2
    assert done.stderr.endswith("nothing is not one\n")


def test_no_benchmark_reads_the_variable_as_if_it_were_set() -> None:
    assert len(NEEDS) > 15
    readers = [file.name for file in BENCHMARKS.glob("*.py") if 'environ["SECATEUR_CORPUS"]' in file.read_text("utf-8")]
    assert readers == []
