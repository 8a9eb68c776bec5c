"""A compaction is appended in the host's own way: every line or element before it stays, edits aside."""

import json
from typing import Any

from native import Native, pi_call, pi_result, pi_session
from secateur import Plan, fit
from secateur.model import Epoch, NewMessage, Replace, Rewrite

ROSES = "roses\n" * 9
PI = pi_session(
    [
        {"role": "user", "content": "cut the roses"},
        pi_call("c1", command="ls"),
        pi_result("c1", ROSES),
        {"role": "assistant", "content": [{"type": "text", "text": "done"}]},
        pi_call("c2", command="cat"),
        pi_result("c2", ROSES),
        {"role": "user", "content": "more"},
    ]
)


def opencode_tool(id: str, output: str) -> Native:
    state = {"status": "completed", "output": output, "input": {}, "time": {"start": 1, "end": 2}}
    return {"type": "tool", "tool": "bash", "callID": id, "state": state}


def opencode_export() -> Native:
    """An export of five messages, without a message of an earlier compaction."""
    texts = [("user", "cut the roses"), ("assistant", "one"), ("user", "again"), ("assistant", "two"), ("user", "more")]
    messages: list[Native] = []
    for number, (role, text) in enumerate(texts):
        info: Native = {"id": f"m{number:04}", "role": role, "time": {"created": 1_000 + number}}
        parts: list[Native] = [{"type": "text", "text": text}]
        if role == "assistant":
            info |= {"modelID": "gpt-5", "providerID": "openai"}
            parts.append(opencode_tool(f"c{number}", ROSES))
        messages.append({"info": info, "parts": parts})
    return {"info": {"id": "ses_1", "projectID": "p"}, "messages": messages}


def compacted(request: Any, format: str, last: int, cleared: int) -> Any:
    """The view in which the messages up to `last` became a summary, and the result in `cleared` a short text."""
    messages = fit(request, policy="observe", format=format).transcript.messages
    edits = (
        Rewrite(messages[cleared].parts[0].key, "[gone]"),
        Replace("", messages[last].key, (NewMessage("user", "what was done", "summary"),)),
    )
    return fit(
        request, policy="observe", format=format, plan=Plan((Epoch(5, messages[-1].key, "full", edits),))
    ).request


def test_a_line_is_appended_to_a_log() -> None:
    view = compacted(PI, "pi", 2, 5)
    lines, before = view.splitlines(), PI.splitlines()
    assert view.endswith(b"\n")
    assert [number for number, line in enumerate(before) if lines[number] != line] == [6]  # the result behind it
    assert json.loads(lines[6])["message"]["content"] == [{"type": "text", "text": "[gone]"}]
    [entry] = [json.loads(line) for line in lines[len(before) :]]
    assert (entry["type"], entry["summary"], entry["parentId"]) == ("compaction", "what was done", "m6")
    assert entry["firstKeptEntryId"] == "m3"
    assert entry["timestamp"] == "2026-01-01T00:00:01.001Z"  # behind the newest line
    history = fit(PI, policy="observe", format="pi").transcript
    assert entry["tokensBefore"] == sum(part.tokens for message in history.messages for part in message.parts)


def test_without_a_summary_nothing_goes_from_a_log() -> None:
    messages = fit(PI, policy="observe", format="pi").transcript.messages
    plan = Plan((Epoch(5, messages[-1].key, "by hand", (Replace(messages[0].key, messages[2].key, ()),)),))
    assert fit(PI, policy="observe", format="pi", plan=plan).request == PI


def test_an_entry_is_as_late_as_its_compaction() -> None:
    messages = fit(PI, policy="observe", format="pi").transcript.messages
    edit = Replace("", messages[2].key, (NewMessage("user", "what was done", "summary"),))
    plan = Plan((Epoch(1_800_000_000_000, messages[-1].key, "full", (edit,)),))
    view = fit(PI, policy="observe", format="pi", plan=plan).request
    assert json.loads(view.splitlines()[-1])["timestamp"] == "2027-01-15T08:00:00.000Z"


def test_a_log_without_a_last_line_end_gets_one_between() -> None:
    assert compacted(PI.removesuffix(b"\n"), "pi", 2, 5) == compacted(PI, "pi", 2, 5)


def between_two_summaries(request: Any, format: str, cleared: int) -> Any:
    """The view in which a first message and two later ones became summaries, and a result between them a short text."""
    messages = fit(request, policy="observe", format=format).transcript.messages
    edits = (
        Rewrite(messages[cleared].parts[0].key, "[gone]"),
        Replace("", messages[0].key, (NewMessage("user", "the first words", "summary"),)),
        Replace(messages[2].key, messages[3].key, (NewMessage("user", "what was done", "summary"),)),
    )
    return fit(
        request, policy="observe", format=format, plan=Plan((Epoch(5, messages[-1].key, "full", edits),))
    ).request


def test_lines_between_two_summaries_are_repeated_as_they_are_to_stand() -> None:
    added = b"".join(between_two_summaries(PI, "pi", 2).splitlines()[len(PI.splitlines()) :])
    assert b"[gone]" in added
    assert ROSES.encode().replace(b"\n", b"\\n") in added  # the result behind them, which nothing edits


def test_elements_between_two_summaries_are_repeated_as_they_are_to_stand() -> None:
    export = opencode_export()
    view = between_two_summaries(export, "opencode", 2)
    added = json.dumps(view["messages"][len(export["messages"]) :])
    assert "[gone]" in added
    assert "two" in added
    assert json.loads(between_two_summaries(json.dumps(export).encode(), "opencode", 2)) == view


def test_messages_are_appended_to_an_export_in_the_way_in_which_it_came() -> None:
    export = opencode_export()
    view = compacted(export, "opencode", 2, 5)
    assert view["messages"][:3] == export["messages"][:3]
    assert view["messages"][3]["parts"][1]["state"]["output"] == "[gone]"
    assert "what was done" in json.dumps(view["messages"][len(export["messages"]) :])
    text = json.dumps(export)
    assert json.loads(compacted(text.encode(), "opencode", 2, 5)) == view
    assert json.loads(compacted(text, "opencode", 2, 5)) == view


def test_messages_of_a_host_get_its_own_role_for_a_summary_and_nothing_of_its_metadata() -> None:
    history = [
        {"role": "user", "content": "cut the roses"},
        {"role": "assistant", "content": [{"type": "text", "text": "done"}], "model": "claude-sonnet-4-5"},
        {"role": "user", "content": "more"},
    ]
    messages = fit(history, policy="observe", format="pi_messages").transcript.messages
    new = (
        NewMessage("user", "what was done", "summary", {"files": ["a.py"]}),
        NewMessage("user", "go on", "synthetic", {"compaction_continue": True}),
    )
    plan = Plan((Epoch(5, messages[-1].key, "full", (Replace("", messages[1].key, new),)),))
    assert fit(history, policy="observe", format="pi_messages", plan=plan).request == [
        {"role": "compactionSummary", "summary": "what was done"},
        {"role": "user", "content": [{"type": "text", "text": "go on"}]},
        {"role": "user", "content": "more"},
    ]
