"""What providers count, in streams too, is in the store: for the session that asked, and for its side calls."""

import json
from pathlib import Path
from typing import Any

import anthropic
import pytest

from agent_requests import anthropic_body, write_policy
from cli_runs import secateur
from proxies import ask, proxy
from secateur.answers.savings import sum_bills
from secateur.sessions.receipt_log import read
from secateur.stores.protocol import SessionId
from secateur.stores.sqlite import SqliteStore
from secateur.usage import Usage, UsageBill
from upstream import says, spoken, streams, upstream

MESSAGES = "/v1/messages"
USAGE = {"input_tokens": 90, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 5, "output_tokens": 7}
STREAM = streams(spoken("anthropic", "hello there"))  # the same figures, in two events
WHOLE = says(200, json.dumps({"usage": USAGE}))
EACH = Usage(input=90, read=10, write=5, output=7)
PRICE = (90 * 5 + 10 * 0.5 + 5 * 6.25 + 7 * 25) / 1_000_000  # claude-opus-5


def bill_of(store: Path, session: str = "s") -> UsageBill:
    """What the store says of a session."""
    kept = SqliteStore(store)
    state = kept.load(SessionId(session, "me"))
    assert state is not None
    kept.close()
    return sum_bills(state)


@pytest.mark.parametrize("answer", [STREAM, WHOLE], ids=["streamed", "whole"])
def test_answers_are_added_up_in_the_store(tmp_path: Path, answer: Any) -> None:
    kept = tmp_path / "kept.db"
    settings = {"mode": "prune", "policy": write_policy(tmp_path), "store": f"sqlite://{kept}", "tenant": "me"}
    with upstream(answer) as provider:
        for _ in range(2):
            with proxy(provider.url, **settings) as address:
                for rounds in (2, 3):
                    ask(address, MESSAGES, anthropic_body(rounds), x_session_id="s")
    bill = bill_of(kept)
    assert (bill.answers, bill.unpriced) == (4, 0)
    assert bill.usage == EACH + EACH + EACH + EACH
    assert bill.dollars == pytest.approx(4 * PRICE)
    store = SqliteStore(kept)
    receipts = [read(link.body) for link in store.list_receipts(SessionId("s", "me"))]
    store.close()
    assert receipts[0].billed is None
    assert receipts[-1].billed is not None
    assert receipts[-1].billed.answers in (1, 2, 3)  # those that were recorded when the last request came


def test_side_calls_are_billed_and_counting_is_not(tmp_path: Path) -> None:
    kept = tmp_path / "kept.db"
    settings = {"mode": "prune", "policy": write_policy(tmp_path), "store": f"sqlite://{kept}", "tenant": "me"}
    claude = {"x_claude_code_session_id": "s"}
    title = json.dumps({"model": "claude-haiku-4-5", "max_tokens": 9, "messages": [{"role": "user", "content": "t"}]})
    with upstream(WHOLE, WHOLE, says(200, '{"input_tokens": 4000}')) as provider, proxy(provider.url, **settings) as at:
        ask(at, MESSAGES, anthropic_body(2), **claude)
        ask(at, MESSAGES, title.encode(), **claude)
        ask(at, f"{MESSAGES}/count_tokens", anthropic_body(2), **claude)
    bill = bill_of(kept)
    assert (bill.answers, bill.usage) == (2, EACH + EACH)
    assert PRICE < bill.dollars < 2 * PRICE  # the title is the cheaper model's


def test_status_and_why_show_it_without_a_proxy(tmp_path: Path) -> None:
    kept = f"sqlite://{tmp_path / 'kept.db'}"
    settings = {"mode": "prune", "policy": write_policy(tmp_path), "store": kept, "tenant": "me"}
    with (
        upstream(STREAM) as provider,
        proxy(provider.url, **settings) as address,
        anthropic.Anthropic(
            base_url=address, api_key="k", max_retries=0, default_headers={"x-session-id": "s"}
        ) as client,
    ):
        for rounds in (2, 4):
            with client.messages.stream(**json.loads(anthropic_body(rounds))) as stream:
                stream.get_final_message()
    report = secateur("status", "--json", "--store", kept).json
    assert report["cost_dollars"] == pytest.approx(2 * PRICE)
    (row,) = report["sessions"]
    assert row["bill"]["answers"] == 2
    shown = secateur("status", "--store", kept).text
    for one in ("cached", "10 %", "cost", "$0.0013", "requests"):
        assert one in shown, shown
    why = secateur("why", "s", "--tenant", "me", "--store", kept)
    assert "Its provider counted 210 tokens of input in 2 answers" in why.text, why.text
    report = secateur("why", "s", "--tenant", "me", "--store", kept, "--json").json
    assert report["bill"]["usage"]["input"] == 180
