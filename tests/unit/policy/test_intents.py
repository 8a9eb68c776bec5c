"""Presets by intent: what each promises, and that each preset says whom it suits."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from secateur import Engine
from secateur.cli.policy_bills import PolicyBill, choose_policy
from secateur.policy import list_preset_names, load
from secateur.schedule import ColdCache
from secateur.strategies import Deduplicate, DropReasoning, ReduceOutput
from secateur.text.lossless import expand_repeats

DAY_MS = 86_400_000


def request(outputs: list[str]) -> bytes:
    """A call for each output, a word of the user's behind them, and twenty short rounds."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Look."}]
    for number, text in enumerate([*outputs, *["ok"] * 22]):
        use = {
            "type": "tool_use",
            "id": f"c{number}",
            "name": "Read",
            "input": {"file_path": "f.txt" if number < len(outputs) else f"{number}.txt"},
        }
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": text}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    return json.dumps({"model": "claude-sonnet-5", "max_tokens": 9, "messages": messages}).encode()


def text(name: str) -> str:
    return "".join(f"{name} says {number * 7919 % 9973}\n" for number in range(1_200))


def test_careful_takes_only_what_is_there_twice_and_only_in_the_cold() -> None:
    policy = load("careful")
    assert (policy.prune, type(policy.schedule)) == ((Deduplicate(),), ColdCache)
    assert policy.on_arrival == ReduceOutput(lossless_only=True)
    twice, once = request([text("a"), text("a")]), request([text("a"), text("b")])
    cold = Engine("careful", window=200_000).fit(twice, now_ms=DAY_MS, idle_s=900)
    assert len(cold.receipt.edits) == 1
    assert cold.receipt.tokens_view < cold.receipt.tokens_raw
    assert Engine("careful", window=200_000).fit(twice, now_ms=DAY_MS, idle_s=20).request == twice
    assert Engine("careful", window=200_000).fit(once, now_ms=DAY_MS, idle_s=900).request == once


def test_careful_says_in_less_what_is_new_and_keeps_all_of_it() -> None:
    """Runs of equal lines are counted; steps of a check that succeeded stay, which `balance` takes out."""
    waits = "waiting for the gate to open, all day long\n" * 300
    steps = "\n".join(f"tests/test_beds.py::test_rose_{n} PASSED [{n // 4}%]" for n in range(400))
    for text, command, is_shorter in ((waits, "./run.sh", True), (steps, "pytest -v", False)):
        use = {"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": command}}
        result = {"type": "tool_result", "tool_use_id": "c", "content": text}
        messages = [
            {"role": "user", "content": "Look. " * 2_000},
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [result]},
        ]
        given = {"model": "claude-sonnet-5", "max_tokens": 9, "messages": messages}
        view = Engine("careful", window=200_000).fit(given, now_ms=DAY_MS, idle_s=20)
        shown = view.request["messages"][2]["content"][0]["content"]
        assert (expand_repeats(shown), shown != text) == (text, is_shorter)


def test_focus_states_a_target_and_is_the_default_otherwise() -> None:
    focus, default = load("focus"), load("balance")
    assert focus.target_tokens == 60_000
    same = {"name": "balance", "description": default.description, "suits": default.suits, "target_tokens": None}
    assert replace(focus, **same) == default


def test_frugal_shortens_older_work_as_soon_as_that_pays() -> None:
    compaction = load("frugal").compaction
    assert compaction is not None
    assert compaction.digest is not None
    promised = (compaction.digest.max_overspend, getattr(load("frugal").schedule, "max_overspend", None))
    assert (compaction.digest.when, promised) == ("price", (0.03, 0.03))  # what it promises at most
    usual = load("digests").compaction
    assert usual is not None
    assert usual.digest is not None
    assert compaction.digest.last_results < usual.digest.last_results
    assert compaction.digest.break_even_share > usual.digest.break_even_share  # fewer digests, each of more
    assert compaction.digest.min_reads > 0  # where reading is cheap they do not wait longer for that
    assert DropReasoning() in load("frugal").prune


@pytest.mark.parametrize("name", ["digests", "frugal"])
def test_what_digests_by_price_spare_is_not_spared_where_the_window_forces_them(name: str) -> None:
    """Near the window what stays is rewritten at any price: with twelve results that made some bills higher."""
    spared = []
    for compaction in (load(name).compaction, load("balance").compaction):
        assert compaction is not None
        assert compaction.digest is not None
        forced = compaction.digest.apply_forced(200_000)
        spared.append((forced.last_results, forced.keep_tokens))
    assert spared[0] == spared[1] == (2, 0.1)


@pytest.mark.parametrize("name", list_preset_names())
def test_each_preset_says_in_one_line_whom_it_suits(name: str) -> None:
    assert 10 < len(load(name).suits) <= 100
    assert "\n" not in load(name).suits


def bill(name: str, dollars: float, recall: float = 1.0) -> PolicyBill:
    numbers: dict[str, Any] = dict.fromkeys(PolicyBill.__struct_fields__, 1)
    return PolicyBill(**numbers | {"policy": name, "dollars_with_refetch": dollars, "recall_hard": recall})


def test_the_cheapest_policy_that_forgets_little_is_recommended() -> None:
    unpruned = replace(bill("unpruned", 10.0), dollars=10.0)
    rows = [unpruned, bill("balance", 8.0), bill("opencode", 5.0, recall=0.9), bill("frugal", 7.5, recall=0.95)]
    found = choose_policy([*rows, bill("lossless oracle", 4.0)])
    assert found is not None
    assert (found.policy, "25.0% below the unpruned one" in found.reason) == ("frugal", True)


def test_nothing_is_recommended_where_nothing_is_cheaper() -> None:
    unpruned = replace(bill("unpruned", 10.0), dollars=10.0)
    assert choose_policy([unpruned, bill("balance", 10.0), bill("lossless oracle", 4.0)]) is None
    assert choose_policy([unpruned, bill("opencode", 5.0, recall=0.9), bill("lossless oracle", 4.0)]) is None
    assert choose_policy([unpruned, bill("lossless oracle", 4.0)]) is None
