"""What the bound on regret is told is what the simulator bills, on any session that grows, pauses and is edited."""

import json
from itertools import accumulate
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from law_examples import examples
from secateur.cachecost.cut_costs import CutCosts
from secateur.model import Replace
from secateur.policy import Policy, load
from secateur.pricing import make_unit_price
from secateur.pricing.rules import CacheRules
from secateur.schedule import BreakEven, Decision, Proposal
from secateur.simulate.cache import Caching
from secateur.simulate.requests import Recording, read_recording
from secateur.simulate.run import simulate

MARKS = CacheRules(
    name="marks",
    models=(),
    positions="marks",
    minimum_tokens=60,
    look_back=4,
    writes_cost=True,
    source="made up",
    date="2026-01-01",
)
KINDS = (
    MARKS,
    replace(MARKS, look_back=20, minimum_tokens=1),
    replace(MARKS, positions="messages", look_back=6),
    replace(MARKS, positions="answers", look_back=0, writes_cost=False),
    replace(MARKS, positions="steps", step_tokens=16),
    replace(MARKS, positions="none"),
    replace(MARKS, strips_reasoning=True, look_back=20),
)
START = 1_767_225_600_000
POLICY: dict[str, Any] = {
    "name": "eager",
    "protect": {"last_results": 1, "tool_kinds": []},
    "prune": [{"type": "hard_clear"}],
}


PRICE = make_unit_price(1.25, 0.1, 5.0)
BIRTH = {"on_arrival": {"type": "excerpt", "max_chars": 900}}


class Told(NamedTuple):
    """At the request that held so many messages."""

    messages: int
    unpruned: float
    above: float


class Tells(BreakEven, frozen=True):
    """The schedule, with a note of what its account said of each request, and of what was made of it."""

    def decide(self, proposal: Proposal) -> Decision:
        decision = super().decide(proposal)
        costs = CutCosts(proposal)
        ledger = costs.ledger
        point = next((one for n, one in enumerate(costs.points, 1) if n == len(decision.edits)), None)
        overspend = ledger.estimate_overspend([costs.build_edit(point)]) if point else ledger.overspend
        read = proposal.view if proposal.history is None else proposal.history.transcript
        NOTED.append(Told(len(read.messages), ledger.unpruned, overspend))
        return decision


NOTED: list[Told] = []
ROUND = st.tuples(
    st.lists(st.integers(0, 2_000), min_size=1, max_size=4),  # characters of each result
    st.sampled_from([10, 10, 10, 400]),  # seconds until the next round
    st.booleans(),  # whether the user says something behind it
)


NONE: frozenset[int] = frozenset()


def log(
    rounds: list[tuple[list[int], int, bool]], thought: int = 1, repeats: bool = False, switches: frozenset[int] = NONE
) -> bytes:
    """A session of Pi: calls, their results, and what the user says behind so much reasoning.

    With `repeats` the calls of all rounds are the same, and what they give is a line again and again. The rounds in
    `switches` begin with another model.
    """
    at = START
    model = 0
    lines: list[dict[str, Any]] = [{"type": "session", "id": "s", "timestamp": "2026-01-01T00:00:00.000Z"}]

    def says(role: str, content: list[dict[str, Any]], **more: Any) -> None:
        message = {"role": role, "content": content, "timestamp": at, **more}
        message |= {"model": f"made-up-{model}", "provider": "made-up"} if role == "assistant" and switches else {}
        lines.append({"type": "message", "timestamp": at, "message": message})

    says("user", [{"type": "text", "text": "make it work"}])
    for number, (sizes, seconds, asks) in enumerate(rounds):
        calls = [
            {"type": "toolCall", "id": f"{number}.{n}", "name": "run", "arguments": {"x": n}} for n in range(len(sizes))
        ]
        model += number in switches
        says("assistant", calls)
        for n, size in enumerate(sizes):
            text = f"{number} {n} " + "some words of output " * (size // 20)
            text = "some words of output\n" * (size // 20) if repeats else text
            says("toolResult", [{"type": "text", "text": text}], toolCallId=f"{number}.{n}", toolName="run")
        at += seconds * 1_000
        if asks:
            says(
                "assistant",
                [{"type": "thinking", "thinking": "so it was " * thought}, {"type": "text", "text": "done so far"}],
            )
            says("user", [{"type": "text", "text": "go on"}])
    return "\n".join(map(json.dumps, lines)).encode()


def billed(
    recording: Recording, caching: Caching, policy: Policy, most: float | None
) -> tuple[list[Told], dict[int, Told], set[int]]:
    """What the ledger noted; by messages held what the simulator billed; and where digests came after the note."""
    NOTED.clear()
    policy = replace(policy, schedule=Tells(break_even_share=0.01, min_tokens_freed=1, max_overspend=most))
    plain, run = (simulate(recording, one, PRICE, caching=caching, window=10**9) for one in (None, policy))
    theirs, ours = (list(accumulate(row.units for row in one.rows)) for one in (plain, run))
    found, thought, digested, epochs = {}, 0, set(), 0
    for turn, row, full, mine in zip(run.turns, plain.rows, theirs, ours, strict=True):
        request = turn.request
        found[request.answer] = Told(request.answer, full - 5.0 * (row.output + thought), mine - full)
        said = recording.get_answer(request)
        thought += sum(part.tokens for part in said.parts if part.kind == "reasoning") if said is not None else 0
        if any(isinstance(edit, Replace) for epoch in turn.plan.epochs[epochs:] for edit in epoch.edits):
            digested.add(request.answer)
        epochs = len(turn.plan.epochs)
    return list(NOTED), found, digested


@examples(30)
@given(
    st.lists(ROUND, min_size=3, max_size=14),
    st.sampled_from(KINDS),
    st.tuples(st.integers(0, 3), st.sampled_from([0, 200])),
    st.sampled_from([None, 0.12, 0.01]),
    st.booleans(),
)
@example(  # the breakpoint of an edit stands before it, where reasoning behind it was stripped at the same request too
    [([160], 10, False), ([160], 400, True), ([200, 0], 10, False), ([0], 10, False)],
    KINDS[-1],
    (1, 200),
    0.01,
    True,
)
def test_the_account_is_the_bill(
    rounds: list[tuple[list[int], int, bool]],
    rules: CacheRules,
    given_: tuple[int, int],
    most: float | None,
    birth: bool,
) -> None:
    """Of what is excerpted at the request itself it does not know yet that it saves; nor that reasoning is paid for."""
    free, fixed = given_
    recording = read_recording(log(rounds), fixed_tokens=fixed)
    policy = load(POLICY | BIRTH if birth else POLICY)
    told, bills, _ = billed(recording, Caching(rules=rules, free=free), policy, most)
    assert told
    for one in told:
        bill = bills[one.messages]
        assert one.unpruned == pytest.approx(bill.unpruned)
        if not birth:
            assert one.above == pytest.approx(bill.above, abs=0.01)
        if most is not None:
            assert one.above > bill.above - 0.01
            assert bill.above <= most * bill.unpruned


@examples(20)
@given(
    st.lists(ROUND, min_size=4, max_size=14),
    st.sampled_from(KINDS),
    st.tuples(st.integers(0, 3), st.sampled_from([0, 200])),
    st.sampled_from([None, 0.12, 0.01]),
    st.frozensets(st.integers(1, 13), min_size=1, max_size=4),
)
@example(  # the one breakpoint that is free goes where the prompt changed, even if another model was sent it before
    [([0], 10, False)] * 8 + [([120, 200], 10, False), ([0], 10, False), ([0], 10, False)],
    MARKS,
    (1, 0),
    None,
    frozenset({1, 9}),
)
@example([([0, 100, 120, 140], 10, False), *[([0], 10, False)] * 3], MARKS, (1, 0), None, frozenset({1}))
def test_the_account_knows_of_models_that_were_switched(
    rounds: list[tuple[list[int], int, bool]],
    rules: CacheRules,
    given_: tuple[int, int],
    most: float | None,
    switches: frozenset[int],
) -> None:
    """A request of another model finds no cache, and the next one finds what that request wrote."""
    free, fixed = given_
    recording = read_recording(log(rounds, switches=switches), fixed_tokens=fixed)
    told, bills, _ = billed(recording, Caching(rules=rules, free=free), load(POLICY), most)
    for one in told:
        assert one.unpruned == pytest.approx(bills[one.messages].unpruned)
        assert one.above == pytest.approx(bills[one.messages].above, abs=0.01)


CAREFUL: dict[str, Any] = {
    "extends": "careful",
    "protect": {"last_results": 1, "min_prunable_chars": 1, "tool_kinds": []},
    "on_arrival": {"type": "reduce_output", "lossless_only": True, "min_tokens_saved": 1},
    "prune": [{"type": "deduplicate", "min_result_chars": 1}],
    "schedule": {"type": "cold_cache", "min_tokens_freed": 1},
}


@examples(30)
@given(
    st.lists(ROUND, min_size=3, max_size=20),
    st.sampled_from(KINDS),
    st.tuples(st.integers(0, 3), st.sampled_from([0, 200])),
    st.sampled_from([(1.25, 0.1), (2.0, 0.1), (1.0, 0.02), (1.0, 0.5), (1.0, 1.0)]),
)
def test_careful_is_at_no_request_above_the_unpruned_bill(
    rounds: list[tuple[list[int], int, bool]],
    rules: CacheRules,
    given_: tuple[int, int],
    ratios: tuple[float, float],
) -> None:
    free, fixed = given_
    recording, caching = read_recording(log(rounds, repeats=True), fixed_tokens=fixed), Caching(rules=rules, free=free)
    price, policy = make_unit_price(*ratios, 5.0), load(CAREFUL)
    plain, run = (simulate(recording, one, price, caching=caching, window=10**9) for one in (None, policy))
    bills = (accumulate(row.units for row in one.rows) for one in (plain, run))
    assert all(ours <= whole + 0.01 for whole, ours in zip(*bills, strict=True))


DIGESTS: dict[str, Any] = {"extends": "digests", "protect": {"last_results": 1, "tool_kinds": []}, "prune": []}


@examples(40)
@given(
    st.lists(ROUND, min_size=6, max_size=20),
    st.sampled_from(KINDS),
    st.tuples(st.sampled_from([0, 200, 2_000]), st.sampled_from([1, 100, 400])),
    st.sampled_from([0.12, 0.05, 0.01]),
)
@example([([1795, 0], 10, True), ([81], 10, False), ([0], 10, False)], KINDS[-1], (0, 400), 0.01)  # 40 tokens are left
def test_no_prefix_of_the_bill_is_above_the_bound(
    rounds: list[tuple[list[int], int, bool]], rules: CacheRules, sizes: tuple[int, int], most: float
) -> None:
    """With counts that are exact the bill uses no more of the bound than what is kept for errors of the counts."""
    fixed, thought = sizes
    recording = read_recording(log(rounds, thought), fixed_tokens=fixed)
    _, bills, _ = billed(recording, Caching(rules=rules, free=3), load(POLICY), most)
    for bill in bills.values():
        assert bill.above <= 0.85 * most * bill.unpruned + 0.01


@examples(40)
@given(
    st.lists(ROUND, min_size=6, max_size=25),
    st.sampled_from(KINDS),
    st.sampled_from([0, 200]),
    st.sampled_from([0.12, 0.05, 0.01]),
)
def test_nor_where_older_work_becomes_digests(
    rounds: list[tuple[list[int], int, bool]], rules: CacheRules, fixed: int, most: float
) -> None:
    policy = load(
        DIGESTS | {"compaction": {"digest": {"last_results": 1, "break_even_share": 0.05, "max_overspend": most}}}
    )
    recording, caching = read_recording(log(rounds), fixed_tokens=fixed), Caching(rules=rules, free=3)
    bills = (
        accumulate(row.units for row in simulate(recording, one, PRICE, caching=caching, window=10**9).rows)
        for one in (None, policy)
    )
    for unpruned, pruned in zip(*bills, strict=True):
        assert pruned - unpruned <= 0.85 * most * unpruned + 0.01


@examples(40)
@given(
    st.lists(ROUND, min_size=6, max_size=25),
    st.sampled_from(KINDS),
    st.sampled_from([0, 200]),
    st.booleans(),
)
def test_the_ledger_is_the_bill_of_digests(
    rounds: list[tuple[list[int], int, bool]], rules: CacheRules, fixed: int, prunes: bool
) -> None:
    """Digests are made after the ledger was noted, so they are compared from the next request on."""
    early = {"last_results": 1, "keep_tokens": 0, "break_even_share": 0.01, "min_tokens_freed": 1, "max_overspend": 1.0}
    policy = load(DIGESTS | {"prune": POLICY["prune"] if prunes else [], "compaction": {"digest": early}})
    recording, caching = read_recording(log(rounds), fixed_tokens=fixed), Caching(rules=rules, free=3)
    noted, bills, digested = billed(recording, caching, policy, 1.0)
    assert noted
    for one in noted:
        bill = bills[one.messages]
        assert one.unpruned == pytest.approx(bill.unpruned)
        if one.messages not in digested:
            assert one.above == pytest.approx(bill.above, abs=0.01)
