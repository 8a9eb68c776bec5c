"""An agent that asks again for what had gone: when that costs more than the edits saved, the policy asks for more."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from secateur import Engine
from secateur.lineage import handle_of
from secateur.view import View

START = 1_800_000_000_000
CALLED = "asked again for"
POLICY = {"extends": "balance", "name": "short_results", "protect": {"min_prunable_chars": 1_000}}


def text(name: int) -> str:
    return "\n".join(f"line {name * 7 + n} of file {name} says {(name + n) * 7919 % 9973} words" for n in range(40))


def body(reads: list[int | str]) -> bytes:
    """A round for each read: the number of a file, or a command."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Mend it."}]
    for number, name in enumerate(reads):
        command = f"cat file-{name}.txt" if isinstance(name, int) else name
        use = {"type": "tool_use", "id": f"c{number}", "name": "Bash", "input": {"command": command}}
        told = text(name) if isinstance(name, int) else "done"
        messages += [
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"c{number}", "content": told}]},
        ]
    return json.dumps({"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": messages}).encode()


def send(engine: Engine, reads: list[int | str], idle_s: float = 4.0) -> View[bytes]:
    now = START + 1_000_000 * len(reads)
    return engine.fit(body(reads), session="s", now_ms=now, idle_s=idle_s)


def play(engine: Engine, more: list[int | str], restart: str = "") -> View[bytes]:
    """24 reads, a pause in which four of them go, `more`, and a pause in which as many more may be removed."""
    reads: list[int | str] = list(range(24))
    assert len(send(engine, reads, idle_s=900).receipt.edits) == 4
    for one in more:
        reads.append(one)
        send(engine, list(reads))
    engine = Engine(POLICY, store=restart, window=200_000) if restart else engine
    return send(engine, reads, idle_s=900)


def test_reads_of_what_is_new_change_nothing() -> None:
    view = play(Engine(POLICY, window=200_000), [24, 25, 26])
    assert len(view.receipt.edits) == 3
    assert CALLED not in view.receipt.reason


@pytest.mark.parametrize("is_restarted", [False, True])
def test_the_same_call_with_the_same_result_raises_the_bar(tmp_path: Path, is_restarted: bool) -> None:
    url = f"sqlite:///{tmp_path}/kept.db"
    view = play(Engine(POLICY, store=url, window=200_000), [0, 1, 2], url if is_restarted else "")
    assert not view.receipt.opened
    assert "the agent asked again for 3 results that had gone" in view.receipt.skipped_reason
    assert "the bar is 4 times the usual one" in view.receipt.skipped_reason


def test_reading_back_by_handle_counts_as_well() -> None:
    calls: list[int | str] = [f"cat /tmp/kept/{handle_of(text(name))}.txt" for name in range(3)]
    assert "3 results" in play(Engine(POLICY, window=200_000), calls).receipt.skipped_reason


def test_another_result_of_the_same_call_is_no_reread() -> None:
    """Checks are run again and again: what they gave before is not what is asked for."""
    reads: list[int | str] = list(range(24))
    engine = Engine(POLICY, window=200_000)
    send(engine, reads, idle_s=900)
    data = body([*reads, 0, 1, 2])
    for name in range(3):
        old, new = json.dumps(text(name))[1:-1].encode(), json.dumps(text(name + 40))[1:-1].encode()
        head, _, tail = data.rpartition(old)
        data = head + new + tail
    view = engine.fit(data, session="s", now_ms=START + 10**9, idle_s=900)
    assert view.receipt.opened
    assert CALLED not in view.receipt.reason


def test_an_edit_above_the_raised_bar_says_so() -> None:
    engine = Engine(POLICY, window=200_000)
    reads: list[int | str] = list(range(24))
    send(engine, reads, idle_s=900)
    view = send(engine, [*reads, 0, *range(24, 40)], idle_s=900)
    assert view.receipt.opened
    assert "the agent asked again for 1 result that had gone" in view.receipt.reason
    assert "the bar is 2 times the usual one" in view.receipt.reason


def test_near_the_window_the_bar_does_not_count() -> None:
    engine = Engine(POLICY, window=24_000)
    reads: list[int | str] = list(range(24))
    send(engine, reads, idle_s=900)
    for one in (0, 1, 2, *range(24, 34)):
        reads.append(one)
        view = send(engine, list(reads))
    assert view.receipt.tokens_view <= 24_000


@settings(max_examples=15)
@given(st.lists(st.tuples(st.integers(0, 30), st.sampled_from([4.0, 4.0, 900.0])), min_size=1, max_size=8))
def test_a_new_process_decides_as_the_one_that_saw_it_all(
    tmp_path_factory: pytest.TempPathFactory, rounds: list[tuple[int, float]]
) -> None:
    folder = tmp_path_factory.mktemp("kept")
    one, other = (f"sqlite:///{folder}/{name}.db" for name in ("one", "other"))
    steady = Engine(POLICY, store=one, window=200_000)
    reads: list[int | str] = list(range(24))
    send(steady, reads, idle_s=900)
    send(Engine(POLICY, store=other, window=200_000), reads, idle_s=900)
    for name, idle_s in rounds:
        reads.append(name)
        kept = send(steady, list(reads), idle_s)
        fresh = send(Engine(POLICY, store=other, window=200_000), list(reads), idle_s)
        assert kept.request == fresh.request
        assert (kept.receipt.reason, kept.receipt.skipped_reason) == (
            fresh.receipt.reason,
            fresh.receipt.skipped_reason,
        )


def test_what_a_digest_stands_for_counts_as_well() -> None:
    """A digest waits for a higher bar, too, and the receipt says so."""
    first, second = (Engine({**POLICY, "extends": "digests"}, window=200_000) for _ in range(2))
    for engine, asked in ((first, [5, 6, 7]), (second, [25, 26, 27])):
        reads: list[int | str] = list(range(24))
        opened = send(engine, reads, idle_s=900).receipt.edits
        assert [edit.verb for edit in opened] == ["rewrite"] * 4 + ["replace"]
        for name in asked:
            reads.append(name)
            send(engine, list(reads))
        receipt = send(engine, [*reads, 28], idle_s=900).receipt
        assert receipt.opened is (engine is second)
        if engine is first:
            assert receipt.compaction is not None
            assert (receipt.compaction.done, receipt.compaction.reason) == (False, "rereads")
            assert "the agent asked again for 3 results that had gone" in receipt.compaction.text
