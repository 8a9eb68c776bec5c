"""Where the messages of a view come from, and what was edited in them."""

import json
from pathlib import Path
from typing import Any

import pytest

from secateur import Engine, View, fit

SESSIONS = Path(__file__).parent.parent.parent / "sessions"
OLD = "line of an old file\n" * 900
CLEAR = {
    "name": "clear",
    "protect": {"last_rounds": 2},
    "prune": [{"type": "hard_clear"}, {"type": "drop_reasoning"}],
    "schedule": {"type": "every_request"},
}


def chat(rounds: int) -> list[dict[str, Any]]:
    """A conversation with one result per round."""
    told: list[dict[str, Any]] = [
        {"role": "system", "content": "You fix code."},
        {"role": "user", "content": "Fix it."},
    ]
    for number in range(rounds):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "read", "arguments": f'{{"p": {number}}}'}}
        told.append({"role": "assistant", "content": None, "tool_calls": [call]})
        told.append({"role": "tool", "tool_call_id": f"c{number}", "content": f"{number}: {OLD}"})
    return told


def check_mapping(view: View[Any], before: list[Any], after: list[Any]) -> None:
    """Sources name each message's origin; what has no edit is the same object, and nothing else changed."""
    sources, edited = view.sources, {part.message for part in view.edited_parts}
    assert len(sources) == len(after)
    kept = [one for one in sources if one is not None]
    assert kept == sorted(set(kept))
    for place, source in enumerate(sources):
        if source is None:
            assert not any(after[place] is one for one in before)
        elif source not in edited:
            assert after[place] is before[source]
        else:
            assert after[place] != before[source]


def test_an_unedited_view_maps_each_message_to_itself() -> None:
    view = fit(chat(2), policy="observe")
    assert view.sources == (0, 1, 2, 3, 4, 5)
    assert view.edited_parts == ()


def test_cleared_results_are_named_by_place_and_new_text() -> None:
    told = chat(12)
    view = fit(told, policy=CLEAR)
    check_mapping(view, told, view.request)
    assert view.edited_parts
    for part in view.edited_parts:
        assert part.kind == "tool_result"
        assert part.path == ("content",)
        assert view.request[view.sources.index(part.message)]["content"] == part.text
        assert told[part.message]["tool_call_id"] == part.call_id


def test_a_summary_has_no_source() -> None:
    told = chat(40)
    view = fit(told, policy="opencode", window=40_000)
    check_mapping(view, told, view.request)
    assert None in view.sources
    assert view.sources[0] == 0


def responses(rounds: int) -> list[dict[str, Any]]:
    """The same in items, several of which are one message of the model."""
    told: list[dict[str, Any]] = [{"role": "user", "content": "Fix it."}]
    for number in range(rounds):
        thought = {"type": "reasoning", "id": f"rs_{number}", "summary": [{"type": "summary_text", "text": "Hm."}]}
        call = {"type": "function_call", "call_id": f"c{number}", "name": "read", "arguments": f'{{"p": {number}}}'}
        told += [thought, call, {"type": "function_call_output", "call_id": f"c{number}", "output": OLD}]
    return told


def contents(rounds: int) -> list[dict[str, Any]]:
    """The same as Gemini has it."""
    told: list[dict[str, Any]] = [{"role": "user", "parts": [{"text": "Fix it."}]}]
    for number in range(rounds):
        call = {"functionCall": {"id": f"c{number}", "name": "read", "args": {"p": number}}}
        result = {"functionResponse": {"id": f"c{number}", "name": "read", "response": {"result": OLD}}}
        told += [{"role": "model", "parts": [call]}, {"role": "user", "parts": [result]}]
    return told


@pytest.mark.parametrize("make", [chat, responses, contents])
@pytest.mark.parametrize("policy", [CLEAR, "opencode", "hermes"], ids=["clear", "opencode", "hermes"])
def test_the_mapping_holds_in_each_format(make: Any, policy: Any) -> None:
    told = make(40)
    view = fit(told, policy=policy, window=40_000)
    assert view.receipt.edits
    check_mapping(view, told, view.request)


@pytest.mark.parametrize("name", ["anthropic_messages", "openai_chat"])
@pytest.mark.parametrize("policy", ["balance", "digests", "anthropic"])
def test_the_mapping_of_recorded_requests(name: str, policy: str) -> None:
    body = json.loads((SESSIONS / f"{name}.json").read_text())
    for window in (200_000, 60_000):
        view = Engine(policy, window=window, too_long="send").fit(body["messages"], idle_s=1e6)
        check_mapping(view, body["messages"], view.request)


def test_a_session_log_has_no_sources() -> None:
    assert fit((SESSIONS / "pi.jsonl").read_bytes(), policy="observe").sources == ()


def test_system_and_tools_beside_a_list_are_counted() -> None:
    told = chat(2)
    tools = [{"type": "function", "function": {"name": "read", "parameters": {"type": "object"}}}]
    bare = fit(told, policy="observe").receipt.tokens_raw
    view = Engine("observe").fit(told, system="You fix code. " * 100, tools=tools)
    assert view.receipt.tokens_raw > bare + 200
    assert view.request is told


def test_a_format_of_one_request() -> None:
    engine = Engine("observe")
    told = [{"role": "user", "content": "Hello"}]
    assert engine.fit(told, format="anthropic_messages").receipt.format == "anthropic_messages"
    assert engine.fit(told, format="openai_chat").receipt.format == "openai_chat"


def test_an_engine_that_fails_open_never_raises() -> None:
    engine = Engine("balance", fail_open=True)
    odd = [object()]
    view = engine.fit(odd)
    assert view.request is odd
    assert view.receipt.status == "failed"
    assert "cannot be read" in view.receipt.error
    assert view.sources == ()
    long = chat(3)
    assert Engine("balance", window=100, compact=False, fail_open=True).fit(long).receipt.status != "failed"


def test_what_was_edited_before_a_failure_stays_edited(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine(CLEAR, fail_open=True)
    told = chat(12)
    first = engine.fit(told, session="s")
    assert first.receipt.edits

    def fail(*_: Any) -> Any:
        raise RuntimeError("out of order")

    monkeypatch.setattr(engine._objects, "serve", fail)
    again = engine.fit(told, session="s")
    assert again.receipt.error == "RuntimeError: out of order"
    assert again.request == first.request
    assert engine.fit(told, session="other").request is told
