"""Trajectories and results: SWE-agent, mini-swe-agent, ATIF, tau-bench; pairing without ids, and with."""

import json
from typing import Any

import pytest

from secateur.compaction.ledger import build_ledger
from secateur.errors import FormatError
from secateur.formats.atif import ATIF
from secateur.formats.mini_swe_agent import MiniSWEAgent
from secateur.formats.openai_chat import OpenAIChat
from secateur.formats.request_body import TARGETS, build_request_body
from secateur.formats.swe_agent import SWEAgent
from secateur.formats.tau_bench import TauBench
from secateur.jsontext import Text
from secateur.toolcalls.actions import pair_calls
from secateur.toolcalls.history import get_history
from session_lines import parts, results, said

SWE, MINI, STEPS, TAU = SWEAgent(), MiniSWEAgent(), ATIF(), TauBench()


def plain(role: str, content: str, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, "agent": "primary", **more}


def test_a_command_in_a_text_is_a_call_and_the_next_message_its_result() -> None:
    acted = plain("assistant", "I look.\n```\nls -a\n```", thought="I look.", action="ls -a\n")
    document = {"history": [plain("system", "be good"), plain("user", "go"), acted, plain("user", "found")]}
    read = SWE.read(document)
    assert said(read)[1:] == [("user", "go"), ("assistant", "I look.\n```\n\n``` | ls -a"), ("tool", "found")]
    assert [(part.kind, part.tool, part.pinned) for part in parts(read)][2:] == [
        ("text", "", True),
        ("tool_call", "ls", True),
        ("tool_result", "ls", False),
    ]
    assert SWE.recognize(document) == "`history` of messages with a role"


def test_demonstrations_stay_and_the_task_after_them_is_no_result() -> None:
    shown = [plain("user", "sample", is_demo=True), plain("assistant", "ls", action="ls", is_demo=True)]
    shown.append(plain("user", "output", is_demo=True))
    read = SWE.read({"history": [*shown, shown[1], plain("user", "the task")]})
    assert [message.role for message in read.messages] == ["user", "assistant", "tool", "assistant", "user"]
    assert all(part.pinned for part in parts(read)[:-1])
    assert [message.origin for message in read.messages] == ["harness"] * 4 + ["user"]


def test_a_call_that_a_demonstration_leaves_open_takes_no_later_result() -> None:
    shown = [plain("user", "sample", is_demo=True), plain("assistant", "submit", action="submit", is_demo=True)]
    work = [
        plain("assistant", "open a.py", action="open a.py"),
        plain("user", "[File: /x/a.py (3 lines total)]\n1:a"),
        plain("assistant", "edit 1:1\nb", action="edit 1:1\nb"),
        plain("user", "[File: /x/a.py (3 lines total)]\n1:b"),
        plain("assistant", "Exit due to cost limit", action="exit_cost"),
    ]
    read = SWE.read({"history": [*shown, plain("user", "the task"), *work]})
    messages = read.messages
    assert [(call.text, answer.text[-3:] if answer else None) for call, answer in pair_calls(messages)] == [
        ("submit", None),
        ("open a.py", "1:a"),
        ("edit 1:1\nb", "1:b"),
        ("exit_cost", None),
    ]
    assert [one.result.text[-3:] for one in get_history(messages).completed_calls if one.result] == ["1:a", "1:b"]
    ledger = build_ledger(messages)
    assert [(one.path, one.use) for one in ledger.files] == [("/x/a.py", "changed")]
    assert ([one.text for one in ledger.requests], ledger.pending) == (["the task"], ())


def test_a_demonstration_is_one_in_a_request_body_too() -> None:
    shown = [plain("user", "sample", is_demo=True), plain("assistant", "ls", action="ls", is_demo=True)]
    ended = plain("assistant", "Exit due to cost limit", action="exit_cost")
    read = SWE.read({"history": [*shown, plain("user", "out", is_demo=True), plain("user", "the task"), ended]})
    body = json.loads(build_request_body(read, "openai_chat"))
    assert [(one["role"], one.get("name")) for one in body["messages"]] == [
        ("user", "example_user"),
        ("assistant", "example_assistant"),
        ("tool", None),
        ("user", None),
    ]
    again = OpenAIChat().read(body).messages
    assert [message.origin for message in again] == ["harness", "harness", "harness", "user"]


def test_why_a_run_was_ended_stays_in_a_request_body_and_is_no_request() -> None:
    acted = [plain("user", "the task"), plain("assistant", "ls", action="ls"), plain("user", "a.py")]
    ended = plain("assistant", "Exit due to cost limit", action="exit_cost")
    for target in TARGETS:
        body = json.loads(build_request_body(SWE.read({"history": [*acted, ended]}), target))
        assert body["messages"][-1]["role"] == "user"
        assert "Exit due to cost limit" in json.dumps(body["messages"][-1])
    read = OpenAIChat().read(json.loads(build_request_body(SWE.read({"history": [*acted, ended]}), "openai_chat")))
    ledger = build_ledger(read.messages)
    assert [one.text for one in ledger.requests] == ["the task"]
    assert [one.text for one in ledger.standing] == [
        "the session was stopped: “Exit due to cost limit”",
        "no call edited a file",
    ]
    on = [*acted, ended, plain("assistant", "ls", action="ls")]
    assert "Exit due" not in json.dumps(json.loads(build_request_body(SWE.read({"history": on}), "openai_chat")))


def test_newer_histories_name_the_call_in_a_list() -> None:
    asked = {"id": "c1", "type": "function", "function": {"name": "open", "arguments": '{"path":"a"}'}}
    acted = plain("assistant", "look", action="open a", tool_calls=[asked])
    read = SWE.read({"history": [acted, plain("tool", "found", tool_call_ids=["c1"])]})
    assert [(part.kind, part.tool, part.call_id) for part in parts(read)][1:] == [
        ("tool_call", "open", "c1"),
        ("tool_result", "open", "c1"),
    ]


def test_mini_swe_agent_has_an_exit_that_was_never_sent_and_codes_beside_its_results() -> None:
    asked = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command":"ls"}'}}
    messages = [
        {"role": "system", "content": "be good"},
        {"role": "assistant", "content": None, "tool_calls": [asked]},
        {"role": "tool", "tool_call_id": "c1", "content": "no", "extra": {"returncode": 2}},
        {"role": "exit", "content": "patch"},
    ]
    document = {"messages": messages, "trajectory_format": "mini-swe-agent-1.1", "info": {}}
    read = MINI.read(document)
    assert [message.role for message in read.messages] == ["system", "assistant", "tool"]
    assert results(read)[0].is_error
    assert MINI.recognize(document) == "`trajectory_format` is mini-swe-agent-1.1"


def test_mini_swe_agent_before_tool_calls() -> None:
    messages = [
        {"role": "system", "content": "be good"},
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "I look.\n\n```bash\nls\n```"},
        {"role": "user", "content": "<returncode>1</returncode>\n<output>\nno\n</output>"},
        {"role": "assistant", "content": "no command here"},
        {"role": "user", "content": "Please give exactly one command."},
    ]
    read = MINI.read(messages)
    assert [message.role for message in read.messages] == ["system", "user", "assistant", "tool", "assistant", "user"]
    assert (results(read)[0].is_error, results(read)[0].tool) == (True, "ls")
    assert MINI.recognize(messages) == "fenced commands, outputs with a return code"
    assert not MINI.recognize(messages[:3])


def step(source: str, message: Any, **more: Any) -> dict[str, Any]:
    return {"step_id": 1, "source": source, "message": message, **more}


def trajectory(*steps: Any, **more: Any) -> dict[str, Any]:
    agent = {"name": "a", "model_name": "gpt-5", "tool_definitions": [{"name": "edit"}]}
    return {"schema_version": "ATIF-v1.5", "agent": agent, "steps": list(steps), **more}


def shown(*results: Any) -> dict[str, Any]:
    return {"results": list(results)}


def test_a_step_of_an_agent_holds_its_calls_and_their_results() -> None:
    calls = [{"tool_call_id": name, "function_name": "edit", "arguments": {"path": name}} for name in ("c1", "c2")]
    named, in_turn = {"source_call_id": "c1", "content": "one"}, {"content": "two"}
    acted = step("agent", "look", reasoning_content="hm", tool_calls=calls, observation=shown(named, in_turn))
    read = STEPS.read(trajectory(step("system", "be good"), step("user", "go"), acted))
    assert said(read)[2:] == [("assistant", 'hm | look | {"path":"c1"} | {"path":"c2"}'), ("tool", "one | two")]
    assert [(part.call_id, part.tool) for part in results(read)] == [("c1", "edit"), ("c2", "edit")]
    assert (read.model, read.fixed_tokens > 0) == ("gpt-5", True)


def test_an_agent_that_writes_its_commands_calls_with_its_message() -> None:
    acted = step("agent", '{"keystrokes": "ls"}', observation=shown({"content": "found"}))
    call, found = parts(STEPS.read(trajectory(acted)))
    assert (call.kind, call.pinned, found.kind, found.pinned) == ("tool_call", True, "tool_result", False)


def test_references_to_other_trajectories_hold_nothing_and_a_continuation_is_named() -> None:
    handed = step("system", "handed over", observation=shown({"subagent_trajectory_ref": [{"session_id": "s"}]}))
    read = STEPS.read(trajectory(handed, continued_trajectory_ref="next.json"))
    assert said(read) == [("system", "handed over")]
    assert read.warnings == ("the conversation continues in next.json",)


def test_blocks_of_a_message_and_of_a_result() -> None:
    picture = {"type": "image", "source": {"media_type": "image/png", "path": "a.png"}}
    blocks = [{"type": "text", "text": "see"}, picture, {"type": "hologram"}]
    call = {"tool_call_id": "c1", "function_name": "see", "arguments": {}}
    acted = step("agent", "look", tool_calls=[call], observation=shown({"content": [blocks[0], picture]}))
    read = STEPS.read(trajectory(step("user", blocks), acted))
    kinds = [(part.kind, part.pinned) for part in parts(read)]
    assert kinds[:3] == [("text", False), ("media", False), ("other", True)]
    assert kinds[-2:] == [("tool_result", False), ("media", False)]


def tau2() -> list[dict[str, Any]]:
    call = {"id": "c1", "name": "get_user", "arguments": {"id": 1}, "requestor": "assistant"}
    own = {"id": "c2", "name": "check_bar", "arguments": {}, "requestor": "user"}
    return [
        {"role": "user", "content": "help"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "id": "c1", "content": "found", "requestor": "assistant", "error": True},
        {"role": "user", "content": None, "tool_calls": [own]},
        {"role": "tool", "id": "c2", "content": "bars", "requestor": "user", "error": False},
        {"role": "assistant", "content": "bye", "tool_calls": None},
    ]


def simulation(**more: Any) -> dict[str, Any]:
    return {"task_id": "t", "termination_reason": "stop", "messages": tau2(), **more}


AGENT = [("user", "help"), ("assistant", '{"id":1}'), ("tool", "found"), ("assistant", "bye")]


def test_the_agent_never_saw_the_tools_of_the_simulated_person() -> None:
    read = TAU.read(simulation())
    assert said(read) == AGENT
    assert [(part.call_id, part.tool, part.is_error) for part in results(read)] == [("c1", "get_user", True)]


def test_a_results_file_with_one_run_is_read() -> None:
    document = {"info": {"agent_info": {"llm": "gpt-5"}}, "tasks": [], "simulations": [simulation()]}
    read = TAU.read(Text.of(json.dumps(document).encode()))
    assert (said(read), read.model, read.messages_path) == (AGENT, "gpt-5", ("simulations", 0, "messages"))


def test_runs_of_the_first_tau_bench_are_chat() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "get_user", "arguments": '{"id":1}'}}
    chat = [{"role": "assistant", "content": None, "tool_calls": [call]}]
    chat.append({"role": "tool", "tool_call_id": "c1", "name": "get_user", "content": "found"})
    for document in ({"task_id": 1, "traj": chat}, [{"task_id": 1, "traj": chat}]):
        assert TAU.recognize(document)
        assert said(TAU.read(document)) == [("assistant", '{"id":1}'), ("tool", "found")]


@pytest.mark.parametrize(
    ("document", "hint"),
    [
        ({"tasks": [], "simulations": [simulation(), simulation()]}, r"jq '\.simulations\[0\]'"),
        ([{"task_id": 1, "traj": []}, {"task_id": 2, "traj": []}], r"jq '\.\[0\]'"),
    ],
)
def test_several_runs_are_refused_with_how_to_take_one_out(document: Any, hint: str) -> None:
    assert TAU.recognize(document)
    with pytest.raises(FormatError, match=f"holds 2 conversations: .*{hint}"):
        TAU.read(document)
