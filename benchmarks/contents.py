"""Bodies of one kind of content each: 700 results of about 5 kB, or four of a megabyte; the same in every run."""

import inspect
import json
import logging
import random
import subprocess
import tarfile
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

SAID = "the gate of bed nine reads its value while a worker waits for the lock and returns what the index holds"
WORDS = SAID.split()
SOURCE = [line for module in (tarfile, subprocess, logging, textwrap) for line in inspect.getsource(module).split("\n")]
RESULTS, CHARS, MEGABYTE = 700, 5_000, 1_000_000


def source(number: int, chars: int = CHARS) -> str:
    """Lines of a module of the standard library."""
    at = random.Random(number).randrange(len(SOURCE))
    return _filled((SOURCE[(at + n) % len(SOURCE)] for n in range(len(SOURCE))), chars, "\n")


def long_line(number: int, chars: int = CHARS) -> str:
    """One line that names an error every few words."""
    made = random.Random(number)

    def words() -> Iterator[str]:
        while True:
            yield made.choice(WORDS)
            if made.random() < 0.12:
                yield f'✗ error: E{made.randrange(9_999)} failed: "läuft nicht" in src/beds{made.randrange(99)}.py'

    return _filled(words(), chars, " ")


def log(number: int, chars: int = CHARS) -> str:
    """A log of which every line is an error, each with a request of its own."""
    made = random.Random(number)

    def lines() -> Iterator[str]:
        while True:
            at = f"2026-11-22 {made.randrange(24):02}:{made.randrange(60):02}:{made.randrange(60):02}"
            said = " ".join(made.choices(WORDS, k=3))
            yield f'{at} ERROR "worker-{made.randrange(64)}": ✗ request {made.randrange(1 << 32):08x} failed: {said}'

    return _filled(lines(), chars, "\n")


def megabyte(number: int) -> str:
    return long_line(number, MEGABYTE) if number % (RESULTS // 4) == 0 else "ok"


KINDS: dict[str, tuple[Callable[[int], str], str]] = {
    "source": (source, "cat src/beds{}.py"),
    "long lines": (long_line, "make bed{}"),
    "logs": (log, "./run.sh {}"),
    "lines of a megabyte": (megabyte, "make all{}"),
}


def messages(kind: str) -> list[dict[str, Any]]:
    """A session of commands that print this kind of content."""
    made, command = KINDS[kind]
    found: list[dict[str, Any]] = [{"role": "user", "content": "mend src/beds3.py"}]
    for number in range(RESULTS):
        call = {"type": "tool_use", "id": f"c{number}", "name": "Bash", "input": {"command": command.format(number)}}
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": made(number)}
        found += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
        if number % 40 == 39:
            found += [{"role": "assistant", "content": "done"}, {"role": "user", "content": f"go on with {number}"}]
    return found


def body(kind: str, model: str, escaped: bool) -> bytes:
    """The request, in UTF-8 or in ASCII escapes."""
    request = {"model": model, "max_tokens": 1, "messages": messages(kind)}
    return json.dumps(request, ensure_ascii=escaped).encode()


def _filled(pieces: Iterator[str], chars: int, between: str) -> str:
    found, size = [], 0
    for piece in pieces:
        found.append(piece)
        size += len(piece) + 1
        if size >= chars:
            break
    return between.join(found)
