"""What is remembered of a session saves work and changes nothing: not a byte, not a plan, not a reason."""

import json
import sys
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from profiling import profiled
from secateur import Engine, View, documents
from secateur.compaction.ledger import build_ledger
from secateur.plan import Plan

WEIGHS: dict[str, Any] = {
    "name": "weighs",
    "protect": {"last_results": 1, "unresolved_errors": True, "recent_files": 1, "tool_kinds": ["skill"]},
    "on_arrival": {"type": "excerpt", "by_price": True, "all_tools": False},
    "prune": [
        {"type": "deduplicate", "min_result_chars": 0},
        {"type": "supersede", "recent_files": 1},
        {"type": "condense"},
        {"type": "clear_inputs", "max_chars": 60, "head_chars": 10},
    ],
    "schedule": {"type": "break_even", "break_even_share": 0.01, "min_tokens_freed": 1, "max_overspend": 0.5},
}
BOUNDLESS: dict[str, Any] = {
    **WEIGHS,
    "schedule": {"type": "break_even", "break_even_share": 0.01, "min_tokens_freed": 1},
}
CALLS = [
    ("read", {"path": "a.py"}),
    ("read", {"path": "b.py"}),
    ("bash", {"command": "pytest -q"}),
    ("bash", {"command": "cd src && make all"}),
    ("write", {"path": "a.py", "content": "x = 1\n" * 30}),
    ("skill", {"name": "review"}),
]
OUTPUTS = ["def one():\n    pass\n" * 40, "import os\nclass Two: ...\n" * 300, "1 failed, 2 passed\n" * 20, "ok"]
ROUND = st.tuples(st.sampled_from(CALLS), st.sampled_from(OUTPUTS), st.booleans(), st.booleans())


def history(rounds: list[Any]) -> list[list[dict[str, Any]]]:
    """One history and how far it had come at each request."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "make it work"}]
    requests = [list(messages)]
    for number, ((tool, given_), output, failed, asks) in enumerate(rounds):
        call = {"type": "tool_use", "id": f"call{number}", "name": tool, "input": given_}
        result = {"type": "tool_result", "tool_use_id": f"call{number}", "content": output, "is_error": failed}
        messages.append({"role": "assistant", "content": [call]})
        messages.append({"role": "user", "content": [result]})
        if asks:
            messages.append({"role": "assistant", "content": "done"})
            messages.append({"role": "user", "content": "go on"})
        requests.append(list(messages))
    return requests


def forget() -> None:
    """Everything that the process remembers of texts; histories are remembered by sessions alone."""
    for name in [name for name in sys.modules if name.startswith("secateur")]:
        for value in list(vars(sys.modules[name]).values()):
            if hasattr(value, "cache_clear"):
                value.cache_clear()


def told(view: View) -> tuple[Any, ...]:
    receipt = view.receipt
    return view.request, view.plan, receipt.skipped_reason, receipt.reason, receipt.edits, receipt.tokens_view


@settings(max_examples=12)
@given(st.lists(ROUND, min_size=4, max_size=10), st.sampled_from([WEIGHS, BOUNDLESS]))
def test_what_is_remembered_changes_nothing(rounds: list[Any], policy: dict[str, Any]) -> None:
    """Requests of a process that remembers texts, and of one that forgets them before each request."""
    shown: list[list[Any]] = [[], []]
    for forgets, seen in enumerate(shown):
        engine = Engine(policy, "claude-opus-4-5", window=200_000)
        for number, messages in enumerate(history(rounds)):
            if forgets:
                forget()
            request = json.dumps({"model": "claude-opus-4-5", "max_tokens": 9, "messages": messages}).encode()
            seen.append(told(engine.fit(request, idle_s=5.0, now_ms=number * 1000)))
    assert shown[0] == shown[1]


@settings(max_examples=15)
@given(
    st.lists(ROUND, min_size=4, max_size=10),
    st.sampled_from([WEIGHS, BOUNDLESS, "balance", "kilocode"]),
    st.integers(2, 12),
)
def test_a_session_that_goes_on_decides_as_one_that_is_read_anew(rounds: list[Any], policy: Any, compacts: int) -> None:
    """What an engine carries from request to request, beside the plan, changes nothing, before and after a summary."""
    engine = Engine(policy, "claude-opus-4-5", window=200_000)
    plan = Plan()
    for number, messages in enumerate(history(rounds)):
        request, compact = body(messages), number == compacts and isinstance(policy, str)
        given_: dict[str, Any] = {"idle_s": 5.0 if number % 4 else 400.0, "now_ms": number * 1000}
        warm = (engine.compact if compact else engine.fit)(request, session="s", **given_)
        forget()
        anew = Engine(policy, "claude-opus-4-5", window=200_000)
        cold = (anew.compact if compact else anew.fit)(request, plan=plan, **given_)
        assert told(warm) == told(cold)
        plan = warm.plan


def steps(work: Any) -> int:
    """Python functions that are called."""
    calls = 0

    def note(frame: Any, event: str, arg: Any) -> None:
        nonlocal calls
        calls += event == "call"

    with profiled(note):
        work()
    return calls


READERS = {"read_verdict", "read_last_error", "_read_start", "_find_stop", "_find_announced"}


def test_each_output_of_a_long_session_is_read_once_for_all_its_ledgers() -> None:
    made = [(("bash", {"command": f"pytest test_{n}.py"}), f"{n} passed in 0.1s", False, False) for n in range(1_500)]
    messages = documents.read(body(history(made)[-1])).transcript.messages
    forget()
    taken = []
    for span in (messages, messages):
        names: list[str] = []
        with profiled(lambda frame, _, __, names=names: names.append(frame.f_code.co_name)):
            build_ledger(span)
        taken.append(READERS.intersection(names))
    assert taken == [READERS, set()]


def grown(engine: Engine, rounds: int) -> list[dict[str, Any]]:
    """A session whose first results went in pauses, and then so many rounds of small ones."""
    early: list[Any] = [
        (("read", {"path": f"{n}.py"}), f"import m{n}\nx = {n}\n" * 200, False, False) for n in range(40)
    ]
    late: list[Any] = [
        (("bash", {"command": f"grep -n name{n} src"}), f"{n}: ok", False, n % 40 == 39) for n in range(rounds)
    ]
    messages = history(early)[-1]
    engine.fit(body(messages), session="s", idle_s=4_000.0, now_ms=1)
    messages += history(late)[-1]
    engine.fit(body(messages), session="s", idle_s=4_000.0, now_ms=2)
    return messages


def body(messages: list[dict[str, Any]]) -> bytes:
    return json.dumps({"model": "claude-opus-4-5", "max_tokens": 9, "messages": messages}).encode()


UNDIGESTED: dict[str, Any] = {"extends": "balance", "name": "undigested", "compaction": {"digest": {"when": "never"}}}


# In the last of these windows the summary leaves edited messages before it as they are.
@pytest.mark.parametrize(("compacted", "window"), [(False, 1_000_000), (True, 60_000), (True, 120_000)])
def test_a_turn_between_epochs_takes_as_many_steps_in_a_long_session_as_in_a_short_one(
    compacted: bool, window: int
) -> None:
    taken = []
    for rounds in (60, 480):
        engine = Engine(UNDIGESTED, "claude-opus-4-5", window=window)
        messages = grown(engine, rounds)
        if compacted:
            engine.compact(body(messages), session="s", idle_s=5.0, now_ms=3, summary="## Goal\nmake it work")
        before = engine.fit(body(messages), session="s", idle_s=5.0, now_ms=3).plan.epochs
        for number in range(4):  # the last one is counted
            messages = [*messages, *history([(("bash", {"command": f"ls {number}"}), "ok", False, False)])[-1][1:]]
            request = body(messages)
            step = partial(engine.fit, request, session="s", idle_s=5.0, now_ms=4 + number)
            calls = steps(step)
        taken.append(calls)
        view = engine.fit(request, session="s", now_ms=9)
        assert len(view.plan.epochs) == len(before) > compacted
        assert (len(view.transcript.messages) < len(messages)) is compacted
    assert taken[1] <= 1.05 * taken[0], taken
