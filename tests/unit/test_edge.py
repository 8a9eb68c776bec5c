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


def test_calls_that_failed_are_not_held_for_good() -> None:
    view, calls = Edge(None, {}).fit({"messages": [{"role": "user", "content": "hi"}]}), OpenCalls()
    for number in range(100):
        calls.add(number, view)
        calls.fail(number)
    assert [number for number in range(100) if calls.get(number)] == [*range(100 - OpenCalls.MOST_FAILED, 100)]
    calls.add(99, view)  # sent again
    for number in range(100, 200):
        calls.add(number, view)
        calls.fail(number)
    assert calls.take(99) is view
    assert calls.take(99) is None
    calls.fail(99)
    assert calls.get(99) is None
