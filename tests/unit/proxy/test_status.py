"""What the status says of sessions: usage, money, and nothing that was said."""

import json

import pytest

from secateur.proxy.asked import Edited
from secateur.proxy.callers import Caller
from secateur.proxy.settings import ProxySettings
from secateur.proxy.status import Status
from secateur.receipt import EditCost, Receipt
from secateur.stores.protocol import SessionId
from secateur.usage import Usage
from secateur.view import View

WHO = SessionId("s", "t")
CALLER = Caller("codex", "s", "t", "main", False)


def edited(raw: int, view: int, cost: tuple[float, float] | None = None) -> Edited:
    """A request of so many tokens that was sent as so many; an epoch costs dollars now, and saves some each time."""
    told = None
    if cost is not None:
        told = EditCost(
            model="claude-opus-4-5",
            immediate=0,
            saved_per_request=0,
            break_even_requests=None,
            dollars_now=cost[0],
            dollars_saved=cost[1],
        )
    receipt = Receipt(
        policy="p",
        model="claude-opus-4-5",
        window=1,
        window_source="",
        counter="estimate",
        tokens_raw=raw,
        tokens_view=view,
        messages=1,
        opened=cost is not None,
        edits=(),
        active_edits=0,
        skipped_reason="",
        cost=told,
    )
    made = View(b"", None, receipt, None, None, "s", "t")  # type: ignore[arg-type]
    return Edited(b"{}", "edited", WHO, view=made)


def test_what_an_epoch_costs_is_taken_off_and_what_it_saves_is_added_with_each_later_request() -> None:
    status = Status(ProxySettings())
    for request in (edited(1_000, 1_000), edited(2_000, 500, (0.5, 0.2)), edited(2_100, 600), edited(2_200, 700)):
        status.note_request(CALLER, request, "prune")
    (row,) = status.report()["sessions"]
    assert (row["requests"], row["epochs"], row["tokens_raw"], row["tokens_saved"]) == (4, 1, 7_300, 4_500)
    assert row["saved_dollars"] == pytest.approx(-0.5 + 2 * 0.2)
    assert status.report()["saved_dollars"] == row["saved_dollars"]


def test_usage_is_added_up_and_priced() -> None:
    status = Status(ProxySettings())
    status.note_usage(CALLER, Usage(input=10))  # of a session that was never seen
    status.note_request(CALLER, edited(10, 10), "observe")
    for _ in range(2):
        status.note_usage(CALLER, Usage(input=1_000_000, read=1_000_000, write=0, output=1_000_000))
    (row,) = status.report()["sessions"]
    assert (row["input_tokens"], row["read_tokens"], row["output_tokens"], row["mode"]) == (2_000_000,) * 3 + (
        "observe",
    )
    assert row["cost_dollars"] == pytest.approx(2 * (5 + 0.5 + 25))


def test_sessions_are_bounded_and_the_newest_come_first() -> None:
    status = Status(ProxySettings())
    for number in range(600):
        status.note_request(Caller("", f"s{number}", "t", "main", False), edited(1, 1), "prune")
    rows = status.report()["sessions"]
    assert len(rows) == 500
    assert rows[0]["session"] == "s599"
    assert json.dumps(rows)


@pytest.mark.parametrize(("session", "whose"), [("s", "a request of session s was"), ("", "a request was")])
def test_a_failure_names_the_session_where_it_has_a_name(
    session: str, whose: str, caplog: pytest.LogCaptureFixture
) -> None:
    failed = Edited(b"{}", "failed", WHO, error="the disk is full")
    Status(ProxySettings()).note_request(Caller("", session, "t", "main", False), failed, "prune")
    assert caplog.messages == [f"{whose} sent without an edit: the disk is full"]
