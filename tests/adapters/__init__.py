"""What the tests of wrappers and adapters share: an agent's work, a scripted model, and what every one is held to."""

import json
import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from secateur import Engine, View
from secateur.api import check
from secateur.stores.memory import MemoryStore
from upstream import Upstream

CLEAR: dict[str, Any] = {
    "name": "clear",
    "protect": {"last_rounds": 2},
    "prune": [{"type": "hard_clear"}],
    "schedule": {"type": "every_request"},
}
CLEARED = "lines; removed, call again if needed]"
TASK = "Read the notes, one after the other, and say what they are about."
ROUTES = {
    "/v1/messages": ("anthropic", "messages"),
    "/chat/completions": ("openai_chat", "messages"),
    "/responses": ("openai_responses", "input"),
    "enerateContent": ("gemini", "contents"),
}


def note(path: str, lines: int = 60) -> str:
    """What a note says, the same each time."""
    return "\n".join(f"{path}, line {number}: what was agreed on day {number * 7}." for number in range(lines))


def notes(count: int) -> list[str]:
    """Names of notes."""
    return [f"notes/{number:03}.md" for number in range(count)]


class Views:
    """The views that an engine made, in order: `on_view=Views()`."""

    def __init__(self) -> None:
        self.all: list[View[Any]] = []

    def __call__(self, view: View[Any]) -> None:
        self.all.append(view)

    @property
    def last(self) -> View[Any]:
        return self.all[-1]


class FailingEngine(Engine):
    """An engine that is out of order."""

    def fit(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("out of order")

    async def afit(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("out of order")

    def record_usage(self, *_: Any, **__: Any) -> None:
        raise RuntimeError("out of order")


def run_page(name: str) -> dict[str, Any]:
    """Run the program of a how-to page, its first block, in the current folder; its names.

    What it prints is what the comments behind its prints say, about: releases of a framework describe tools in other
    words.
    """
    page = Path(__file__).parents[2] / "docs" / "how-to" / name
    program = re.search(r"^```python\n(.*?)^```$", page.read_text(), re.M | re.S)
    assert program
    names: dict[str, Any] = {"__name__": "__main__"}
    with redirect_stdout(StringIO()) as printed:
        exec(compile(program[1], name, "exec"), names)
    for said in re.findall(r"^ *print\(.*\)  # (.+)$", program[1], re.M):
        assert any(is_about(said, line) for line in printed.getvalue().splitlines()), (said, printed.getvalue())
    return names


def is_about(said: str, line: str) -> bool:
    """Whether a line ends with the words, and with the numbers to a hundredth."""
    number = r"\d[\d,]*"
    pieces = re.split(f"({number})", said)
    found = re.search("".join(f"({number})" if one[:1].isdigit() else re.escape(one) for one in pieces) + "$", line)
    wanted, printed = re.findall(number, said), found.groups() if found else ()
    return [_read_number(one) for one in printed] == pytest.approx([_read_number(one) for one in wanted], rel=0.01)


def _read_number(text: str) -> int:
    return int(text.replace(",", ""))


def make_engine(**settings: Any) -> Engine:
    """An engine whose sessions can be looked into."""
    return Engine(**{"policy": CLEAR, "store": MemoryStore(), "tenant": "t", **settings})


def find_route(path: str) -> tuple[str, str]:
    """The family and the array of what was posted."""
    return next(route for mark, route in ROUTES.items() if mark in path)


def sent(server: Upstream) -> list[tuple[str, str, dict[str, Any]]]:
    """What the model was sent: family, name of the array, body."""
    return [(*find_route(one.path), json.loads(one.body)) for one in server.posts if "count" not in one.path]


def check_sent(server: Upstream) -> None:
    """Every request is one that its provider takes."""
    for family, array, body in sent(server):
        wrong = [one for one in check(family, body[array], body) if one.severity == "error"]
        assert not wrong, wrong[:3]


def count_cleared(server: Upstream) -> int:
    """Cleared results in the last request."""
    return json.dumps(sent(server)[-1][2]).count(CLEARED)


def read_state(engine: Engine, view: View[Any]) -> Any:
    """The state of a view's session in the engine's store."""
    from secateur.stores.protocol import SessionId

    assert engine.sessions.store is not None
    return engine.sessions.store.load(SessionId(view.session, view.tenant))
