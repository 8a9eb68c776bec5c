"""Requests of the Responses API: which items make one message, and how each kind of output is written."""

import json
from typing import Any

import pytest

from secateur import fit
from secateur.formats.openai_responses import OpenAIResponses
from secateur.jsontext import Text, dumps
from secateur.model import Message, NewMessage, Part, Transcript
from secateur.patch import Op, apply

FORMAT = OpenAIResponses()


def call(id: str, kind: str = "function_call", **fields: Any) -> dict[str, Any]:
    return {"type": kind, "call_id": id} | (fields or {"name": "ls", "arguments": "{}"})


def output(id: str, said: Any, kind: str = "function_call_output", **fields: Any) -> dict[str, Any]:
    return {"type": kind, "call_id": id, "output": said} | fields


def read(*items: Any, **body: Any) -> Transcript:
    return FORMAT.read({"model": "gpt-5", "input": list(items)} | body)


def parts(transcript: Transcript) -> list[Part]:
    return [part for message in transcript.messages for part in message.parts]


def rewritten(item: dict[str, Any], text: str) -> Any:
    """The item, its result rewritten, as objects; the same as text must give the same."""
    body = {"input": [item]}
    [part] = [part for part in parts(FORMAT.read(body)) if part.kind == "tool_result"]
    op = Op(part.path, FORMAT.replacement_body(part, text))
    new = apply(body, [op])
    assert json.loads(apply(Text.of(dumps(body)), [op]).raw) == new
    return new["input"][0]


def test_what_the_model_says_in_one_go_is_one_message() -> None:
    transcript = read(
        {"role": "developer", "content": "rules"},
        {"role": "user", "content": [{"type": "input_text", "text": "go"}]},
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]},
        {"type": "message", "role": "assistant", "id": "msg_1", "content": [{"type": "output_text", "text": "I look"}]},
        call("a"),
        call("b", name="cat", arguments='{"p": 1.0}'),
        output("a", "one"),
        output("b", "two"),
    )
    assert [(one.role, one.path, [part.kind for part in one.parts]) for one in transcript.messages] == [
        ("system", ("input", 0), ["text"]),
        ("user", ("input", 1), ["text"]),
        ("assistant", ("input", 2), ["reasoning", "text", "tool_call", "tool_call"]),
        ("tool", ("input", 6), ["tool_result"]),
        ("tool", ("input", 7), ["tool_result"]),
    ]
    thought, *_, last = transcript.messages[2].parts
    assert (thought.text, thought.fingerprint, thought.pinned, thought.joined_to_next, thought.prefix_bound) == (
        "hm",
        "rs_1",
        True,
        True,
        False,
    )
    assert (last.text, last.tool, last.path) == ('{"p":1.0}', "cat", ("input", 5, "arguments"))
    assert [(part.tool, part.call_id) for part in parts(transcript) if part.kind == "tool_result"] == [
        ("ls", "a"),
        ("cat", "b"),
    ]
    assert transcript.messages[2].lines == ()


@pytest.mark.parametrize(
    ("item", "text", "new"),
    [
        (output("a", "long"), "long", output("a", "cut")),
        (output("a", "", status="completed"), "", output("a", "cut", status="completed")),
        (output("a", "x", "custom_tool_call_output"), "x", output("a", "cut", "custom_tool_call_output")),
        (
            output("a", [{"type": "input_text", "text": "only"}]),
            "only",
            output("a", [{"type": "input_text", "text": "cut"}]),
        ),
        (
            output("a", [{"type": "input_text", "text": "x"}, {"type": "input_text", "text": "y"}]),
            "x\ny",
            output("a", "cut"),
        ),
        (
            output(
                "a", [{"stdout": "out", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}], "shell_call_output"
            ),
            "out",
            output(
                "a", [{"stdout": "cut", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}], "shell_call_output"
            ),
        ),
        (
            output(
                "a",
                [
                    {"stdout": "one", "stderr": "warn", "outcome": {"type": "exit", "exit_code": 2}},
                    {"stdout": "two", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}},
                ],
                "shell_call_output",
                max_output_length=9,
            ),
            "one\nwarn\ntwo",
            output(
                "a",
                [{"stdout": "cut", "stderr": "", "outcome": {"type": "exit", "exit_code": 2}}],
                "shell_call_output",
                max_output_length=9,
            ),
        ),
        (
            {"type": "local_shell_call_output", "id": "i", "output": '{"output": "out", "metadata": {"exit_code": 0}}'},
            "out",
            {"type": "local_shell_call_output", "id": "i", "output": '{"output":"cut","metadata":{"exit_code":0}}'},
        ),
        (
            {"type": "local_shell_call_output", "id": "i", "output": "plain"},
            "plain",
            {"type": "local_shell_call_output", "id": "i", "output": "cut"},
        ),
        (
            {"type": "apply_patch_call_output", "call_id": "a", "status": "failed"},
            "",
            {"type": "apply_patch_call_output", "call_id": "a", "status": "failed", "output": "cut"},
        ),
    ],
)
def test_each_kind_of_output_keeps_its_shape(item: Any, text: str, new: Any) -> None:
    assert [part.text for part in parts(read(item))] == [text]
    assert rewritten(item, "cut") == new
    before, after = parts(read(item))[0], parts(read(new))[0]
    assert (after.text, after.is_error) == ("cut", before.is_error)


@pytest.mark.parametrize(
    "item",
    [
        {"type": "computer_call_output", "call_id": "a", "output": {"type": "computer_screenshot", "image_url": "u"}},
        {"type": "tool_search_output", "call_id": None, "tools": [{"name": "x"}]},
        {"type": "program_output", "call_id": "a", "output": "x"},
        {"type": "shell_call_output", "call_id": "a", "output": [{"stdout": "x"}, "odd"]},
        output("a", {"not": "allowed"}),
        output("a", [{"type": "next_year"}]),
    ],
)
def test_outputs_of_other_shapes_stay(item: Any) -> None:
    [part] = parts(read(item))
    assert (part.kind, part.pinned) == ("tool_result", True)


@pytest.mark.parametrize(
    ("item", "failed"),
    [
        (output("a", "Process exited with code 2\nOutput:\nx"), True),
        (output("a", "Process exited with code 0\nOutput:\nx"), False),
        (output("a", [{"stdout": "x", "outcome": {"type": "timeout"}}], "shell_call_output"), True),
        (output("a", '{"output":"x","metadata":{"exit_code":1}}', "local_shell_call_output"), True),
        ({"type": "apply_patch_call_output", "call_id": "a", "status": "completed", "output": "ok"}, False),
    ],
)
def test_failures_are_known(item: Any, failed: bool) -> None:
    assert [part.is_error for part in parts(read(item))] == [failed]


@pytest.mark.parametrize(
    ("item", "role", "origin"),
    [
        ({"type": "web_search_call", "id": "ws", "status": "completed"}, "assistant", "user"),
        ({"type": "mcp_list_tools", "id": "m", "tools": []}, "assistant", "user"),
        ({"type": "image_generation_call", "id": "ig", "result": "aGk="}, "assistant", "user"),
        ({"type": "compaction", "id": "cmp", "encrypted_content": "x"}, "user", "summary"),
        ({"type": "item_reference", "id": "msg"}, "user", "harness"),
        ({"type": "additional_tools", "role": "developer", "tools": []}, "user", "harness"),
        ({"type": "message", "role": "assistant", "content": []}, "assistant", "user"),
        ("odd", "user", "harness"),
    ],
)
def test_what_is_not_the_clients_stays(item: Any, role: str, origin: str) -> None:
    [message] = read(item).messages
    assert (message.role, message.origin) == (role, origin)
    assert [(part.kind, part.pinned, part.path) for part in message.parts] == [("other", True, ("input", 0))]


def test_calls_of_the_apis_own_tools_pair_and_stay() -> None:
    transcript = read(
        {"type": "local_shell_call", "id": "lsh", "call_id": "a", "action": {"type": "exec", "command": ["ls"]}},
        {"type": "shell_call", "call_id": "b", "action": {"commands": ["ls"]}},
        {"type": "local_shell_call_output", "id": "lsh", "output": "x"},
        output("b", [{"stdout": "y"}], "shell_call_output"),
    )
    assert [(part.kind, part.call_id, part.tool, part.pinned) for part in parts(transcript)] == [
        ("tool_call", "a", "local_shell_call", True),
        ("tool_call", "b", "shell_call", True),
        ("tool_result", "a", "local_shell_call", False),
        ("tool_result", "b", "shell_call", False),
    ]


def test_media_texts_with_sources_and_refusals() -> None:
    transcript = read(
        {
            "role": "user",
            "content": [
                {"type": "input_image", "image_url": "data:image/png;base64,aGk="},
                {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,aGk="},
                {"type": "input_file", "file_id": "file-1"},
                {"type": "input_audio", "input_audio": {"format": "mp3", "data": "aGk="}},
            ],
        },
        {"role": "assistant", "content": [{"type": "output_text", "text": "see", "annotations": [{"url": "u"}]}]},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]},
    )
    assert [(part.kind, part.text, part.pinned) for part in parts(transcript)] == [
        ("media", "image/png", False),
        ("media", "application/pdf a.pdf", False),
        ("media", "file file-1", False),
        ("media", "audio/mp3", False),
        ("text", "see", True),
        ("text", "no", True),
    ]
    assert FORMAT.replacement_body(parts(transcript)[0], "gone") == {"type": "input_text", "text": "gone"}


@pytest.mark.parametrize(
    ("body", "partial"),
    [
        ({"previous_response_id": "resp_1"}, True),
        ({"conversation": {"id": "c"}}, True),
        ({"previous_response_id": None}, False),
        ({"input": [{"type": "item_reference", "id": "x"}]}, True),
        ({"input": [{"role": "user", "content": '{"type":"item_reference"}'}]}, False),
    ],
)
def test_history_that_the_api_keeps_makes_it_partial(body: dict[str, Any], partial: bool) -> None:
    whole = {"model": "gpt-5", "input": [{"role": "user", "content": "x"}]} | body
    assert FORMAT.read(whole).partial == partial
    assert FORMAT.read(Text.of(dumps(whole))).partial == partial


def test_an_input_may_be_one_text() -> None:
    body = {"model": "gpt-5", "input": "hello"}
    for native in (body, Text.of(dumps(body))):
        assert FORMAT.recognize(native) == "`input` is a text"
        [message] = FORMAT.read(native).messages
        assert (message.role, message.parts[0].text, message.parts[0].path) == ("user", "hello", ("input",))
    assert fit(dumps(body)).request == dumps(body)


@pytest.mark.parametrize(
    ("native", "reason"),
    [
        ([call("a"), output("a", "x")], "an item has the type function_call"),
        (
            [{"role": "user", "content": [{"type": "input_text", "text": "x"}]}],
            "`content` holds a block of type input_text",
        ),
        ([{"role": "user", "content": "x"}], ""),
        ({"input": []}, "`input` is a list of items"),
        ({"input": ["an", "embedding"]}, ""),
        ({"messages": []}, ""),
    ],
)
def test_recognized_by_items(native: Any, reason: str) -> None:
    assert FORMAT.recognize(native) == reason
    assert FORMAT.recognize(Text.of(dumps(native))) == reason


def test_a_new_message_has_no_id() -> None:
    text = {"type": "input_text", "text": "go on"}
    assert FORMAT.new_message(NewMessage("user", "go on")) == {"type": "message", "role": "user", "content": [text]}
    assert FORMAT.new_message(NewMessage("assistant", "so"))["content"] == [{"type": "output_text", "text": "so"}]


def test_reading_goes_on_behind_known_messages() -> None:
    items = [{"role": "user", "content": "x"}, call("a"), call("b"), output("a", "one"), output("b", "two")]
    whole = FORMAT.read(items)
    for count in (1, 3, 4):  # where a client could have stopped
        known = whole.messages[: sum(one.path[0] < count for one in whole.messages)]
        assert _read_on(items, known) == whole


def _read_on(items: list[Any], known: tuple[Message, ...]) -> Transcript:
    return FORMAT.read(items, known=known)
