"""What is mended in a Converse request: broken bytes in, mended bytes out."""

import pytest

from secateur.api.repair import RepairResult, repair

USER = '{"role":"user", "content":[{"text":"caf\\u00e9"}]}'
SAYS = '{"role":"assistant","content":[{"text":"ho"}]}'
USE = '{"toolUse":{"toolUseId":"a","name":"b", "input":{}}}'
CALL = f'{{"role":"assistant","content":[{USE}]}}'
RESULT = '{"toolResult":{"toolUseId":"a", "content":[{"text":"ok"}]}}'
NONE = '{"toolResult":{"toolUseId":"a","content":[{"text":"[no result: the call was interrupted]"}],"status":"error"}}'
PICTURE = '{"image":{"format":"png", "source":{"bytes":"AA=="}}}'
TOLD = '{"text":"[result of call a, which is not in this conversation]%s"}'


def user(*blocks: str) -> str:
    return '{"role":"user","content":[' + ",".join(blocks) + "]}"


def text(said: str) -> str:
    return f'{{"text":"{said}"}}'


def body(*messages: str) -> str:
    return '{"toolConfig":{"tools":[{"toolSpec":{"name":"b"}}]}, "messages":[' + ",".join(messages) + "]}"


def mended(text: str) -> RepairResult:
    return repair(text.encode(), "bedrock_converse")


SERVED = (
    '{"toolUse":{"toolUseId":"s","name":"search","input":{}, "type":"server_tool_use"}}',
    '{"toolResult":{"toolUseId":"s","type":"found", "content":[{"text":"sunny"}]}}',
)


def says(*blocks: str) -> str:
    return '{"role":"assistant","content":[' + ",".join(blocks) + "]}"


CASES = {
    "a call beside one that a server answered": (
        "B1",
        [USER, says(*SERVED, USE), user(text("so"))],
        [USER, says(*SERVED, USE), user(NONE, text("so"))],
    ),
    "the result of a server tool without its call": (
        "B2",
        [USER, says(SERVED[1], text("so"))],
        [USER, says(TOLD.replace(" a,", " s,") % "\\nsunny", text("so"))],
    ),
    "a call without a result": ("B1", [USER, CALL, user(text("so"))], [USER, CALL, user(NONE, text("so"))]),
    "a call at the end": ("B1", [USER, CALL], [USER, CALL, user(NONE)]),
    "a result that came late": (
        "B1",
        [USER, CALL, user(text("so")), SAYS, user(RESULT, text("on"))],
        [USER, CALL, user(RESULT, text("so")), SAYS, user(text("on"))],
    ),
    "a result without a call": ("B2", [user(RESULT), SAYS], [user(TOLD % "\\nok"), SAYS]),
    "a result in a system message": (
        "B2",
        [USER, user(RESULT).replace("user", "system")],
        [USER, user(TOLD % "\\nok").replace("user", "system")],
    ),
    "neighbours of one role": (
        "B3",
        [USER, user(text("on")), SAYS],
        [USER.replace("}]", '},{"text":"on"}]'), SAYS],
    ),
    "the assistant first": (
        "B4",
        [SAYS],
        [user(text("[the conversation before this point is not here]")), SAYS],
    ),
    "an error that says nothing": (
        "B7",
        [USER, CALL, user('{"toolResult":{"toolUseId":"a","content":[],"status":"error"}}')],
        [USER, CALL, user('{"toolResult":{"toolUseId":"a","content":[{"text":"[no output]"}],"status":"error"}}')],
    ),
    "a blank text": ("B8", [user(text(" "), text("hi"))], [user(text("hi"))]),
    "an empty message": ("B8", [user()], [user(text("[no content]"))]),
    "an input that is no object": (
        "B11",
        [USER, CALL.replace("{}", '"x"'), user(RESULT)],
        [USER, CALL.replace("{}", '{"_raw":"x"}'), user(RESULT)],
    ),
    "an id that cannot be sent": (
        "B11",
        [USER, CALL.replace('"a"', '"a b"'), user(RESULT.replace('"a"', '"a b"'))],
        [USER, CALL.replace('"a"', '"a_b"'), user(RESULT.replace('"a"', '"a_b"'))],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_broken_bytes_are_mended_and_the_others_stay(case: str) -> None:
    rule, before, after = CASES[case]
    done = mended(body(*before))
    assert done.document.decode() == body(*after)
    assert rule in [one.rule for one in done.repairs]
    assert all(one.what[:1].islower() for one in done.repairs), done.repairs
    assert done.remaining == ()
    assert mended(body(*after)).document == body(*after).encode()


def test_pictures_of_an_orphan_result_stay_pictures() -> None:
    result = RESULT.replace('{"text":"ok"}', PICTURE)
    assert mended(body(user(result))).document.decode() == body(user(TOLD % "", PICTURE))


def test_what_is_sound_is_the_very_same() -> None:
    document = body(USER, CALL, user(RESULT), SAYS, user(text("on")))
    assert mended(document) == RepairResult(document.encode())


DOCUMENT = '{"document":{"format":"txt", "name":"notes","source":{"text":"x"}}}'
POINT = '{"cachePoint":{"type":"default"}}'


def test_documents_get_names_of_their_own_and_a_text_beside() -> None:
    done = mended(body(user(DOCUMENT, DOCUMENT.replace("notes", "a_b"), DOCUMENT)))
    named = [DOCUMENT, DOCUMENT.replace("notes", "a b"), DOCUMENT.replace("notes", "notes 2")]
    assert done.document.decode() == body(user(*named, text("[a document]")))
    assert {one.rule for one in done.repairs} == {"B9"}
    assert done.remaining == ()


def test_a_cache_point_goes_where_it_may_not_stand() -> None:
    thought = '{"reasoningContent":{"reasoningText":{"text":"hm"}}}'
    says = SAYS.replace('[{"text"', f'[{thought},{POINT},{POINT},{{"text"')
    done = mended(body(user(text("hi"), POINT), says, user(text("on"), DOCUMENT, POINT)))
    kept = says.replace(f"{POINT},", "")
    assert done.document.decode() == body(user(text("hi"), POINT), kept, user(text("on"), DOCUMENT))
    assert [one.rule for one in done.repairs] == ["B12", "B12", "B14"]


def test_what_a_server_gave_in_the_same_message_stays() -> None:
    document = body(USER, says(*SERVED, text("so")), USER)
    assert mended(document) == RepairResult(document.encode())
    document = body(USER, says(*SERVED, USE), user(RESULT))
    assert mended(document) == RepairResult(document.encode())
