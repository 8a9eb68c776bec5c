"""opencode's sessions: one part holds call and result, compactions restart the context, clearings stay."""

import json
from typing import Any

import pytest

import secateur
from secateur.errors import EditError
from secateur.formats.format import Appending
from secateur.formats.opencode import CLEARED, INTERRUPTED, OpenCode
from secateur.formats.opencode_entry import build_entries
from secateur.jsontext import Text
from secateur.model import NewMessage
from session_lines import parts, results, said

HOST = OpenCode()


def user(name: str, *content: Any) -> dict[str, Any]:
    return {"info": {"id": name, "role": "user", "time": {"created": 1000}}, "parts": list(content)}


def assistant(name: str, *content: Any, **info: Any) -> dict[str, Any]:
    known = {"id": name, "role": "assistant", "modelID": "gpt-5", "providerID": "openai", "time": {"created": 2000}}
    return {"info": {**known, **info}, "parts": [{"type": "step-start"}, *content, {"type": "step-finish"}]}


def text(said: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": said, **more}


def tool(state: dict[str, Any], call: str = "c1", **more: Any) -> dict[str, Any]:
    return {"type": "tool", "tool": "read", "callID": call, "state": {"time": {"start": 1, "end": 2}, **state}, **more}


def done(output: str, **more: Any) -> dict[str, Any]:
    return {"status": "completed", "input": {"path": "a"}, "output": output, **more}


def export(*messages: Any) -> Text:
    return Text.of(json.dumps({"info": {"id": "ses_1", "projectID": "p"}, "messages": messages}, indent=2).encode())


def test_a_message_of_the_assistant_is_read_as_what_it_says_and_what_came_back() -> None:
    read = HOST.read(export(user("m1", text("go")), assistant("m2", text("look"), tool(done("found")))))
    assert said(read) == [("user", "go"), ("assistant", 'look | {"path":"a"}'), ("tool", "found")]
    assert (read.model, read.provider, read.last_call_ms, read.parts_only) == ("gpt-5", "openai", 2000, True)
    (found,) = results(read)
    assert (found.tool, found.call_id, found.is_error) == ("read", "c1", False)
    assert found.cleared_at_path == ("messages", 1, "parts", 2, "state", "time", "compacted")


def test_the_folder_is_that_of_the_session() -> None:
    for folder, found in (("/srv/shop", "/srv/shop"), (7, "")):
        given = {"info": {"id": "ses_1", "projectID": "p", "directory": folder}, "messages": [user("m1", text("go"))]}
        assert HOST.read(Text.of(json.dumps(given).encode())).folder == found
    assert HOST.read([user("m1", text("go"))]).folder == ""


def test_the_list_of_messages_alone_is_read_too() -> None:
    messages = [user("m1", text("go")), assistant("m2", tool(done("found")))]
    assert HOST.recognize(messages) == "messages have `info` and `parts`"
    assert said(HOST.read(messages)) == [("user", "go"), ("assistant", '{"path":"a"}'), ("tool", "found")]


def test_an_export_without_messages_is_known_by_its_session() -> None:
    assert HOST.recognize(export()) == "an export without messages"
    assert HOST.read(export()).messages == ()
    assert not HOST.recognize({"info": {}, "messages": []})


def test_an_error_stands_under_its_own_name_and_has_no_place_for_a_time() -> None:
    read = HOST.read(export(assistant("m1", tool({"status": "error", "input": {}, "error": "no such file"}))))
    (found,) = results(read)
    assert (found.text, found.is_error, found.path[-1], found.cleared_at_path) == ("no such file", True, "error", ())


def test_what_opencode_cleared_reads_as_its_placeholder_and_stays() -> None:
    time = {"start": 1, "end": 2, "compacted": 3}
    (found,) = results(HOST.read(export(assistant("m1", tool(done("long gone", time=time, attachments=[{}]))))))
    assert (found.text, found.pinned) == (CLEARED, True)


@pytest.mark.parametrize("status", ["pending", "running"])
def test_a_call_that_never_ended_reads_as_opencode_says_it(status: str) -> None:
    (found,) = results(HOST.read(export(assistant("m1", tool({"status": status, "input": {}})))))
    assert (found.text, found.is_error, found.pinned) == (INTERRUPTED, True, True)


def compacted(**mark: Any) -> list[dict[str, Any]]:
    return [
        user("m1", text("old")),
        assistant("m2", text("older answer")),
        user("m3", text("kept")),
        user("m4", {"type": "compaction", "auto": True, **mark}),
        assistant("m5", text("## Goal"), summary=True, finish="stop", parentID="m4"),
        user("m6", text("new")),
    ]


def test_a_compaction_starts_the_context_again_with_its_summary() -> None:
    read = HOST.read(export(*compacted()))
    asked = ("user", "What did we do so far?")
    assert said(read) == [asked, ("assistant", "## Goal"), ("user", "new")]
    assert [message.origin for message in read.messages] == ["synthetic", "summary", "user"]
    assert parts(read)[0].pinned


def test_a_tail_that_a_compaction_kept_follows_the_summary() -> None:
    texts = [message[1] for message in said(HOST.read(export(*compacted(tail_start_id="m3"))))]
    assert texts == ["What did we do so far?", "## Goal", "kept", "new"]


def test_a_compaction_that_did_not_finish_changes_nothing() -> None:
    messages = compacted()
    del messages[4]["info"]["finish"]
    assert [message[1] for message in said(HOST.read(export(*messages)))][:2] == ["old", "older answer"]


def test_answers_that_failed_are_left_out_and_what_an_abort_left_stays() -> None:
    failed = assistant("m1", text("half"), error={"name": "APIError"})
    broken = assistant("m2", text("half"), error={"name": "MessageAbortedError"})
    silent = assistant("m3", {"type": "reasoning", "text": "hm"}, error={"name": "MessageAbortedError"})
    silent["parts"] = silent["parts"][:2]
    assert said(HOST.read(export(failed, broken, silent))) == [("assistant", "half")]


def test_who_speaks_in_a_message_of_a_user() -> None:
    injected, both = user("m1", text("reminder", synthetic=True)), user("m2", text("go"), text("more", synthetic=True))
    hidden = user("m3", text("for people", ignored=True))
    read = HOST.read(export(injected, both, hidden))
    assert [(message.origin, len(message.parts)) for message in read.messages] == [("synthetic", 1), ("user", 2)]


def test_files_of_a_user_stay_and_texts_among_them_are_not_sent_twice() -> None:
    picture = {"type": "file", "mime": "image/png", "filename": "cat.png", "url": "data:image/png;base64,AAAA"}
    plain = {"type": "file", "mime": "text/plain", "filename": "a.txt", "url": "file:///a.txt"}
    (part,) = parts(HOST.read(export(user("m1", picture, plain))))
    assert (part.kind, part.text, part.pinned) == ("media", "image/png cat.png", True)


def test_thoughts_of_one_item_are_told_apart_and_signed_ones_are_bound() -> None:
    item = {"openai": {"itemId": "rs_1", "reasoningEncryptedContent": None}}
    thoughts = [{"type": "reasoning", "text": word, "metadata": item} for word in ("one", "two")]
    signed = {"type": "reasoning", "text": "three", "metadata": {"anthropic": {"signature": "s"}}}
    read = HOST.read(export(assistant("m1", *thoughts, signed, modelID="claude-opus-5-5")))
    assert len({part.key for part in parts(read)}) == 3
    assert [part.prefix_bound for part in parts(read)] == [False, False, True]


def test_a_signed_call_stays() -> None:
    call = tool(done("found"), metadata={"google": {"thoughtSignature": "s"}})
    assert [part.pinned for part in parts(HOST.read(export(assistant("m1", call))))] == [True, False]


def test_parts_and_states_that_are_not_known_stay() -> None:
    odd = HOST.read(export(user("m1", {"type": "hologram"}), assistant("m2", tool(done("x") | {"output": [1]}))))
    assert [(part.kind, part.pinned) for part in parts(odd)] == [
        ("other", True),
        ("tool_call", False),
        ("tool_result", True),
    ]


def history(attachments: list[Any]) -> bytes:
    found = [assistant(f"a{n}", tool(done(f"output {n} " * 50, attachments=attachments), f"c{n}")) for n in range(3)]
    turns = [user(f"u{n}", text(f"do {n}")) for n in range(3)]
    document = export(turns[0], *found, turns[1], assistant("x", text("done")), turns[2])
    return document.data


def test_clearing_an_output_records_the_time_where_opencode_does_and_its_media_go_along() -> None:
    file = {"type": "file", "mime": "image/png", "url": "data:image/png;base64,AAAA"}
    view = secateur.fit(history([file, file]), policy="opencode", now_ms=1_700_000_000_000)
    messages = json.loads(view.request)["messages"]
    states = [part["state"] for message in messages for part in message["parts"] if part["type"] == "tool"]
    assert [state["output"] for state in states] == ["<tool-output-compacted />"] * 3
    assert [state["time"] for state in states] == [{"start": 1, "end": 2, "compacted": 1_700_000_000_000}] * 3
    assert [state["attachments"] for state in states] == [[], [], []]
    assert [part.text for part in results(HOST.read(Text.of(view.request)))] == [CLEARED] * 3


def test_a_session_that_grew_is_read_whole_again() -> None:
    engine = secateur.Engine(policy="observe")
    short, long = export(user("m1", text("go"))), export(user("m1", text("go")), assistant("m2", tool(done("found"))))
    assert len(engine.fit(short.data, session="s").transcript.messages) == 1
    assert len(engine.fit(long.data, session="s").transcript.messages) == 3


def test_arguments_stay_json() -> None:
    part = parts(HOST.read(export(assistant("m1", tool(done("x"))))))[0]
    assert HOST.replacement_body(part, '{"path":"b"}').raw == b'{"path":"b"}'
    with pytest.raises(EditError, match="must remain valid JSON"):
        HOST.replacement_body(part, "cut off")


def test_a_new_message_is_refused() -> None:
    with pytest.raises(EditError, match="opencode's own compaction entry"):
        HOST.new_message(NewMessage("user", "continue"))


def test_a_message_that_makes_opencode_go_on_says_so_in_its_metadata() -> None:
    items = [user("m1", text("go")), user("m2", text("more"))]
    going = NewMessage("user", "continue", "synthetic", {"compaction_continue": True, "branch": "mid_task"})
    made = Appending((NewMessage("user", "so far", "summary"), going), 0, lambda number: items[number], 5, 10)
    [part] = build_entries(made, 0, items)[-1]["parts"]
    assert (part["text"], part["synthetic"], part["metadata"]) == ("continue", True, {"compaction_continue": True})


def test_copies_come_behind_the_summary_in_time_too_and_cost_nothing() -> None:
    """opencode sorts by time, then by id."""
    tokens = {"input": 9, "output": 2, "reasoning": 0, "cache": {"read": 7, "write": 1}}
    ended = {"type": "step-finish", "id": "p", "cost": 3, "tokens": tokens}
    time = {"created": 2000, "completed": 2090}
    answered = assistant("m3", text("done"), ended, parentID="m2", time=time, tokens=tokens, cost=3)
    items = [user("m1", text("old")), user("m2", text("go")), answered]
    messages = tuple(HOST.read(export(*items)).messages)
    summary = NewMessage("user", "so far", "summary")
    made = Appending((messages[1], summary, messages[2]), 1, lambda number: items[number], 5, 10)
    written = build_entries(made, 1, items)
    infos = [entry["info"] for entry in written]
    assert [info["time"]["created"] for info in infos] == [2091, 2092, 2093, 2094]
    assert infos[3]["time"]["completed"] == 2094
    assert sorted(info["id"] for info in infos) == [info["id"] for info in infos]
    assert infos[3]["parentID"] == infos[2]["id"]
    step = written[3]["parts"][2]
    assert [(one["cost"], one["tokens"]["input"], one["tokens"]["cache"]["read"]) for one in (infos[3], step)] == [
        (0, 0, 0),
        (0, 0, 0),
    ]
