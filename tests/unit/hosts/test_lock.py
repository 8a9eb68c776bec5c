"""The lock between installations: against another process, and against what a dead one left behind."""

import subprocess
import sys
from pathlib import Path

import pytest

from secateur.errors import ConfigError
from secateur.hosts.lock import FILE, lock_installations

HOLD = """
from secateur.hosts.lock import lock_installations
with lock_installations():
    print("held", flush=True)
    input()
"""


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path / "secateur"


def test_the_lock_of_another_process_is_waited_for_and_goes_with_that_process(data: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline().strip() == b"held"
        says = r"another .* is running .*install\.lock is locked.*run this again"
        with pytest.raises(ConfigError, match=says), lock_installations(wait_s=0.1):
            raise AssertionError("two hold the lock")
        other.kill()
    assert (data / FILE).exists()
    for _ in range(2):
        with lock_installations(wait_s=0.1):
            pass


def test_a_file_that_was_left_behind_blocks_nobody(data: Path) -> None:
    data.mkdir()
    (data / FILE).write_text("12345")
    with lock_installations(wait_s=0.0):
        pass


def test_a_folder_that_cannot_be_made_is_an_error_that_says_so(data: Path) -> None:
    data.write_text("a file")
    says = r"install\.lock cannot be locked: .*; correct that"
    with pytest.raises(ConfigError, match=says), lock_installations():
        pass
