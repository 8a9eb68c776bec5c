"""What is mended in a Responses request: broken bytes in, mended bytes out."""

import pytest

from secateur.api.repair import RepairResult, repair

USER = '{"role":"user","content":"hi"}'
CALL = '{"type":"function_call","call_id":"a","name":"b","arguments":"{}"}'
DONE = '{"type":"function_call_output","call_id":"a","output":"caf\\u00e9"}'
NONE = '{"type":"function_call_output","call_id":"a","output":"[no result: the call was interrupted]"}'
HEAD = '{"type":"input_text","text":"[result of call a, which is not in this conversation]%s"}'
THOUGHT = '{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"}'
SAID = '{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"ho"}]}'
SHELL = '{"type":"local_shell_call","id":"lsh_%s","call_id":"%s","action":{"type":"exec","command":["ls"]}}'
SHELL_DONE = '{"type":"local_shell_call_output","id":"%s","output":"{}"}'
PICTURE = '{"type":"input_image","image_url":"https:\\/\\/x"}'


def mended(body: str) -> RepairResult:
    return repair(body.encode(), "openai_responses")


CASES = {
    "a call without an output": ("R1", f"[{USER}, {CALL}]", f"[{USER}, {CALL}, {NONE}]"),
    "an output without a call": (
        "R2",
        f"[{USER},{DONE}]",
        f'[{USER},{{"type":"message","role":"user","content":[{HEAD}]}}]' % "\\ncafé",
    ),
    "reasoning that leads nowhere": ("R3", f"[{USER},{THOUGHT},{USER}]", f"[{USER},{USER}]"),
    "an item id that stands twice": (
        "R5",
        '[{"type":"message","id":"msg_1","role":"user","content":"\\u00e9"},'
        '{"type":"message","id":"msg_1","role":"user","content":"\\u00e9"}]',
        '[{"type":"message","id":"msg_1","role":"user","content":"\\u00e9"},'
        '{"type":"message","role":"user","content":"\\u00e9"}]',
    ),
    "an item that stands twice": (
        "R5",
        f"[{USER},{THOUGHT},{SAID}, {SAID},{USER}]",
        f"[{USER},{THOUGHT},{SAID},{USER}]",
    ),
    "a call of the computer without its screenshot": (
        "R1",
        f'[{USER},{{"type":"computer_call","id":"cu_1","call_id":"a","action":{{"type":"click"}},"status":"completed"}}]',
        f'[{USER},{{"type":"message","role":"assistant","content":"[call of the computer: {{\\"type\\":\\"click\\"}}; '
        'its screenshot is not in this conversation]"}]',
    ),
    "a call of the local shell without its output, beside one whose output names it by its id": (
        "R1",
        f"[{USER},{SHELL % ('a', 'a')},{SHELL_DONE % 'a'},{SHELL % ('b', 'b')}]",
        f"[{USER},{SHELL % ('a', 'a')},{SHELL_DONE % 'a'},{SHELL % ('b', 'b')},"
        '{"type":"local_shell_call_output","id":"b",'
        '"output":"{\\"output\\": \\"[no result: the call was interrupted]\\"}"}]',
    ),
    "an item id of another API": (
        "R6",
        '[{"type":"message","id":"item_1","role":"user","content":"hi"}]',
        '[{"type":"message","role":"user","content":"hi"}]',
    ),
    "an output that is no text": (
        "R12",
        f'[{USER},{CALL},{{"type":"function_call_output","call_id":"a","output":null}}]',
        f'[{USER},{CALL},{{"type":"function_call_output","call_id":"a","output":"[no output]"}}]',
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_broken_bytes_are_mended_and_the_others_stay(case: str) -> None:
    rule, before, after = CASES[case]
    done = mended(before)
    assert done.document.decode() == after
    assert rule in [one.rule for one in done.repairs]
    assert all(one.what[:1].islower() for one in done.repairs), done.repairs
    assert done.remaining == ()
    assert mended(after).document == after.encode()


def test_pictures_of_an_orphan_output_stay_pictures() -> None:
    output = f'{{"type":"function_call_output","call_id":"a","output":[{PICTURE}]}}'
    said = f'{{"type":"message","role":"user","content":[{HEAD % ""},{PICTURE}]}}'
    assert mended(f"[{USER},{output}]").document.decode() == f"[{USER},{said}]"


def test_an_output_whose_call_the_server_may_hold_stays() -> None:
    body = f'{{"previous_response_id":"resp_1","input":[{DONE}]}}'
    assert mended(body).document.decode() == body


def test_outputs_stand_behind_all_calls_of_a_step() -> None:
    other, none = CALL.replace('"a"', '"c"'), NONE.replace('"a"', '"c"')
    assert mended(f"[{USER},{CALL},{other},{DONE}]").document.decode() == f"[{USER},{CALL},{other},{none},{DONE}]"


def test_two_open_calls_of_one_id_are_told_apart_with_their_outputs() -> None:
    again = [one.replace('"a"', '"a_2"') for one in (CALL, DONE)]
    done = mended(f"[{USER},{CALL},{CALL},{DONE},{DONE}]")
    assert done.document.decode() == f"[{USER},{CALL},{again[0]},{DONE},{again[1]}]"


def test_a_string_is_left_alone() -> None:
    body = '{"model":"gpt-5","input":"hi"}'
    assert mended(body) == RepairResult(body.encode())


def test_a_part_whose_type_is_no_text_is_repaired_like_any_other_value() -> None:
    call = {"type": "function_call", "call_id": "a", "name": "read", "arguments": "{}"}
    odd = {"type": "function_call_output", "call_id": "a", "output": [{"type": {}}]}
    done = repair({"input": [{"role": "user", "content": "go"}, call, odd]}, "openai_responses")
    assert done.document["input"][2]["output"] == '[{"type":{}}]'
