"""Requests of objects: the view of the packages' objects is that of the JSON they send, and nothing else is touched."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laws.histories import anthropic, gemini, openai, responses
from laws.natives import ends
from laws.trials import TRIALS, Trial
from sdk_objects import objects, sent
from secateur import Engine, fit

HISTORIES = {
    "anthropic_messages": anthropic(),
    "openai_chat": openai(),
    "openai_responses": responses(),
    "gemini": gemini(),
}
MODELS = {
    "anthropic_messages": "claude-haiku-4-5",
    "openai_chat": "gpt-5",
    "openai_responses": "gpt-5",
    "gemini": "gemini-2.5-pro",
}
OWN: list[Trial] = [one for one in TRIALS if one is not None]
POLICY = st.sampled_from(OWN)
FORMATS = pytest.mark.parametrize("format", HISTORIES)


def held(given: Any, view: Any, was: Any) -> None:
    """What reads as it did is the very object that came in, and what is edited is of the same class."""
    if sent(view) == was:
        assert view is given
        return
    if isinstance(given, list) and len(given) == len(view):
        for one, other in zip(given, view, strict=True):
            held(one, other, sent(one)) if sent(one) == sent(other) else same_class(one, other)
    elif isinstance(given, list):
        for old, new in ((given, view), (given[::-1], view[::-1])):  # some messages gave way to others
            for one, other in zip(old, new, strict=False):
                if sent(one) != sent(other):
                    break
                assert not _object(other) or any(other is it for it in given)


def same_class(given: Any, view: Any) -> None:
    if type(given) is dict and isinstance(view, dict):
        for name in given.keys() & view.keys():
            held(given[name], view[name], sent(given[name]))
    elif _object(given) and getattr(given, "type", None) == getattr(view, "type", None):
        assert type(view) is type(given)
        for name in type(given).__pydantic_fields__:
            held(getattr(given, name), getattr(view, name), sent(getattr(given, name)))


def _object(value: Any) -> bool:
    return hasattr(value, "model_dump")


@FORMATS
@given(data=st.data())
@settings(deadline=None, max_examples=30)
def test_the_view_of_objects_is_that_of_what_they_send(format: str, data: st.DataObject) -> None:
    made = objects(format, data.draw(HISTORIES[format]))
    said, trial = sent(made), data.draw(POLICY)
    how: dict[str, Any] = {
        "policy": trial.policy,
        "format": format,
        "model": MODELS[format],
        "now_ms": 7,
        "idle_s": trial.idle_s,
    }
    one, other = fit(made, **how), fit(said, **how)
    assert sent(one.request) == sent(other.request)
    assert one.plan == other.plan
    assert one.receipt == other.receipt
    held(made, one.request, said)


@FORMATS
@given(data=st.data())
@settings(deadline=None, max_examples=12)
def test_the_same_while_a_session_grows_and_goes_back(format: str, data: st.DataObject) -> None:
    made = objects(format, data.draw(HISTORIES[format]))
    trial = data.draw(POLICY)
    warm, plain = (Engine(trial.policy, MODELS[format], format=format) for _ in range(2))
    for step, end in enumerate(data.draw(st.lists(st.sampled_from(ends(sent(made))), min_size=2, max_size=5))):
        when: dict[str, Any] = {"session": "s", "now_ms": 1_000_000 * step, "idle_s": trial.idle_s}
        one, other = warm.fit(made[:end], **when), plain.fit(sent(made[:end]), **when)
        assert sent(one.request) == sent(other.request)
        assert one.plan == other.plan
        held(made[:end], list(one.request), sent(made[:end])) if one.receipt.active_edits else None


@FORMATS
@given(data=st.data())
@settings(deadline=None, max_examples=12)
def test_nothing_edited_is_the_request_itself(format: str, data: st.DataObject) -> None:
    made = objects(format, data.draw(HISTORIES[format]))
    array = {"gemini": "contents", "openai_responses": "input"}.get(format, "messages")
    body = {"model": MODELS[format], array: made}
    assert fit(made, policy="observe").request is made
    view = fit(body, policy="observe", format=format)
    assert view.request is body
    assert view.receipt.format == format
