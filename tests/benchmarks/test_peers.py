"""What goes to a peer and what comes back: plain messages, numbers of what stayed, and the view that they make."""

from typing import Any

import pytest
from extract import LIMIT, extract
from pieces import Item, Views, pieces
from shapes import anthropic, chat, from_anthropic, from_chat
from sound import body, problems, refused
from wire import name, numbered

from conversation import assistant, result, talk, user
from secateur.model import Message, Part, Transcript
from secateur.simulate.replay import ReplayedTurn
from secateur.simulate.requests import RecordedRequest

READ = '{"path":"a.py"}'
STORY = talk(
    user("mend a.py"),
    assistant(("c0", "read", READ), ("c1", "bash", '{"command":"ls"}'), text="I look."),
    result("x = 1", "read", "c0"),
    result("a.py", "bash", "c1", error=True),
    Message("system", (), (Part("other", (), "a note of the host"),), "harness"),
    assistant(text="done"),
    user("thanks"),
)
PIECES: list[dict[str, Any]] = [
    {"role": "user", "text": "mend a.py"},
    {
        "role": "assistant",
        "text": "I look.",
        "calls": [
            {"id": "c0", "name": "read", "args": {"path": "a.py"}},
            {"id": "c1", "name": "bash", "args": {"command": "ls"}},
        ],
    },
    {"role": "tool", "call": "c0", "name": "read", "text": "x = 1", "error": False},
    {"role": "tool", "call": "c1", "name": "bash", "text": "a.py", "error": True},
    {"role": "assistant", "text": "done", "calls": []},
    {"role": "user", "text": "thanks"},
]


def view(sent: list[Item], of: Transcript = STORY) -> tuple[Message, ...]:
    return Views(of.messages, pieces(of.messages), len).of(sent, len(of.messages))


def texts(seen: tuple[Message, ...]) -> list[list[str]]:
    return [[part.text for part in message.parts] for message in seen]


def test_messages_become_pieces_one_result_each() -> None:
    placed = pieces(STORY.messages)
    assert list(placed.pieces) == PIECES
    assert placed.of == (0, 1, 2, 3, 5, 6)  # the host's note has no piece


def test_what_stays_is_the_same_message_and_notes_stay_behind_it() -> None:
    assert all(one is other for one, other in zip(view(list(range(6))), STORY.messages, strict=True))


def test_what_goes_takes_the_note_behind_it_along() -> None:
    assert texts(view([0, 1, 2, 4, 5])) == [
        ["mend a.py"],
        ["I look.", READ, '{"command":"ls"}'],
        ["x = 1"],
        ["done"],
        ["thanks"],
    ]


def test_a_changed_result_keeps_its_key_and_is_counted_anew() -> None:
    changed = view([0, 1, {**PIECES[2], "text": "[cleared]"}, 3, 4, 5])[2]
    assert changed.parts[0].key == STORY.messages[2].parts[0].key
    assert (changed.parts[0].text, changed.parts[0].tokens) == ("[cleared]", 9)


def test_changed_arguments_stand_at_their_call() -> None:
    said = {**PIECES[1], "calls": [{**PIECES[1]["calls"][0], "args": {}}, PIECES[1]["calls"][1]]}
    parts = view([0, said, 2, 3])[1].parts
    assert [part.text for part in parts] == ["I look.", "{}", '{"command":"ls"}']
    assert [part.key for part in parts] == [part.key for part in STORY.messages[1].parts]


def test_a_text_of_no_message_was_added_and_is_one_object_in_every_view() -> None:
    views = Views(STORY.messages, pieces(STORY.messages), len)
    summary = {"role": "user", "text": "so far: nothing"}
    first, second = (views.of([summary, *rest], 7) for rest in ([4], [4, 5]))
    assert texts(second) == [["so far: nothing"], ["done"], ["thanks"]]
    assert first[0] is second[0]
    assert first[0].parts[0].key not in {part.key for one in STORY.messages for part in one.parts}


def test_results_of_one_message_come_back_as_one() -> None:
    story = talk(user("go"), assistant(("c0", "a", "{}"), ("c1", "b", "{}")), _two("one", "two"))
    assert view([0, 1, 2, 3], story)[2] is story.messages[2]
    assert texts(view([0, 1, 2], story)) == [["go"], ["{}", "{}"], ["one"]]


def test_reasoning_stays_with_its_answer() -> None:
    thought = Message("assistant", (), (Part("reasoning", (), "hm"), Part("text", (), "yes")))
    story = talk(user("is it?"), thought)
    changed = view([0, {"role": "assistant", "text": "no", "calls": []}], story)
    assert texts(changed) == [["is it?"], ["no"]]
    assert view([0, 1], story)[1] is story.messages[1]


def test_arguments_that_are_no_object_are_one_argument() -> None:
    placed = pieces(talk(user(), assistant(("c0", "patch", "*** Begin"))).messages)
    assert placed.pieces[1]["calls"][0]["args"] == {"input": "*** Begin"}


@pytest.mark.parametrize(("there", "back"), [(anthropic, from_anthropic), (chat, from_chat)])
def test_shapes_come_back_as_they_went(there: Any, back: Any) -> None:
    known = {name(piece): [number] for number, piece in enumerate(PIECES)}
    assert numbered(back(there(PIECES)), known) == [0, 1, 2, 3, 4, 5]


def test_results_and_words_that_stand_together_are_one_message_of_anthropic() -> None:
    roles = [(one["role"], len(one["content"])) for one in anthropic([*PIECES[:4], PIECES[5]])]
    assert roles == [("user", 1), ("assistant", 3), ("user", 3)]


def test_of_equal_pieces_the_next_one_is_meant() -> None:
    go: dict[str, Any] = {"role": "user", "text": "go on"}
    known = {name(go): [0, 2, 4]}
    assert numbered([go, go], known) == [0, 2]
    assert numbered([go, {"role": "user", "text": "new"}, go, go, go], known) == [
        0,
        {"role": "user", "text": "new"},
        2,
        4,
        go,
    ]


def test_the_extract_holds_the_task_the_files_and_no_more_than_its_limit() -> None:
    text = "user: mend the reader in src/read.py\nassistant: ok\nTypeError in src/read.py\n" + "lib/other.py " * 300
    found = extract(text)
    assert "mend the reader in src/read.py" in found
    assert "TypeError" in found
    assert len(extract(text * 3)) <= LIMIT
    assert extract(text) == found


def test_only_what_the_request_did_not_have_before_is_refused() -> None:
    broken = talk(
        user("go"), assistant(("c0", "read", READ)), user("stop"), assistant(("c1", "read", READ)), _one("c1")
    )
    turns = [_turn(broken.messages[:3]), _turn(broken.messages)]
    known = [problems(turn.seen) for turn in turns]
    assert [len(one) for one in known] == [1, 1]  # c0 was interrupted
    assert refused(turns, turns, known) == 0
    assert (
        refused([turns[0], _turn(broken.messages[:4] + broken.messages[:1])], turns, known) == 1
    )  # c1 lost its result


def test_a_view_becomes_a_body_in_which_results_follow_their_calls() -> None:
    blocks = [[block["type"] for block in one["content"]] for one in body(STORY.messages)]
    assert blocks == [["text"], ["text", "tool_use", "tool_use"], ["tool_result", "tool_result"], ["text"], ["text"]]


def _turn(messages: tuple[Message, ...]) -> ReplayedTurn:
    return ReplayedTurn(RecordedRequest(0, 0, len(messages)), 0, tuple(messages), 0)


def _one(call: str) -> Message:
    return result("found", "read", call)


def _two(*said: str) -> Message:
    parts = tuple(Part("tool_result", (), text, call_id=f"c{number}") for number, text in enumerate(said))
    return Message("tool", (), parts, "harness")
