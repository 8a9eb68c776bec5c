"""What is mended in a request of the Messages API: broken bytes in, mended bytes out."""

import base64
import struct
from typing import Any

import pytest

from secateur.api.repair import RepairLimits, RepairOptions, RepairResult, repair

CALL = '{"type": "tool_use", "id": "a", "name": "bash", "input": {}}'
RESULT = '{"type":"tool_result","tool_use_id":"a","content":"caf\\u00e9"}'
NONE = '{"type":"tool_result","tool_use_id":"a","is_error":true,"content":"[no result: the call was interrupted]"}'


def mended(body: str, **settings: Any) -> RepairResult:
    return repair(body.encode(), "anthropic_messages", RepairOptions(**settings))


def rules(done: RepairResult) -> list[str]:
    return [one.rule for one in done.repairs]


def picture(width: int, height: int) -> dict[str, Any]:
    head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height)
    data = base64.b64encode(head).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


CASES = {
    "a call without a result, at the end": (
        "A1",
        f'[ {{"role":"user", "content":"hi"}},\n {{"role":"assistant","content":[{CALL}]}} ]',
        f'[ {{"role":"user", "content":"hi"}},\n {{"role":"assistant","content":[{CALL}]}},\n '
        f'{{"role":"user","content":[{NONE}]}} ]',
    ),
    "a call without a result, before a text": (
        "A1",
        f'[{{"role":"user","content":"hi"}},{{"role":"assistant","content":[{CALL}]}},{{"role":"user","content":"so?"}}]',
        f'[{{"role":"user","content":"hi"}},{{"role":"assistant","content":[{CALL}]}},'
        f'{{"role":"user","content":[{NONE},{{"type":"text","text":"so?"}}]}}]',
    ),
    "a result without a call": (
        "A2",
        f'[{{"role":"user","content":[{RESULT}]}}]',
        '[{"role":"user","content":[{"type":"text","text":"[result of call a, which is not in this conversation]\\n'
        'café"}]}]',
    ),
    "a result that came late": (
        "A1",
        f'[{{"role":"user","content":"hi"}},{{"role":"assistant","content":[{CALL}]}},{{"role":"user","content":"so?"}},'
        f'{{"role":"assistant","content":"wait"}},{{"role":"user","content":[{RESULT}]}}]',
        f'[{{"role":"user","content":"hi"}},{{"role":"assistant","content":[{CALL}]}},'
        f'{{"role":"user","content":[{RESULT},{{"type":"text","text":"so?"}}]}},{{"role":"assistant","content":"wait"}}]',
    ),
    "a result behind a text": (
        "A3",
        f'[{{"role":"user","content":"hi"}},{{"role":"assistant","content":[{CALL}]}},'
        f'{{"role":"user","content":[{{"type": "text", "text": "so?"}} , {RESULT}]}}]',
        f'[{{"role":"user","content":"hi"}},{{"role":"assistant","content":[{CALL}]}},'
        f'{{"role":"user","content":[{RESULT} , {{"type": "text", "text": "so?"}}]}}]',
    ),
    "a system message between call and result": (
        "A31",
        f'[{{"role":"user","content":"hi"}},{{"role":"assistant","content":[{CALL}]}},'
        f'{{"role":"system","content":"now"}},{{"role":"user","content":[{RESULT}]}}]',
        f'[{{"role":"user","content":"hi"}},{{"role":"assistant","content":[{CALL}]}},'
        f'{{"role":"user","content":[{RESULT}]}},{{"role":"system","content":"now"}}]',
    ),
    "a message that begins with the assistant": (
        "A7",
        '[{"role":"assistant","content":"ho"},{"role":"user","content":"hi"}]',
        '[{"role":"user","content":"[the conversation before this point is not here]"},'
        '{"role":"assistant","content":"ho"},{"role":"user","content":"hi"}]',
    ),
    "an empty block beside another": (
        "A11",
        '[{"role":"user","content":[{"type":"text","text":" "}, {"type":"text","text":"hi"}]}]',
        '[{"role":"user","content":[{"type":"text","text":"hi"}]}]',
    ),
    "an empty block alone": (
        "A11",
        '[{"role":"user","content":[{"type":"text", "text":""}]}]',
        '[{"role":"user","content":[{"type":"text", "text":"[no content]"}]}]',
    ),
    "an empty block in a result": (
        "A11",
        f'[{{"role":"user","content":"hi"}},{{"role":"assistant","content":[{CALL}]}},{{"role":"user","content":'
        '[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":""},{"type":"text","text":"ho"}]}]}]',
        f'[{{"role":"user","content":"hi"}},{{"role":"assistant","content":[{CALL}]}},{{"role":"user","content":'
        '[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"ho"}]}]}]',
    ),
    "an empty message": (
        "A12",
        '[{"role":"user","content":[]},{"role":"assistant","content":"ho"},{"role":"user","content":"hi"}]',
        '[{"role":"user","content":"[no content]"},{"role":"assistant","content":"ho"},{"role":"user","content":"hi"}]',
    ),
    "white space at the end of a prefill": (
        "A13",
        '[{"role":"user","content":"hi"},{"role":"assistant","content":"so: "}]',
        '[{"role":"user","content":"hi"},{"role":"assistant","content":"so:"}]',
    ),
    "reasoning that nothing follows": (
        "A15",
        '[{"role":"user","content":"hi"},{"role":"assistant","content":'
        '[{"type":"text","text":"so"},{"type":"thinking","thinking":"hm","signature":"s"}]},{"role":"user","content":"?"}]',
        '[{"role":"user","content":"hi"},{"role":"assistant","content":'
        '[{"type":"text","text":"so"}]},{"role":"user","content":"?"}]',
    ),
    "reasoning without a signature": (
        "A50",
        '[{"role":"user","content":"hi"},{"role":"assistant","content":'
        '[{"type":"thinking","thinking":"hm","signature":""},{"type":"text","text":"so"}]},{"role":"user","content":"?"}]',
        '[{"role":"user","content":"hi"},{"role":"assistant","content":'
        '[{"type":"text","text":"so"}]},{"role":"user","content":"?"}]',
    ),
    "half a character": (
        "A71",
        '[{"role":"user","content":"a\\ud83d \\u00e9"},{"role":"assistant","content":"\\u00e9"}]',
        '[{"role":"user","content":"a� é"},{"role":"assistant","content":"\\u00e9"}]',
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_broken_bytes_are_mended_and_the_others_stay(case: str) -> None:
    rule, before, after = CASES[case]
    done = mended(before)
    assert done.document.decode() == after
    assert rule in rules(done)
    assert all(one.what[:1].islower() for one in done.repairs), done.repairs
    assert done.remaining == ()


@pytest.mark.parametrize(
    ("given", "kept"), [('"{\\"a\\": 1}"', '{"a":1}'), ('"{\\"a\\":"', '{"_raw":"{\\"a\\":"}'), ("null", "{}")]
)
def test_an_input_becomes_an_object(given: str, kept: str) -> None:
    call = '{"type":"tool_use","id":"a","name":"bash","input":%s}'
    result = '{"type":"tool_result","tool_use_id":"a","content":"x"}'
    said = f'{{"role":"user","content":"hi"}},{{"role":"assistant","content":[{call}]}}'
    body = f'[{said},{{"role":"user","content":[{result}]}}]'
    assert mended(body % given).document.decode() == body % kept


def test_a_second_call_of_an_id_is_renamed_with_its_result() -> None:
    call, result = '{"type":"tool_use","id":"%s","name":"b","input":{}}', '{"type":"tool_result","tool_use_id":"%s"}'
    body = (
        f'[{{"role":"user","content":"hi"}},{{"role":"assistant","content":[{call},{call}]}},'
        f'{{"role":"user","content":[{result},{result}]}},{{"role":"assistant","content":[{call}]}},'
        f'{{"role":"user","content":[{result}]}}]'
    )
    done = mended(body % (("a",) * 6))
    assert done.document.decode() == body % ("a", "a_2", "a", "a_2", "a_3", "a_3")
    assert rules(done) == ["A4", "A4"]


def test_an_id_of_odd_letters_is_spelled_anew() -> None:
    body = (
        '[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"%s","name":"b",'
        '"input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"%s"}]}]'
    )
    assert mended(body % ("a b|c", "a b|c")).document.decode() == body % ("a_b_c", "a_b_c")


def test_a_model_that_refuses_prefill_is_asked_to_continue() -> None:
    body = '[{"role":"user","content":"hi"},{"role":"assistant","content":"so"}%s]'
    done = mended(body % "", model="claude-opus-4-6")
    assert done.document.decode() == body % ',{"role":"user","content":"continue"}'
    assert mended(body % "", model="claude-opus-4-5").document.decode() == body % ""


def test_pictures_of_an_orphan_result_stay_pictures() -> None:
    result = {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "x"}, picture(1, 1)]}
    done = repair([{"role": "user", "content": [result]}], "anthropic_messages")
    heading = "[result of call a, which is not in this conversation]\nx"
    assert done.document == [{"role": "user", "content": [{"type": "text", "text": heading}, picture(1, 1)]}]


def sent(*pictures: Any, **limits: int) -> list[Any]:
    """What is left of pictures, by the first word of each block."""
    settings = RepairOptions(limits=RepairLimits(**limits))
    done = repair([{"role": "user", "content": [*pictures]}], "anthropic_messages", settings)
    return [block.get("text", block["type"]) for block in done.document[0]["content"]]


def test_the_oldest_pictures_go_where_there_are_too_many() -> None:
    gone = "[image/png 1x1 24 bytes removed: more than 2 images]"
    assert sent(*[picture(1, 1)] * 4, images=2) == [gone, gone, "image", "image"]


def test_a_huge_picture_goes() -> None:
    gone = "[image/png 8001x1 24 bytes removed: larger than an image may be]"
    assert sent(picture(8001, 1), picture(8000, 1)) == [gone, "image"]


def test_beyond_twenty_pictures_the_large_ones_go_until_few_are_left() -> None:
    kept = sent(*[picture(3000, 9)] * 22, picture(10, 10))
    assert [text.startswith("[image/png 3000x9") for text in kept] == [True] * 3 + [False] * 20


def test_a_body_of_too_many_bytes_loses_its_oldest_pictures() -> None:
    gone = "[image/png 1x1 24 bytes removed: the request had too many bytes]"
    assert sent(*[picture(1, 1)] * 3, body_bytes=64) == [gone, "image", "image"]


def test_an_error_result_keeps_its_text_only() -> None:
    call = {"type": "tool_use", "id": "a", "name": "b", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "a", "is_error": True, "content": [picture(2, 3)]}
    messages = [{"role": "user", "content": "x"}, {"role": "assistant", "content": [call]}]
    done = repair([*messages, {"role": "user", "content": [result]}], "anthropic_messages")
    told = "[image/png 2x3 24 bytes removed: an error result holds text only]"
    assert done.document[2]["content"][0]["content"] == [{"type": "text", "text": told}]
    assert rules(done) == ["A9"]


def test_what_nobody_knows_stays_and_is_said() -> None:
    done = mended('[{"role":"user","content":"hi"},{"role":"robot","content":"?"}]')
    assert done.repairs == ()
    assert [one.where for one in done.remaining] == ["messages.1"]


# --- what a repair of one thing may not break in another ------------------------------------------------------------


def call(id: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "bash", "input": {}}]}


def answered(*ids: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "ok"} for id in ids]}


def test_a_message_whose_results_moved_away_still_seats_those_of_its_own_round() -> None:
    hi = {"role": "user", "content": "hi"}
    done = repair([hi, call("a"), hi, call("b"), answered("a")], "anthropic_messages")
    results = [
        [one["tool_use_id"] for one in message["content"]] for message in done.document[4:] if message["role"] == "user"
    ]
    assert done.document[2]["content"][0]["tool_use_id"] == "a"
    assert results == [["b"]]
    assert done.remaining == ()
    assert repair(done.document, "anthropic_messages") == RepairResult(done.document)


USE = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}
FOUND = {"type": "web_search_result", "url": "https://x", "title": "X", "encrypted_content": "c2ln"}
RESULTS = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [FOUND]}


@pytest.mark.parametrize(("half", "rule", "says"), [(USE, "A41", "call of web_search"), (RESULTS, "A40", "https://x")])
def test_half_of_a_server_tool_becomes_text(half: dict[str, Any], rule: str, says: str) -> None:
    said = {"type": "text", "text": "so"}
    messages = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": [half, said]},
        {"role": "user", "content": "b"},
    ]
    done = repair(messages, "anthropic_messages")
    first, second = done.document[1]["content"]
    assert rules(done) == [rule]
    assert (first["type"], second) == ("text", said)
    assert says in first["text"]
    assert "c2ln" not in first["text"]
    whole = [messages[0], {"role": "assistant", "content": [USE, RESULTS, said]}, messages[2]]
    assert repair(whole, "anthropic_messages").document is whole


def marked(text: str, **more: str) -> dict[str, Any]:
    return {"type": "text", "text": text, "cache_control": {"type": "ephemeral", **more}}


def test_the_oldest_markers_in_messages_give_way() -> None:
    body = {"system": [marked("s")], "messages": [{"role": "user", "content": [marked(str(n)) for n in range(5)]}]}
    done = repair(body, "anthropic_messages")
    assert ["cache_control" in block for block in done.document["messages"][0]["content"]] == [
        False,
        False,
        True,
        True,
        True,
    ]
    assert set(rules(done)) == {"A20"}
    assert done.remaining == ()


def test_a_longer_life_behind_a_shorter_one_becomes_as_short() -> None:
    body = {"system": [marked("s")], "messages": [{"role": "user", "content": [marked("a", ttl="1h")]}]}
    done = repair(body, "anthropic_messages")
    assert done.document["messages"][0]["content"] == [marked("a")]
    assert rules(done) == ["A21"]


def test_a_repair_says_what_became_of_an_input() -> None:
    said = f'{{"role":"assistant","content":[{CALL}]}},{{"role":"user","content":[{RESULT}]}}'
    done = mended(f'[{{"role":"user","content":"hi"}},{said}]'.replace('"input": {}', '"input": "{}"'))
    assert [(one.rule, one.what) for one in done.repairs] == [
        ("A6", "the input of a call was not an object and became one")
    ]


def test_an_answer_of_unsigned_reasoning_alone_says_that_it_has_no_content() -> None:
    said = '{"role":"user","content":"hi"},{"role":"assistant","content":[%s]},{"role":"user","content":"so?"}'
    thought, text = '{"type":"thinking","thinking":"hm","signature":""}', '{"type":"text","text":"[no content]"}'
    done = mended(f"[{said % thought}]")
    assert done.document.decode() == f"[{said % text}]"
    assert rules(done) == ["A50"]
