"""What is mended in session files: broken lines in, mended lines out, the other lines as they were."""

import json
from typing import Any

import pytest

import claude_code_lines as cc
from every_format import Step, Turn, document
from loaders import claude_code_loader, codex_loader, pi_loader
from native import pi_call, pi_result, pi_session, user
from secateur import documents
from secateur.api.repair import RepairResult, repair
from secateur.formats import FORMATS

NONE = "[no result: the call was interrupted]"
WHEN = "2026-01-02T03:04:05.600Z"


def file(*values: Any) -> bytes:
    return b"".join(value if isinstance(value, bytes) else json.dumps(value).encode() + b"\n" for value in values)


def values(done: RepairResult) -> list[Any]:
    return [json.loads(line) for line in done.document.splitlines()]


def rules(done: RepairResult) -> list[str]:
    return [one.rule for one in done.repairs]


def item(**payload: Any) -> dict[str, Any]:
    return {"timestamp": WHEN, "type": "response_item", "payload": payload}


def codex_user(text: str) -> dict[str, Any]:
    return item(type="message", role="user", content=[{"type": "input_text", "text": text}])


def codex_call(call: str) -> dict[str, Any]:
    return item(type="function_call", name="shell", arguments="{}", call_id=call)


def codex_output(call: str, output: Any = "done") -> dict[str, Any]:
    return item(type="function_call_output", call_id=call, output=output)


META = {"timestamp": WHEN, "type": "session_meta", "payload": {"id": "s"}}


# --- lines ---------------------------------------------------------------------------------------------------------


def test_a_torn_last_line_is_cut_off_and_kept() -> None:
    sound = file(META, codex_user("hi"))
    done = repair(sound + b'{"timestamp":"2026', "codex")
    assert done.document == sound
    assert done.torn == b'{"timestamp":"2026\n'
    assert rules(done) == ["F1"]


TURNS = [Turn("fix it, Zoë", (Step("read", '{"path": "a.py"}', "x = 1"),)), Turn("thanks", (), "gërn geschehen")]
LOGS = [name for name, one in FORMATS.items() if one.log]


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize("kept", [0.05, 0.5, 0.95])
@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_a_torn_last_line_is_read_alike_before_and_after_the_repair(name: str, kept: float, end: bytes) -> None:
    *sound, last = document(name, TURNS).splitlines(keepends=True)
    for tail in (
        last[: int(len(last) * kept) or 1] + end,
        last.split(b"\xab")[0][: len(last) - 2] + end,
        b"\0" * 40 + end,
    ):
        torn = documents.read(b"".join([*sound, tail]), name)
        done = repair(torn.native, name)
        mended = documents.read(done.document.data, name)
        assert mended.transcript.messages == documents.read(b"".join(sound), name).transcript.messages
        assert torn.transcript.messages == mended.transcript.messages
        named = [f"line {len(sound) + 1}"] if tail.strip(b"\0\r\n") else []
        assert [one.split(" is not")[0] for one in torn.transcript.warnings] == named
        assert [one.where for one in done.repairs if one.rule == "F1"] == named
        assert done.torn == (tail.rstrip(b"\r\n") + b"\n" if named else b"")
        assert mended.transcript.warnings == ()


def test_two_entries_on_one_line_get_a_line_each() -> None:
    one, two = file(codex_user("hi")), file(codex_user("ho"))
    done = repair(file(META) + one.rstrip() + two, "codex")
    assert done.document == file(META) + one + two
    assert done.torn == b""


def test_an_entry_behind_a_torn_one_is_saved() -> None:
    one, two = file(codex_user("hi")), file(codex_user("ho"))
    done = repair(file(META) + one[:70] + two, "codex")
    assert done.document == file(META) + two
    assert done.torn == one[:70] + b"\n"


def test_bytes_that_are_no_utf8_are_replaced() -> None:
    line = file(codex_user("h?"))
    done = repair(file(META) + line.replace(b"?", b"\xff"), "codex")
    assert done.document == file(META) + line.replace(b"?", "�".encode())


def test_half_a_character_is_replaced_where_it_stands() -> None:
    sound, broken = file(META, codex_user("\u00e9")), file(codex_user("a\ud83d"))
    done = repair(sound + broken, "codex")
    assert done.document == sound + broken.replace(b"\\ud83d", "�".encode())
    assert [one.where for one in done.repairs] == ["line 3"]


# --- Claude Code ---------------------------------------------------------------------------------------------------


def test_claude_code_an_interrupted_session_gets_the_result_it_lacks() -> None:
    sound = file(cc.user("u", None, "hi"), cc.assistant("a", "u", "m", cc.call("c")))
    done = repair(sound, "claude_code")
    assert done.document.startswith(sound)
    new = values(done)[-1]
    block = {"type": "tool_result", "content": NONE, "is_error": True, "tool_use_id": "c"}
    assert new["message"] == {"role": "user", "content": [block]}
    assert (new["parentUuid"], new["sessionId"], new["type"]) == ("a", "s", "user")
    assert [shown.kind for shown in claude_code_loader.load(done.document)] == ["text", "tool_call", "tool_result"]


def test_claude_code_a_lost_result_line_is_made_again_under_its_id() -> None:
    lines = [
        cc.user("u", None, "hi"),
        cc.assistant("a", "u", "m", cc.call("c")),
        cc.user("lost", "a", cc.answer("c", "x")),
        cc.assistant("b", "lost", "n", cc.text("so")),
    ]
    done = repair(file(*lines[:2], lines[3]), "claude_code")
    assert [value["uuid"] for value in values(done)] == ["u", "a", "lost", "b"]
    assert done.document.splitlines()[3] == file(lines[3]).strip()
    assert rules(done) == ["L1"]


def test_claude_code_an_orphan_result_becomes_text() -> None:
    done = repair(file(cc.user("u", None, cc.answer("c", "x"))), "claude_code")
    text = "[result of call c, which is not in this conversation]\nx"
    assert values(done)[0]["message"]["content"] == [{"type": "text", "text": text}]


def test_claude_code_an_id_that_comes_again_is_renamed() -> None:
    lines = [
        cc.user("u", None, "hi"),
        cc.assistant("a", "u", "m", cc.call("c")),
        cc.user("r", "a", cc.answer("c", "x")),
        cc.assistant("b", "r", "n", cc.call("c")),
        cc.user("s", "b", cc.answer("c", "y")),
    ]
    done = repair(file(*lines), "claude_code")
    assert [shown.call for shown in claude_code_loader.load(done.document)] == ["", "c", "c", "c_2", "c_2"]
    assert done.document.splitlines()[:3] == file(*lines[:3]).splitlines()


def test_claude_code_a_lost_parent_is_the_line_before() -> None:
    done = repair(file(cc.user("u", None, "hi"), cc.assistant("a", "lost", "m", cc.text("ho"))), "claude_code")
    assert values(done)[1]["parentUuid"] == "u"
    assert rules(done) == ["F2"]


def test_two_different_lines_of_one_id_are_told_apart() -> None:
    lines = [cc.user("u", None, "hi"), cc.assistant("a", "u", "m", cc.text("ho")), cc.user("u", "a", "so")]
    done = repair(file(*lines), "claude_code")
    assert [shown.text for shown in claude_code_loader.load(done.document)] == ["hi", "ho", "so"]


# --- Codex ---------------------------------------------------------------------------------------------------------


def test_codex_a_missing_output_stands_behind_the_calls() -> None:
    lines = [META, codex_user("hi"), codex_call("a"), codex_call("b"), codex_output("a"), codex_user("so")]
    done = repair(file(*lines), "codex")
    assert values(done) == [*lines[:4], codex_output("b", NONE), *lines[4:]]
    assert [one.where for one in done.repairs] == ["line 4"]
    assert [shown.call for shown in codex_loader.load(done.document)] == ["", "a", "b", "b", "a", ""]


def test_codex_a_new_last_line_is_numbered_where_lines_are() -> None:
    lines = [line | {"ordinal": number} for number, line in enumerate((META, codex_user("hi"), codex_call("a")))]
    done = repair(file(*lines), "codex")
    assert values(done) == [*lines, codex_output("a", NONE) | {"ordinal": 3}]


def test_codex_an_orphan_output_becomes_a_message() -> None:
    done = repair(file(META, codex_output("a")), "codex")
    heading = {"type": "input_text", "text": "[result of call a, which is not in this conversation]"}
    said = item(type="message", role="user", content=[heading, {"type": "input_text", "text": "done"}])
    assert values(done) == [META, said]


def test_codex_calls_inside_a_compaction_are_answered_there() -> None:
    kept = [codex_user("hi")["payload"], codex_call("a")["payload"]]
    done = repair(
        file(META, {"timestamp": WHEN, "type": "compacted", "payload": {"replacement_history": kept}}), "codex"
    )
    assert values(done)[1]["payload"]["replacement_history"] == [*kept, codex_output("a", NONE)["payload"]]


def test_codex_arguments_that_break_off_are_kept_whole_under_raw() -> None:
    broken = item(type="function_call", name="shell", arguments='{"cmd": "rm -r', call_id="a")
    done = repair(file(META, codex_user("hi"), broken, codex_output("a")), "codex")
    assert json.loads(values(done)[2]["payload"]["arguments"]) == {"_raw": '{"cmd": "rm -r'}


# --- Pi ------------------------------------------------------------------------------------------------------------


def test_pi_a_result_joins_the_chain() -> None:
    sound = pi_session([user("hi"), pi_call("c"), user("so")])
    done = repair(sound, "pi")
    before, after = values(RepairResult(sound)), values(done)
    made = after[3]
    assert after[:3] == before[:3]
    assert after[4] == before[3] | {"parentId": made["id"]}
    assert made["parentId"] == "m1"
    assert made["message"]["toolCallId"] == "c"
    assert made["timestamp"] == before[2]["timestamp"]  # as its call
    assert [shown.kind for shown in pi_loader.load(done.document)] == ["text", "tool_call", "tool_result", "text"]


def test_pi_a_lost_result_line_is_made_again_under_its_id() -> None:
    lines = pi_session([user("hi"), pi_call("c"), pi_result("c", "x"), user("so")]).splitlines(keepends=True)
    done = repair(b"".join(lines[:3] + lines[4:]), "pi")
    assert done.document.splitlines(keepends=True)[4] == lines[4]
    assert [value.get("id") for value in values(done)] == ["s", "m0", "m1", "m2", "m3"]
    assert rules(done) == ["L1"]


def test_pi_never_sends_an_aborted_answer_so_its_calls_want_no_result() -> None:
    sound = pi_session([user("hi"), pi_call("c") | {"stopReason": "aborted"}, user("so")])
    done = repair(sound, "pi")
    assert (done.document, done.repairs, done.remaining) == (sound, (), ())


def test_pi_an_orphan_result_becomes_a_message_of_the_user() -> None:
    done = repair(pi_session([pi_result("c", "x")]), "pi")
    heading = {"type": "text", "text": "[result of bash call c, which is not in this conversation]"}
    assert values(done)[1]["message"] == {"role": "user", "content": [heading, {"type": "text", "text": "x"}]}


def test_pi_version_1_counts_entries_so_the_counts_move() -> None:
    head = {"type": "session", "id": "s", "timestamp": WHEN, "cwd": "/"}
    said = [{"type": "message", "timestamp": WHEN, "message": one} for one in (user("hi"), pi_call("c"), user("so"))]
    cut = {"type": "compaction", "timestamp": WHEN, "summary": "all", "firstKeptEntryIndex": 2, "tokensBefore": 9}
    done = repair(file(head, *said, cut, said[1] | {"message": user("end")}), "pi")
    assert [value.get("firstKeptEntryIndex") for value in values(done)] == [None, None, None, None, None, 2, None]
    done = repair(file(head, *said, cut | {"firstKeptEntryIndex": 3}, said[1]), "pi")
    assert NONE in json.dumps(values(done)[-1])


@pytest.mark.parametrize("name", ["claude_code", "codex", "pi"])
def test_a_sound_file_keeps_every_byte(name: str) -> None:
    sound = {
        "claude_code": file(cc.user("u", None, "hi"), cc.assistant("a", "u", "m", cc.text("ho"))),
        "codex": file(META, codex_user("hi"), codex_call("a"), codex_output("a")),
        "pi": pi_session([user("hi"), pi_call("c"), pi_result("c", "x")]),
    }[name]
    done = repair(sound)
    assert (done.document, done.repairs, done.remaining) == (sound, (), ())


# --- entries out of order --------------------------------------------------------------------------------------------


def entry(id: str, parent: str | None, message: dict[str, Any]) -> dict[str, Any]:
    return {"type": "message", "id": id, "parentId": parent, "timestamp": WHEN, "message": message}


def test_a_new_result_stands_on_the_branch_where_a_result_stands_before_its_call() -> None:
    two = pi_call("c") | {"content": [*pi_call("c")["content"], *pi_call("d")["content"]]}
    head = {"type": "session", "version": 3, "id": "s", "cwd": "/w"}
    lines = [entry("a", None, user("hi")), entry("r", "b", pi_result("c", "x")), entry("b", "a", two)]
    done = repair(file(head, *lines, entry("e", "r", user("more"))), "pi")
    assert rules(done) == ["L1"]
    assert [shown.call for shown in pi_loader.load(done.document) if shown.call] == ["c", "d", "c", "d"]
    assert repair(done.document, "pi") == RepairResult(done.document)


def test_where_no_result_can_stand_on_the_branch_none_is_written() -> None:
    call = entry("b", "a", pi_call("c"))
    del call["parentId"]
    lines = [entry("a", None, user("hi")), call, entry("r", "b", user("so")), entry("e", "r", user("more"))]
    data = file({"type": "session", "version": 3, "id": "s", "cwd": "/w"}, *lines)
    done = repair(data, "pi")
    assert done.document == data
    assert [one.rule for one in done.remaining] == ["L5", "L1"]
