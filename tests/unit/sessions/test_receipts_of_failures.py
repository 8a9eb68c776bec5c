"""What a session's receipts say of requests that failed, and of a view that was sent all the same."""

import pytest

from secateur import Engine
from secateur.errors import FormatError, StillTooLong
from secateur.receipt import CompactionReport, Receipt
from secateur.sessions.receipt_log import make_failure_receipt, make_notice, make_recall_receipt
from secateur.sessions.unsent import make_unsent_receipt
from secateur.stores.memory import MemoryStore
from secateur.usage import UsageBill
from short_sessions import CLEAR, WHO, body, receipts


def test_a_view_that_is_too_long_leaves_a_receipt_in_its_session() -> None:
    store = MemoryStore()
    engine = Engine(CLEAR, store=store, window=50)
    with pytest.raises(StillTooLong) as raised:
        engine.fit(body(4), session="s", now_ms=7_000)
    [receipt] = receipts(store)
    assert (receipt.session, receipt.sequence, receipt.at_ms) == ("s", 0, 7_000)
    assert (receipt.status, receipt.opened, receipt.reason, receipt.skipped_reason) == ("failed", False, "", "")
    assert (receipt.edits, receipt.active_edits, receipt.epochs, receipt.view_hash) == ((), 0, (0, 0), "")
    assert receipt.error == str(raised.value)
    assert receipt.error.startswith("3")  # so many hundred tokens are left
    assert [part.tokens for part in raised.value.largest] == sorted(
        (part.tokens for part in raised.value.largest), reverse=True
    )


def test_what_was_sent_all_the_same_is_the_sessions_next_request() -> None:
    store = MemoryStore()
    engine = Engine(CLEAR, store=store, window=50)
    with pytest.raises(StillTooLong) as raised:
        engine.fit(body(4), session="s", now_ms=7_000)
    receipt = engine.sent(raised.value).receipt
    assert (receipt.session, receipt.sequence, receipt.epochs) == ("s", 1, (0, 1))
    engine.sent(raised.value)  # twice is once
    first, second = receipts(store)
    assert first.status == "failed"
    assert (second.session, second.sequence, second.status) == ("s", 1, "opened")
    assert (second.epochs, second.error) == ((0, 1), "")
    assert len(second.edits) == 3
    assert second.view_hash
    state = store.load(WHO)
    assert state is not None
    assert state.receipts == 2
    assert len(state.plan.epochs) == 1


def test_a_request_that_cannot_be_read_leaves_a_receipt_of_why() -> None:
    store = MemoryStore()
    with pytest.raises(FormatError) as raised:
        Engine(CLEAR, store=store).fit(b"nonsense", session="s", now_ms=8_000)
    [receipt] = receipts(store)
    assert (receipt.session, receipt.status, receipt.policy, receipt.at_ms) == ("s", "failed", "clear", 8_000)
    assert receipt.error == f"{type(raised.value).__name__}: {raised.value}"


def test_a_long_error_is_cut() -> None:
    receipt = make_failure_receipt("clear", "estimate", ValueError("x" * 3_000), 5)
    assert receipt.error == f"ValueError: {'x' * 1_988}"
    assert (receipt.counter, receipt.edits, receipt.opened) == ("estimate", (), False)


def test_a_summary_that_was_not_kept_is_not_told_as_made() -> None:
    made = CompactionReport(done=True, reason="compacted", method="model", summary="a hash", handles=("h",), messages=7)
    receipt = make_unsent_receipt(Receipt(*RECEIPT, status="opened", compaction=made), "it does not fit")
    assert receipt.compaction == CompactionReport(
        done=False, reason="too_long", text="it does not fit", method="model", summary="", handles=(), messages=7
    )
    refused = CompactionReport(done=False, reason="no_progress", text="nothing was freed")
    receipt = make_unsent_receipt(Receipt(*RECEIPT, status="opened", compaction=refused), "it does not fit")
    assert receipt.compaction == refused


RECEIPT = tuple(getattr(make_notice("opened", 1), name) for name in Receipt.__struct_fields__[:12])


@pytest.mark.parametrize(("answers", "requests"), [(1, "1 request more"), (2, "2 requests more")])
def test_requests_that_read_texts_back_leave_a_receipt_of_their_own(answers: int, requests: str) -> None:
    receipt = make_recall_receipt("m", UsageBill(answers, dollars=0.5), 7)
    assert (receipt.status, receipt.model, receipt.at_ms) == ("recalled", "m", 7)
    assert receipt.recall_rounds == UsageBill(answers, dollars=0.5)
    assert receipt.reason == f"texts were read back for the model in {requests}"
