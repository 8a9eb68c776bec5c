"""What is mended in a Chat Completions request: broken bytes in, mended bytes out."""

import pytest

from secateur.api.repair import RepairOptions, RepairResult, repair

USER = '{"role":"user","content":"hi"}'
ASKED = '{"id":"a","type":"function","function":{"name":"b","arguments":"{}"}}'
CALL = f'{{"role":"assistant","content":null,"tool_calls":[{ASKED}]}}'
RESULT = '{"role":"tool","tool_call_id":"a","content":"caf\\u00e9"}'
TOLD = '{"role":"user","content":"[result of call a, which is not in this conversation]\\ncafé"}'
NONE = '{"role":"tool","tool_call_id":"a","content":"[no result: the call was interrupted]"}'


def mended(body: str, profile: str = "") -> RepairResult:
    return repair(body.encode(), "openai_chat", RepairOptions(profile=profile))


CASES = {
    "a call without a result": ("O2", "", f"[{USER}, {CALL}]", f"[{USER}, {CALL}, {NONE}]"),
    "a result without a call": (
        "O1",
        "",
        f"[{USER},{RESULT}]",
        f"[{USER},{TOLD}]",
    ),
    "a second result for a call": (
        "O1",
        "",
        f"[{USER},{CALL},{RESULT},{RESULT}]",
        f"[{USER},{CALL},{RESULT},{TOLD}]",
    ),
    "a result that came late": ("O2", "", f"[{USER},{CALL},{USER},{RESULT}]", f"[{USER},{CALL},{RESULT},{USER}]"),
    "a result without an id": (
        "O3",
        "",
        f'[{USER},{CALL},{{"role":"tool","content":"x"}}]',
        f'[{USER},{CALL},{{"role":"tool","content":"x","tool_call_id":"a"}}]',
    ),
    "an empty list of calls": (
        "O5",
        "",
        f'[{USER},{{"role":"assistant", "content": "\\u00e9", "tool_calls":[]}},{USER}]',
        f'[{USER},{{"role":"assistant","content":"\\u00e9"}},{USER}]',
    ),
    "no content": (
        "O6",
        "",
        f'[{USER},{{"role":"assistant","content":null}},{USER}]',
        f'[{USER},{{"role":"assistant","content":"[no content]"}},{USER}]',
    ),
    "neighbours of one role, for a strict server": (
        "O13",
        "strict",
        f"[{USER},{USER}]",
        '[{"role":"user","content":"hi\\n\\nhi"}]',
    ),
    "a list of texts, for a strict server": (
        "O15",
        "strict",
        f'[{{"role":"system","content":[{{"type":"text","text":"x"}}]}},{USER}]',
        f'[{{"role":"system","content":"x"}},{USER}]',
    ),
    "a turn that was interrupted, for a strict server": (
        "O13",
        "strict",
        f"[{USER},{CALL},{RESULT},{USER}]",
        f'[{USER},{CALL},{RESULT},{{"role":"assistant","content":"[no answer: the turn was interrupted]"}},{USER}]',
    ),
    "ids that Mistral does not take": (
        "O15",
        "mistral",
        f"[{USER},{CALL},{RESULT}]",
        f"[{USER},{CALL},{RESULT}]".replace('"a"', '"333fcb4ee"'),
    ),
    "half a character": ("A71", "", '[{"role":"user","content":"a\\udc00"}]', '[{"role":"user","content":"a�"}]'),
}


@pytest.mark.parametrize("case", CASES)
def test_broken_bytes_are_mended_and_the_others_stay(case: str) -> None:
    rule, profile, before, after = CASES[case]
    done = mended(before, profile)
    assert done.document.decode() == after
    assert rule in [one.rule for one in done.repairs]
    assert all(one.what[:1].islower() for one in done.repairs), done.repairs
    assert done.remaining == ()


def test_neighbours_stay_where_nobody_is_strict() -> None:
    assert mended(f"[{USER},{USER}]").document.decode() == f"[{USER},{USER}]"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ('"{\\"path\\": \\"/etc/pass"', '"{\\"_raw\\":\\"{\\\\\\"path\\\\\\": \\\\\\"/etc/pass\\"}"'),
        ('{"b": 1, "a": 2}', '"{\\"a\\":2,\\"b\\":1}"'),
        ('""', '"{}"'),
        ('"{ }"', '"{ }"'),
    ],
)
def test_arguments_become_a_string_of_json(given: str, kept: str) -> None:
    body = f"[{USER},{CALL},{RESULT}]".replace('"{}"', "%s")
    assert mended(body % given).document.decode() == body % kept


def test_two_calls_of_one_id_are_told_apart_with_their_results() -> None:
    call = '{"id":"%s","type":"function","function":{"name":"b","arguments":"{}"}}'
    result = '{"role":"tool","tool_call_id":"%s","content":"x"}'
    body = f'[{USER},{{"role":"assistant","tool_calls":[{call},{call}]}},{result},{result}]'
    assert mended(body % ("a", "a", "a", "a")).document.decode() == body % ("a", "a_2", "a", "a_2")


def test_an_id_that_comes_again_in_a_later_round_stays() -> None:
    body = f"[{USER},{CALL},{RESULT},{CALL},{RESULT}]"
    assert mended(body).document.decode() == body


def test_pictures_in_a_result_move_to_a_message_of_the_user() -> None:
    medium = '{"type":"image_url","image_url":{"url":"https:\\/\\/x"}}'
    answer = '{"role":"tool","tool_call_id":"a","content":[%s]}'
    done = mended(f"[{USER},{CALL},{answer % medium}]")
    pointer = '{"type":"text","text":"[image_url: see the message below]"}'
    head = '{"type":"text","text":"[media of the result of call a]"}'
    shown = f'{{"role":"user","content":[{head},{medium}]}}'
    assert done.document.decode() == f"[{USER},{CALL},{answer % pointer},{shown}]"
    assert done.remaining == ()
