"""A repair that reads otherwise than what was sent before is an epoch that was forced."""

from typing import Any

from secateur import Engine
from secateur.model import Remove
from secateur.stages.demands import CHANGED

GO = {"role": "user", "content": "go"}
ON = {"role": "user", "content": "go on"}
DONE = {"role": "assistant", "content": "done"}


def calls(*ids: str, number: int = 0) -> dict[str, Any]:
    """The assistant thinks, and asks for tools."""
    thought = {"type": "thinking", "thinking": f"hm {number}", "signature": f"c2ln{number}"}
    asked = [{"type": "tool_use", "id": id, "name": "bash", "input": {}} for id in ids]
    return {"role": "assistant", "content": [thought, *asked]}


def results(*ids: str) -> dict[str, Any]:
    found = [{"type": "tool_result", "tool_use_id": id, "content": f"out of {id}"} for id in ids]
    return {"role": "user", "content": found}


def played(*histories: list[dict[str, Any]], model: str = "claude-opus-4-5") -> list[Any]:
    """The views of a session's requests, each mended."""
    engine = Engine("observe", model, repair=True, format="anthropic_messages")
    return [
        engine.fit({"max_tokens": 9, "messages": one}, session="s", now_ms=number)
        for number, one in enumerate(histories)
    ]


START = [GO, calls("a", "b"), results("a")]
LATE = [GO, calls("a", "b"), results("a", "b")]


def test_a_result_that_arrives_late_changes_what_was_sent() -> None:
    first, second = played(START, LATE)
    assert first.receipt.repairs
    assert (first.receipt.opened, first.receipt.forced_reason, first.plan.epochs) == (False, "", ())
    assert second.request["messages"] == LATE
    assert second.receipt.opened
    assert second.receipt.forced_reason.startswith(f"{CHANGED}: from message 2 on")
    assert [(epoch.reason, epoch.edits, epoch.at_ms) for epoch in second.plan.epochs] == [
        (second.receipt.forced_reason, (), 1)
    ]


def test_a_repair_that_stays_the_same_forces_nothing() -> None:
    longer = [*START, DONE, ON]
    views = played(START, START, longer, [*longer, calls("c", number=1), results("c")])
    assert [view.receipt.forced_reason for view in views] == [""] * 4
    assert all(view.receipt.repairs for view in views)
    assert views[-1].plan.epochs == ()


def test_an_end_that_was_mended_is_changed_by_what_comes_behind_it() -> None:
    """API rule A13: only the last text may not end in white space."""
    spaced = {"role": "assistant", "content": "and so "}
    first, second = played([GO, spaced], [GO, spaced, ON])
    assert first.receipt.repairs
    assert second.request["messages"][1] == spaced
    assert second.receipt.forced_reason.startswith(CHANGED)


def test_what_the_client_changes_itself_is_no_repair() -> None:
    mended = [*START, DONE, ON]
    for changed in ([*START, DONE, GO], [*START, ON], START):
        assert [view.receipt.forced_reason for view in played(mended, changed)] == ["", ""]


def test_bound_reasoning_behind_a_changed_repair_goes() -> None:
    """API rules A54 to A56: it was made behind the other text."""
    old, late = ([*start, calls("c", number=1), results("c"), DONE, ON] for start in (START, LATE))
    for model, kinds in (("claude-opus-5-5", ["tool_use"]), ("claude-opus-4-5", ["thinking", "tool_use"])):
        first, second = played(old, late, model=model)
        assert second.receipt.forced_reason
        assert second.request["messages"][1] == first.request["messages"][1] == LATE[1]
        assert [block["type"] for block in second.request["messages"][3]["content"]] == kinds
        removed = [edit for epoch in second.plan.epochs for edit in epoch.edits if isinstance(edit, Remove)]
        assert [entry.key for entry in second.receipt.edits] == [edit.key for edit in removed]


def test_without_repair_nothing_is_compared() -> None:
    engine = Engine("observe", format="anthropic_messages")
    views = [engine.fit({"messages": one}, session="s", now_ms=1) for one in (START, LATE)]
    assert [view.plan.epochs for view in views] == [(), ()]


def test_what_was_edited_before_a_changed_repair_is_not_edited_again() -> None:
    """The stages behind it are told what stands edited now."""
    shortened = {"type": "excerpt", "max_chars": 2_000, "dedupe_lines": True}
    policy = {"name": "once", "on_arrival": shortened, "schedule": {"type": "every_request"}}
    long = {"type": "tool_result", "tool_use_id": "a", "content": "\n".join(f"line {n} of a log" for n in range(900))}
    late = [*results("c")["content"], {**long, "tool_use_id": "d"}]
    before = [GO, calls("a"), {"role": "user", "content": [long]}]
    asked = [*before, calls("c", "d", number=1)]
    engine = Engine(policy, "claude-opus-4-5", repair=True, format="anthropic_messages")
    first, _, last = (
        engine.fit({"max_tokens": 9, "messages": messages}, session="s", now_ms=1)
        for messages in (before, [*asked, results("c")], [*asked, {"role": "user", "content": late}])
    )
    assert [edit.strategy for edit in first.plan.epochs[-1].edits] == ["excerpt"]
    assert last.receipt.forced_reason.startswith(CHANGED)
    assert [len(epoch.edits) for epoch in last.plan.epochs] == [1, 0, 1]
    assert len({edit.key for epoch in last.plan.epochs for edit in epoch.edits}) == 2
