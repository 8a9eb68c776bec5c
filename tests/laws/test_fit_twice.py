"""The law "fit twice": a request that could not be sent fails in the same way again, and leaves nothing behind.

Whatever `fit` came to the first time, the view or StillTooLong, it comes to again, byte for byte: in each API's words,
under each policy, with and without a store. Who sends the error's view and says so continues as if it had been given.
"""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from law_examples import examples
from laws.shapes import SHAPES
from laws.validity import Case, case
from secateur import ConfigError, Engine, SecateurError, StillTooLong, View
from secateur.receipt import Receipt
from secateur.sessions.receipt_log import read
from secateur.stores.memory import MemoryStore
from secateur.stores.protocol import SessionId

CORPUS = os.environ.get("SECATEUR_CORPUS", "")
FOLDERS = ("pi_session_jsonl", "claude_code_jsonl", "codex_rollout_jsonl")
_NOW = 1_700_000_000_000  # ms
SEED = st.integers(0, 40_000)


def told(view: View[Any]) -> tuple[Any, ...]:
    """What may not differ: bytes, plan, and the receipt but for its number."""
    receipt = replace(view.receipt, sequence=None)
    return view.request, view.plan, receipt, view.session


def tried(engine: Engine, request: Any, session: str, **moment: Any) -> tuple[tuple[Any, ...], StillTooLong | None]:
    """What comes of a request: of a view, or of the error and the view in it."""
    try:
        return told(engine.fit(request, session=session, **moment)), None
    except StillTooLong as error:
        return (str(error), *told(error.view)), error
    except SecateurError as error:
        return (repr(error),), None


def engine(one: Case, store: MemoryStore | None, **more: Any) -> Engine:
    return Engine(
        one.trial.policy, one.style.model, window=one.window, format=one.shape.format, compact=True, store=store, **more
    )


def requests(one: Case) -> list[tuple[bytes, dict[str, Any]]]:
    bodies = [json.dumps(one.shape.body(one.story, count, one.style)).encode() for count in one.cuts]
    return [(body, {"idle_s": one.trial.idle_s, "now_ms": _NOW + n * 1_000_000}) for n, body in enumerate(bodies)]


@examples(30)
@given(SEED, st.booleans())
def test_what_failed_fails_again_and_changes_nothing(seed: int, kept: bool) -> None:
    one = case(seed)
    store = MemoryStore() if kept else None
    engines = engine(one, store), engine(one, MemoryStore() if kept else None)
    for request, moment in requests(one):
        first, error = tried(engines[0], request, "s", **moment)
        once, _ = tried(engines[1], request, "s", **moment)
        assert first == once
        if error is None:
            continue
        assert tried(engines[0], request, "s", **moment)[0] == first
        if kept:
            engines[0].clear_cache()
        assert tried(engines[0], request, "s", **moment)[0] == first


@examples(25)
@given(SEED, st.booleans())
def test_a_view_that_was_sent_all_the_same_stands(seed: int, kept: bool) -> None:
    one = case(seed)
    stores = [MemoryStore() if kept else None for _ in range(2)]
    says, always = engine(one, stores[0]), engine(one, stores[1], too_long="send")
    for request, moment in requests(one):
        first, error = tried(says, request, "s", **moment)
        view, none = tried(always, request, "s", **moment)
        assert none is None
        if error is None:
            assert (first[0], first[1]) == (view[0], view[1])
            continue
        sent = says.sent(error)
        assert says.sent(error) == sent  # twice is once
        assert (sent.request, sent.plan) == (view[0], view[1])
        if kept:
            says.clear_cache()


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.format)
def test_the_cases_hold_what_fails(shape: Any) -> None:
    """The law would say nothing if no case were too long."""
    found = 0
    for seed in range(SHAPES.index(shape), 1_500, len(SHAPES)):
        one = case(seed)
        if one.trial.policy.compaction is None:
            continue
        for request, moment in requests(one):
            found += tried(engine(one, None), request, "", **moment)[1] is not None
        if found > 3:
            return
    raise AssertionError(f"{found} of these cases failed")


def test_only_what_fit_raised_can_be_said_to_be_sent() -> None:
    with pytest.raises(ConfigError, match="pass the StillTooLong that fit raised"):
        Engine("balance").sent(StillTooLong("too long"))


def receipts(store: MemoryStore) -> list[Receipt]:
    return [read(link.body) for link in store.list_receipts(SessionId("s"))]


UNREAD = [
    {"role": "user", "content": "Read both files, then say what they have in common."},
    {"role": "assistant", "content": [{"type": "tool_use", "id": n, "name": "read", "input": {"p": n}} for n in "ab"]},
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": n, "content": "\n".join(f"{n}{m} = {m * m}" for m in range(9_000))}
            for n in "ab"
        ],
    },
]
PINNED = {"extends": "balance", "name": "careful", "protect": {"tools": ["read"]}}


def test_a_fit_that_fails_leaves_its_receipt_and_nothing_else() -> None:
    store = MemoryStore()
    engine = Engine(PINNED, "claude-opus-4-5", window=20_000, store=store)
    body = json.dumps({"model": "claude-opus-4-5", "max_tokens": 9, "messages": UNREAD}).encode()
    errors = []
    for now in (1, 2):
        with pytest.raises(StillTooLong, match="the largest that remain are read") as raised:
            engine.fit(body, session="s", now_ms=now)
        errors.append(raised.value)
    assert [(one.status, one.opened, one.edits) for one in receipts(store)] == [("failed", False, ())] * 2
    assert "the largest that remain are read" in receipts(store)[0].error
    for error in errors:
        assert b"a8999 = " in error.view.request
        assert b"b8999 = " in error.view.request
    state = store.load(SessionId("s"))
    assert state is not None
    assert (state.plan.epochs, state.tip) == ((), "")
    view = engine.sent(errors[1])
    assert (view.receipt.sequence, view.receipt.status) == (2, "unchanged")


@pytest.mark.skipif(not CORPUS, reason="set SECATEUR_CORPUS to the folder of recorded sessions")
@pytest.mark.parametrize("policy", ["balance", "digests", "kilocode", "opencode"])
def test_recorded_sessions_fit_twice(policy: str) -> None:
    found = (file for folder in FOLDERS for file in (Path(CORPUS) / folder).rglob("*.jsonl*"))
    files = sorted(file for file in found if file.stat().st_size < 50_000)
    raised = 0
    for file in files[::6]:
        data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        if len(data) > 1_500_000:
            continue
        for window in (900, 6_000):
            engine = Engine(policy, window=window, store=MemoryStore())
            first, error = tried(engine, data, "s", now_ms=_NOW)
            raised += error is not None
            if error is not None:
                assert tried(engine, data, "s", now_ms=_NOW)[0] == first, file.name
    assert raised > 3
