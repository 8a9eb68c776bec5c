"""Claude Code logs: which lines make the transcript, in which order, and which of them are one message."""

from typing import Any

import pytest

from claude_code_lines import answer, assistant, boundary, call, line, micro, progress, text, user
from secateur.formats.claude_code import CLEARED, ClaudeCode
from secateur.model import Transcript
from session_lines import log, parts, results, said


def read(*values: Any) -> Transcript:
    return ClaudeCode().read(log(*values))


def test_lines_of_one_api_message_are_one_message() -> None:
    transcript = read(
        user("u1", None, "go"),
        assistant("a1", "u1", "m1", {"type": "thinking", "thinking": "hm", "signature": "c2ln"}),
        assistant("a2", "a1", "m1", text("I look")),
        assistant("a3", "a2", "m1", call("t1")),
        user("r1", "a3", answer("t1", "found")),
    )
    assert said(transcript)[1:] == [("assistant", 'hm | I look | {"path":"a.py"}'), ("tool", "found")]
    message = transcript.messages[1]
    assert (message.lines, message.path) == ((1, 2, 3), (1,))
    thought, _, asked = message.parts
    assert (thought.kind, thought.fingerprint, thought.pinned, thought.prefix_bound) == (
        "reasoning",
        "c2ln",
        True,
        False,
    )
    assert (asked.kind, asked.tool, asked.call_id) == ("tool_call", "Read", "t1")
    assert asked.path == (3, "message", "content", 0, "input")


def test_parallel_calls_hang_off_sibling_lines_and_so_do_their_results() -> None:
    transcript = read(
        user("u1", None, "go"),
        assistant("a1", "u1", "m1", call("t1")),
        assistant("a2", "a1", "m1", call("t2")),
        user("r1", "a1", answer("t1", "one")),
        user("r2", "a2", answer("t2", "two")),
        assistant("a3", "r2", "m2", text("done")),
    )
    assert said(transcript)[2:] == [("tool", "one"), ("tool", "two"), ("assistant", "done")]
    assert [part.call_id for part in transcript.messages[1].parts] == ["t1", "t2"]


def test_a_sibling_line_beside_the_branch_is_recovered_with_its_result() -> None:
    transcript = read(
        user("u1", None, "go"),
        assistant("a1", "u1", "m1", call("t1")),
        progress("p1", "a1"),
        assistant("a2", "p1", "m1", call("t2")),
        progress("p2", "a2"),
        user("r2", "p2", answer("t2", "two")),
        user("r1", "a1", answer("t1", "one")),
        assistant("a3", "r1", "m2", text("done")),
    )
    assert [part.call_id for part in transcript.messages[1].parts] == ["t1", "t2"]
    assert said(transcript)[2:] == [("tool", "two"), ("tool", "one"), ("assistant", "done")]


def test_results_in_between_and_progress_in_the_chain_lose_nothing() -> None:
    transcript = read(
        progress("p0", None),
        user("u1", "p0", "go"),
        assistant("a1", "u1", "m1", call("t1")),
        user("r1", "a1", answer("t1", "one")),
        assistant("a2", "r1", "m1", call("t2")),
        progress("p1", "a2"),
        user("r2", "a2", answer("t2", "two")),
        progress("p2", "r2"),
        assistant("a3", "p2", "m2", text("done")),
    )
    assert said(transcript)[1:] == [
        ("assistant", '{"path":"a.py"} | {"path":"a.py"}'),
        ("tool", "one"),
        ("tool", "two"),
        ("assistant", "done"),
    ]
    assert transcript.messages[1].lines == (2, 4)


def test_results_chained_to_each_other_answer_the_same_message() -> None:
    transcript = read(
        user("u1", None, "go"),
        assistant("a1", "u1", "m1", call("t1"), call("t2")),
        user("r1", "a1", answer("t1", "one")),
        user("r2", "a1", answer("t2", "two")),
        user("u2", "r1", "and now?"),
    )
    assert said(transcript)[2:] == [("tool", "one"), ("tool", "two"), ("user", "and now?")]


def test_a_result_may_stand_before_the_line_of_its_call() -> None:
    transcript = read(
        user("u1", None, "go"),
        assistant("a1", "u1", "m1", text("I look")),
        user("r1", "a2", answer("t1", "one")),
        assistant("a2", "a1", "m1", call("t1")),
        assistant("a3", "r1", "m2", text("done")),
    )
    assert said(transcript)[1:3] == [("assistant", 'I look | {"path":"a.py"}'), ("tool", "one")]
    assert results(transcript)[0].tool == "Read"


def test_a_rewound_branch_is_left_out() -> None:
    transcript = read(
        user("u1", None, "first"),
        assistant("a1", "u1", "m1", text("yes")),
        user("u2", "a1", "wrong way"),
        assistant("a2", "u2", "m2", call("t1")),
        user("r2", "a2", answer("t1", "never mind")),
        user("u3", "a1", "right way"),
    )
    assert said(transcript) == [("user", "first"), ("assistant", "yes"), ("user", "right way")]


def test_a_root_in_the_middle_begins_a_new_context() -> None:
    transcript = read(user("u1", None, "plan"), progress("p1", None), user("u2", "p1", "implement"))
    assert said(transcript) == [("user", "implement")]


def test_a_parent_that_is_not_in_the_file_is_bridged() -> None:
    transcript = read(
        user("u1", "elsewhere", "first"),
        assistant("a1", "u1", "m1", text("yes")),
        progress("p1", "lost"),
        user("u2", "p1", "second"),
    )
    assert said(transcript) == [("user", "first"), ("assistant", "yes"), ("user", "second")]
    assert transcript.warnings == (
        "line 3 names a parent that is not in the file: reading continues at line 2",
        "line 1 names a parent that is not in the file: the history starts there",
    )


def test_of_many_parents_that_are_not_in_the_file_some_are_named() -> None:
    transcript = read(*(user(f"u{at}", f"lost{at}", f"text {at}") for at in range(6)))
    assert transcript.warnings == (
        *(f"line {at} names a parent that is not in the file: reading continues at line {at - 1}" for at in (6, 5, 4)),
        "3 more lines name a parent that is not in the file",
    )


def test_a_circle_of_parents_ends() -> None:
    transcript = read(user("u1", "u2", "one"), user("u2", "u1", "two"))
    assert said(transcript) == [("user", "one"), ("user", "two")]
    transcript = read(user("r1", "r2", answer("t1", "one")), user("r2", "r1", answer("t2", "two")))
    assert said(transcript) == [("tool", "one"), ("tool", "two")]


def test_after_a_compaction_the_context_starts_with_the_summary() -> None:
    transcript = read(
        user("u1", None, "old"),
        assistant("a1", "u1", "m1", text("older")),
        boundary("b1", trigger="auto"),
        user("s1", "b1", "what was said", isCompactSummary=True),
        assistant("a2", "s1", "m2", text("on we go")),
    )
    assert said(transcript) == [("user", "what was said"), ("assistant", "on we go")]
    assert transcript.messages[0].origin == "summary"


@pytest.mark.parametrize(
    "kept",
    [
        {"preservedSegment": {"headUuid": "u2", "anchorUuid": "s1", "tailUuid": "a2"}},
        {"preservedMessages": {"anchorUuid": "s1", "uuids": ["u2", "a2"]}},
    ],
)
@pytest.mark.parametrize("parent", ["s1", "a2"])
def test_lines_that_a_compaction_kept_stand_behind_its_summary(kept: Any, parent: str) -> None:
    transcript = read(
        user("u1", None, "old"),
        user("u2", "u1", "kept"),
        assistant("a2", "u2", "m2", text("kept too")),
        boundary("b1", **kept),
        user("s1", "b1", "summary", isCompactSummary=True),
        user("u3", parent, "new"),
    )
    assert said(transcript) == [("user", "summary"), ("user", "kept"), ("assistant", "kept too"), ("user", "new")]


@pytest.mark.parametrize(
    "kept",
    [
        {"preservedSegment": {"headUuid": "gone", "anchorUuid": "s1", "tailUuid": "u1"}},
        {"preservedMessages": {"anchorUuid": "s1", "uuids": ["u1", "gone"]}},
        {"preservedMessages": {"anchorUuid": "u1", "uuids": ["u1"]}},
        {"preservedSegment": "?"},
    ],
)
def test_a_kept_segment_that_does_not_stand_is_passed_over(kept: Any) -> None:
    transcript = read(user("u1", None, "old"), boundary("b1", **kept), user("s1", "b1", "s", isCompactSummary=True))
    assert said(transcript) == [("user", "s")]


def test_a_micro_compaction_clears_the_results_it_lists() -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    transcript = read(
        user("u1", None, "go"),
        assistant("a1", "u1", "m1", call("t1"), call("t2")),
        user("r1", "a1", answer("t1", [text("long"), picture])),
        user("r2", "r1", answer("t2", "short")),
        micro("x1", "r2", "t1", "unknown", 7),
        assistant("a2", "x1", "m2", call("t3")),
        user("r3", "a2", answer("t3", "new")),
    )
    assert [part.text for part in results(transcript)] == [CLEARED, "short", "new"]
    assert [part.pinned for part in results(transcript)] == [True, False, False]
    assert not [part for part in parts(transcript) if part.kind == "media"]


def test_a_micro_compaction_leaves_what_stands_beside_a_result() -> None:
    transcript = read(
        user("u1", None, "go"),
        assistant("a1", "u1", "m1", call("t1"), call("t2")),
        user("r1", "a1", [*answer("t1", [text("long")]), text("not that"), *answer("t2", "short")]),
        micro("x1", "r1", "t1"),
        user("u2", "x1", "on"),
    )
    assert said(transcript)[2:] == [("user", f"{CLEARED} | not that | short"), ("user", "on")]


def test_a_micro_compaction_on_another_branch_clears_nothing() -> None:
    transcript = read(
        user("u1", None, "go"),
        assistant("a1", "u1", "m1", call("t1")),
        user("r1", "a1", answer("t1", "long")),
        micro("x1", "r1", "t1"),
        user("u2", "x1", "wrong way"),
        user("u3", "r1", "right way"),
    )
    assert said(transcript)[2:] == [("tool", "long"), ("user", "right way")]


def test_sub_agents_are_no_part_of_it_unless_the_log_is_theirs() -> None:
    side = user("x1", None, "search", isSidechain=True)
    assert said(read(user("u1", None, "go"), side)) == [("user", "go")]
    assert said(read(side, assistant("x2", "x1", "m1", text("found"), isSidechain=True))) == [
        ("user", "search"),
        ("assistant", "found"),
    ]


def test_what_was_never_sent_is_not_read() -> None:
    transcript = read(
        user("u1", None, "go"),
        assistant("a1", "u1", "e1", text("No response requested."), model="<synthetic>"),
        assistant("a2", "a1", "e2", text("API Error"), isApiErrorMessage=True),
        line("system", "x1", "a2", subtype="turn_duration"),
        user("u2", "x1", "again"),
        assistant("a3", "u2", "m1"),
        user("u3", "a3", []),
    )
    assert said(transcript) == [("user", "go"), ("user", "again")]
    assert transcript.last_call_ms == 0


def test_one_id_for_all_messages_does_not_merge_them() -> None:
    transcript = read(
        user("u1", None, "go"),
        assistant("a1", "u1", "same", text("one"), request="q1"),
        user("u2", "a1", "and"),
        assistant("a2", "u2", "same", text("two"), request="q2"),
    )
    assert said(transcript)[1::2] == [("assistant", "one"), ("assistant", "two")]


def test_a_line_that_repeats_a_sibling_is_not_said_twice() -> None:
    transcript = read(
        user("u1", None, "go"),
        assistant("a0", "u1", "m1", call("t1")),
        assistant("a1", "u1", "m1", call("t1")),
        user("r0", "a0", answer("t1", "one")),
        user("r1", "a1", answer("t1", "one")),
    )
    assert said(transcript)[1:] == [("assistant", '{"path":"a.py"}'), ("tool", "one")]


def test_a_log_without_uuids_is_read_from_top_to_bottom() -> None:
    lines = [user("", None, "go"), assistant("", None, "m1", call("t1")), user("", None, answer("t1", "one"))]
    for entry in lines:
        del entry["uuid"], entry["parentUuid"]
    assert said(read(*lines)) == [("user", "go"), ("assistant", '{"path":"a.py"}'), ("tool", "one")]
