"""Recordings: every answer is one request, compactions of the host divide the history, tokens follow recorded usage."""

import json
from typing import Any

from secateur.pricing import Price, Rates
from secateur.simulate.answered import find_model
from secateur.simulate.requests import Recording, read_recording
from secateur.simulate.run import as_paid
from secateur.usage import Usage


def pi(*entries: dict[str, Any]) -> bytes:
    """A log of Pi before it had ids: entries are in line, ten seconds apart."""
    head = {"type": "session", "id": "s", "timestamp": "2026-01-01T00:00:00.000Z"}
    lines = [
        head,
        *({"timestamp": f"2026-01-01T00:{at // 6:02}:{at % 6}0.000Z"} | one for at, one in enumerate(entries)),
    ]
    return "\n".join(map(json.dumps, lines)).encode()


def said(role: str, text: str, **more: Any) -> dict[str, Any]:
    return {"type": "message", "message": {"role": role, "content": [{"type": "text", "text": text}], **more}}


def answer(text: str, **usage: int) -> dict[str, Any]:
    counts = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0} | usage
    return said("assistant", text, model="claude-sonnet-4-5", provider="anthropic", usage=counts)


LOG = pi(
    said("user", "one"),
    answer("two", input=100, output=7),
    said("user", "three"),
    answer("four", cacheRead=90, cacheWrite=30, output=9),
    {"type": "compaction", "summary": "it was said", "firstKeptEntryIndex": 3, "tokensBefore": 120},
    said("user", "five"),
    answer("six", input=110, output=8),
)


def texts(recording: Recording) -> list[list[str]]:
    return [[part.text for one in recording.get_context(r) for part in one.parts] for r in recording.requests]


def test_every_answer_is_one_request_with_all_that_was_said_before() -> None:
    recording = read_recording(LOG)
    assert texts(recording) == [["one"], ["one", "two", "three"], ["it was said", "three", "four", "five"]]
    assert [one.segment for one in recording.requests] == [0, 0, 1]
    assert [one.number for one in recording.requests] == [0, 1, 2]
    answers = [recording.get_answer(one) for one in recording.requests]
    assert [one.parts[0].text for one in answers if one is not None] == ["two", "four", "six"]


def test_an_answer_was_paid_for_that_was_counted_only_while_it_began() -> None:
    whole = "a sentence of some length that a model said, and another one behind it. " * 9
    log = pi(
        said("user", "one"), answer(whole, input=100, output=2), said("user", "two"), answer("so", output=1, input=9)
    )
    first, second = read_recording(log).requests
    assert first.usage is not None
    assert first.usage.output == 2
    assert 120 < first.output < 180
    assert second.output == 1


def test_times_usage_and_model_are_as_recorded() -> None:
    recording = read_recording(LOG)
    start = 1_767_225_600_000
    assert [one.at - start for one in recording.requests] == [0, 20_000, 50_000]
    assert [one.usage for one in recording.requests] == [Usage(100, 0, 0, 7), Usage(0, 90, 30, 9), Usage(110, 0, 0, 8)]
    assert [one.output for one in recording.requests] == [7, 9, 8]
    assert {one.model for one in recording.requests} == {recording.model} == {"claude-sonnet-4-5"}


def test_a_history_can_be_read_as_if_the_host_had_never_compacted_it() -> None:
    recording = read_recording(LOG, compactions=False)
    assert len(recording.segments) == 1
    assert texts(recording)[-1] == ["one", "two", "three", "four", "five"]
    keys = [message.key for message in recording.segments[0].messages]
    assert len(set(keys)) == len(keys) == 6


def test_an_answer_that_was_aborted_before_its_first_byte_has_no_usage() -> None:
    recording = read_recording(pi(said("user", "one"), answer("stopped"), said("user", "go"), answer("two", input=9)))
    assert [one.usage for one in recording.requests] == [None, Usage(9, 0, 0, 0)]


def test_tokens_follow_the_recorded_usage() -> None:
    entries: list[dict[str, Any]] = []
    for turn in range(12):  # two tokens a word, and 500 before the first message
        entries += [said("user", "word " * 200), answer("done " * 100, input=500 + 600 * turn + 400)]
    recording = read_recording(pi(*entries))
    assert recording.segments[0].fixed_tokens in range(450, 550)
    for ours, one in zip(recording.prompt_tokens, recording.requests, strict=True):
        assert one.usage is not None
        assert abs(ours - one.usage.prompt) < 0.03 * one.usage.prompt
    assert abs(recording.tally("word " * 200) - 400) < 30


def test_stated_fixed_tokens_win() -> None:
    assert read_recording(LOG, fixed_tokens=77).segments[0].fixed_tokens == 77


def test_a_request_body_is_a_recording_whose_last_answer_is_not_known() -> None:
    body = {
        "model": "gpt-4o",
        "messages": [
            {"role": "user", "content": "one"},
            {"role": "assistant", "content": "two"},
            {"role": "user", "content": "three"},
        ],
    }
    recording = read_recording(body)
    assert texts(recording) == [["one"], ["one", "two", "three"]]
    assert recording.get_answer(recording.requests[-1]) is None
    assert [one.at for one in recording.requests] == [0, 0]
    assert recording.requests[0].output == recording.tally("two")


def test_figures_on_lines_behind_an_answer_are_its_own() -> None:
    lines = [
        {"type": "session_meta", "payload": {"id": "s"}},
        item("message", role="user", content=[{"type": "input_text", "text": "one"}]),
        item("message", role="assistant", content=[{"type": "output_text", "text": "two"}]),
        {"type": "event_msg", "payload": {"type": "token_count", "info": {"last_token_usage": {"input_tokens": 50}}}},
        item("message", role="user", content=[{"type": "input_text", "text": "three"}]),
        item("message", role="assistant", content=[{"type": "output_text", "text": "four"}]),
    ]
    log = "\n".join(json.dumps({"timestamp": "2026-01-01T00:00:00.000Z"} | one) for one in lines).encode()
    assert [one.usage for one in read_recording(log).requests] == [Usage(50), None]


def counted(prompt: int, total: int) -> dict[str, Any]:
    info = {"last_token_usage": {"input_tokens": prompt}, "total_token_usage": {"input_tokens": total}}
    return {"type": "event_msg", "payload": {"type": "token_count", "info": info}}


def called(*names: str) -> list[dict[str, Any]]:
    return [item("function_call", name="run", arguments="{}", call_id=name) for name in names]


def ran(*names: str) -> list[dict[str, Any]]:
    return [item("function_call_output", call_id=name, output=name) for name in names]


def test_figures_behind_the_results_of_parallel_calls_are_those_of_the_answer_that_made_them() -> None:
    many = tuple(f"c{number}" for number in range(30))
    lines = [
        {"type": "session_meta", "payload": {"id": "s"}},
        codex("user", "one"),
        *called(*many),
        *ran(*many),
        counted(50, 50),
        counted(50, 50),  # repeated with other limits
        codex("user", "two"),
        counted(50, 50),
        codex("assistant", "three"),
        *called("x"),
        counted(70, 120),
        *ran("x"),
        codex("assistant", "four"),
        counted(90, 210),
        codex("user", "and"),
        codex("assistant", "five"),
        counted(90, 210),
    ]
    log = "\n".join(json.dumps({"timestamp": "2026-01-01T00:00:00.000Z"} | one) for one in lines).encode()
    assert [one.usage for one in read_recording(log).requests] == [Usage(50), Usage(70), Usage(90), None]


def test_a_captured_request_has_the_usage_of_the_answer_beside_it() -> None:
    usage = {"prompt_tokens": 50, "completion_tokens": 8, "prompt_tokens_details": {"cached_tokens": 30}}
    body = {"messages": [{"role": "user", "content": "one"}], "response": {"id": "r", "usage": usage}}
    for native in (body, json.dumps(body).encode()):
        assert [one.usage for one in read_recording(native).requests] == [Usage(20, 30, 0, 8)]


def test_the_model_that_answered() -> None:
    assert find_model([{}, {"message": {"model": "one"}}]) == "one"
    assert find_model([{"info": {"modelID": "two"}}]) == "two"
    assert find_model([{"model": 3}, None]) == ""


def item(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": "response_item", "payload": {"type": kind, **more}}


def test_the_real_bill_is_that_of_the_recorded_usage() -> None:
    price = Price("m", Rates(1.0, 5.0, 0.1, 1.25, 2.0))
    assert [row.units for row in as_paid(read_recording(LOG), price)] == [100 + 35, 9 + 37.5 + 45, 110 + 40]
    entry = said(
        "assistant", "two", usage={"input_tokens": 10, "cache_creation_input_tokens": 100, "cache_creation": {}}
    )
    entry["message"]["usage"]["cache_creation"]["ephemeral_1h_input_tokens"] = 60
    assert [row.units for row in as_paid(read_recording(pi(said("user", "one"), entry)), price)] == [10 + 50 + 120]


def test_a_file_of_one_document_keeps_its_figures_beside_each_message() -> None:
    def told(role: str, text: str, **info: Any) -> dict[str, Any]:
        name = f"msg_{text}"
        return {
            "info": {"id": name, "role": role, **info},
            "parts": [{"type": "text", "text": text, "messageID": name}],
        }

    counts = {"tokens": {"input": 9, "output": 2, "reasoning": 0, "cache": {"read": 3, "write": 0}}, "modelID": "gpt-5"}
    document = {"info": {"id": "ses_1"}, "messages": [told("user", "one"), told("assistant", "two", **counts)]}
    for native in (document, json.dumps(document).encode()):
        request = read_recording(native).requests[0]
        assert (request.usage, request.model) == (Usage(9, 3, 0, 2), "gpt-5")


def codex(role: str, text: str) -> dict[str, Any]:
    return item("message", role=role, content=[{"type": f"{'in' if role == 'user' else 'out'}put_text", "text": text}])


def test_a_compaction_that_leaves_a_history_and_no_summary_divides_it_too() -> None:
    kept = [codex("user", "one")["payload"], codex("assistant", "two")["payload"]]
    lines = [
        {"type": "session_meta", "payload": {"id": "s"}},
        *(codex("user", "one"), codex("assistant", "two"), codex("user", "three"), codex("assistant", "four")),
        {"type": "compacted", "payload": {"message": "", "replacement_history": kept}},
        *(codex("user", "five"), codex("assistant", "six")),
    ]
    log = "\n".join(json.dumps({"timestamp": "2026-01-01T00:00:00.000Z"} | one) for one in lines).encode()
    assert texts(read_recording(log)) == [["one"], ["one", "two", "three"], ["one", "two", "five"]]
    assert [one.segment for one in read_recording(log).requests] == [0, 0, 1]
    whole = read_recording(log, compactions=False)
    assert texts(whole) == [["one"], ["one", "two", "three"], ["one", "two", "three", "four", "five"]]


def test_a_demonstration_was_never_asked_for() -> None:
    def turn(role: str, text: str, **more: Any) -> dict[str, Any]:
        return {"role": role, "content": text, "agent": "primary", **more}

    shown = [turn("user", "as here", is_demo=True), turn("assistant", "so", is_demo=True)]
    history = [turn("system", "you are"), *shown, turn("user", "now you"), turn("assistant", "done")]
    recording = read_recording({"history": history, "trajectory": []})
    assert texts(recording) == [["you are", "as here", "so", "now you"]]
