"""How long a session's cache lives: as the provider says, until answers showed it to live longer, or shorter."""

from typing import Any

import pytest
from msgspec.structs import replace

from secateur import Engine
from secateur.receipt import Receipt
from secateur.sessions.calibration import advance_clock, get_cache_ttl_s
from secateur.sessions.receipt_log import make_notice
from secateur.stores import open_store
from secateur.stores.protocol import Clock
from secateur.usage import Usage

SAID_S = 300.0
MODEL = "claude-opus-5"
GREW = replace(make_notice("unchanged", 0), model=MODEL, provider="anthropic")
EDITED = replace(GREW, opened=True)
READ, MISSED, HALF = Usage(100, 900), Usage(1_000, 0), Usage(600, 400)


def seen(*answers: tuple[float, Usage], last: Receipt = GREW) -> Clock:
    """The clock after answers, each so many seconds after the one before."""
    clock, now = Clock(), 1_000
    for pause_s, told in answers:
        now += round(pause_s * 1_000)
        clock = advance_clock(clock, told, last, now)
    return clock


@pytest.mark.parametrize(
    ("answers", "lives"),
    [
        ([(0, READ), (100, READ)], 300),
        ([(0, READ), (1_800, READ)], 1_800),  # it outlived what its provider says
        ([(0, READ), (1_800, READ), (900, MISSED)], 300),  # and then it did not
        ([(0, READ), (200, MISSED)], 300),  # once is no proof
        ([(0, READ), (200, MISSED), (10, READ), (180, MISSED)], 200),
        ([(0, READ), (200, MISSED), (10, READ), (180, MISSED), (250, READ)], 300),  # it lived over a longer pause
        ([(0, READ), (200, MISSED), (10, READ), (180, MISSED), (150, READ)], 200),
        ([(0, READ), (20, MISSED), (10, READ), (20, MISSED)], 300),  # lost to something else than its age
        ([(0, READ), (200, MISSED), (10, HALF), (180, MISSED)], 200),  # half a read says nothing
        ([(0, MISSED), (200, MISSED), (200, MISSED)], 300),  # nothing was ever read: no one marks anything
    ],
)
def test_reads_and_misses_tell(answers: list[tuple[float, Usage]], lives: float) -> None:
    assert get_cache_ttl_s(seen(*answers), MODEL, SAID_S) == lives


def test_what_was_edited_is_no_miss() -> None:
    assert get_cache_ttl_s(seen((0, READ), (200, MISSED), (200, MISSED), last=EDITED), MODEL, SAID_S) == SAID_S


def test_another_model_has_another_cache() -> None:
    clock = seen((0, READ), (1_800, READ))
    assert get_cache_ttl_s(clock, "gpt-5", 600.0) == 600.0
    switched = advance_clock(clock, READ, replace(GREW, model="gpt-5"), 5_000_000)
    assert get_cache_ttl_s(switched, "gpt-5", 600.0) == 600.0


def test_what_was_learned_decides_in_another_process(tmp_path: Any) -> None:
    """The provider says five minutes; here the cache was gone twice after little more than three."""
    url = f"sqlite:///{tmp_path}/kept.db"
    policy = {
        "name": "cold",
        "protect": {"last_messages": 4},
        "prune": [{"type": "hard_clear"}],
        "schedule": {"type": "cold_cache"},
    }
    now = 1_000_000
    for pause_s, read in ((0, 900), (200, 0), (10, 900), (200, 0), (10, 900)):
        now += pause_s * 1_000
        engine = Engine("observe", store=open_store(url))
        view = engine.fit(body(), session="s", now_ms=now)
        engine.record_usage(view, {"input_tokens": 100, "cache_read_input_tokens": read}, now_ms=now)
    late = Engine(policy, store=open_store(url)).fit(body(), session="s", now_ms=now + 210_000)
    assert late.receipt.opened
    assert "the prompt cache lives 3 min" in late.receipt.reason
    fresh = Engine(policy).fit(body(), session="s", now_ms=now, idle_s=210.0)
    assert not fresh.receipt.opened


def body() -> dict[str, Any]:
    messages: list[Any] = [{"role": "user", "content": "go"}]
    for number in range(6):
        use = {"type": "tool_use", "id": f"c{number}", "name": "bash", "input": {"n": number}}
        told = {"type": "tool_result", "tool_use_id": f"c{number}", "content": f"{number} " * 2_000}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [told]}]
    return {"model": MODEL, "max_tokens": 9, "system": "help", "messages": messages}
