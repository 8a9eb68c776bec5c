"""History that a provider keeps itself: the request is sent unchanged, whatever a policy or a plan wants."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any, cast

import pytest

from secateur import Engine, View, fit
from secateur.api import check, get_family
from secateur.api.repair import repair
from secateur.compaction.outcome import CompactionSkipped
from secateur.errors import StillTooLong
from secateur.formats.native import FIELDS, find_provider_history
from secateur.policy import PRESETS

LONG = "found it " * 4_000
EAGER: dict[str, Any] = {
    "name": "eager",
    "on_arrival": {"type": "excerpt", "max_chars": 40},
    "prune": [{"type": "hard_clear"}, {"type": "clear_inputs", "max_chars": 0, "head_chars": 0}],
    "schedule": {"type": "every_request"},
}


def anthropic(count: int) -> dict[str, Any]:
    made: list[Any] = [{"role": "user", "content": "go"}]
    for n in range(count):
        made.append({"role": "assistant", "content": [{"type": "tool_use", "id": f"c{n}", "name": "ls", "input": {}}]})
        result = {"type": "tool_result", "tool_use_id": f"c{n}", "content": LONG}
        made.append({"role": "user", "content": [result]})
    return {"model": "claude-opus-4-5", "max_tokens": 9, "messages": made}


def responses(count: int) -> dict[str, Any]:
    made: list[Any] = [{"role": "user", "content": "go"}]
    for n in range(count):
        made.append({"type": "function_call", "call_id": f"c{n}", "name": "ls", "arguments": "{}"})
        made.append({"type": "function_call_output", "call_id": f"c{n}", "output": LONG})
    return {"model": "gpt-5", "input": made}


def gemini(count: int) -> dict[str, Any]:
    made: list[Any] = [{"role": "user", "parts": [{"text": "go"}]}]
    for _ in range(count):
        made.append({"role": "model", "parts": [{"functionCall": {"name": "ls", "args": {}}}]})
        made.append({"role": "user", "parts": [{"functionResponse": {"name": "ls", "response": {"output": LONG}}}]})
    return {"model": "gemini-2.5-pro", "contents": made}


BODIES = {"anthropic_messages": anthropic, "openai_responses": responses, "gemini": gemini}
REFERENCE = {"type": "item_reference", "id": "fc_1"}
HELD: dict[str, tuple[str, dict[str, Any]]] = {
    "thread": ("anthropic_messages", {"thread": {"type": "continue", "id": "t"}}),
    "previous_response_id": ("openai_responses", {"previous_response_id": "resp_1"}),
    "conversation": ("openai_responses", {"conversation": "conv_1"}),
    "conversation by id": ("openai_responses", {"conversation": {"id": "conv_1"}}),
    "cachedContent": ("gemini", {"cachedContent": "cachedContents/1"}),
    "cached_content": ("gemini", {"cached_content": "cachedContents/1"}),
    "item_reference": ("openai_responses", {"input": [REFERENCE, *responses(6)["input"]]}),
}
EACH = pytest.mark.parametrize("held", HELD)
NOT_HELD: list[tuple[str, dict[str, Any]]] = [
    ("anthropic_messages", {"thread": {"type": "create"}}),
    ("anthropic_messages", {"thread": None}),
    ("anthropic_messages", {"container": "container_1"}),  # files of a sandbox, no history
    ("openai_responses", {"previous_response_id": None}),
    ("gemini", {"cachedContent": ""}),
]


def body(held: str) -> dict[str, Any]:
    name, fields = HELD[held]
    return BODIES[name](6) | fields


def test_every_field_of_the_table_is_tried() -> None:
    assert {name for names in FIELDS.values() for name in names} <= HELD.keys()


@EACH
@pytest.mark.parametrize("policy", ["eager", *PRESETS])
def test_no_edit_and_the_very_bytes(held: str, policy: str) -> None:
    engine = Engine(EAGER if policy == "eager" else policy, window=9_000)
    for request in (body(held), json.dumps(body(held), indent=1).encode()):
        for asked in (partial(engine.fit, session="s", idle_s=1e6), engine.compact):
            view = viewed(asked, request)
            assert view.request is request
            assert view.plan.epochs == ()
        assert isinstance(view.compaction, CompactionSkipped)
        assert view.compaction.reason in ("partial", "no_policy")


def viewed(asked: Callable[..., View], request: Any) -> View:
    """The view, also of what is too long."""
    try:
        return asked(request, now_ms=1)
    except StillTooLong as error:
        return cast(View, error.view)


@EACH
def test_a_plan_from_before_is_not_laid_over_it(held: str) -> None:
    name, fields = HELD[held]
    whole = BODIES[name](6)
    first = fit(whole, policy=EAGER, window=200_000, compact=False, now_ms=1)
    assert first.request != whole
    request = whole | {key: value for key, value in fields.items() if key != "input"}
    if "input" in fields:
        request["input"] = [*whole["input"], REFERENCE]
    assert fit(request, policy="observe", plan=first.plan, now_ms=2).request is request
    engine = Engine(EAGER, window=200_000, compact=False)
    assert engine.fit(whole, session="s", now_ms=1).request != whole
    assert engine.fit(request, session="s", now_ms=2).request is request
    assert engine.fit(whole, session="s", now_ms=3).request == first.request


@EACH
def test_repair_leaves_results_whose_calls_are_elsewhere(held: str) -> None:
    request = body(held)
    array = next(name for name in ("messages", "input", "contents") if name in request)
    request[array] = [one for one in request[array] if one is REFERENCE] + request[array][2:]
    family = get_family(HELD[held][0])
    assert [one.rule for one in check(family, request[array], request) if one.severity == "error"] == []
    assert repair(request, HELD[held][0]).document is request


@pytest.mark.parametrize(("name", "fields"), NOT_HELD)
def test_what_brings_its_history_is_edited(name: str, fields: dict[str, Any]) -> None:
    request = BODIES[name](6) | fields
    assert find_provider_history(name, request.get) == ""
    assert fit(request, policy=EAGER, window=200_000, compact=False, now_ms=1).request != request
