"""A receipt says in what way a new result was shortened: nothing left out, steps, like lines, or an excerpt."""

from typing import Any

import pytest

from native import calls, tool, user
from secateur import Engine
from secateur.stages.proposing import ARRIVAL, describe_arrival
from secateur.strategies import excerpt
from secateur.text.dedupe_lines import ALIKE, PASSED

STEPS = "\n".join(f"tests/test_beds.py::test_rose_{n} PASSED" for n in range(900)) + "\n900 passed in 2.13s\n"
EQUAL = "waiting for the gate to open\n" * 900
DRAWN = (
    "".join(f"\rwatering {n}%" for n in range(100))
    + "\n"
    + "\n".join(f"\x1b[3{n % 8}mrose {n * n}" for n in range(900))
)
LIKE = "\n".join(f"rose {n} of bed {n % 9} was watered" for n in range(900))
SOURCE = "\n".join(f"def prune_{n}(rose):\n    return rose.cut({n * n})" for n in range(900))
FOLDS: dict[str, Any] = {"on_arrival": {"type": "excerpt", "max_chars": 40_000, "dedupe_lines": True}}
CUTS: dict[str, Any] = {"on_arrival": {"type": "excerpt", "max_chars": 2_000}}


@pytest.mark.parametrize(
    ("policy", "line", "printed", "way"),
    [
        ("balance", "pytest -v", STEPS, f"{PASSED} left out"),
        ("balance", "./run.sh", EQUAL, "repetition written once, every value kept"),
        ("balance", "./run.sh", DRAWN, "as a terminal shows it"),
        (FOLDS, "./run.sh", f"{LIKE}\n{LIKE}", f"{ALIKE} left out"),
        (CUTS, "cat beds.py", SOURCE, "an exact excerpt"),
    ],
)
def test_the_reason_names_the_way(policy: Any, line: str, printed: str, way: str) -> None:
    engine = Engine(policy, window=200_000, store="memory://", recall_handles="on")
    done = [calls(("c", "bash"), args=f'{{"command": "{line}"}}'), tool(printed, "c")]
    receipt = engine.fit(
        {"model": "gpt-5", "messages": [user("the garden, bed by bed\n" * 400), *done]}, session="s", now_ms=1
    ).receipt
    assert receipt.reason == f"{ARRIVAL}: {way}"
    assert [one.reason for one in receipt.edits] == [receipt.reason]


def test_without_an_edit_it_names_none() -> None:
    assert describe_arrival({}) == ARRIVAL


def talk_of(printed: list[str]) -> dict[str, Any]:
    """A session in which commands printed these, with as many newer results behind them as protect themselves."""
    messages = [user("the garden, bed by bed\n" * 900)]
    for n, text in enumerate((*printed, *[f"ok {n}" for n in range(22)])):
        messages += [calls((f"c{n}", "bash"), args=f'{{"command": "./run.sh {n}"}}'), tool(text, f"c{n}")]
    return {"model": "gpt-5", "messages": messages}


def test_of_what_an_outline_replaces_no_excerpt_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    monkeypatch.setattr(excerpt, "excerpt", lambda text, *_: made.append(text) or text[:900])
    cuts = {"extends": "balance", **CUTS}
    Engine(cuts, compact=False).fit(talk_of([SOURCE] * 12), now_ms=1)
    assert made == []
    Engine(cuts, compact=False).fit(talk_of([SOURCE]), now_ms=1)  # too little goes for an outline to be certain
    assert made == [SOURCE]


def test_what_mostly_says_the_same_again_says_so_whatever_would_replace_it() -> None:
    [*_, last] = (
        Engine("balance", compact=False).fit(talk_of([*[SOURCE] * 12, EQUAL]), now_ms=1).transcript.messages[:27]
    )
    assert "lines 2-900 of 901 repeat line 1" in last.parts[0].text
