"""Which lines of a text a regular expression matches, within a bounded time whatever the expression.

Rule: plain words are looked for at once; anything else runs in a process of its own (`search`), which is killed when
the time is over, since Python's engine can take exponential time and cannot be interrupted everywhere.
"""

import subprocess
import sys
from pathlib import Path

from secateur.errors import ConfigError

TIME_S = 5.0  # on a million lines a plain expression takes one second
_SIGNS = frozenset(".^$*+?{}[]\\|()")  # without any of them an expression is plain words
_SEARCH = Path(__file__).with_name("search.py")


def find_matching_lines(text: str, pattern: str, time_s: float = TIME_S) -> tuple[int, ...]:
    """Return the numbers of matching lines, from 1. Raises ConfigError for an invalid or too slow expression."""
    if not _SIGNS & set(pattern):
        return tuple(number for number, line in enumerate(text.split("\n"), 1) if pattern in line)
    return _run_search(text, pattern, time_s)


def _run_search(text: str, pattern: str, time_s: float) -> tuple[int, ...]:
    argv = [sys.executable, "-I", "-W", "ignore", str(_SEARCH), pattern]
    data = text.encode("utf-8", "surrogatepass")
    try:
        done = subprocess.run(argv, input=data, capture_output=True, timeout=time_s, check=False)
    except subprocess.TimeoutExpired as error:
        raise ConfigError(
            f"{pattern!r} takes more than {time_s:g} s on this text: write it without repeats inside repeats"
        ) from error
    except (OSError, ValueError) as error:
        raise ConfigError(f"{pattern!r} could not be looked for: {error}") from error
    if done.returncode:
        why = " ".join(done.stderr.decode("utf-8", "replace").split())[-200:]
        raise ConfigError(f"{pattern!r} is no regular expression: {why}; put \\ before signs that are meant literally")
    return tuple(map(int, done.stdout.split()))
