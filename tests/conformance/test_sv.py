"""What the preset systems must do, item by item: SV-S to SV-3, as far as pruning alone can show it."""

import json
from typing import Any

import pytest

import carried
import secateur
from native import Native, assistant, blocks, calls, named, pi_call, pi_messages, pi_result, pi_session, tool, user
from secateur.policy import Policy, as_toml, give_advice, list_preset_names, load
from secateur.policy.openclaw_config import convert_config
from secateur.policy.windows import resolve
from secateur.schedule import Never, Threshold
from secateur.tokens import get_counter

SEEDS = ("opencode", "kilocode", "hermes", "pi-auto-compressor", "openclaw")
COMPACTED = "<tool-output-compacted />"
NOW = 1_790_000_000_000


def x(tokens: int) -> str:
    """A text of so many tokens of four characters."""
    return "x" * 4 * tokens


def fit(messages: Any, policy: Any, **more: Any) -> secateur.View:
    return carried.fit(messages, policy=policy, **({"now_ms": NOW, "compact": False} | more))


def changed(messages: list[Native], policy: Any, **more: Any) -> list[int]:
    """Which messages are sent otherwise than they came."""
    after = fit(messages, policy, **more).request
    return [number for number, (old, new) in enumerate(zip(messages, after, strict=True)) if old != new]


def cold(messages: Any, policy: Any = "openclaw", window: int = 4_000, **more: Any) -> secateur.View:
    """An Anthropic session that was idle for an hour."""
    return fit(messages, policy, window=window, **({"idle_s": 3_600, "model": "claude-sonnet-4-5"} | more))


EXAMPLE = [
    user("0"),
    assistant("1"),
    named("contents of a file", "read_file", path="a.txt", time={"start": 5}),  # 2
    user("3"),
    assistant("4"),
    named("do it like this", "skill"),  # 5
    assistant("6"),
    named("edited", "edit_file"),  # 7
    user("8"),
    assistant("9"),
]
ROUNDS = [user(), assistant(), tool("x" * 5_000), assistant(), assistant(), assistant()]
SWEEP = [
    *[user(), assistant(), user(), pi_call("c4"), pi_result("c4", "x" * 250)],
    *[user() if number % 2 else assistant() for number in range(20)],
    *[pi_call("c26"), pi_result("c26", "y" * 250)],
]


# S: all of them


@pytest.mark.parametrize("policy", SEEDS)
def test_SV_S_2_only_tool_results_change(policy: str) -> None:
    args = json.dumps({"text": "y" * 4_000})
    history = [user(x(9_000)), assistant(x(9_000)), calls(("c", "bash"), args=args), tool(x(190_000), "c")]
    messages = [*history, *(user() if number % 2 else assistant() for number in range(24))]
    shown = cold(messages, policy, window=200_000).request
    assert [number for number, (old, new) in enumerate(zip(messages, shown, strict=True)) if old != new] == [3]
    assert load(policy).results_only


def test_SV_S_2_a_preset_that_would_change_more_is_refused() -> None:
    with pytest.raises(secateur.ConfigError, match="results_only"):
        load({"extends": "opencode", "prune": [{"type": "clear_inputs"}]})


def test_SV_S_2_bound_reasoning_goes_with_the_edit_and_is_named() -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "s1g"}
    round_ = blocks(("c1", x(50_000), False))
    later = {"role": "assistant", "content": [thinking, {"type": "text", "text": "done"}]}
    messages = [user(), *round_, later, user(), assistant(), user()]
    view = fit(messages, "kilocode", model="claude-opus-5-5")
    assert view.request[3]["content"] == [{"type": "text", "text": "done"}]
    assert ("remove", "settle") in [(entry.verb, entry.strategy) for entry in view.receipt.edits]
    unbound = fit(messages, "kilocode", model="claude-opus-4-5")
    assert unbound.request[3] == later
    assert unbound.request[2] != messages[2]


@pytest.mark.parametrize(
    ("policy", "name", "tokens"),
    [
        ("opencode", "chars/4-round", [0, 0, 1, 1, 25]),
        ("kilocode", "chars/4-round", [0, 0, 1, 1, 25]),
        ("hermes", "chars/4-ceil", [0, 1, 1, 1, 25]),
        ("pi-auto-compressor", "chars/4-round+10", [0, 10, 11, 11, 35]),
        ("openclaw", "chars", [0, 1, 2, 3, 100]),
    ],
)
def test_SV_S_4_each_preset_has_its_own_counter(policy: str, name: str, tokens: list[int]) -> None:
    assert load(policy).counter == name
    assert [get_counter(name)("x" * size) for size in (0, 1, 2, 3, 100)] == tokens
    assert fit([user()], policy).receipt.counter == "estimate"


def test_SV_S_5_reminders_are_turns_in_opencode_and_kilocode_only() -> None:
    reminder = {"role": "user", "content": [{"type": "text", "text": "<system-reminder>mind</system-reminder>"}]}
    rounds = [*blocks(("c1", x(160_000), False)), *blocks(("c2", x(20_000), False))]
    messages = [user(), *rounds, reminder, reminder]
    assert changed(messages, "opencode") == [2, 4]
    assert changed(messages, "kilocode") == [2]
    assert changed(messages, "hermes", window=200_000) == []
    assert changed([*messages, user(), user()], "hermes", window=200_000) == [2]


@pytest.mark.parametrize(
    ("policy", "more"),
    [
        ("opencode", [tool(x(100))]),
        ("hermes", [tool(x(190_000)), tool(x(30_000))]),
        ("openclaw", [tool("x" * 4_000) for _ in range(101)]),
    ],
)
def test_SV_S_6_the_placeholder_stands_over_any_output_and_the_receipt_shows_the_growth(
    policy: str, more: list[Native]
) -> None:
    messages = [user(), tool("ok"), *more, user(), user(), assistant(), assistant(), assistant()]
    view = cold(messages, policy, window=200_000)
    assert len(view.request[1]["content"]) > len("ok")
    first = view.receipt.edits[0]
    assert (first.message, first.tokens_after > first.tokens_before) == (1, True)


def test_SV_S_6_kilocode_is_never_longer() -> None:
    messages = [user(), tool("ok"), tool(x(70_000)), tool(x(40_000)), user(), user()]
    assert changed(messages, "kilocode") == [2]
    entry = fit(messages, "kilocode").receipt.edits[0]
    assert entry.tokens_after <= entry.tokens_before


@pytest.mark.parametrize("policy", SEEDS)
def test_SV_S_7_insertion_time_excerpts_are_off_and_one_setting(policy: str) -> None:
    messages = [user(), assistant(), user(), tool("x" * 90_000)]
    assert fit(messages, policy).request is messages
    shown = fit(messages, {"extends": policy, "on_arrival": {"max_chars": 1_000}}).request
    assert 0 < len(shown[3]["content"]) <= 1_000


def test_SV_S_7_an_excerpt_counts_at_its_size_and_its_placeholder_tells_the_originals() -> None:
    policy = {"extends": "kilocode", "on_arrival": {"max_chars": 4_000}}
    messages = [user(), *(tool(x(25_000)) for _ in range(3)), user(), user()]
    assert changed(messages, "kilocode") == [1, 2]  # 75,000 tokens: 50,000 beyond the newest 40,000
    born = fit(messages, policy)
    assert [entry.strategy for entry in born.receipt.edits] == [
        "excerpt"
    ] * 3  # three times 1,000 tokens: within 40,000
    more = [*messages[:4], *(tool(x(1_000)) for _ in range(61)), user(), user()]
    cleared = fit(more, policy, plan=born.plan).request[1]["content"]
    assert len(cleared) <= 200
    assert "100000 chars" in cleared


def test_SV_S_8_tools_are_matched_without_case_and_by_globs() -> None:
    messages = [user(), named("s", "SKILL"), named("m", "mcp__notes__read"), user(), user()]
    assert changed(messages, "opencode") == [2]
    assert changed(messages, "opencode", protect=["mcp__*"]) == []


# 000: opencode


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([user(), named("out", "bash"), user(), user()], [1]),
        ([user(), assistant("out"), user(), user()], []),
        ([user(), named("out", "skill"), user(), user()], []),
        ([user(), user(), named("out", "bash"), user()], []),
        ([user(), named("out"), user(), user()], [1]),
        ([user(), {"role": "tool", "content": "out"}, user(), user()], [1]),
    ],
)
def test_SV_0_1_result_not_protected_and_before_the_boundary(messages: list[Native], expected: list[int]) -> None:
    assert changed(messages, "opencode") == expected


def test_SV_0_2_the_boundary_is_the_second_user_message_from_the_end() -> None:
    assert changed([named("0", "bash"), user(), named("2", "bash"), user(), named("4", "bash")], "opencode") == [0]
    assert changed([named("0", "bash"), user(), named("2", "bash")], "opencode") == []
    assert changed([named("0", "bash"), named("1", "bash")], "opencode") == []
    assert "1 user turns" in fit([named("0", "bash"), user()], "opencode").receipt.skipped_reason


def test_SV_0_3_skill_is_protected_and_the_list_is_open() -> None:
    messages = [user(), named("s", "skill"), named("m", "memory_store"), user(), user()]
    assert changed(messages, "opencode") == [2]
    assert changed(messages, "opencode", protect=["memory_store"]) == []
    assert changed(messages, {"extends": "opencode", "protect": {"tools": ["skill", "memory_store"]}}) == []


def test_SV_0_3_doctor_warns() -> None:
    assert give_advice(load("opencode")) == []
    assert "`skill`" in give_advice(load({"extends": "opencode", "protect": {"tools": []}}))[0]
    assert (
        "only the last 1 user turns are protected"
        in give_advice(load({"extends": "opencode", "protect": {"last_turns": 1}}))[0]
    )


def test_SV_0_4_the_exact_text_and_the_time_of_the_epoch() -> None:
    view = fit(EXAMPLE, "opencode")
    assert view.request[2] == {
        "role": "tool",
        "content": COMPACTED,
        "metadata": {"path": "a.txt", "time": {"start": 5, "compacted": NOW}, "toolName": "read_file"},
    }
    again = fit([*EXAMPLE, user("10")], "opencode", plan=view.plan, now_ms=NOW + 60_000)
    assert again.request[2] == view.request[2]
    assert again.request[7]["metadata"]["time"]["compacted"] == NOW + 60_000


def test_SV_0_4_a_host_without_the_place_gets_no_stamp() -> None:
    messages = [user(), calls(("c", "bash")), tool("out", "c"), user(), user()]
    assert fit(messages, "opencode").request[2] == {"role": "tool", "tool_call_id": "c", "content": COMPACTED}


def test_SV_0_5_the_seeds_own_shape_is_read() -> None:
    result = fit(EXAMPLE, "observe").raw_transcript.messages[2].parts[0]
    assert (result.kind, result.tool, result.call_id, result.text) == (
        "tool_result",
        "read_file",
        "",
        "contents of a file",
    )


@pytest.mark.parametrize("kind", [list, json.dumps, lambda messages: json.dumps(messages).encode()])
def test_SV_0_6_the_ten_message_example(kind: Any) -> None:
    after = fit(kind(EXAMPLE), "opencode").request
    shown = after if isinstance(after, list) else json.loads(after)
    assert [number for number in range(10) if shown[number] != EXAMPLE[number]] == [2]


def test_SV_0_7_the_newest_outputs_survive() -> None:
    messages = [user(), named("old", "bash"), user(), named("new", "bash"), user(), named("newest", "bash")]
    assert changed(messages, "opencode") == [1]


def test_SV_0_7_skill_output_survives_however_old() -> None:
    messages = [user(), named("how to build", "skill"), *(user() for _ in range(50))]
    assert changed(messages, "opencode") == []


def test_SV_0_7_several_calls_inside_the_last_two_turns_all_survive() -> None:
    turn = [user(), *(named(f"out {number}", "bash") for number in range(9))]
    assert changed([*turn, *turn, *turn], "opencode") == list(range(1, 10))


def test_SV_0_8_the_list_is_open_and_placeholders_can_say_what_went() -> None:
    policy = {"extends": "opencode", "prune": [{"type": "hard_clear"}]}
    messages = [user(), calls(("c", "bash"), args='{"command":"make test"}'), tool("x" * 5_000, "c"), user(), user()]
    shown = fit(messages, policy).request[2]["content"]
    assert "make test" in shown
    assert "5000 chars" in shown


# 001: kilocode, hermes


def test_SV_1_1_the_newest_40000_tokens_stay() -> None:
    messages = [user(), tool(x(30_000)), tool(x(20_000)), tool(x(20_000)), user(), tool(x(90_000)), user(), tool(x(9))]
    assert changed(messages, "kilocode") == [1]


@pytest.mark.parametrize(("tokens", "expected"), [(20_000, []), (20_001, [1])])
def test_SV_1_1_more_than_20000_tokens_must_come_free(tokens: int, expected: list[int]) -> None:
    messages = [user(), tool(x(tokens)), tool(x(40_000)), user(), user()]
    assert changed(messages, "kilocode") == expected


def test_SV_1_1_the_gate_says_its_numbers() -> None:
    messages = [user(), tool(x(18_240)), tool(x(40_000)), user(), user()]
    assert "18,240" in fit(messages, "kilocode").receipt.skipped_reason
    assert "20,000" in fit(messages, "kilocode").receipt.skipped_reason


def test_SV_1_1_the_last_two_turns_are_skipped_and_not_counted() -> None:
    messages = [user(), tool(x(60_001)), user(), tool(x(500_000)), user(), tool(x(500_000))]
    assert changed(messages, "kilocode") == [1]
    assert changed([user(), tool(x(40_000)), *messages[2:]], "kilocode") == []


def test_SV_1_1_protected_tools_never() -> None:
    messages = [user(), named(x(90_000), "skill"), named(x(90_000), "bash"), user(), user()]
    assert changed(messages, "kilocode") == [2]


@pytest.mark.parametrize(("used", "acts"), [(169_999, False), (170_000, False), (170_001, True)])
def test_SV_1_3_hermes_acts_over_85_percent(used: int, acts: bool) -> None:
    messages = [user(""), tool(x(used)), user(""), user("")]
    view = fit(messages, "hermes", window=200_000)
    assert (view.request is not messages) is acts
    assert view.receipt.opened is acts


def test_SV_1_3_the_placeholder_has_plain_digits() -> None:
    view = fit([user(), tool(x(190_000)), user(), user()], "hermes", window=200_000)
    assert view.request[1]["content"] == "[Tool output pruned — was 760000 chars]"


@pytest.mark.parametrize("name", ["clarify", "memory", "skill_view", "todo"])
def test_SV_1_3_hermes_never_prunes(name: str) -> None:
    messages = [user(), named(x(90_000), name), named(x(90_000), "terminal"), user(), user()]
    assert changed(messages, "hermes", window=200_000) == [2]


@pytest.mark.parametrize(
    ("window", "protected"),
    [
        (16_000, 5_000),
        (32_000, 10_000),
        (80_000, 25_000),
        (128_000, 40_000),
        (1_000_000, 100_000),
        (2_000_000, 100_000),
    ],
)
def test_SV_1_4_protection_by_window(window: int, protected: int) -> None:
    policy = {"extends": "hermes", "schedule": {"over_window_share": 0.0}}
    messages = [user(), tool(x(21_000)), tool(x(1)), tool(x(protected)), user(), user()]
    assert changed(messages, policy, window=window) == [1, 2]
    assert changed([*messages[:3], tool(x(protected - 1)), user(), user()], policy, window=window) == [1]


@pytest.mark.parametrize(
    ("window", "protected", "least"),
    [(32_000, 10_000, 5_000), (64_000, 20_000, 10_000), (128_000, 40_000, 20_000), (1_000_000, 100_000, 20_000)],
)
def test_SV_1_4_the_minimum_scales_down(window: int, protected: int, least: int) -> None:
    policy = {"extends": "hermes", "schedule": {"over_window_share": 0.0}}
    for tokens, expected in ((least, []), (least + 1, [1])):
        messages = [user(), tool(x(tokens)), tool(x(protected)), user(), user()]
        assert changed(messages, policy, window=window) == expected


@pytest.mark.parametrize("policy", ["kilocode", "hermes"])
def test_SV_1_6_users_reasoning_and_calls_stay(policy: str) -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    use = {"type": "tool_use", "id": "c", "name": "bash", "input": {"command": "y" * 9_000}}
    result = {"type": "tool_result", "tool_use_id": "c", "content": x(190_000)}
    messages = [
        user("z" * 9_000),
        {"role": "assistant", "content": [thought, {"type": "text", "text": "t" * 9_000}, use]},
        {"role": "user", "content": [result]},
        user(),
        user(),
    ]
    assert changed(messages, policy, window=200_000, model="claude-sonnet-4-5") == [2]


# 002: pi-auto-compressor


def test_SV_2_1_a_call_and_its_result_survive() -> None:
    session = pi_session([user(), pi_call("c1"), pi_result("c1", "README.md\npruner.ts\n")])
    shown = pi_messages(fit(session, "pi-auto-compressor").request)
    results = [message for message in shown if message["role"] == "toolResult"]
    asked = [block for message in shown if message["role"] == "assistant" for block in message["content"]]
    assert (len(results), len(asked)) == (1, 1)
    assert results[0]["content"][0]["text"] == "README.md\npruner.ts\n"


def test_SV_2_1_also_in_a_list_of_messages() -> None:
    messages = [user(), pi_call("c1"), pi_result("c1", "README.md\npruner.ts\n")]
    assert fit(messages, "pi-auto-compressor").request is messages
    swept = fit(SWEEP, "pi-auto-compressor").request
    text = "[Tool output swept: bash c4, 250 chars removed]"
    assert [message["content"] for message in swept[3:5]] == [SWEEP[3]["content"], [{"type": "text", "text": text}]]
    assert swept[:3] + swept[5:] == SWEEP[:3] + SWEEP[5:]


def test_SV_2_2_no_call_is_left_without_its_result() -> None:
    shown = pi_messages(fit(pi_session(SWEEP), "pi-auto-compressor").request)
    asked = [
        b["id"] for m in shown if m["role"] == "assistant" and isinstance(m["content"], list) for b in m["content"]
    ]
    assert asked == [message["toolCallId"] for message in shown if message["role"] == "toolResult"] == ["c4", "c26"]


def test_SV_2_3_chat_calls_work_too() -> None:
    middle = [user() if number % 2 else assistant() for number in range(20)]
    messages = [user(), assistant(), user(), calls(("c4", "bash")), tool("x" * 250, "c4"), *middle]
    view = fit(messages, "pi-auto-compressor")
    assert view.request[4]["content"] == "[Tool output swept: bash c4, 250 chars removed]"
    assert view.request[3] == messages[3]


def test_SV_2_3_also_mixed_with_pi_blocks() -> None:
    middle = [user() if number % 2 else assistant() for number in range(20)]
    both = [pi_call("p4"), pi_result("p4", "x" * 250), calls(("c6", "bash")), tool("x" * 250, "c6")]
    messages = [user(), assistant(), user(), *both, *middle]
    shown = fit(messages, "pi-auto-compressor").request
    assert shown[4]["content"] == [{"type": "text", "text": "[Tool output swept: bash p4, 250 chars removed]"}]
    assert "[Tool output swept: bash c6, 250 chars removed]" in json.dumps(shown[6]["content"])
    assert shown[6]["tool_call_id"] == "c6"
    assert [shown[3], shown[5]] == [messages[3], messages[5]]


def test_SV_2_5_old_results_are_swept_and_the_tails_keep_their_length() -> None:
    shown = pi_messages(fit(pi_session(SWEEP), "pi-auto-compressor").request)
    assert shown[4]["content"] == [{"type": "text", "text": "[Tool output swept: bash c4, 250 chars removed]"}]
    assert len(shown[26]["content"][0]["text"]) == 250
    assert len(shown) == len(SWEEP)


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (pi_result("c4", "x" * 199), ""),
        (pi_result("c4", "x" * 200), "[Tool output swept: bash c4, 200 chars removed]"),
        (pi_result("c4", "x" * 1_234, error=True), "[Tool output swept: bash c4, error output, 1,234 chars removed]"),
        (pi_result("c4", "x" * 900, "write"), ""),
        (pi_result("c4", "x" * 900, "edit"), ""),
        (pi_result("c4", "x" * 900, "compress"), ""),
    ],
)
def test_SV_2_5_what_is_swept_and_how(result: Native, text: str) -> None:
    messages = [*SWEEP[:3], pi_call("c4", result["toolName"]), result, *SWEEP[5:]]
    shown = pi_messages(fit(pi_session(messages), "pi-auto-compressor").request)[4]
    assert shown == (result | {"content": [{"type": "text", "text": text}]} if text else result)


def test_SV_2_5_on_a_rewound_history_what_is_protected_again_reads_as_it_came() -> None:
    engine = secateur.Engine(policy="pi-auto-compressor")
    long = engine.fit(pi_session(SWEEP), session="s", now_ms=NOW)
    assert pi_messages(long.request)[4] != SWEEP[4]
    rewound = pi_session(SWEEP[:24])
    assert engine.fit(rewound, session="s", now_ms=NOW).request == rewound
    assert fit(rewound, "pi-auto-compressor", plan=long.plan).request == rewound


@pytest.mark.parametrize(("policy", "kept"), [("pi-auto-compressor", "bodies"), ("openclaw", "never")])
def test_SV_2_7_3_1_session_files_are_not_for_rewriting(policy: str, kept: str) -> None:
    assert load(policy).allow_in_place == kept
    assert all(
        load(name).allow_in_place == "always"
        for name in list_preset_names()
        if name not in ("pi-auto-compressor", "openclaw")
    )


# 003: openclaw


def test_SV_3_1_edits_stay_for_the_follow_ups() -> None:
    first = cold(ROUNDS)
    assert first.request[2] != ROUNDS[2]
    more = [*ROUNDS, user("and now?"), assistant(), assistant(), assistant()]
    follow_up = cold(more, plan=first.plan, idle_s=3, now_ms=NOW + 3_000)
    assert follow_up.request[:6] == first.request
    assert not follow_up.receipt.opened


def test_SV_3_1_without_stickiness_follow_ups_are_sent_as_they_came() -> None:
    policy = {"extends": "openclaw", "sticky": False}
    first = cold(ROUNDS, policy)
    assert first.request[2] != ROUNDS[2]
    assert cold(ROUNDS, policy, plan=first.plan, idle_s=3, now_ms=NOW + 3_000).request == ROUNDS


def test_SV_3_2_off_where_openclaws_configuration_says_nothing() -> None:
    assert isinstance(convert_config({"agents": {}}, load("openclaw")).schedule, Never)
    assert isinstance(load("openclaw").schedule, Threshold)


@pytest.mark.parametrize(("idle_s", "acts"), [(None, False), (10, False), (300, False), (301, True)])
def test_SV_3_2_only_when_the_last_call_is_older_than_the_ttl(idle_s: float | None, acts: bool) -> None:
    assert (cold(ROUNDS, idle_s=idle_s).request != ROUNDS) is acts


@pytest.mark.parametrize(
    ("model", "acts"),
    [
        ("claude-opus-4-5", True),
        ("anthropic/claude-sonnet-4.5", True),
        ("gpt-5", False),
        ("openai/gpt-5", False),
        ("glm-4.6", False),
        ("", False),
    ],
)
def test_SV_3_2_only_for_anthropic_models(model: str, acts: bool) -> None:
    assert (cold(ROUNDS, model=model).request != ROUNDS) is acts


def test_SV_3_2_the_ttl_runs_from_the_pruning() -> None:
    first = cold(ROUNDS)
    more = [*ROUNDS, user(), tool("y" * 9_000), assistant(), assistant(), assistant()]
    soon = cold(more, plan=first.plan, idle_s=3_600, now_ms=NOW + 200_000)
    assert not soon.receipt.opened
    late = cold(more, plan=first.plan, idle_s=3_600, now_ms=NOW + 301_000)
    assert late.receipt.opened


def test_SV_3_3_what_is_never_pruned() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    messages = [
        tool("before the first user message" * 900),
        user("x" * 9_000),
        assistant("x" * 9_000),
        tool([{"type": "text", "text": "x" * 9_000}, image]),
        tool("x" * 9_000),  # the only one
        assistant(),
        tool("after the third assistant from the end" * 900),
        assistant(),
        assistant(),
    ]
    shown = cold(messages).request
    assert [number for number, (old, new) in enumerate(zip(messages, shown, strict=True)) if old != new] == [4]


def test_SV_3_3_fewer_assistants_nothing_at_all() -> None:
    assert cold([user(), tool("x" * 90_000), assistant(), assistant()]).receipt.opened is False


def test_SV_3_4_four_characters_are_a_token_and_the_window_is_resolved() -> None:
    below = [user(""), tool("x" * 4_799), assistant(""), assistant(""), assistant("")]
    at = [user(""), tool("x" * 4_800), assistant(""), assistant(""), assistant("")]
    assert cold(below).request is below
    assert cold(at).request != at
    models = {"providers": {"anthropic": {"models": [{"id": "claude-x", "contextWindow": 100_000}]}}}
    policy = convert_config({"models": models, "agents": {"defaults": {"contextTokens": 90_000}}}, load("openclaw"))
    assert resolve(None, "claude-x", load("openclaw"))[0] == 200_000
    assert resolve(None, "gpt-4o", load("openclaw"))[0] == 128_000
    assert resolve(None, "claude-x", convert_config({"models": models}, load("openclaw")))[0] == 100_000
    assert resolve(None, "claude-x", policy)[0] == 90_000


def test_SV_3_5_soft_trim_keeps_the_ends_and_notes_the_size() -> None:
    text = "a" * 1_500 + "ERROR in the middle" * 200 + "z" * 1_500
    shown = cold([user(), tool(text), assistant(), assistant(), assistant()]).request[1]["content"]
    note = f"[Tool result trimmed: kept first 1500 chars and last 1500 chars of {len(text)} chars.]"
    assert shown == "a" * 1_500 + "\n...\n" + "z" * 1_500 + "\n\n" + note


def test_SV_3_5_hard_clear_from_half_the_window_oldest_first() -> None:
    messages = [user(), *(tool("x" * 4_000) for _ in range(20)), assistant(), assistant(), assistant()]
    shown = cold(messages, window=30_000).request
    cleared = [message["content"] == "[Old tool result content cleared]" for message in shown[1:21]]
    assert cleared == [True] * 6 + [False] * 14  # 80,004 of 120,000 characters; below half after six


def test_SV_3_5_openclaws_own_messages() -> None:
    said = [
        {"role": "assistant", "content": [{"type": "text", "text": "a"}], "provider": "anthropic", "model": "claude-x"}
    ]
    messages = [user(), pi_call("c1"), pi_result("c1", "x" * 5_000), *said * 3]
    shown = fit(messages, "openclaw", window=4_000, idle_s=3_600).request[2]
    assert len(shown["content"][0]["text"]) == 3_086
    assert shown == messages[2] | {"content": shown["content"]}


def test_SV_3_5_hard_clear_needs_50000_characters() -> None:
    few = [user(), *(tool("x" * 4_000) for _ in range(12)), assistant(), assistant(), assistant()]
    assert cold(few, window=20_000).request is few
    enough = [user(), tool("x" * 2_000), *few[1:]]
    assert cold(enough, window=20_000).request != enough


def test_SV_3_6_allow_and_deny() -> None:
    def which(**tools: list[str]) -> list[int]:
        config = {"agents": {"defaults": {"contextPruning": {"mode": "cache-ttl", "tools": tools}}}}
        messages = [user(), *(named("x" * 5_000, tool) for tool in ("Exec", "read", "image_gen")), *ROUNDS[3:]]
        shown = cold(messages, convert_config(config, load("openclaw"))).request
        return [number for number, (old, new) in enumerate(zip(messages, shown, strict=True)) if old != new]

    assert which() == [1, 2, 3]
    assert which(allow=["exec", "READ"]) == [1, 2]
    assert which(deny=["*image*"]) == [1, 2]
    assert which(allow=["*"], deny=["ex*"]) == [2, 3]
    assert which(allow=[], deny=["*"]) == []


@pytest.mark.parametrize(
    ("mode", "heartbeat", "cache"), [("oauth", "1h", None), ("token", "1h", None), ("api_key", "30m", "1h")]
)
def test_SV_3_7_smart_defaults(mode: str, heartbeat: str, cache: str | None) -> None:
    config = {
        "auth": {"profiles": {"a": {"provider": "anthropic", "mode": mode}}},
        "agents": {"defaults": {"models": {"anthropic/claude-opus-4-5": {}}}},
    }
    policy = convert_config(config, load("openclaw"))
    assert isinstance(policy.schedule, Threshold)
    assert policy.host_settings["heartbeat"] == heartbeat
    assert policy.host_settings.get("anthropic/claude-opus-4-5 cacheControlTtl") == cache
    assert any("ttl is 300 s" in told for told in give_advice(policy)) is (cache is not None)


def test_SV_3_8_both_places_are_read() -> None:
    for config in (
        {"agent": {"contextPruning": {"mode": "cache-ttl", "ttl": "7m"}}},
        {"agents": {"defaults": {"contextPruning": {"mode": "cache-ttl", "ttl": "7m"}}}},
    ):
        schedule = convert_config(config, load("openclaw")).schedule
        assert isinstance(schedule, Threshold)
        assert schedule.min_idle_s == 420


# the policy language


@pytest.mark.parametrize("name", list_preset_names())
def test_SV_presets_are_plain_data(name: str, tmp_path: Any) -> None:
    file = tmp_path / "copy.toml"
    file.write_text(as_toml(load(name)), "utf-8")
    assert isinstance(load(file), Policy)
    assert load(file) == load(name)
