"""What the provider would refuse goes back: the newest epoch alone where that mends it, else everything."""

import json
from typing import Any

from secateur.documents import read
from secateur.model import Epoch, NewMessage, Replace, Rewrite
from secateur.pipeline import roll_back
from secateur.plan import REFUSED, list_active_epochs
from secateur.projection import Projection
from secateur.projection.message_index import Counting
from secateur.protect import Protection
from secateur.render.emitter import Emitter

CALL = {"type": "tool_use", "id": "c1", "name": "bash", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "c1", "content": "a long output " * 40}
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "look"},
    {"role": "assistant", "content": [CALL]},
    {"role": "user", "content": [RESULT]},
    {"role": "assistant", "content": [{"type": "text", "text": "it is not there"}]},
    {"role": "user", "content": "go on"},
]


def edited(*edits: tuple[int, str]) -> Projection:
    """A session in which one epoch after the other gave the first part of a message another text."""
    work = Projection(Protection(), Counting.of(("estimate", "estimate")))
    request = {"model": "claude-opus-4-5", "max_tokens": 9, "messages": MESSAGES}
    work.ingest(read(json.dumps(request).encode()), 0, None)
    assert Emitter().find_new_violations(work) == []
    messages = work.document.transcript.messages
    for number, text in edits:
        edit = Rewrite(messages[number].parts[0].key, text, "by hand")
        work.apply_epoch(Epoch(1, messages[-1].key, "", (edit,)))
    return work


def text_of(work: Projection, number: int) -> str:
    return work.projected_messages[number].parts[0].text


def test_nothing_goes_back_of_what_is_taken() -> None:
    work = edited((2, "[gone]"))
    assert roll_back(work, 2, True, Emitter().find_new_violations) == ""
    assert len(work.plan.epochs) == 1


def test_the_newest_epoch_goes_back_and_the_older_one_stays() -> None:
    work = edited((2, "[gone]"), (3, ""))
    why = roll_back(work, 2, True, Emitter().find_new_violations)
    assert why.startswith(REFUSED)
    assert (text_of(work, 2), text_of(work, 3)) == ("[gone]", "it is not there")
    newest = work.plan.epochs[-1]
    assert (len(work.plan.epochs), newest.reverts, newest.edits) == (3, 1, ())
    assert [len(epoch.edits) for epoch in list_active_epochs(work.plan)] == [1, 0]


def test_everything_goes_back_where_the_newest_was_not_the_cause() -> None:
    work = edited((3, ""), (2, "[gone]"))
    assert roll_back(work, 2, True, Emitter().find_new_violations).startswith(REFUSED)
    assert text_of(work, 2) == RESULT["content"]
    assert text_of(work, 3) == "it is not there"
    assert [epoch.reverts for epoch in work.plan.epochs] == [None, None, 1, None]
    assert Emitter().find_new_violations(work) == []


def test_what_was_not_opened_by_this_request_is_not_undone_by_number() -> None:
    work = edited((3, ""))
    assert roll_back(work, 2, False, Emitter().find_new_violations).startswith(REFUSED)
    assert [epoch.reverts for epoch in work.plan.epochs] == [None, None]
    assert text_of(work, 3) == "it is not there"


def test_messages_that_an_older_epoch_replaced_come_back_too() -> None:
    work = edited()
    messages = work.document.transcript.messages
    summary = NewMessage("user", "a summary", "summary")
    lone = Replace(messages[1].key, messages[2].key, (summary,), "by hand")  # a result without its call's round
    work.apply_epoch(Epoch(1, messages[-1].key, "", (lone,)))
    work.apply_epoch(Epoch(1, messages[-1].key, "", (Rewrite(messages[3].parts[0].key, "[short]", "by hand"),)))
    assert roll_back(work, 2, True, Emitter().find_new_violations).startswith(REFUSED)
    assert Emitter().find_new_violations(work) == []
    assert (work.ranges, text_of(work, 2), text_of(work, 3)) == ((), RESULT["content"], "it is not there")
    assert [epoch.reverts for epoch in work.plan.epochs] == [None, None, 1, 0, None]
