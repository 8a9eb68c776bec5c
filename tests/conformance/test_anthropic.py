"""The Messages API's own clearing of tool uses (`clear_tool_uses_20250919`), at its defaults."""

import secateur
from native import Native, blocks, user

PAGE = "The hedge is cut in late winter, before the birds nest in it. " * 2_000  # about 30,000 tokens


def history(*names: str) -> list[Native]:
    rounds = [message for n, name in enumerate(names) for message in blocks((f"c{n}", f"{n} {PAGE}", False), name=name)]
    return [user(), *rounds]


def cleared(messages: list[Native], **settings: object) -> list[int]:
    """Numbers of the rounds whose results are cleared."""
    after = secateur.fit(messages, policy={"extends": "anthropic"} | settings, window=1_000_000).request
    return [number // 2 - 1 for number, (old, new) in enumerate(zip(messages, after, strict=True)) if old != new]


def test_over_100000_tokens_all_but_the_newest_three_are_cleared() -> None:
    messages = history("bash", "bash", "read", "read", "bash")
    view = secateur.fit(messages, policy="anthropic", window=1_000_000)
    assert view.receipt.tokens_raw > 100_000
    assert cleared(messages) == [0, 1]
    assert view.request[1] == messages[1]
    assert view.request[2]["content"][0]["content"] == "[Old tool result content cleared]"
    assert view.request[2]["content"][0]["tool_use_id"] == "c0"


def test_up_to_it_nothing_is_done() -> None:
    messages = history("bash")
    view = secateur.fit(messages * 2, policy="anthropic", window=1_000_000)
    assert "the policy begins over 100,000" in view.receipt.skipped_reason
    assert not view.receipt.opened


def test_excluded_tools_stay_and_still_count_as_newest() -> None:
    messages = history("bash", "bash", "read", "read", "bash")
    assert cleared(messages, protect={"tools": ["bash"]}) == []
    assert cleared(messages, protect={"tools": ["bash"], "last_results": 1}) == [2, 3]


def test_too_little_to_be_worth_it() -> None:
    messages = history("bash", "bash", "read", "read", "bash")
    assert cleared(messages, schedule={"clear_at_least": 500_000}) == []
    assert cleared(messages, schedule={"clear_at_least": 20_000}) == [0, 1]


def test_observe_changes_nothing() -> None:
    messages = history("bash", "bash", "read", "read", "bash")
    view = secateur.fit(messages, policy="observe")
    assert view.request is messages
    assert view.receipt.skipped_reason == "the policy observes only"
