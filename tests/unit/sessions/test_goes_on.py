"""A session that goes on while no one tells the time: its prompt cache may be alive, and is not broken for nothing."""

import json
from pathlib import Path

import pytest

from native import calls, tool, user
from secateur import Engine, Plan, fit

WORDS = "moss river stone lamp copper window thread salt anchor barley candle drum ember feather glass harbor"


def chat(rounds: int) -> bytes:
    """A question, and so many calls that read something of its own each; no time is in it."""
    words = WORDS.split()
    messages = [user("go on")]
    for number in range(rounds):
        said = "\n".join(" ".join([words[(line * step + number) % 16] for step in range(1, 9)]) for line in range(70))
        messages += [calls((f"c{number}", "read"), args=f'{{"path": "{number}.txt"}}'), tool(said, f"c{number}")]
    return json.dumps({"model": "claude-sonnet-4-5", "messages": messages}).encode()


def test_a_file_that_nobody_tells_the_time_of_has_no_cache_to_lose() -> None:
    assert fit(chat(30), now_ms=0).receipt.reason.startswith("no earlier call is known")


def test_a_loop_that_hands_its_plan_on_waits_until_an_edit_pays() -> None:
    plan = fit(chat(1), now_ms=0).plan
    assert plan == Plan()
    view = fit(chat(30), plan=plan, now_ms=0)
    assert "the prompt cache is warm" in view.receipt.skipped_reason
    assert view.request == chat(30)


@pytest.mark.parametrize("kept", [False, True])
def test_so_does_a_session_of_an_engine_in_whatever_process(kept: bool, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/kept.db" if kept else None
    first = Engine(store=store)
    first.fit(chat(1), session="s", now_ms=1_000)
    later = Engine(store=store) if kept else first
    assert "the prompt cache is warm" in later.fit(chat(30), session="s", now_ms=2_000).receipt.skipped_reason
    told = later.fit(chat(31), session="s", now_ms=400_000, idle_s=301.0)
    assert told.receipt.reason.startswith("the last call was 5 min ago")
