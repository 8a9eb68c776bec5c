"""What is said of a session between its requests: each command's state, its receipt and its errors."""

import pytest

from secateur import Engine, Plan
from secateur.errors import ConfigError, EditError
from secateur.model import Epoch, Rewrite
from secateur.sessions.calibration import describe_left_out
from secateur.stores.memory import MemoryStore
from secateur.stores.protocol import Calibration, Pin, State
from short_sessions import CLEAR, WHO, body, receipts


def loaded(store: MemoryStore) -> State:
    state = store.load(WHO)
    assert state is not None
    return state


def test_pins_come_and_go_each_with_a_receipt() -> None:
    store = MemoryStore()
    engine = Engine(CLEAR, store=store)
    engine.fit(body(2), session="s", now_ms=1_000)
    assert engine.pin("s", "tool", "Bash", now_ms=2_000) == (Pin("tool", "Bash", 2_000),)
    assert engine.pin("s", "glob", " *.py ", now_ms=3_000) == (Pin("tool", "Bash", 2_000), Pin("glob", "*.py", 3_000))
    assert engine.pin("s", "tool", "Bash", now_ms=4_000) == loaded(store).pins == engine.pin("s", "tool", "Bash")[:2]
    assert engine.unpin("s", "tool", "Bash", now_ms=5_000) == (Pin("glob", "*.py", 3_000),)
    told = [(one.status, one.reason, one.at_ms) for one in receipts(store)[1:4]]
    assert told == [("pinned", "pinned tool Bash", 2_000), ("pinned", "pinned glob *.py", 3_000), told[2]]
    assert receipts(store)[-1].reason == "unpinned tool Bash"


def test_a_pin_that_is_not_there_is_told_with_those_that_are() -> None:
    engine = Engine(CLEAR, store=MemoryStore())
    with pytest.raises(ConfigError, match="^session 's' has no pin tool Bash; its pins: none$"):
        engine.unpin("s", "tool", "Bash")
    engine.pin("s", "tool", "Read")
    engine.pin("s", "glob", "*.py")
    with pytest.raises(ConfigError, match=r"^session 's' has no pin tool Bash; its pins: tool Read, glob \*\.py$"):
        engine.unpin("s", "tool", "Bash")


@pytest.mark.parametrize("store", [True, False])
def test_an_undo_takes_the_newest_epoch_back_and_tells_what_comes_back(store: bool) -> None:
    kept = MemoryStore() if store else None
    engine = Engine(CLEAR, store=kept)
    first = engine.fit(body(3), session="s", now_ms=1_000)
    second = engine.fit(body(4), session="s", now_ms=2_000)
    assert (len(first.plan.epochs), len(second.plan.epochs)) == (1, 2)
    grown = second.receipt.tokens_raw - second.receipt.tokens_view
    done = engine.undo("s", now_ms=3_000)
    assert (done.epoch, done.by) == (1, 2)
    assert 0 < done.tokens < grown
    assert done.plan.epochs[2].reason == "undo of epoch 1"
    again = engine.undo("s", epoch=2, now_ms=4_000)
    assert (again.epoch, again.by, again.tokens) == (2, 3, -done.tokens)
    if kept is not None:
        assert [(one.status, one.reason, one.tokens_view) for one in receipts(kept)[2:]] == [
            ("undone", "undo of epoch 1", done.tokens),
            ("undone", "undo of epoch 2", -done.tokens),
        ]
        assert loaded(kept).clock.by_hand == 4_000
    view = engine.fit(body(4), session="s", now_ms=5_000)
    assert view.request == second.request


def test_an_undone_epoch_reads_as_it_came_by_as_much_as_was_told() -> None:
    engine = Engine(CLEAR, store=MemoryStore())
    before = engine.fit(body(3), session="s", now_ms=1_000)
    undone = engine.undo("s", now_ms=2_000)
    view = engine.fit(body(3), session="s", now_ms=3_000)
    assert view.request == body(3)
    assert undone.tokens == view.receipt.tokens_view - before.receipt.tokens_view
    assert (view.receipt.forced_reason, view.receipt.status) == ("undo of epoch 0", "opened")
    again = engine.fit(body(3), session="s", now_ms=4_000)
    assert (again.receipt.forced_reason, again.receipt.status) == ("", "unchanged")


def test_the_request_after_an_undo_says_so_though_the_history_grew() -> None:
    engine = Engine(CLEAR | {"schedule": {"type": "never"}, "prune": []}, store=MemoryStore())
    messages = engine.fit(body(3), session="s", now_ms=1_000).raw_transcript.messages
    edit = Rewrite(messages[2].parts[0].key, "[gone]")
    plan = Plan((Epoch(1_500, messages[-1].key, "by hand", (edit,)),))
    assert engine.fit(body(3), session="s", plan=plan, now_ms=2_000).receipt.forced_reason == "by hand"
    engine.undo("s", now_ms=3_000)
    grown = engine.fit(body(4), session="s", now_ms=4_000)
    assert grown.request == body(4)
    assert (grown.receipt.forced_reason, grown.receipt.status) == ("undo of epoch 0", "opened")


def test_what_cannot_be_undone_is_said() -> None:
    engine = Engine(CLEAR, store=MemoryStore())
    with pytest.raises(EditError, match="^nothing to undo: this session has no active epoch$"):
        engine.undo("s")
    engine.fit(body(3), session="s", now_ms=1_000)
    with pytest.raises(EditError, match="^no epoch 1: the plan of session 's' has 1, from 0$"):
        engine.undo("s", epoch=1)
    engine.undo("s")
    with pytest.raises(EditError, match="^nothing to undo: this session has no active epoch$"):
        engine.undo("s")


def test_a_sample_that_is_left_out_is_told_with_how_far_off_it_is() -> None:
    left = Calibration(left_out=(50_000, 1_000))
    assert describe_left_out({"a": left, "b": Calibration()}) == (
        "the reported usage was left out of the calibration: 50,000 input tokens for a request of about 1,000 is "
        "50 times our count, and 0.5 to 3.0 times is plausible; pass the usage of that same request to `record_usage`",
    )
