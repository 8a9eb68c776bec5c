"""A receipt in full, for small requests whose figures can be worked out by hand."""

import json

from secateur import Engine
from secateur.receipt import EditCost, Receipt
from short_sessions import CLEAR, MODEL, body


def played() -> tuple[Receipt, Receipt]:
    """A first request of three rounds, and half a minute later one more."""
    engine = Engine(CLEAR, MODEL, window=200_000)
    first = engine.fit(body(3), session="s", now_ms=1_000)
    return first.receipt, engine.fit(body(4), session="s", now_ms=31_000).receipt


def test_what_a_request_was_and_what_became_of_it() -> None:
    first, second = played()
    assert (first.tokens_raw, first.tokens_view, first.messages, first.active_edits) == (949, 386, 7, 2)
    assert (second.tokens_raw, second.tokens_view, second.messages, second.active_edits) == (1_239, 396, 9, 3)
    for receipt in (first, second):
        assert (receipt.policy, receipt.model, receipt.provider) == ("clear", MODEL, "anthropic")
        assert (receipt.window, receipt.window_source, receipt.token_ratio) == (200_000, "stated", 1.0)
        assert (receipt.counter, receipt.format) == ("estimate", "anthropic_messages")
        assert (receipt.status, receipt.opened, receipt.skipped_reason) == ("opened", True, "")
        assert (receipt.warnings, receipt.repairs, receipt.forced_reason, receipt.error) == ((), (), "", "")
        assert (receipt.compaction, receipt.breakpoints, receipt.unread) == (None, 0, 0)
    assert (first.reason, second.reason) == (
        "clear: 457 tokens freed, by its own count",
        "clear: 227 tokens freed, by its own count",
    )
    assert (first.idle_s, second.idle_s) == (None, 30.0)
    assert (first.at_ms, second.at_ms) == (1_000, 31_000)
    assert first.parent == ""
    assert second.parent == first.head_key


def test_each_edit_names_its_part_its_place_and_its_size() -> None:
    first, second = played()
    edits = [(one.message, one.call_id, one.tokens_before, one.tokens_after) for one in (*first.edits, *second.edits)]
    assert edits == [(2, "c0", 310, 28), (4, "c1", 309, 28), (6, "c2", 308, 28)]
    for edit in first.edits:
        assert (edit.verb, edit.strategy, edit.tool, edit.user_turn) == ("rewrite", "hard_clear", "Bash", 1)
        assert (edit.reason, edit.at_ms, edit.handle) == (first.reason, 1_000, None)
    assert second.edits[0].at_ms == 31_000


def test_the_cost_of_an_epoch_on_a_cold_and_on_a_warm_cache() -> None:
    """Cold: 563 tokens are not written, at 1.25 each. Warm: 28 are written again, and 280 are read no more."""
    first, second = played()
    assert first.cost == EditCost(
        model=MODEL,
        immediate=-703.8,
        saved_per_request=56.3,
        break_even_requests=0.0,
        dollars_now=-0.003519,
        dollars_saved=0.000282,
        cache_cold_reason="no earlier call is known, so there is no prompt cache to lose",
        price_assumption="",
    )
    assert second.cost == EditCost(
        model=MODEL,
        immediate=4.2,
        saved_per_request=28.0,
        break_even_requests=0.1,
        dollars_now=0.000021,
        dollars_saved=0.00014,
        cache_cold_reason="",
        price_assumption="",
    )


def test_a_receipt_tells_what_was_repaired() -> None:
    broken = json.loads(body(2))
    del broken["messages"][2]  # a result
    receipt = Engine("observe", MODEL, repair=True).fit(broken, now_ms=1_000).receipt
    assert len(receipt.repairs) == 1
    rule, _, rest = receipt.repairs[0].partition(" at ")
    where, _, what = rest.partition(": ")
    assert rule.startswith("A")
    assert where.startswith("messages.")
    assert what


def test_prices_that_were_assumed_are_told_where_they_decide() -> None:
    request = json.loads(body(2)) | {"model": "house-1"}
    told = Engine("balance").fit(request, now_ms=1_000).receipt.warnings
    assert any("of house-1 unknown" in one for one in told)
    assert Engine("observe").fit(request, now_ms=1_000).receipt.warnings == ()


def test_a_view_that_only_the_policys_own_count_finds_small_is_named() -> None:
    encoded = "".join(chr(48 + (n * n * 7 + n // 3) % 75) for n in range(4_000))
    call = {"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": "x"}}
    rounds = [
        one
        for n in range(25)
        for one in (
            {"role": "assistant", "content": [{**call, "id": f"c{n}"}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"c{n}", "content": f"{n} {encoded}"}]},
        )
    ]
    ends = [{"role": role, "content": "on"} for role in ("assistant", "user", "assistant", "user")]
    request = {
        "model": "claude-sonnet-4-5",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": "go"}, *rounds, *ends],
    }
    view = Engine("hermes", window=64_000, too_long="send").fit(json.dumps(request).encode(), session="s", now_ms=1)
    said = [one for one in view.receipt.warnings if "over the threshold of 54,400 of policy hermes" in one]
    assert len(said) == 1
    assert f"the view takes {view.receipt.tokens_view:,} tokens" in said[0]
    assert "(chars/4-ceil) and so removed nothing" in said[0]
    assert view.request == json.dumps(request).encode()
    small = {**request, "messages": [*request["messages"][:9], *ends]}
    for policy in ("hermes", "balance", "openclaw"):
        quiet = Engine(policy, window=64_000, too_long="send").fit(json.dumps(small).encode(), session=policy, now_ms=1)
        assert not [one for one in quiet.receipt.warnings if "over the threshold" in one]
