"""opencode's walk, as Kilocode has it: vectors OC-P1 to OC-P12, each output given in tokens of four characters.

The walk is the preset `kilocode`'s. Where the preset differs from the source, the test says so.
"""

from typing import Any

import pytest

import secateur
from conversation import assistant, part, results, summary, talk, user
from native import blocks, calls, tool
from native import user as asks
from secateur.budget import Budget
from secateur.model import Epoch, Rewrite
from secateur.plan import Plan
from secateur.policy import load
from secateur.tokens import get_counter

U = asks()
TAIL = [U, U]


def outputs(**tokens: int) -> list[dict[str, Any]]:
    """One assistant message with its calls, and their results, of so many tokens each."""
    return [calls(*((id, "bash") for id in tokens)), *(tool("x" * 4 * size, id) for id, size in tokens.items())]


def marked(messages: list[dict[str, Any]], plan: Plan | None = None) -> list[str]:
    """Ids of the results that are cleared beyond what the plan had cleared."""
    before = secateur.fit(messages, policy="observe", plan=plan).request
    after = secateur.fit(messages, policy="kilocode", plan=plan).request
    return [old["tool_call_id"] for old, new in zip(before, after, strict=True) if old != new]


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        pytest.param([U, *outputs(t1=25_000, t2=15_000, t3=30_000), *TAIL], ["t1", "t2"], id="OC-P1"),
        pytest.param([U, *outputs(t1=20_000, t2=10_000, t3=30_000), *TAIL], [], id="OC-P2"),
        pytest.param([U, *outputs(t1=20_001, t2=10_000, t3=30_000), *TAIL], ["t1"], id="OC-P3"),
        pytest.param([U, *outputs(t1=50_000), *TAIL], ["t1"], id="OC-P4"),
        pytest.param([U, *outputs(t1=50_000), U], [], id="OC-P5"),
        pytest.param([U, *outputs(t1=50_000), U, *outputs(t2=50_000), U, *outputs(t3=50_000)], ["t1"], id="OC-P6"),
        pytest.param([U, *outputs(t1=90_000), asks("What did we do so far?"), U], ["t1"], id="OC-P11"),
    ],
)
def test_walk(messages: list[dict[str, Any]], expected: list[str]) -> None:
    assert marked(messages) == expected


def test_OC_P7_the_walk_stops_at_a_result_cleared_before() -> None:
    messages = [*outputs(t1=100_000, t2=10_000, t3=50_000), *TAIL]
    read = secateur.fit(messages, policy="observe").raw_transcript
    (second,) = (
        one for message in read.messages for one in message.parts if one.call_id == "t2" and one.kind == "tool_result"
    )
    plan = Plan((Epoch(1, read.messages[-1].key, "earlier", (Rewrite(second.key, "[gone]", strategy="hard_clear"),)),))
    assert marked(messages, plan) == ["t3"]


def test_OC_P8_errored_outputs_are_not_pruned() -> None:
    """The seed does not speak of errors; the source only prunes completed outputs."""
    messages = [asks(), *blocks(("t1", "x" * 200_000, True)), *TAIL]
    assert secateur.fit(messages, policy="kilocode").request is messages
    completed = [asks(), *blocks(("t1", "x" * 200_000, False)), *TAIL]
    assert secateur.fit(completed, policy="kilocode").request is not completed


def test_OC_P9_a_protected_tool_is_neither_counted_nor_touched() -> None:
    messages = [
        U,
        calls(("t1", "skill"), ("t2", "bash")),
        tool("x" * 200_000, "t1"),
        tool("x" * 180_000, "t2"),
        *TAIL,
    ]
    assert marked(messages) == ["t2"]


def test_OC_P10_the_walk_stops_at_a_summary() -> None:
    talked = talk(user(), results("x" * 360_000), summary(), results("x" * 180_000), user(), user(), assistant())
    policy = load("kilocode")
    budget = Budget(window=200_000, tokens_used=0, count=get_counter(policy.counter), protect=policy.protect)
    edits = list(policy.prune[0](talked, budget))
    assert [edit.key for edit in edits if isinstance(edit, Rewrite)] == [part(talked, 3).key]


def test_OC_P12_without_the_setting_nothing_is_pruned() -> None:
    """In the source a setting turns the walk on; here the choice of the policy does, and `observe` is off."""
    messages = [U, *outputs(t1=90_000), *TAIL]
    assert secateur.fit(messages, policy="observe").request is messages
