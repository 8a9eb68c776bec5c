"""Calibration: what a provider reports moves the ratio where it can be true of the request, and is said where not."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from secateur import Engine
from secateur.sessions.calibration import LEAST, MOST, add_sample, describe_left_out
from secateur.stores.protocol import Calibration
from secateur.usage import Usage

counts = st.integers(0, 2_000_000)


@settings(deadline=None)
@given(st.builds(Calibration, st.floats(LEAST, MOST), st.integers(0, 9)), counts, counts)
def test_a_sample_outside_the_band_changes_nothing_and_one_inside_moves_towards_it(
    before: Calibration, counted: int, told: int
) -> None:
    after = add_sample(before, counted, Usage(told))
    if not counted or not told or not LEAST <= told / counted <= MOST:
        assert (after.ratio, after.samples) == (before.ratio, before.samples)
        assert len(describe_left_out({"m": after})) == bool(counted and told)
    else:
        assert after.samples == before.samples + 1
        low, high = sorted((before.ratio if before.samples else told / counted, told / counted))
        assert low - 1e-9 <= after.ratio <= high + 1e-9
        assert not describe_left_out({"m": after})


def body(messages: int) -> dict[str, Any]:
    said = [{"role": "user" if at % 2 == 0 else "assistant", "content": f"{at} word " * 300} for at in range(messages)]
    return {"model": "gpt-5", "messages": said}


@pytest.mark.parametrize("reported", [3, 10_000_000])
@pytest.mark.parametrize("store", [None, "sqlite:///{}/kept.db"])
def test_what_cannot_be_true_of_a_request_is_left_out_and_said_once(
    reported: int, store: str | None, tmp_path: Any
) -> None:
    engine = Engine("observe", store=store and store.format(tmp_path))
    view = engine.fit(body(3), session="s", now_ms=1_000)
    engine.record_usage(view, {"prompt_tokens": reported}, now_ms=2_000)
    later = engine.fit(body(5), session="s", now_ms=3_000)
    assert later.receipt.token_ratio == 1.0
    said = [one for one in later.receipt.warnings if "left out of the calibration" in one]
    assert len(said) == 1
    assert f"{reported:,} input tokens" in said[0]
    assert not engine.fit(body(7), session="s", now_ms=4_000).receipt.warnings


def test_a_provider_that_counts_otherwise_is_believed() -> None:
    engine = Engine("observe")
    view = engine.fit(body(3), session="s", now_ms=1_000)
    engine.record_usage(view, {"prompt_tokens": round(view.receipt.tokens_view * 1.5)}, now_ms=2_000)
    later = engine.fit(body(5), session="s", now_ms=3_000)
    assert later.receipt.token_ratio == pytest.approx(1.5, abs=0.01)
    assert not later.receipt.warnings
