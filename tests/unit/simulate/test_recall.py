"""What a call names that a result had shown, and whether a view still shows it."""

import json

import pytest

from conversation import assistant, result, talk, user
from secateur.lineage import handle_of
from secateur.model import Message, Part, Transcript
from secateur.simulate.recall import Score, ViewState, compare_views, compute_refetch_cost, recall_of
from secateur.simulate.recall.outcomes import judge_references, track_files
from secateur.simulate.recall.references import Names, find_references
from secateur.simulate.recall.score import score
from secateur.simulate.requests import read_recording

LINE = "timeout_s = read_setting('http.timeout')"


def call(number: int, tool: str = "bash", **arguments: str) -> Message:
    return assistant((f"c{number}", tool, json.dumps(arguments)))


def answer(number: int, text: str, tool: str = "bash") -> Message:
    return result(text, tool, f"c{number}")


STORY = talk(
    user("make the client wait longer"),
    call(0, "search", pattern="timeout"),
    answer(0, "lib/client.py:40: see there", "search"),
    call(1, "read", path="lib/client.py"),
    answer(1, f"import os\n{LINE}\nparseReply(x)", "read"),
    call(2, "edit", path="lib/client.py", oldText=LINE, newText="timeout_s = 90.5"),
    answer(2, "changed", "edit"),
    call(3, command="grep -rn parseReply lib/client.py"),
    answer(3, "no output"),
)


def scored(story: Transcript, *views: ViewState) -> Score:
    """The figures of one view for all requests, or of one each."""
    answers = [number for number, one in enumerate(story.messages) if one.role == "assistant"]
    refs = find_references(story.messages, answers, Names())
    every = views * len(answers) if len(views) == 1 else views
    return score(judge_references(refs, track_files(story.messages), every), len(answers))


def results(story: Transcript) -> list[Part]:
    return [part for one in story.messages for part in one.parts if part.kind == "tool_result"]


def without(story: Transcript, *numbers: int, text: str = "", handles: bool = False) -> ViewState:
    keys = [results(story)[number].key for number in numbers]
    return ViewState(dict.fromkeys(keys, text), (), frozenset(keys if handles else ()))


def found(story: Transcript) -> set[tuple[int, str, str, bool]]:
    answers = [number for number, one in enumerate(story.messages) if one.role == "assistant"]
    refs = find_references(story.messages, answers, Names())
    return {(one.request, *refs.names.met[one.id], one.hard) for one in refs.found if not one.spoken}


def test_a_reference_is_hard_until_something_else_says_it() -> None:
    assert found(STORY) == {
        (1, "path", "lib/client.py", True),
        (1, "file", "client.py", True),
        (2, "path", "lib/client.py", False),  # the call before named it too
        (2, "file", "client.py", False),
        (2, "line", LINE, True),
        (2, "symbol", "timeout_s", True),
        (2, "symbol", "read_setting", True),
        (2, "symbol", "http.timeout", True),
        (3, "path", "lib/client.py", False),
        (3, "file", "client.py", False),
        (3, "symbol", "parseReply", True),
    }


def test_nothing_is_lost_where_nothing_was_changed() -> None:
    whole = scored(STORY, ViewState())
    assert (whole.hard, whole.soft, whole.all, whole.complete_requests, whole.pairs) == (1, 1, 1, 1, 1)
    assert (whole.references, whole.requests, whole.lost) == (7, 4, ())


def test_a_result_that_goes_takes_the_references_that_only_it_shows() -> None:
    less = scored(STORY, without(STORY, 1))
    assert less.hard == pytest.approx(2 / 7)
    assert less.soft == 1, "paths stand in earlier calls"
    assert less.complete_requests == 0.5, "the edit and the last search"
    assert less.complete_referring == pytest.approx(1 / 3)
    assert less.pairs == pytest.approx(1 / 3)
    assert [(one.request, one.key) for one in less.lost] == [(2, results(STORY)[1].key), (3, results(STORY)[1].key)]
    assert less.by_request == pytest.approx(1 / 3)
    assert less.by_kind == pytest.approx(2.5 / (2.5 + 2 + 3 + 1))


def test_what_a_placeholder_or_a_summary_shows_is_visible() -> None:
    kept = scored(STORY, without(STORY, 1, text=f"[cleared]\n{LINE}"))
    assert kept.hard == pytest.approx(6 / 7), "parseReply alone is gone"
    told = scored(STORY, ViewState(without(STORY, 1).changed, ("the client has parseReply",)))
    assert told.hard == pytest.approx(3 / 7)


def test_with_retrieval_counts_what_the_view_says_how_to_get() -> None:
    gone = scored(STORY, without(STORY, 1))
    assert gone.retrieval == gone.hard, "a part that is not there says nothing"
    named = scored(STORY, without(STORY, 1, text="[cleared]", handles=True))
    assert (named.hard, named.retrieval) == (pytest.approx(2 / 7), 1)
    again = scored(STORY, without(STORY, 1, text="[cleared]"))
    assert again.retrieval == pytest.approx(6 / 7), "the file can be read again until the edit, not after"


def test_what_is_visible_only_in_an_outdated_read_is_counted_as_stale() -> None:
    assert scored(STORY, ViewState()).stale == pytest.approx(1 / 7), "parseReply, read before the edit"


def test_strata_go_by_results_back() -> None:
    far = [one for number in range(10, 20) for one in (call(number, command="true"), answer(number, "fine"))]
    story = talk(*STORY.messages[:5], *far, call(30, command="use parseReply"))
    strata = scored(story, without(story, 1)).strata
    assert [(one.nearest, one.references, one.recall) for one in strata] == [
        (1, 2, 1),
        (6, 1, 0),
        (21, 0, 1),
        (51, 0, 1),
    ]


def test_what_the_user_said_or_what_stands_everywhere_is_no_reference() -> None:
    said = talk(user("look at lib/a.py"), call(0, command="ls"), answer(0, "lib/a.py"), call(1, command="cat lib/a.py"))
    assert found(said) == set()
    often = [one for number in range(12) for one in (call(number, command="go"), answer(number, "in lib/b.py"))]
    common = talk(user(), *often, call(20, command="cat lib/b.py"))
    assert found(common) == set()


def test_what_the_agent_wrote_itself_is_soft() -> None:
    wrote = talk(
        user(), call(0, "write", path="x/new.py"), answer(0, "wrote x/new.py"), call(1, "read", path="x/new.py")
    )
    assert {hard for *_, hard in found(wrote)} == {False}


def test_reasoning_shows_nothing() -> None:
    thought = Message("assistant", (), (Part("reasoning", (), "look at lib/z.py"),))
    story = talk(user(), call(0, command="ls"), answer(0, "lib/z.py"), thought, call(1, command="cat lib/z.py"))
    assert {hard for *_, hard in found(story)} == {True}


def test_getting_back_what_was_lost_has_a_price() -> None:
    lost = scored(STORY, without(STORY, 1)).lost
    tokens = [one.tokens for one in lost]
    assert len(lost) == 2
    prompts = [100, 200, 300, 400]
    expected = 0.1 * (300 + 400) + 2 * 5 * 60 + 1.25 * (sum(tokens) + 2 * 60)
    assert compute_refetch_cost(lost, prompts, r=0.1, w=1.25, o=5) == pytest.approx(expected)


def test_a_view_is_told_from_its_messages() -> None:
    history = STORY.messages
    part = results(STORY)[1]
    text = f"[cleared, handle {handle_of(part.text)}]"
    cleared = Message("tool", (), (Part("tool_result", (), text, key=part.key),), key=part.key)
    note = talk(user("a summary of lib/q.py")).messages[0]
    seen = (*history[:4], cleared, history[5], note)
    first, second, third = compare_views(
        [(history[:5], history[:5]), (history[:6], seen), (history[:8], (*seen, *history[6:8]))]
    )
    assert first == ViewState()
    assert second == ViewState({part.key: text}, ("a summary of lib/q.py",), frozenset({part.key}))
    assert third is second, "both grew by the same messages"
    assert compare_views([(history[:6], seen[:4])])[0].changed[part.key] == "", "gone"


def test_a_request_body_is_scored_from_its_messages() -> None:
    body = [
        {"role": "user", "content": "go"},
        asked("a", "ls", "{}"),
        {"role": "tool", "tool_call_id": "a", "content": "lib/z.py"},
        asked("b", "cat", '{"path": "lib/z.py"}'),
        {"role": "tool", "tool_call_id": "b", "content": "x"},
    ]
    recording = read_recording(json.dumps({"model": "gpt-4o", "messages": body}).encode())
    recall = recall_of(recording)
    whole = recall.score([ViewState()] * len(recording.requests))
    assert (whole.references, whole.requests) == (2, 2), "the last request has no recorded answer"
    assert recall.find_last_uses(0) == {recording.segments[0].messages[2].parts[0].key: 1}


def asked(call: str, name: str, arguments: str) -> dict[str, object]:
    given = {"name": name, "arguments": arguments}
    return {"role": "assistant", "tool_calls": [{"id": call, "type": "function", "function": given}]}
