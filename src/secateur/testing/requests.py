"""A request on which each kind of strategy can act, what a policy makes of it, and JSON values with errors in them."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from secateur import fit
from secateur.api import check
from secateur.engine import View
from secateur.policy import Policy

NOW_MS = 1_700_000_000_000
_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
_LISTING = "".join(f"src/module_{number}.py:{number}: def function_{number}(argument):\n" for number in range(400))
_FAILED = "collected 12 items\n" + "tests/test_a.py F.F\n" * 200 + "E   AssertionError: 3 != 4\n2 failed, 10 passed\n"
_BLANK = "first\n" + "\n" * 400 + "last\n" + " " * 600

JUNK: tuple[Any, ...] = (None, True, -1, 1.5, "", "text", "\ud800", [], [None], {}, {"type": []}, {"text": {"a": 1}})


def make_long_request() -> dict[str, Any]:
    """A body of Anthropic's Messages API: repeated, failed and long results, a picture, long arguments, reasoning."""
    steps: list[tuple[str, dict[str, Any], Any, bool]] = [
        ("grep", {"pattern": "def "}, _LISTING, False),
        ("grep", {"pattern": "def "}, _LISTING, False),
        ("bash", {"command": "pytest -q"}, _FAILED, True),
        ("write", {"path": "a.py", "content": "line = 1\n" * 400}, "written", False),
        ("screenshot", {}, [{"type": "text", "text": "a window"}, _make_picture()], False),
        ("bash", {"command": "cat notes"}, _BLANK, False),
        ("bash", {"command": "pytest -q"}, "12 passed in 0.31s\n" * 90, False),
    ]
    messages: list[dict[str, Any]] = []
    for number, (tool, given, result, is_error) in enumerate(steps):
        id = f"call_{number}"
        call = {"type": "tool_use", "id": id, "name": tool, "input": given}
        thought = {"type": "thinking", "thinking": "I should look. " * 40, "signature": f"signed {number}"}
        answer = {"type": "tool_result", "tool_use_id": id, "content": result, "is_error": is_error}
        messages += [
            {"role": "user", "content": f"Please do step {number}."},
            {"role": "assistant", "content": [thought, call]},
            {"role": "user", "content": [answer]},
            {"role": "assistant", "content": f"Step {number} is done."},
        ]
    messages.append({"role": "user", "content": "Thanks. Go on."})
    return {"model": "claude-haiku-4-5", "max_tokens": 1_024, "messages": messages}


def fit_under(policy: Policy, request: Any, **facts: Any) -> View[Any]:
    """The view of a request under a policy, a day after the last request, in a window of 200,000 tokens."""
    return fit(request, policy=policy, **({"now_ms": NOW_MS, "idle_s": 86_400.0, "window": 200_000} | facts))


def find_violations(request: dict[str, Any]) -> list[str]:
    """The ids of the rules of its API that a request breaks."""
    return [found.rule for found in check("anthropic", request["messages"], request) if found.severity == "error"]


def _make_picture() -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": _PIXEL}}


def mutate(value: Any, most: int = 400) -> Iterator[Any]:
    """The value with junk at one place, for each place and each kind of junk, spread evenly if there are too many."""
    places = list(_iterate_paths(value, ()))
    every = len(places) * len(JUNK)
    stride = max(1, every // most)
    for number in range(0, every, stride):
        yield _with(value, places[number // len(JUNK)], JUNK[number % len(JUNK)])


def _iterate_paths(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, child in inner:
        yield from _iterate_paths(child, (*path, step))


def _with(value: Any, path: tuple[Any, ...], junk: Any) -> Any:
    if not path:
        return junk
    changed = deepcopy(value)
    inner = changed
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = junk
    return changed
