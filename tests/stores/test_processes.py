"""What only real processes show: kills, crowds, forks, a full disk, a folder of someone else."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(__file__).parent / "processes.py"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no fork and no signals here")


def run(what: str, folder: Path) -> dict[str, Any]:
    argv = [sys.executable, "-W", "error", str(PROGRAM), what, str(folder / "s.db")]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_nothing_acknowledged_is_lost_to_200_kills(tmp_path: Path) -> None:
    told = run("killed", tmp_path)
    assert told["kills"] == 200
    assert told["acknowledged"] >= 180  # at least one of each writer that was not killed while it made the file


def test_eight_processes_append_without_losing_or_refusing_anything(tmp_path: Path) -> None:
    assert run("together", tmp_path) == {"shared": 200}


def test_a_fork_leaves_the_store_usable_on_both_sides(tmp_path: Path) -> None:
    assert run("forked", tmp_path) == {"shared": 81, "parent": 21}


def test_100_children_forked_during_saves_reach_the_store(tmp_path: Path) -> None:
    assert run("copied", tmp_path) == {"forks": 100, "failed": 0, "reached": 100}


def test_a_child_outlives_its_parents_store(tmp_path: Path) -> None:
    assert run("outlived", tmp_path) == {"child": 2}


def test_200_proofs_under_a_live_writer_raise_no_alarm(tmp_path: Path) -> None:
    assert run("verified", tmp_path) == {"proofs": 200, "alarms": 0, "grew": 1}


def test_100_purges_under_a_reader_and_a_writer_leave_nothing(tmp_path: Path) -> None:
    assert run("purged", tmp_path) == {"rounds": 100, "pending": 0, "left": 0, "lost": 0, "alive": 1}


def test_a_full_disk_is_said_and_survived(tmp_path: Path) -> None:
    told = run("full", tmp_path)
    assert "s.db failed" in told["said"]
    assert "disk" in told["said"]


def test_a_folder_that_cannot_be_written_to_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    said = run("unprivileged", folder)["said"]
    assert str(folder) in said
    assert "name another" in said
