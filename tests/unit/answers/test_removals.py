"""What left a session, told from its record: by epoch and part, out or back, with the bytes or without."""

import json
from typing import Any

import msgspec
import pytest

from secateur import Engine
from secateur.answers.removals import Removal, list_removals, number_summaries
from secateur.chain import encode_canonical, link_bodies
from secateur.lineage import handle_of
from secateur.model import Epoch, NewMessage, Replace
from secateur.receipt import Receipt
from secateur.stores.memory import MemoryStore
from secateur.stores.protocol import Blob, SessionId, SessionUpdate, make_state

CLEAR: dict[str, Any] = {
    "name": "clear",
    "protect": {"last_messages": 2},
    "prune": [{"type": "hard_clear"}],
    "schedule": {"type": "every_request"},
}
LONG = "an output of the tool\n" * 40


def body(rounds: int, more: str = "") -> bytes:
    messages: list[dict[str, Any]] = []
    for number in range(rounds):
        call = {"type": "tool_use", "id": f"c{number}", "name": "Bash", "input": {"command": f"make {number}"}}
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": f"{number} {LONG}"}
        messages += [{"role": "user", "content": f"do {number}{more}"}, {"role": "assistant", "content": [call]}]
        messages += [{"role": "user", "content": [result]}, {"role": "assistant", "content": "done"}]
        messages += [{"role": "user", "content": "thanks"}, {"role": "assistant", "content": "ok"}]
    return json.dumps({"model": "claude-opus-4-5", "max_tokens": 9, "messages": messages}).encode()


def told(store: MemoryStore) -> tuple[Removal, ...]:
    state = store.load(SessionId("s"))
    assert state is not None
    return list_removals(store, state)


def test_each_part_is_told_with_its_turn_its_rule_and_what_stands_there() -> None:
    store = MemoryStore()
    used = Engine(CLEAR, store=store)
    used.fit(body(1), session="s", now_ms=5)
    used.fit(body(2), session="s", now_ms=9)
    first, second = told(store)
    assert (first.request, first.epoch, first.user_turn, first.message, first.call_id) == (0, 0, 1, 2, "c0")
    assert (second.request, second.epoch, second.user_turn, second.message, second.call_id) == (1, 1, 3, 8, "c1")
    assert (first.verb, first.strategy, first.policy, first.tool, first.at_ms) == (
        "rewrite",
        "hard_clear",
        "clear",
        "Bash",
        5,
    )
    assert first.handle == handle_of(f"0 {LONG}")
    assert first.bytes == len(f"0 {LONG}")
    assert first.out
    assert first.tokens_after < first.tokens_before
    assert first.stands is not None
    assert first.stands.startswith("[secateur: Bash")


def test_what_an_undo_brought_back_is_out_no_more() -> None:
    store = MemoryStore()
    used = Engine(CLEAR, store=store)
    used.fit(body(1), session="s", now_ms=5)
    used.fit(body(2), session="s", now_ms=9)
    used.undo("s", 0, now_ms=11)
    assert [one.out for one in told(store)] == [False, True]
    used.undo("s", 2, now_ms=12)
    assert [one.out for one in told(store)] == [True, True]


def test_bytes_that_the_retention_took_are_told_as_gone() -> None:
    store = MemoryStore()
    Engine(CLEAR, store=store).fit(body(1), session="s", now_ms=5)
    store.collect_garbage(now=10**9, retention_s=1)
    (one,) = told(store)
    assert one.handle == handle_of(f"0 {LONG}")
    assert one.bytes is None


def test_parts_behind_a_summary_are_told_one_by_one() -> None:
    store, receipt = MemoryStore(), Receipt("p", "m", 0, "", "", 0, 0, 0, True, (), 0, "", status="opened", at_ms=7)
    edit = Replace("", "k2", (NewMessage("user", "what was said", "summary"),), strategy="compact")
    state = make_state(SessionId("s"))
    change = SessionUpdate(
        at=7,
        epochs=(Epoch(7, "k2", "the window is full", (edit,)),),
        receipts=link_bodies([encode_canonical(msgspec.structs.replace(receipt, epochs=(0, 1)))], state.head, 0),
        blobs=(Blob(b"first", key="k1"), Blob(b"second", key="k2")),
    )
    store.save(state, change)
    found = told(store)
    assert [(one.verb, one.key, one.handle, one.bytes) for one in found] == [
        ("summed", "k1", handle_of(b"first"), 5),
        ("summed", "k2", handle_of(b"second"), 6),
    ]
    assert {(one.out, one.stands, one.reason) for one in found} == {(True, "what was said", "the window is full")}


def test_what_a_compaction_summed_up_is_told_by_turn_and_call_with_its_bytes() -> None:
    store = MemoryStore()
    used = Engine("hermes", store=store, window=3_000)
    more = " as we said, with care" * 20
    for number in (4, 8, 12):
        view = used.fit(body(number, more), session="s", now_ms=number)
    read = {part.key: part for message in view.raw_transcript.messages for part in message.parts}
    summed = [one for one in told(store) if one.verb == "summed"]
    assert summed
    assert len({one.key for one in summed}) == len(summed)
    for one in summed:
        part = read[one.key]
        assert (one.tool, one.call_id) == (part.tool, part.call_id)
        assert one.handle == handle_of(part.text)
        assert one.bytes == len(part.text)
        assert one.user_turn == one.message // 6 * 2 + 1 + (one.message % 6 > 3) if one.message is not None else None
    shown = {part.text for message in view.transcript.messages for part in message.parts}
    gone = {key for key, part in read.items() if part.text not in shown}
    assert gone <= {one.key for one in told(store) if one.out}


def test_a_summary_is_told_once_however_many_parts_it_stands_for() -> None:
    """So what is told grows with the parts alone; what else is in a part's place is told there."""

    def told(parts: int) -> tuple[tuple[Removal, ...], tuple[str, ...]]:
        behind = [part(verb="summed", key=f"k{number}", stands=SUMMARY) for number in range(parts)]
        return number_summaries(
            (part(verb="replace", stands=SUMMARY), *behind, part(verb="rewrite", stands="a placeholder"))
        )

    found, summaries = told(3)
    assert summaries == (SUMMARY,)
    assert [(one.summary, one.stands) for one in found] == [*[(0, None)] * 4, (None, "a placeholder")]
    sizes = [len(msgspec.json.encode(told(count))) for count in (100, 200, 400)]
    each = (sizes[1] - sizes[0]) / 100
    assert sizes[2] - sizes[1] == pytest.approx(200 * each, rel=0.01)
    assert each < len(SUMMARY) / 10


SUMMARY = "what was said " * 1_000


def part(**more: Any) -> Removal:
    said: dict[str, Any] = {
        "request": 1,
        "at_ms": 1,
        "verb": "rewrite",
        "strategy": "compact",
        "policy": "balance",
        "reason": "the window is full",
        "epoch": 0,
        "tool": "Bash",
        "call_id": "c1",
        "message": 1,
        "user_turn": 1,
        "tokens_before": 9,
        "tokens_after": 1,
        "key": "k",
        "handle": None,
        "bytes": None,
        "stands": None,
        "out": True,
    }
    return Removal(**said | more)


def test_a_removal_is_named_by_its_tool_and_argument_and_of_a_path_by_its_last_part() -> None:
    store = MemoryStore()
    Engine({**CLEAR, "prune": [{"type": "hard_clear", "placeholder": ""}]}, store=store).fit(body(1), session="s")
    (one,) = told(store)
    assert one.subject == "Bash make 0"
    said = '[secateur: Read "src/app/login.py" gave 900 chars, 30 lines; removed, call again if needed]'
    assert msgspec.structs.replace(one, tool="Read", stands=said).subject == "Read login.py"
    assert msgspec.structs.replace(one, stands=said).subject == "Bash"
    assert msgspec.structs.replace(one, stands="[cleared]").subject == "Bash"
