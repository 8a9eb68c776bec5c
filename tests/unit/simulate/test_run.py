"""Runs: a policy replayed is the engine's own, and the bill is what the formulas say."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from secateur import Engine
from secateur.errors import ConfigError
from secateur.model import Message, Part
from secateur.policy import load
from secateur.pricing import Price, Rates, Tier, compute_break_even, get_rules, make_unit_price
from secateur.pricing.rules import CacheRules
from secateur.simulate.bill import ExtraCall, compute_units, sum_bill
from secateur.simulate.cache import CachedPrompt, Caching
from secateur.simulate.replay import GAP_S, ReplayedTurn, iterate_moments, replay_policy
from secateur.simulate.requests import RecordedRequest, Recording, read_recording
from secateur.simulate.run import bill_turns, simulate

EARLY: dict[str, Any] = {
    "name": "early",
    "protect": {"last_messages": 4},
    "prune": [{"type": "hard_clear"}],
    "schedule": {"type": "threshold", "over_prunable_tokens": 900},
}
DIGESTS: dict[str, Any] = {
    "extends": "balance",
    "prune": [],
    "compaction": {"digest": {"when": "price", "last_results": 3, "keep_tokens": 0, "max_overspend": None}},
}
SUMS: dict[str, Any] = {"extends": "balance", "compaction": {"digest": {"when": "never"}}}
ANYTHING = Caching(
    rules=CacheRules(
        name="any", models=(), positions="marks", writes_cost=True, minimum_tokens=0, source="made up", date="2026"
    )
)


def body(rounds: int) -> dict[str, Any]:
    """A chat in which the model runs one command after the other, with a word of the user after every fifth."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You help."}]
    for number in range(rounds):
        if number % 5 == 0:
            messages.append({"role": "user", "content": f"and now {number}"})
        call = {"id": f"c{number}", "type": "function", "function": {"name": "bash", "arguments": f'{{"n":{number}}}'}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": f"line {number}\n" * 120})
    return {"model": "gpt-4o", "messages": messages}


ONLY_PRUNES = replace(load("balance"), compaction=None)


SUMS_UP = load({"extends": "balance", "compaction": {"digest": {"when": "never"}}})


def talkative(rounds: int) -> dict[str, Any]:
    """The same model with as much to say as it was shown."""
    made = body(rounds)
    for number, message in enumerate(one for one in made["messages"] if one["role"] == "assistant"):
        message["content"] = f"File {number} holds the table of routes because the parser needs it. " * 80
    return made


OFFERED: dict[bool, dict[str, Any]] = {True: {"store": "memory://", "recall_handles": "on"}, False: {}}


@pytest.mark.parametrize("handles", OFFERED)
@pytest.mark.parametrize("policy", ["opencode", "kilocode", "anthropic", "openclaw", "pi-auto-compressor", EARLY])
def test_a_replay_decides_as_the_engine_does(policy: Any, handles: bool) -> None:
    whole = body(30)
    recording = read_recording(whole)
    engine = Engine(policy, window=40_000, **OFFERED[handles])
    turns = list(replay_policy(recording, load(policy), window=40_000, handles=handles))
    for turn, (request, at, idle_s) in zip(turns, iterate_moments(recording), strict=True):
        grown = {"model": "gpt-4o", "messages": whole["messages"][: request.answer]}
        view = engine.fit(json.dumps(grown).encode(), session="s", now_ms=at, idle_s=idle_s)
        assert [epoch.edits for epoch in turn.plan.epochs] == [epoch.edits for epoch in view.plan.epochs]
        assert [part.text for one in turn.seen for part in one.parts] == [
            part.text for one in view.transcript.messages for part in one.parts
        ]
        assert turn.opened == view.receipt.opened


@pytest.mark.parametrize("handles", OFFERED)
@pytest.mark.parametrize(
    ("policy", "window", "calls"),
    [(SUMS, 8_000, 2), ("balance", 8_000, 0), ("kilocode", 8_000, 2), (DIGESTS, 10**6, 0)],
)
def test_a_replay_compacts_as_the_engine_does(policy: Any, window: int, calls: int, handles: bool) -> None:
    whole = body(40)
    engine = Engine(policy, window=window, **OFFERED[handles])
    turns = list(replay_policy(read_recording(whole), load(policy), window=window, handles=handles))
    epochs = 0
    for turn, (request, at, idle_s) in zip(turns, iterate_moments(read_recording(whole)), strict=True):
        grown = {"model": "gpt-4o", "messages": whole["messages"][: request.answer]}
        view = engine.fit(json.dumps(grown).encode(), session="s", now_ms=at, idle_s=idle_s)
        assert [part.text for one in turn.seen for part in one.parts] == [
            part.text for one in view.transcript.messages for part in one.parts
        ]
        assert turn.opened == view.receipt.opened == (len(turn.plan.epochs) > epochs)
        epochs = len(turn.plan.epochs)
    assert sum(bool(turn.calls) for turn in turns) >= calls
    assert sum(turn.why.startswith("compaction (") for turn in turns) >= 2


def test_a_summary_that_is_due_before_pruning_is_paid_for_as_well() -> None:
    whole = body(40)
    for number, result in enumerate(one for one in whole["messages"] if one["role"] == "tool"):
        steps = (f"step {step} of {number}: the routes at {step * number * 7_919 % 9_973}\n" for step in range(12))
        result["content"] = "".join(steps) + "waiting for the lock\n" * 400  # written once on arrival
    turns = replay_policy(read_recording(whole), SUMS_UP, window=6_000)
    summed = [turn for turn in turns if turn.why.startswith("compaction (extract)")]
    assert len(summed) > 1
    assert all(turn.calls for turn in summed)


def test_a_view_fits_its_window_and_later_requests_go_on_from_its_summary() -> None:
    """An agent that says what it found: 40,000 tokens of talk in a window of 20,000."""
    whole = talkative(40)
    recording = read_recording(whole)
    unbound, fits = (simulate(recording, policy, window=20_000) for policy in (ONLY_PRUNES, SUMS_UP))
    assert unbound.bill.peak > 40_000
    assert fits.bill.peak <= 20_000
    compacted = [row.number for row in fits.rows if row.called]
    assert [row.number for row in fits.rows if row.why.startswith("compaction (extract)")] == compacted != []
    first = compacted[0]
    summary = next(one for one in fits.turns[first].seen if one.origin == "summary")
    assert fits.turns[first + 1].seen[: len(fits.turns[first].seen)] == fits.turns[first].seen
    assert fits.turns[first + 1].seen[fits.turns[first].seen.index(summary)] is summary
    assert fits.rows[first + 1].lost == 0
    (call,) = fits.turns[first].calls
    assert (call.sent.read, call.sent.write) == (0, 0)
    assert call.output == sum(part.tokens for part in summary.parts)
    assert call.sent.plain > 9_000  # half of the window, what was to be summed up
    assert fits.bill.calls == sum(row.called for row in fits.rows) > 0


def test_between_epochs_nothing_in_a_live_cache_is_lost() -> None:
    run = simulate(read_recording(body(40)), EARLY)
    assert run.bill.epochs > 1
    assert [bool(row.lost) for row in run.rows] == [row.opened for row in run.rows]
    assert all(row.why for row in run.rows)
    assert len(run.plan.epochs) == run.bill.epochs == run.bill.cache_breaks


def test_pruning_after_a_pause_writes_less_and_what_follows_reads_that() -> None:
    """A made-up session with one pause longer than the cache lives (SEEDS 3.2)."""
    recording = read_recording((Path(__file__).parents[3] / "sessions" / "pi.jsonl").read_bytes())
    plain, pruned = simulate(recording), simulate(recording, "openclaw")
    (first,) = [row.number for row in plain.rows if row.cold]
    assert [row.number for row in pruned.rows if row.opened] == [first]
    assert pruned.bill.cache_breaks == 0
    assert pruned.rows[first].write < plain.rows[first].write / 2
    assert pruned.rows[first + 1].read == pruned.rows[first].write
    assert pruned.bill.units < plain.bill.units


def test_without_a_policy_the_session_is_as_it_was() -> None:
    recording = read_recording(body(10))
    run = simulate(recording)
    assert tuple(row.prompt for row in run.rows) == recording.prompt_tokens
    assert tuple(replace(row, why="") for row in simulate(recording, "observe").rows) == run.rows


def test_requests_without_times_follow_each_other() -> None:
    found = list(iterate_moments(read_recording(body(3))))
    assert [at for _, at, _ in found] == [0, 20_000, 40_000, 60_000]
    assert [idle_s for _, _, idle_s in found] == [None, GAP_S, GAP_S, GAP_S]


def test_a_model_without_price_or_rules_is_named() -> None:
    recording = read_recording(body(2) | {"model": "never-heard-of-it"})
    with pytest.raises(ConfigError, match="no price is known for never-heard-of-it"):
        simulate(recording)
    with pytest.raises(ConfigError, match="no cache rules are known for w=1.25 r=0.1 nor never-heard-of-it"):
        simulate(recording, price=make_unit_price(1.25, 0.1))
    assert simulate(recording, price=make_unit_price(1.25, 0.1), caching=ANYTHING).bill.requests == 3


def test_a_bill_adds_up_and_tiers_hold_for_whole_requests() -> None:
    price = Price("m", Rates(2.0, 10.0, 0.2, 2.5, 4.0), (Tier(5_000, Rates(4.0, 10.0, 0.4, 5.0, 8.0)),))
    small, large = CachedPrompt(1_000, 500, 100), CachedPrompt(4_000, 1_000, 100)
    assert compute_units(price, small, 10) == pytest.approx(100 + 625 + 100 + 50)
    assert compute_units(price, small, 10, hour=True) == pytest.approx(100 + 1_000 + 100 + 50)
    assert compute_units(price, large, 10) == pytest.approx(2 * (400 + 1_250 + 100) + 50)
    assert price.to_dollars(compute_units(price, small, 10)) == pytest.approx(875 * 2e-6)


def test_calls_beside_the_session_are_paid_with_their_request() -> None:
    view = said("a", 1_000)
    plain, called = (
        ReplayedTurn(ask(0), 0, (view,), 0),
        ReplayedTurn(ask(0), 0, (view,), 0, calls=(ExtraCall(CachedPrompt(0, 0, 700), 20),)),
    )
    price = make_unit_price(1.25, 0.1)
    without, with_call = (bill_turns([turn], price, ANYTHING)[0] for turn in (plain, called))
    assert with_call.called == 800
    assert with_call.units == without.units + 800
    assert sum_bill([with_call], price).calls == 800


def test_a_new_turn_may_find_its_messages_gone() -> None:
    history = (said("a", 2_000), said("B", 2_000), said("c", 2_000))
    turns = [ReplayedTurn(ask(n), n * 1_000, history[: n + 1], 3_000) for n in (0, 2)]
    cache_breaks = Caching(rules=ANYTHING.rules, breaks_at_turns=True)
    price = make_unit_price(1.25, 0.1)
    assert [row.read for row in bill_turns(turns, price, ANYTHING)] == [0, 5_000]
    assert [row.read for row in bill_turns(turns, price, cache_breaks)] == [0, 3_000]


@settings(max_examples=40)
@given(
    st.integers(0, 5_000),
    st.integers(100, 5_000),
    st.integers(0, 90),
    st.integers(0, 9_000),
    st.sampled_from([(1.25, 0.1), (1.25, 0.05), (1.25, 0.025), (2.0, 0.1)]),
)
def test_a_prune_breaks_even_when_the_formula_says(
    head: int, pruned: int, placeholder: int, surviving: int, ratios: tuple[float, float]
) -> None:
    """The simulator's bills of pruning and of not pruning differ by (w-r)(S+p) - n r (P-p) after n requests."""
    w, r = ratios
    price, requests = make_unit_price(w, r), 30
    history = [said("h", head), said("d", pruned), said("s", surviving)]
    edited = [history[0], said("p", placeholder), history[2]]
    before = [ReplayedTurn(ask(0), 0, tuple(history[:1]), 0), ReplayedTurn(ask(0), 0, tuple(history), 0)]
    kept, cut = list(before), list(before)
    for number in range(1, requests + 1):
        history, edited = ([*view, view_of(number)] for view in (history, edited))
        kept.append(ReplayedTurn(ask(number), number * 1_000, tuple(history), 0))
        cut.append(ReplayedTurn(ask(number), number * 1_000, tuple(edited), 0))
    bills = [[row.units for row in bill_turns(turns, price, ANYTHING)] for turns in (kept, cut)]
    after = [sum(b[: n + 2]) - sum(a[: n + 2]) for n in range(1, requests + 1) for a, b in [bills]]
    expected = [(w - r) * (surviving + placeholder) - n * r * (pruned - placeholder) for n in range(1, requests + 1)]
    assert after == pytest.approx(expected, abs=1e-6)
    pays = compute_break_even(w, r, pruned, surviving, placeholder)
    assert all((extra <= 1e-6) == (n >= pays - 1e-9) for n, extra in enumerate(after, 1))


_NEW = {number: Message("user", (), (Part("text", (), "", key=f"n{number}", tokens=50),)) for number in range(1, 31)}


def view_of(number: int) -> Message:
    return _NEW[number]


def said(name: str, tokens: int) -> Message:
    return Message("assistant" if name.isupper() else "user", (), (Part("text", (), name, key=name, tokens=tokens),))


def ask(number: int) -> RecordedRequest:
    return RecordedRequest(number, 0, 0)


def test_rules_of_the_price_come_before_those_of_the_recording() -> None:
    recording: Recording = read_recording(body(3))
    assert simulate(recording).caching.rules == get_rules("gpt-4o")
    assert simulate(recording, price=Price("claude-opus-5", Rates(1, 5))).caching.rules == get_rules("claude-opus-5")


def test_a_simulation_assumes_that_the_model_can_read_back() -> None:
    steps = "\n".join(f"tests/test_beds.py::test_rose_{number} PASSED" for number in range(900))
    whole = body(20)
    whole["messages"][1]["content"] = "the garden, bed by bed\n" * 400
    call = {"id": "t", "type": "function", "function": {"name": "bash", "arguments": '{"command": "pytest -v"}'}}
    whole["messages"] += [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "t", "content": steps},
        {"role": "assistant", "content": "all passed"},
    ]
    recording = read_recording(whole)
    run = simulate(recording, "balance")
    assert "recall " in run.turns[-1].seen[-1].parts[0].text
    plain = list(replay_policy(recording, load("balance"), handles=False))
    assert plain[-1].seen[-1].parts[0].text == steps
