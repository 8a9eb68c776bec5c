"""What is mended in a generateContent request: broken bytes in, mended bytes out."""

import json
from typing import Any

import pytest

from secateur import fit
from secateur.api import check
from secateur.api.repair import RepairLimits, RepairOptions, RepairResult, repair

ASKS = '{"role":"user", "parts":[{"text":"caf\\u00e9"}]}'
SAYS = '{"role":"model","parts":[{"text":"ho"}]}'
SIGNED = '{"functionCall":{"name":"b", "args":{}},"thoughtSignature":"c2ln"}'
OK = '{"functionResponse":{"name":"b", "response":{"output":"ok"}}}'
NONE = '{"functionResponse":{"name":"b","response":{"error":"[no result: the call was interrupted]"}}}'
TOLD = '{"text":"[result of b call without an id, which is not in this conversation]\\nok"}'
PICTURE = '{"inlineData":{"mimeType":"image/png", "data":"AA=="}}'
BEGINNING = '{"text":"[the conversation before this point is not here]"}'


def user(*parts: str) -> str:
    return '{"role":"user","parts":[' + ",".join(parts) + "]}"


def model(*parts: str) -> str:
    return user(*parts).replace("user", "model", 1)


def text(said: str) -> str:
    return f'{{"text":"{said}"}}'


def call(name: str, id: str = "") -> str:
    return f'{{"functionCall":{{{_id(id)}"name":"{name}", "args":{{}}}}}}'


def response(name: str, id: str = "", said: str = '{"output":"ok"}') -> str:
    return f'{{"functionResponse":{{{_id(id)}"name":"{name}","response":{said}}}}}'


def _id(id: str) -> str:
    return f'"id":"{id}", ' if id else ""


def body(*contents: str, more: str = "") -> str:
    return f'{{{more}"contents": [' + ", ".join(contents) + "]}"


def mended(document: str, model: str = "", profile: str = "") -> RepairResult:
    return repair(document.encode(), "gemini", RepairOptions(model, profile))


CASES: dict[str, tuple[str, list[str], list[str]]] = {
    "a call without a response": (
        "G3",
        [ASKS, model(SIGNED), user(text("so"))],
        [ASKS, model(SIGNED), user(NONE, text("so"))],
    ),
    "a call at the end": ("G3", [ASKS, model(SIGNED)], [ASKS, model(SIGNED), user(NONE)]),
    "one of two calls without a response": (
        "G3",
        [ASKS, model(SIGNED, call("c")), user(response("c"))],
        [ASKS, model(SIGNED, call("c")), user(response("c"), NONE)],
    ),
    "a call with an id": (
        "G3",
        [ASKS, model(call("b", "1"))],
        [ASKS, model(call("b", "1")), user(NONE.replace('"name"', '"id":"1","name"'))],
    ),
    "the spelling of an older SDK": (
        "G3",
        [ASKS, model('{"function_call":{"name":"b"}}')],
        [ASKS, model('{"function_call":{"name":"b"}}'), user(NONE.replace("functionR", "function_r"))],
    ),
    "responses in several contents": (
        "G3",
        [ASKS, model(SIGNED, call("c")), user(OK), user(response("c"), text("so"))],
        [ASKS, model(SIGNED, call("c")), user(OK, response("c")), user(text("so"))],
    ),
    "a response that came late": (
        "G3",
        [ASKS, model(SIGNED), user(text("so")), SAYS, user(OK, text("on"))],
        [ASKS, model(SIGNED), user(OK, text("so")), SAYS, user(text("on"))],
    ),
    "a response that came late and was the last word": (
        "G3",
        [ASKS, model(SIGNED), user(text("so")), SAYS, user(OK)],
        [ASKS, model(SIGNED), user(OK, text("so")), SAYS, user(text("continue"))],
    ),
    "a response under another name": (
        "G3",
        [ASKS, model(call("b", "1")), user(response("c", "1"))],
        [ASKS, model(call("b", "1")), user(response("b", "1"))],
    ),
    "a response under an id that no call has": (
        "G3",
        [ASKS, model(call("b", "1"), call("c")), user(response("c"), response("b", "2"))],
        [ASKS, model(call("b", "1"), call("c")), user(response("c"), response("b", "1"))],
    ),
    "a response without a name": (
        "G3",
        [ASKS, model(SIGNED), user(OK.replace('"b"', '""'))],
        [ASKS, model(SIGNED), user(OK)],
    ),
    "a response without a call": ("G2", [ASKS, SAYS, user(OK)], [ASKS, SAYS, user(TOLD)]),
    "a response of the model's": ("G2", [ASKS, model(OK)], [ASKS, model(TOLD)]),
    "a call of the user's": ("G1", [user(text("hi"), SIGNED)], [user(text("hi"), text("[call of b: {}]"))]),
    "a call of the user's without a name": (
        "G1",
        [user(text("hi"), '{"functionCall":{"args":{}}}')],
        [user(text("hi"), text("[call of a function: {}]"))],
    ),
    "a history that begins with calls": ("G1", [model(SIGNED), user(OK)], [user(BEGINNING), model(SIGNED), user(OK)]),
    "a history that begins with the model": ("G6", [SAYS, ASKS], [user(BEGINNING), SAYS, ASKS]),
    "a response that is a string": (
        "G4",
        [ASKS, model(SIGNED), user(response("b", said='"caf\\u00e9"'))],
        [ASKS, model(SIGNED), user(response("b", said='{"output":"café"}'))],
    ),
    "arguments that are a string": (
        "G0",
        [ASKS, model(SIGNED.replace("{}", '"{\\"p\\": 1}"')), user(OK)],
        [ASKS, model(SIGNED.replace("{}", '{"p":1}')), user(OK)],
    ),
    "a part that is a string": ("G0", [user('"hi"')], [user(text("hi"))]),
    "no parts": ("G5", [ASKS, model(), ASKS], [ASKS, model(text("[no content]")), ASKS]),
    "one part that stands in no list": (
        "G5",
        [ASKS, model(SIGNED), user(OK).replace("[", "").replace("]", "")],
        [ASKS, model(SIGNED), user(OK)],
    ),
    "a role of another API": ("G6", [ASKS, SAYS.replace("model", "assistant")], [ASKS, SAYS]),
    "two data in one part": (
        "G7",
        [ASKS, model('{"text":"so", "functionCall":{"name":"b"}, "thoughtSignature":"c2ln"}'), user(OK)],
        [ASKS, model(text("so"), '{"functionCall":{"name":"b"},"thoughtSignature":"c2ln"}'), user(OK)],
    ),
    "a part without a datum": ("G7", [ASKS, model('{"thought":true}', text("ho"))], [ASKS, SAYS]),
    "a result of code that nobody wrote": (
        "G13",
        [ASKS, model('{"codeExecutionResult":{"outcome":"OUTCOME_OK"}}', text("ho"))],
        [
            ASKS,
            model(
                text(
                    "[result of server tool call without an id, which is not in this conversation]"
                    '\\n{\\"outcome\\":\\"OUTCOME_OK\\"}'
                ),
                text("ho"),
            ),
        ],
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
    assert mended(body(*after)) == RepairResult(body(*after).encode())


@pytest.mark.parametrize(("before", "after"), [((text(""), SIGNED), (SIGNED,)), ((text(""),), (text("[no content]"),))])
def test_an_empty_text_stays_but_on_vertex(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    rest = [user(OK)] if SIGNED in before else [ASKS]
    document = body(ASKS, model(*before), *rest)
    assert mended(document) == RepairResult(document.encode())
    done = mended(document, profile="vertex")
    assert done.document.decode() == body(ASKS, model(*after), *rest)
    assert [one.rule for one in done.repairs] == ["G5"]


@pytest.mark.parametrize(
    ("key", "name"), [("functionCall", "thoughtSignature"), ("function_call", "thought_signature")]
)
def test_a_lost_signature_of_the_running_turn_is_said_to_be_lost(key: str, name: str) -> None:
    lost = f'{{"{key}":{{"name":"b"}}}}'
    signed = f'{lost[:-1]},"{name}":"skip_thought_signature_validator"}}'
    before = body(ASKS, model(lost), user(OK), ASKS, model(lost, lost), user(OK, OK))
    after = body(ASKS, model(lost), user(OK), ASKS, model(signed, lost), user(OK, OK))
    done = mended(before, "gemini-3-pro-preview")
    assert done.document.decode() == after
    assert [one.rule for one in done.repairs] == ["G10"]
    assert mended(after, "gemini-3-pro-preview") == RepairResult(after.encode())
    assert mended(before, "gemini-2.5-pro") == RepairResult(before.encode())


def test_pictures_of_an_orphan_response_stay_parts() -> None:
    orphan = OK.replace('"ok"}', f'"ok"}}, "parts":[{PICTURE}]')
    assert mended(body(ASKS, SAYS, user(orphan))).document.decode() == body(ASKS, SAYS, user(TOLD, PICTURE))


def test_with_cached_content_the_history_may_begin_in_the_middle() -> None:
    for first in (user(OK), model(SIGNED) + ", " + user(OK), SAYS):
        document = body(first, ASKS, more='"cachedContent":"cachedContents/1", ')
        assert mended(document) == RepairResult(document.encode())


def test_the_oldest_media_make_room() -> None:
    data = "AAAA" * 1_000
    parts = [{"inlineData": {"mimeType": "image/png", "data": data}}, {"text": "look"}]
    answer: dict[str, Any] = {"name": "shot", "response": {"output": "ok"}, "parts": parts[:1]}
    contents = [
        {"role": "user", "parts": parts},
        {"role": "model", "parts": [{"functionCall": {"name": "shot"}}]},
        {"role": "user", "parts": [{"functionResponse": answer}]},
        {"role": "user", "parts": parts},
    ]
    document = json.dumps({"contents": contents}).encode()
    done = repair(document, "gemini", RepairOptions(limits=RepairLimits(body_bytes=6_000)))
    found = json.loads(done.document)["contents"]
    gone = "[image/png 3,000 bytes removed: the request had too many bytes]"
    assert found[0]["parts"] == [{"text": gone}, {"text": "look"}]
    assert found[2]["parts"][0]["functionResponse"] == {"name": "shot", "response": {"output": "ok", "removed": gone}}
    assert found[3] == contents[3]
    assert [one.rule for one in done.repairs] == ["G14", "G14"]


def test_what_is_sound_is_the_very_same() -> None:
    signature = '{"text":"", "thoughtSignature":"c2ln"}'
    document = body(ASKS, model(SIGNED, call("c")), user(response("c"), OK), model(signature), ASKS, ASKS)
    assert mended(document) == RepairResult(document.encode())


def test_an_engine_that_may_repair_sends_what_the_api_takes() -> None:
    broken = json.loads(body(ASKS, model(SIGNED), ASKS))
    view = fit(broken, policy="observe", repair=True)
    assert check("gemini", view.request["contents"], view.request) == []
    assert view.receipt.repairs
    assert fit(broken, policy="observe").request is broken
