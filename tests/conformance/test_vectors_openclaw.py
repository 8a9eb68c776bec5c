"""OpenClaw's session pruning: vectors CL-1 to CL-22. Where the preset follows the seed instead, the test says so."""

from typing import Any

import pytest

import carried
import secateur
from native import Native, assistant, named, tool, user
from secateur.policy import load
from secateur.policy.openclaw_config import convert_config
from secateur.schedule import Never, Threshold
from secateur.strategies import HardClear

TAIL = [assistant(), assistant(), assistant()]
CLEARED = "[Old tool result content cleared]"
HARD = {
    "type": "hard_clear",
    "placeholder": CLEARED,
    "never_longer": False,
    "min_char_share": 0.5,
    "min_total_chars": 50_000,
}


def fit(messages: list[Native], policy: Any = "openclaw", window: int = 200_000, **more: Any) -> secateur.View:
    return carried.fit(messages, policy=policy, window=window, model="claude-sonnet-4-5", **({"idle_s": 3_600} | more))


def texts(messages: list[Native], policy: Any = "openclaw", window: int = 200_000) -> list[Any]:
    """The results as they are sent."""
    return [message["content"] for message in fit(messages, policy, window).request if message["role"] == "tool"]


def clearing(**changed: Any) -> dict[str, Any]:
    """The preset with other settings of the hard clear."""
    soft = {"type": "soft_trim", "form": "ends"}
    return {"extends": "openclaw", "prune": [soft, HARD | changed]}


def trimming(soft: tuple[int, int, int], clear_from: float = 10) -> dict[str, Any]:
    """The preset with other ends, and no hard clear below this share."""
    trim = dict(zip(("max_chars", "head_chars", "tail_chars"), soft, strict=True))
    prune = [{"type": "soft_trim", "form": "ends"} | trim, HARD | {"min_char_share": clear_from}]
    return {"extends": "openclaw", "prune": prune, "schedule": {"min_char_share": 0.0}}


def aggressive(keep: int = 0, **protect: Any) -> dict[str, Any]:
    """Everything that may go, goes."""
    clear = {"type": "hard_clear", "placeholder": "[cleared]", "never_longer": False, "min_char_share": 0.0}
    soft = {"type": "soft_trim", "form": "ends", "max_chars": 10, "head_chars": 3, "tail_chars": 3}
    prune = [soft, clear]
    return {
        "extends": "openclaw",
        "prune": prune,
        "protect": {"last_assistant_messages": keep} | protect,
        "schedule": {"min_char_share": 0.0},
    }


def x(size: int) -> Native:
    return tool("x" * size)


def test_CL_1_below_the_ratio_nothing_is_done() -> None:
    messages = [user(), x(1_000), *TAIL]
    assert fit(messages, window=1_000).request is messages


def test_CL_2_over_the_ratio_long_results_are_trimmed() -> None:
    (text,) = texts([user(), x(5_000), *TAIL], window=4_000)
    assert len(text) == 3_086
    assert text.endswith("\n\n[Tool result trimmed: kept first 1500 chars and last 1500 chars of 5000 chars.]")


def test_CL_3_the_limit_itself_is_not_over_it() -> None:
    assert [len(text) for text in texts([user(), x(4_000), x(4_001), *TAIL], window=6_000)] == [4_000, 3_086]


def test_CL_4_trimmed_results_are_cleared_while_the_ratio_is_reached() -> None:
    assert texts([user(), x(30_000), x(30_000), *TAIL], clearing(min_total_chars=5_000), 1_400) == [CLEARED, CLEARED]


def test_CL_5_fewer_characters_than_the_minimum_are_only_trimmed() -> None:
    assert [len(text) for text in texts([user(), x(30_000), x(30_000), *TAIL], window=1_400)] == [3_087, 3_087]


@pytest.mark.parametrize(("window", "cleared"), [pytest.param(10_000, 2, id="CL-6"), pytest.param(8_000, 3, id="CL-7")])
def test_oldest_first_until_the_ratio_falls(window: int, cleared: int) -> None:
    shown = texts([user(), *(x(4_000) for _ in range(6)), *TAIL], clearing(min_total_chars=1_000), window)
    assert shown == [CLEARED] * cleared + ["x" * 4_000] * (6 - cleared)


def test_CL_8_too_few_assistant_messages() -> None:
    messages = [user(), x(90_000), assistant(), assistant()]
    view = fit(messages, window=1_000)
    assert view.request is messages
    assert "2 assistant messages" in view.receipt.skipped_reason


def test_CL_9_no_user_message() -> None:
    messages = [x(90_000), *TAIL]
    assert fit(messages, window=1_000).request is messages


def test_CL_10_blocks_are_joined_and_the_result_may_grow() -> None:
    messages = [user(), tool([{"type": "text", "text": "AAAAA"}, {"type": "text", "text": "BBBBB"}]), *TAIL]
    (text,) = texts(messages, trimming((5, 7, 3)))
    assert text == "AAAAA\nB\n...\nBBB\n\n[Tool result trimmed: kept first 7 chars and last 3 chars of 11 chars.]"
    assert len(text) == 88


def test_CL_11_ends_may_be_line_breaks() -> None:
    messages = [user(), tool([{"type": "text", "text": text} for text in ("ab", "cd", "ef")]), *TAIL]
    (text,) = texts(messages, trimming((1, 3, 4)))
    assert text == "ab\n\n...\nd\nef\n\n[Tool result trimmed: kept first 3 chars and last 4 chars of 8 chars.]"


def test_CL_12_ends_that_hold_everything() -> None:
    messages = [user(), x(100), *TAIL]
    assert fit(messages, trimming((50, 60, 40)), 30).request is messages


def test_CL_13_a_placeholder_may_be_longer_than_the_result() -> None:
    assert texts(
        [user(), tool("tiny")], aggressive() | {"prune": [HARD | {"min_char_share": 0.0, "min_total_chars": 0}]}
    ) == [CLEARED]


def test_CL_14_a_result_with_an_image_is_left_alone() -> None:
    """As in the seed; newer sources put a text in the image's place."""
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    messages = [user(), tool([image, {"type": "text", "text": "x" * 20_000}]), assistant()]
    assert fit(messages, aggressive(), 1_000).request is messages


def test_CL_15_results_behind_the_last_assistants_stay() -> None:
    policy = {
        "extends": "openclaw",
        "protect": {"last_assistant_messages": 1},
        "prune": clearing(min_total_chars=0)["prune"],
    }
    assert texts([user(), x(20_000), assistant(), x(20_000)], policy, 1_000) == [CLEARED, "x" * 20_000]


def test_CL_16_without_a_window_nothing_is_done() -> None:
    messages = [user(), x(90_000), *TAIL]
    assert fit(messages, window=0).request is messages


def test_CL_17_four_rounds_keep_three() -> None:
    shown = texts([user(), assistant(), x(20_000)] * 4, aggressive(keep=3), 1_000)
    assert shown == ["[cleared]"] + ["x" * 20_000] * 3


def test_CL_18_results_before_the_first_user_message_stay() -> None:
    shown = texts([assistant(), x(20_000), assistant(), user(), x(20_000)], aggressive(), 1_000)
    assert shown == ["x" * 20_000, "[cleared]"]


def test_CL_19_deny_wins_and_what_is_not_allowed_stays() -> None:
    messages = [user(), named("x" * 20_000, "Exec"), named("y" * 20_000, "Browser")]
    assert fit(messages, aggressive(prunable_tools=["ex*"], tools=["exec"]), 1_000).request is messages
    assert texts(messages, aggressive(prunable_tools=["ex*"]), 1_000) == ["[cleared]", "y" * 20_000]


@pytest.mark.parametrize(
    ("ttl", "seconds"),
    [("5", 300), ("1h", 3_600), ("zzz", 300), ("0", 0), (5, 300)],
    ids=lambda value: f"CL-20-{value}",
)
def test_ttl(ttl: Any, seconds: int) -> None:
    schedule = convert_config(
        {"agent": {"contextPruning": {"mode": "cache-ttl", "ttl": ttl}}}, load("openclaw")
    ).schedule
    assert isinstance(schedule, Threshold)
    assert schedule.min_idle_s == seconds


def test_CL_20_a_ttl_of_zero_never_runs() -> None:
    policy = convert_config({"agent": {"contextPruning": {"mode": "cache-ttl", "ttl": "0"}}}, load("openclaw"))
    messages = [user(), x(90_000), *TAIL]
    assert fit(messages, policy, 1_000).request is messages


def test_CL_21_coercions() -> None:
    stated = {"softTrimRatio": 7, "hardClearRatio": -1, "keepLastAssistants": 2.9, "minPrunableToolChars": -5}
    policy = convert_config(
        {"agent": {"contextPruning": {"mode": "cache-ttl", "hardClear": {"placeholder": "  "}} | stated}},
        load("openclaw"),
    )
    schedule, clear = policy.schedule, policy.prune[1]
    assert isinstance(schedule, Threshold)
    assert isinstance(clear, HardClear)
    assert (schedule.min_char_share, clear.min_char_share, clear.min_total_chars) == (1.0, 0.0, 0)
    assert (policy.protect.last_assistant_messages, clear.placeholder) == (2, CLEARED)
    off = convert_config({"agent": {"contextPruning": {"mode": "CACHE-TTL"}}}, load("openclaw"))
    assert isinstance(off.schedule, Never)


def test_CL_22_the_pruned_view_is_sent_again_within_the_ttl() -> None:
    """The source sends the history as it was within the new ttl; ours keeps the view (SEEDS 3.1)."""
    messages = [user(), x(5_000), *TAIL]
    first = fit(messages, window=4_000, now_ms=1_000_000)
    second = fit(messages, window=4_000, now_ms=1_001_000, plan=first.plan, idle_s=None)
    assert second.request == first.request != messages
    assert not second.receipt.opened


def test_CL_22_without_stickiness_the_history_is_sent_as_it_was() -> None:
    messages = [user(), x(5_000), *TAIL]
    policy = {"extends": "openclaw", "sticky": False}
    first = fit(messages, policy, 4_000, now_ms=1_000_000)
    assert first.request != messages
    assert fit(messages, policy, 4_000, now_ms=1_001_000, plan=first.plan, idle_s=1).request == messages


@pytest.mark.parametrize(("counter", "unit"), [("chars", "characters"), ("chars/4-round", "tokens")])
def test_the_reason_names_what_its_counter_counts(counter: str, unit: str) -> None:
    view = fit([user(), x(5_000), *TAIL], {"extends": "openclaw", "counter": counter}, 4_000)
    assert f" {unit} freed, by its own count" in view.plan.epochs[0].reason
