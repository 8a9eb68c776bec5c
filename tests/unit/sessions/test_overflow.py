"""Windows that are known better than the registry knows them: from a refusal, and from what a host recorded."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from secateur import Engine, fit
from secateur.cli.program import program
from secateur.sessions.commands import parse_window


def refusal(text: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": "invalid_request_error", "message": text}}


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("prompt is too long: 214538 tokens > 200000 maximum", 200_000),
        ("input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000", 200_000),
        ("This model's maximum context length is 128000 tokens. However, your messages resulted in 130000", 128_000),
        ("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 1_048_576),
        ("mantle: prompt tokens (250000) exceed model maximum (200000)", 200_000),
        ("This model's maximum prompt length is 131072 but the request contains 140000 tokens.", 131_072),
        ("The input (9000 tokens) is longer than the model's context length (8192 tokens)", 8_192),
        ("prompt token count of 70000 exceeds the limit of 64000", 64_000),
        ("Invalid request: Your request exceeded model token limit: 262144 (requested: 270000)", 262_144),
        ("Prompt contains 40000 tokens and is too large for model with 32768 maximum context length", 32_768),
        ("Range of input length should be [1, 129024]", 129_024),
        ("maximum context length is 1,048,576 tokens", 1_048_576),
        ("Too many tokens, please wait before trying again.", 0),
        ("maximum context length is 12 tokens", 0),
        ("max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens", 0),
    ],
)
def test_a_refusal_names_the_window(text: str, window: int) -> None:
    body = refusal(text)
    assert parse_window(body) == parse_window(json.dumps(body)) == parse_window([body]) == window
    assert parse_window(ValueError(text)) == window


def test_a_refusal_comes_as_a_body_a_text_an_exception_or_a_list_of_one() -> None:
    text = "This model's maximum context length is 8192 tokens."
    flat = {"object": "error", "message": text, "code": 400}  # vLLM
    nested = {"error": {"message": text}}
    for body in (flat, nested, [nested], json.dumps(flat), json.dumps(nested).encode(), ValueError(text)):
        assert parse_window(body) == 8_192
    failed = ValueError("Error code: 400")
    failed.body = nested  # type: ignore[attr-defined]
    assert parse_window(failed) == 8_192
    for other in ({"object": "chat.completion", "message": text}, [nested, nested], "no JSON", 5, None, "[" * 100_000):
        assert parse_window(other) == 0


def test_what_a_model_says_is_no_refusal() -> None:
    said = "prompt is too long: 214538 tokens > 200000 maximum"
    for value in (said, {"content": [{"type": "text", "text": said}], "usage": {"input_tokens": 9}}, [said], None, 7):
        assert parse_window(value) == 0
    assert (
        parse_window({"error": {"type": "exceed_context_size_error", "n_prompt_tokens": 9000, "n_ctx": 4096}}) == 4_096
    )


BODY = {"model": "gpt-4o", "messages": [{"role": "user", "content": "one " * 400}]}


@pytest.mark.parametrize("stored", [False, True])
def test_a_refusal_holds_for_the_session_and_its_model(stored: bool, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/kept.db" if stored else None
    engine = Engine("observe", store=store)
    view = engine.fit(BODY, session="s", now_ms=1)
    engine.record_usage(view, refusal("This model's maximum context length is 64000 tokens."), now_ms=2)
    again = Engine("observe", store=store) if stored else engine
    receipt = again.fit(BODY, session="s", now_ms=3).receipt
    assert (receipt.window, receipt.window_source.partition(":")[0]) == (64_000, "learned")
    assert again.fit({**BODY, "model": "gpt-4o-mini"}, session="s", now_ms=4).receipt.window == 128_000
    again.record_usage("s", {"prompt_tokens": 400}, now_ms=5)
    assert again.fit(BODY, session="s", now_ms=6).receipt.window == 64_000
    assert Engine("observe", window=9_000, store=store).fit(BODY, session="s", now_ms=7).receipt.window == 9_000


def codex(*windows: int) -> bytes:
    def line(kind: str, **payload: Any) -> str:
        return json.dumps({"timestamp": "2026-01-01T00:00:00.000Z", "type": kind, "payload": payload})

    content = [{"type": "input_text", "text": "one"}]
    lines = [
        line("session_meta", id="s", model_provider="openai"),
        line("turn_context", model="gpt-5.4"),
        line("event_msg", type="task_started", model_context_window=100_000),
        line("response_item", type="message", role="user", content=content),
    ]
    lines += [line("event_msg", type="token_count", info={"model_context_window": window}) for window in windows]
    return "\n".join([*lines, line("event_msg", type="token_count", info=None)]).encode()


def test_what_the_host_recorded_goes_before_the_registry_and_is_shown(tmp_path: Path) -> None:
    log = codex(258_400, 121_600)
    receipt = fit(log, policy="observe").receipt
    assert (receipt.window, receipt.window_source) == (121_600, "recorded by the host")
    assert fit(codex(), policy="observe").receipt.window == 100_000
    assert "registry" in fit(log, policy="observe", model="gpt-4o").receipt.window_source
    litellm = {"context_window": 32_000, "messages": [{"role": "user", "content": "one"}], "response": {}}
    assert fit(litellm, policy="observe").receipt.window == 32_000
    file = tmp_path / "rollout.jsonl"
    file.write_bytes(log)
    for command in ("doctor", "inspect", "prune"):
        done = CliRunner().invoke(program, [command, str(file), "--json"], catch_exceptions=False)
        assert "recorded by the host" in done.stdout
        assert "121,600" in done.stdout or "121600" in done.stdout
