"""The engine's own clock: how long a session paused, known without anyone telling it; only requests move it."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from secateur import Engine, StillTooLong
from secateur.cli.program import program

MODEL = "claude-opus-4-5"
MINUTE = 60_000
STORES = pytest.mark.parametrize("stored", [False, True], ids=["memory", "store"])


def body(results: int, model: str = MODEL) -> dict[str, Any]:
    """A session that reads log after log, most of which are soon superseded, as a request of a client that marks it."""
    messages: list[Any] = [{"role": "user", "content": "go"}]
    for number in range(results):
        use = {"type": "tool_use", "id": f"c{number}", "name": "read_file", "input": {"path": "app.log"}}
        text = "\n".join(f"{number}.{line} line of a log that says {line * 7}" for line in range(400))
        told: dict[str, Any] = {"type": "tool_result", "tool_use_id": f"c{number}", "content": text}
        if number == results - 1:
            told["cache_control"] = {"type": "ephemeral"}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [told]}]
    return {"model": model, "max_tokens": 9, "system": "help", "messages": messages}


class Engines:
    """One engine, or with a store a new one for each request, as other processes have them."""

    def __init__(self, folder: Path, stored: bool, policy: Any = "balance") -> None:
        self.url = f"sqlite:///{folder}/kept.db" if stored else None
        self.policy = policy
        self.one = Engine(policy, store=self.url)

    def __call__(self) -> Engine:
        return Engine(self.policy, store=self.url) if self.url else self.one


@STORES
def test_the_default_policy_prunes_at_a_pause_that_nobody_told_it_of(stored: bool, tmp_path: Path) -> None:
    engine, now, opened = Engines(tmp_path, stored), 1_000_000, list[int]()
    for request in range(2, 14):
        now += 21 * MINUTE if request in (6, 10) else MINUTE // 6
        receipt = engine().fit(body(request), session="s", now_ms=now).receipt
        if request > 2:
            assert receipt.idle_s == (21 * 60 if request in (6, 10) else 10)
        if receipt.opened:
            opened.append(request)
    assert {6, 10} <= set(opened)
    assert (
        "the last call was 21 min ago" in engine().fit(body(14), session="s", now_ms=now + 21 * MINUTE).receipt.reason
    )


@STORES
def test_what_is_known_better_wins(stored: bool, tmp_path: Path) -> None:
    engine = Engines(tmp_path, stored, "observe")
    view = engine().fit(body(2), session="s", now_ms=MINUTE)
    assert view.receipt.idle_s is None
    assert engine().fit(body(3), session="s", now_ms=11 * MINUTE, idle_s=7.0).receipt.idle_s == 7.0
    engine().record_usage("s", {"input_tokens": 10_000}, now_ms=12 * MINUTE)
    assert engine().fit(body(4), session="s", now_ms=13 * MINUTE).receipt.idle_s == 60.0


@STORES
def test_a_call_to_another_model_says_nothing_of_this_ones_cache(stored: bool, tmp_path: Path) -> None:
    engine = Engines(tmp_path, stored, "observe")
    engine().fit(body(2), session="s", now_ms=MINUTE)
    engine().fit(body(1, "claude-haiku-4-5"), session="s", now_ms=10 * MINUTE)
    assert engine().fit(body(3), session="s", now_ms=11 * MINUTE).receipt.idle_s == 600.0
    assert engine().fit(body(1, "claude-haiku-4-5"), session="s", now_ms=12 * MINUTE).receipt.idle_s == 120.0


def test_sessions_have_clocks_of_their_own() -> None:
    engine = Engine("observe")
    engine.fit(body(2), session="one", now_ms=MINUTE)
    assert engine.fit(body(2), session="two", now_ms=2 * MINUTE).receipt.idle_s is None
    assert engine.fit(body(3), session="one", now_ms=3 * MINUTE).receipt.idle_s == 120.0
    assert engine.fit(body(3), now_ms=4 * MINUTE).receipt.idle_s is None


pauses = st.lists(st.tuples(st.sampled_from(["fit", "observe", "pin"]), st.integers(0, 10_000_000)), max_size=8)


@settings(deadline=None, max_examples=40)
@given(pauses)
def test_idle_runs_from_the_last_request_or_answer_and_from_nothing_else(steps: list[tuple[str, int]]) -> None:
    engine, now, last = Engine("observe"), 1, 1
    engine.fit(body(1), session="s", now_ms=now)
    for what, pause in steps:
        now += pause
        if what == "pin":
            engine.pin("s", "tool", "read_file", now_ms=now)
        elif what == "observe":
            engine.record_usage("s", {"input_tokens": 9}, now_ms=now)
        else:
            assert engine.fit(body(1), session="s", now_ms=now).receipt.idle_s == (now - last) / 1000
        last = last if what == "pin" else now


EAGER = {
    "name": "eager",
    "protect": {"last_messages": 2},
    "prune": [{"type": "hard_clear"}],
    "schedule": {"type": "threshold"},
}


def test_undo_calls_nobody(tmp_path: Path) -> None:
    engine = Engines(tmp_path, True, EAGER)
    assert engine().fit(body(6), session="s", now_ms=MINUTE).receipt.opened
    engine().undo("s", now_ms=20 * MINUTE)
    assert engine().fit(body(7), session="s", now_ms=21 * MINUTE).receipt.idle_s == 20 * 60


def test_a_command_on_a_file_moves_no_clock(tmp_path: Path) -> None:
    """A model is called at minute 1; the command prunes the session's file meanwhile, and calls no one."""
    engine = Engines(tmp_path, True, "observe")
    engine().fit(body(6), session="s", now_ms=MINUTE)
    file = tmp_path / "request.json"
    file.write_bytes(msgspec.json.encode(body(6)))
    policy = tmp_path / "eager.toml"
    policy.write_text(
        'name = "eager"\nprotect.last_messages = 2\nschedule.type = "threshold"\n[[prune]]\ntype = "hard_clear"\n'
    )
    asked = ["prune", str(file), "--policy", str(policy), "--session", "s", "--store", str(engine.url), "--json"]
    done = CliRunner().invoke(program, asked, catch_exceptions=False)
    assert done.exit_code == 0
    assert msgspec.json.decode(done.stdout)["edits"]
    later = 4_000_000_000_000  # long behind the command, whose time is this machine's
    assert engine().fit(body(7), session="s", now_ms=later).receipt.idle_s == (later - MINUTE) / 1000


def test_a_request_that_does_not_fit_calls_nobody_until_its_view_is_sent() -> None:
    engine, asked = Engine("balance", window=2_000), body(0)
    engine.fit(asked, session="s", now_ms=MINUTE)
    much = {**asked, "messages": [{"role": "user", "content": "all of this matters. " * 3_000}]}
    with pytest.raises(StillTooLong) as told:
        engine.fit(much, session="s", now_ms=5 * MINUTE)
    assert engine.fit(asked, session="s", now_ms=6 * MINUTE).receipt.idle_s == 300.0
    with pytest.raises(StillTooLong) as told:
        engine.fit(much, session="s", now_ms=8 * MINUTE)
    engine.sent(told.value)
    assert engine.fit(asked, session="s", now_ms=10 * MINUTE).receipt.idle_s == 120.0
