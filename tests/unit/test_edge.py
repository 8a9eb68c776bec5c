"""The edge records usage also where no thread can be started any more."""

import asyncio
from typing import Any

import pytest

from secateur.edge import Edge, OpenCalls
from secateur.stores.protocol import SessionId


def test_usage_that_comes_while_the_interpreter_shuts_down_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> Any:
        raise RuntimeError("cannot schedule new futures after interpreter shutdown")

    edge = Edge(None, {"policy": "observe"}, "s")
    view = edge.fit({"model": "gpt-5", "messages": [{"role": "user", "content": "hello"}]})
    monkeypatch.setattr(asyncio, "to_thread", refuse)
    asyncio.run(edge.arecord(view, {"usage": {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}}))
    store = edge.engine.sessions.store
    assert store is not None
    state = store.load(SessionId(view.session, view.tenant))
    assert state is not None
    assert state.clock.called


def test_an_answer_whose_usage_cannot_be_found_stops_nothing() -> None:
    edge = Edge(None, {"policy": "observe"}, "s")
    view = edge.fit({"model": "gpt-5", "messages": [{"role": "user", "content": "hello"}]})
    edge.record(view, None, lambda answer: answer.usage)
    asyncio.run(edge.arecord(view, {}, lambda answer: answer["usage"]))
    edge.record(None, {"usage": {}})


def test_calls_that_never_end_hold_no_request() -> None:
    sent = [{"role": "user", "content": "hi"}]
    view, calls = Edge(None, {}).fit({"messages": sent}), OpenCalls()
    for number in range(OpenCalls.MOST + 100):
        calls.add(number, view, sent)
    assert not calls.has_sent(99, sent)
    assert calls.has_sent(100, sent)
    assert not calls.has_sent(100, [*sent])
    kept = calls.take(100)
    assert kept is not None
    assert (kept.session, kept.tenant, kept.receipt) == (view.session, view.tenant, view.receipt)
    assert (kept.request, kept.raw_transcript.messages, kept.transcript.messages) == (None, (), ())
    assert calls.take(100) is None
    calls.add(101, view, sent)  # sent again
    for number in range(500):
        calls.add(("new", number), view, sent)
    assert calls.has_sent(101, sent)
