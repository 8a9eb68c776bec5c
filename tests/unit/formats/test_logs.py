"""What holds for every session log: damage is named and passed over, edits land where parts stand, time is read."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odd_shapes import mangled
from secateur.errors import EditError, FormatError
from secateur.formats.claude_code import ClaudeCode
from secateur.formats.codex import Codex
from secateur.formats.logs import parse_timestamp, trace_ancestry
from secateur.formats.pi import Pi
from secateur.jsontext import Lines, Text
from secateur.model import NewMessage
from secateur.patch import Op, apply
from session_lines import log, parts, results, said

LONG = "id" * 750
HUSH = "said \ud83d alone"


def pi(name: str, text: str) -> list[dict[str, Any]]:
    call = {"type": "toolCall", "id": name, "name": "read", "arguments": {}}
    found = {"role": "toolResult", "toolCallId": name, "content": [{"type": "text", "text": text}]}
    return [
        {"type": "session", "id": "s"},
        {"type": "message", "message": {"role": "user", "content": "go"}},
        {"type": "message", "message": {"role": "assistant", "content": [call]}},
        {"type": "message", "message": found},
    ]


def claude_code(name: str, text: str) -> list[dict[str, Any]]:
    call = {"type": "tool_use", "id": name, "name": "read", "input": {}}
    found = {"type": "tool_result", "tool_use_id": name, "content": text}
    return [
        {"type": "user", "uuid": "1", "parentUuid": None, "message": {"role": "user", "content": "go"}},
        {"type": "assistant", "uuid": "2", "parentUuid": "1", "message": {"role": "assistant", "content": [call]}},
        {"type": "user", "uuid": "3", "parentUuid": "2", "message": {"role": "user", "content": [found]}},
    ]


def codex(name: str, text: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
        {"type": "function_call", "name": "read", "arguments": "{}", "call_id": name},
        {"type": "function_call_output", "call_id": name, "output": text},
    ]
    return [{"type": "response_item", "payload": item} for item in items]


HOSTS = pytest.mark.parametrize(("host", "sample"), [(Pi(), pi), (ClaudeCode(), claude_code), (Codex(), codex)])
WHOLE = [("user", "go"), ("assistant", "{}"), ("tool", "found")]


@HOSTS
def test_an_empty_file_has_no_messages(host: Any, sample: Any) -> None:
    for data in (b"", b"\n", b"\r\n  \n"):
        transcript = host.read(Lines.of(data))
        assert (transcript.messages, transcript.warnings, host.recognize(Lines.of(data))) == ((), (), "")


@HOSTS
def test_the_folder_and_the_branch_are_those_that_the_newest_lines_name(host: Any, sample: Any) -> None:
    def place(folder: Any, branch: Any) -> dict[str, Any]:
        if host.name == "codex":
            return {"type": "turn_context", "payload": {"cwd": folder, "git": {"branch": branch}}}
        return {"type": "progress", "cwd": folder, "gitBranch": branch}

    for lines, found in (
        ([], ("", "")),
        ([place("/srv/a", "main"), place("/srv/b", "side")], ("/srv/b", "side")),
        ([place("/srv/a", "main"), place("/srv/a", "")], ("/srv/a", "main")),
        ([place("/srv/a", "main"), place("/srv/b", "HEAD"), place(7, ["x"])], ("/srv/b", "")),
    ):
        read = host.read(log(*sample("c1", "found"), *lines))
        assert (read.folder, read.branch) == found


@HOSTS
def test_blank_lines_carriage_returns_and_a_byte_order_mark(host: Any, sample: Any) -> None:
    data = b"\xef\xbb\xbf" + b"\r\n\r\n \t\n".join(json.dumps(one).encode() for one in sample("c1", "found"))
    transcript = host.read(Lines.of(data))
    assert said(transcript) == WHOLE
    assert transcript.warnings == ()
    assert host.recognize(Lines.of(data))


@HOSTS
@pytest.mark.parametrize("torn", [b'{"type": "mes', b'{"a": 1}{"b": 2}', b'{"type": "\xff"}', b"nul"])
def test_a_line_that_is_not_json_is_named_and_passed_over(host: Any, sample: Any, torn: bytes) -> None:
    data = log(*sample("c1", "found")).data
    transcript = host.read(Lines.of(data + torn))
    assert said(transcript) == WHOLE
    count = data.count(b"\n")
    torn_told = "is not JSON and stays unchanged and unread: `secateur repair` moves what is torn out of the file"
    miscoded_told = (
        "is not UTF-8 and stays unchanged and unread: `secateur repair` puts U+FFFD for its bytes; a file in another "
        "encoding is better converted (iconv)"
    )
    told = miscoded_told if b"\xff" in torn else torn_told
    assert transcript.warnings == (f"line {count + 1} {told}",)


@HOSTS
def test_lines_of_one_fault_are_one_warning(host: Any, sample: Any) -> None:
    data = log(*sample("c1", "found")).data
    count = data.count(b"\n")
    warnings = host.read(Lines.of(data + b"nul\n\xe9\n" * 5)).warnings
    torn, miscoded = ([count + at for at in range(first, first + 6, 2)] for first in (1, 2))
    assert [one.split(" and stay unchanged")[0] for one in warnings] == [
        f"lines {', '.join(map(str, torn))} and 2 more are not JSON",
        f"lines {', '.join(map(str, miscoded))} and 2 more are not UTF-8",
    ]


@HOSTS
def test_two_entries_on_one_line_lose_no_other_line(host: Any, sample: Any) -> None:
    lines = log(*sample("c1", "found")).data.splitlines(keepends=True)
    data = b"".join([*lines[:-2], lines[-1].rstrip(), lines[-1], lines[-2], lines[-1]])
    transcript = host.read(Lines.of(data))
    assert said(transcript) == WHOLE
    assert len(transcript.warnings) == 1


@HOSTS
def test_a_line_of_another_value_is_named_and_passed_over(host: Any, sample: Any) -> None:
    transcript = host.read(log(*sample("c1", "found"), [1, 2]))
    assert said(transcript) == WHOLE
    assert transcript.warnings[0].endswith("is not a JSON object and stays unchanged and unread")


@HOSTS
@pytest.mark.parametrize("name", [LONG, "", HUSH])
def test_ids_of_any_length_and_texts_with_half_a_surrogate(host: Any, sample: Any, name: str) -> None:
    native = log(*sample(name, HUSH))
    (found,) = results(host.read(native))
    assert (found.call_id, found.tool, found.text) == (name, "read", HUSH)
    again = apply(native, [Op(found.path, host.replacement_body(found, "short"))])
    assert results(host.read(again))[0].text == "short"
    assert results(host.read(again))[0].call_id == name


@HOSTS
def test_a_result_without_a_call_stays(host: Any, sample: Any) -> None:
    entries = sample("c1", "found")
    link = {"parentUuid": "1"} if sample is claude_code else {}
    transcript = host.read(log(*entries[:-2], {**entries[-1], **link}))
    assert said(transcript) == [WHOLE[0], WHOLE[2]]


@HOSTS
@given(text=st.text(max_size=30))
def test_a_text_that_is_written_is_read_again(host: Any, sample: Any, text: str) -> None:
    native = log(*sample("c1", "found"))
    before = parts(host.read(native))
    for number, part in enumerate(before):
        if part.kind == "tool_result":
            after = parts(host.read(apply(native, [Op(part.path, host.replacement_body(part, text))])))
            assert after[number].text == text
            assert [one.local for one in after if one is not after[number]] == [
                one.local for one in before if one is not part
            ]


@HOSTS
@given(data=st.data())
def test_no_reader_fails_on_entries_of_any_shape(host: Any, sample: Any, data: Any) -> None:
    native = log(*(data.draw(mangled(one)) for one in sample("c1", "found") + sample("c1", "again")))
    host.recognize(native)
    for part in parts(host.read(native)):
        assert native.at(part.path[:1]) is not None


@HOSTS
def test_a_log_is_read_from_lines_only(host: Any, sample: Any) -> None:
    for other in (Text.of(b"{}"), sample("c1", "found"), b"{}"):
        with pytest.raises(FormatError, match="requires the lines of a session file"):
            host.read(other)


@HOSTS
def test_a_log_takes_no_new_message(host: Any, sample: Any) -> None:
    with pytest.raises(EditError, match="own compaction entry"):
        host.new_message(NewMessage("user", "continue"))


@pytest.mark.parametrize(
    ("stamp", "ms"),
    [
        ("1970-01-01T00:00:01Z", 1000),
        ("1970-01-01T00:00:01.250+00:00", 1250),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1970-01-01T00:00:01", 1000),
        (1700000000000, 1700000000000),
        ("yesterday", 0),
        ("", 0),
        (None, 0),
        (True, 0),
    ],
)
def test_times(stamp: Any, ms: int) -> None:
    assert parse_timestamp(stamp) == ms


def test_a_lost_parent_is_told_on_every_branch() -> None:
    parents, places = {0: None, 1: "gone", 2: "a", 4: "lost", 6: "c"}, {"a": 0, "b": 1, "c": 2, "d": 4, "e": 6}
    warnings: list[str] = []
    assert trace_ancestry(6, parents, places, warnings) == [0, 2, 6]
    assert warnings == ["line 2, on another branch, names a parent that is not in the file, as do 1 more"]
