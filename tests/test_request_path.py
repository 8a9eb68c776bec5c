"""One request, traced: which files it enters, in which order, and who may apply an epoch, decide or save.

The table of `docs/explanation/architecture.md` is read, not repeated here, so it cannot lie. The request is the first
of a session, with a store, of the shipped Messages body.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from msgspec import Struct

import secateur
from secateur import Engine
from secateur.stores.memory import MemoryStore

ROOT = Path(__file__).parent.parent
SOURCE = Path(secateur.__file__).parent
PAGE = (ROOT / "docs" / "explanation" / "architecture.md").read_text()
BODY = (ROOT / "sessions" / "anthropic_messages.json").read_bytes()
MOST_LINES = 900  # of the main path: what a person reads to follow a request
# What a request enters, files and functions: these may only shrink. What is kept for the process is not entered again:
# caches of the shapes of lines, which never had a hit in a session, once hid two of these files and twelve functions.
BOUNDS = {"observe": (34, 228), "balance": (73, 513)}

Call = tuple[str, str]  # file below the package, and the function's qualified name


class Trace(Struct, frozen=True):
    """The calls of one request in the order in which they were first made, and who made them."""

    order: tuple[Call, ...]
    callers: dict[Call, frozenset[Call]]

    @property
    def files(self) -> frozenset[str]:
        return frozenset(file for file, _ in self.order)


def place(frame: FrameType | None) -> Call | None:
    """The function of a frame; None outside the package, and for comprehensions and bodies of classes."""
    if frame is None or not frame.f_code.co_filename.startswith(f"{SOURCE}/"):
        return None
    name = frame.f_code.co_qualname
    return (frame.f_code.co_filename[len(str(SOURCE)) + 1 :], name) if not name.endswith(">") else None


def trace(policy: str) -> list[tuple[Call, Call | None]]:
    """Each call of a first request and its caller, once, in order.

    Another engine has served the request before: what is loaded and remembered once is not counted.
    """
    Engine(policy, store=MemoryStore()).fit(BODY, now_ms=1)
    engine = Engine(policy, store=MemoryStore())
    calls: dict[tuple[Call, Call | None], None] = {}

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and (found := place(frame)) is not None:
            above = frame.f_back
            while above is not None and place(above) is None:
                above = above.f_back
            calls[found, place(above)] = None

    sys.setprofile(note)
    try:
        engine.fit(BODY, now_ms=1)
    finally:
        sys.setprofile(None)
    return list(calls)


@cache
def run_traces() -> dict[str, Any]:
    """The traces of both policies, made in a process of its own: they are the same whichever tests ran before."""
    done = subprocess.run([sys.executable, __file__, *BOUNDS], capture_output=True, text=True, check=True)
    traces: dict[str, Any] = json.loads(done.stdout)
    return traces


@cache
def traced(policy: str) -> Trace:
    """The trace of a request under a policy."""
    callers: dict[Call, set[Call]] = {}
    for call, caller in run_traces()[policy]:
        callers.setdefault((call[0], call[1]), set()).update([(caller[0], caller[1])] if caller else [])
    return Trace(tuple(callers), {call: frozenset(known) for call, known in callers.items()})


def steps() -> Iterator[Call]:
    """The rows of the page's table: file and function."""
    yield from re.findall(r"^\| `([\w/]+\.py)` \| `([\w.]+)` \|", PAGE, re.M)


def main_path() -> list[str]:
    """The files that the page calls the main path."""
    found = re.search(r"^The main path is (.*?)\.$", PAGE, re.M | re.S)
    assert found
    return re.findall(r"`([\w/]+\.py)`", found[1])


def test_the_page_tells_the_steps_of_a_request_in_their_order() -> None:
    order = traced("balance").order
    told = list(steps())
    assert len(told) >= 15
    assert [step for step in told if step not in order] == []
    assert told == sorted(told, key=order.index)


def test_the_main_path_is_short_enough_to_be_read() -> None:
    assert sum(len((SOURCE / file).read_text().splitlines()) for file in main_path()) <= MOST_LINES


@pytest.mark.parametrize("policy", BOUNDS)
def test_a_request_enters_no_more_files_and_functions_than_it_did(policy: str) -> None:
    trace, (files, functions) = traced(policy), BOUNDS[policy]
    assert len(trace.files) <= files
    assert len(trace.order) <= functions


@pytest.mark.parametrize("policy", BOUNDS)
def test_epochs_decisions_and_saves_come_from_the_main_path_alone(policy: str) -> None:
    callers = traced(policy).callers
    assert {file for file, _ in callers.get(("projection/__init__.py", "Projection.apply_epoch"), ())} <= {
        "pipeline.py"
    }
    stages = [call for call in callers if call[0].startswith("stages/") and call[1] == "conclude"]
    assert stages
    assert {file for stage in stages for file, _ in callers[stage]} <= {"pipeline.py"}
    assert {file for file, _ in callers["sessions/__init__.py", "SessionManager.commit"]} == {"serving.py"}
    assert {call for call in callers if call[1].endswith(".save")} <= {
        ("sessions/__init__.py", "SessionManager.commit"),
        ("sessions/store_access.py", "StoreAccess.save"),
        ("stores/memory.py", "MemoryStore.save"),
    }


def test_a_request_that_edits_nothing_asks_no_strategy_and_applies_no_epoch() -> None:
    trace = traced("observe")
    assert not [call for call in trace.order if call[0].startswith(("strategies/", "toolcalls/", "compaction/"))]
    assert ("projection/__init__.py", "Projection.apply_epoch") not in trace.order


if __name__ == "__main__":
    print(json.dumps({policy: trace(policy) for policy in sys.argv[1:]}))
