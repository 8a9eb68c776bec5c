"""One document and one model have one count, whoever is asked: the library, a session, and every command."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from secateur import Engine, StillTooLong, fit
from secateur.cli.program import program
from secateur.recover import recover_session
from secateur.simulate.requests import read_recording
from secateur.tokens import estimate, get_factor, scale_tokens

MODELS = ("claude-opus-4-5", "claude-opus-4-7", "gemini-2.5-pro", "gpt-5", "deepseek-chat", "")
texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=400)
turns = st.lists(st.tuples(texts, texts), min_size=1, max_size=6)


def body(said: list[tuple[str, str]], model: str) -> dict[str, Any]:
    messages: list[Any] = [{"role": "system", "content": "rules of the house"}]
    for number, (asked, told) in enumerate(said):
        call = {
            "id": f"c{number}",
            "type": "function",
            "function": {"name": "run", "arguments": json.dumps({"c": asked})},
        }
        messages += [
            {"role": "user", "content": asked or "go"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": told},
        ]
    tools = [{"type": "function", "function": {"name": "run", "description": "it runs a command. " * 40}}]
    return {"messages": messages, "tools": tools} | ({"model": model} if model else {})


@settings(deadline=None, max_examples=60)
@given(turns, st.sampled_from(MODELS))
def test_the_library_a_session_the_simulator_and_a_hand_off_count_the_same(
    said: list[tuple[str, str]], model: str
) -> None:
    asked = json.dumps(body(said, model)).encode()
    once = fit(asked, policy="observe")
    count = once.receipt.tokens_raw
    parts = [part for message in once.raw_transcript.messages for part in message.parts]
    assert count == once.raw_transcript.fixed_tokens + sum(
        scale_tokens(estimate(part.text), get_factor(model)) for part in parts
    )
    assert fit(asked, policy="kilocode").receipt.tokens_raw == count
    assert Engine("balance").fit(asked, session="s").receipt.tokens_raw == count
    segment = read_recording(asked).segments[-1]
    assert segment.fixed_tokens + sum(part.tokens for one in segment.messages for part in one.parts) == count
    assert recover_session(asked).whole_tokens == count


@pytest.mark.parametrize("model", MODELS)
def test_every_command_says_the_same(model: str, tmp_path: Path) -> None:
    asked = body([("what is there", f"{number} lines of output, most of them alike. " * 90) for number in range(9)], "")
    file = tmp_path / "request.json"
    file.write_text(json.dumps(asked))
    count = fit(file.read_bytes(), policy="observe", model=model).receipt.tokens_raw
    named = ["--model", model] if model else []

    def told(*command: str) -> Any:
        done = CliRunner().invoke(program, [*command, *named, "--json"], catch_exceptions=False)
        return json.loads(done.stdout)

    assert told("inspect", str(file))["input"]["tokens"] == count
    assert told("prune", str(file), "--policy", "kilocode")["input"]["tokens"] == count
    assert told("compact", str(file))["input"]["tokens"] == count
    assert told("diff", str(file))["tokens_before"] == count
    assert recover_session(file.read_bytes(), model=model).whole_tokens == count
    said = told("inspect", str(file))["counted_by"]
    assert said == (f"estimate × {get_factor(model):g} for {model}" if get_factor(model) != 1 else "estimate")


def long(model: str, tokens: int) -> dict[str, Any]:
    """A request that a model reads so many tokens of, all of it the user's words."""
    words = "all of these words of the user matter, and none of them may go. "
    each = estimate(words * 1_000) * get_factor(model) / 1_000
    return {"model": model, "messages": [{"role": "user", "content": words * round(tokens / each)}]}


@pytest.mark.parametrize("model", MODELS[:4])
def test_a_window_binds_at_the_models_own_tokens(model: str) -> None:
    with pytest.raises(StillTooLong):
        fit(long(model, 106_000), window=100_000)
    assert fit(long(model, 70_000), window=100_000).receipt.tokens_view == pytest.approx(70_000, rel=0.03)


def test_a_model_that_counts_otherwise_is_counted_anew_in_the_middle_of_a_session() -> None:
    said = [("what is there", f"{number} lines of output. " * 200) for number in range(5)]
    engine, counts = Engine("observe"), dict[str, int]()
    for number, model in enumerate(("claude-opus-4-5", "gpt-5", "claude-opus-4-7", "claude-opus-4-7"), 2):
        asked = json.dumps(body(said[:number], model)).encode()
        receipt = engine.fit(asked, session="s", now_ms=number).receipt
        counts[model] = receipt.tokens_raw
        assert receipt.tokens_raw == fit(asked, policy="observe").receipt.tokens_raw
        assert receipt.counted_by == (
            "estimate" if model == "gpt-5" else f"estimate × {get_factor(model):g} for {model}"
        )


def test_a_calibration_that_was_learned_over_the_plain_estimate_is_carried_over() -> None:
    from secateur.sessions.calibration import add_sample, rebase_calibration
    from secateur.stores.protocol import Calibration
    from secateur.usage import Usage

    old = Calibration(1.5, 4)
    now = rebase_calibration(old, "claude-opus-4-7")
    assert (now.ratio, now.samples, now.over) == (1.0, 4, 1.5)
    assert rebase_calibration(now, "claude-opus-4-7") is now
    assert rebase_calibration(old, "gpt-5") is old
    assert add_sample(now, 1_000, Usage(1_000)).ratio == 1.0


def test_without_a_sample_a_count_stands_as_it_is() -> None:
    from secateur.sessions.calibration import rebase_calibration
    from secateur.stores.protocol import Calibration

    assert rebase_calibration(Calibration(), "claude-opus-4-7").ratio == 1.0
    for model in ("claude-opus-4-7", "claude-sonnet-4-5", "gemini-2.5-pro", "gpt-5"):
        assert fit(json.dumps(body([("go", "a line of output. " * 200)], model)).encode()).receipt.token_ratio == 1.0
