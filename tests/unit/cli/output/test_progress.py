"""Progress on a terminal: nothing for short work, a bar once it takes long, nothing that remains."""

import io
import sys
import time

import pytest

from secateur.cli.output import progress


class Terminal(io.StringIO):
    """Standard error of a person."""

    def isatty(self) -> bool:
        return True


def make_screen(patch: pytest.MonkeyPatch) -> Terminal:
    """Put a terminal in the place of standard error: in the test itself, since a fixture's is replaced before it."""
    found = Terminal()
    patch.setattr(sys, "stderr", found)
    patch.setenv("TERM", "xterm")
    return found


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = make_screen(monkeypatch)
    with progress.show_count("reading", 2) as done, progress.show_work("looking"):
        done("a")
        done("b")
    assert screen.getvalue() == ""


def test_long_work_shows_how_much_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = make_screen(monkeypatch)
    monkeypatch.setattr(progress, "_PATIENCE_S", 0.01)
    with progress.show_count("reading", 4) as done:
        done("first.json")
        deadline = time.monotonic() + 10
        while "1/4" not in screen.getvalue() and time.monotonic() < deadline:
            time.sleep(0.02)
    assert "reading first.json" in screen.getvalue()
    assert "1/4" in screen.getvalue()
