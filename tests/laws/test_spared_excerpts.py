"""Excerpts that are not made, since an outline replaces the result in the same request: the view is the same."""

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from secateur import Engine
from secateur.stages import proposing

DAY_MS = 86_400_000
CUTS: dict[str, Any] = {  # what `balance` shortens on arrival says the same in less: there no excerpt is to be spared
    "extends": "balance",
    "on_arrival": {"type": "excerpt", "by_price": True, "all_tools": False, "dedupe_lines": True},
}
WORDS = ("gate", "rose", "bed", "shears", "worker", "thorn", "lock")


def hexed(n: int) -> str:
    return f"{n * 2_654_435_761 % (1 << 32):08x}"


KINDS = {
    "errors": lambda n: f'12:00:{n % 60:02} ERROR "worker-{n % 7}": ✗ request {hexed(n)} failed: {WORDS[n % 7]}',
    "repeated": lambda n: f"compiled src/rose_{n}.ts in {n} ms",
    "prose": lambda n: f"{WORDS[n % 7]} {WORDS[n % 5]} {'and so on ' * (n % 4)}",
    "one line": lambda n: f"✗ error: E{n} failed in src/bed{n}.py ",
}


def log(kind: str, lines: int, start: int) -> str:
    between = "" if kind == "one line" else "\n"
    return between.join(KINDS[kind](n) for n in range(start, start + lines))


def session(results: list[tuple[str, int]]) -> bytes:
    messages: list[dict[str, Any]] = [{"role": "user", "content": " ".join(WORDS) * 1_000}]
    for n, (kind, lines) in enumerate(results):
        call = {"type": "tool_use", "id": f"c{n}", "name": "Bash", "input": {"command": f"./run.sh {n}"}}
        result = {"type": "tool_result", "tool_use_id": f"c{n}", "content": log(kind, lines, n * 1_000)}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    for n in range(22):  # newer results protect themselves, not those above
        messages += [
            {"role": "assistant", "content": [{"type": "tool_use", "id": f"d{n}", "name": "Bash", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"d{n}", "content": f"ok {n}"}]},
        ]
    return json.dumps({"model": "claude-opus-4-5", "max_tokens": 1, "messages": messages}).encode()


@given(st.lists(st.tuples(st.sampled_from(sorted(KINDS)), st.sampled_from([3, 60, 150, 400])), min_size=8, max_size=16))
@example([("errors", 3)] * 11 + [("errors", 60)])  # on arrival it becomes shorter than what may be pruned, and stays
@example([("prose", 150)] * 12)
@settings(deadline=None, max_examples=12)
def test_the_view_is_the_same_as_if_all_excerpts_were_made(results: list[tuple[str, int]]) -> None:
    request = session([*results, ("errors", 900), ("errors", 600)])
    views = []
    for least in (1, 1 << 60):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(proposing, "_MANY_CHARS", least)
            views.append(Engine(CUTS, compact=False).fit(request, now_ms=DAY_MS).request)
    assert views[0] == views[1]


def test_no_excerpt_is_made_of_prose_of_which_an_outline_is_far_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    from secateur.strategies import excerpt

    made: list[str] = []
    monkeypatch.setattr(excerpt, "excerpt", lambda text, *rest: made.append(text) or text[:400])
    Engine(CUTS, compact=False).fit(session([("prose", 400)] * 40), now_ms=DAY_MS)
    assert made == []
