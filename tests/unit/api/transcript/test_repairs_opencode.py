"""What is mended in an opencode session: broken bytes in, mended bytes out."""

import pytest

from secateur.api.repair import RepairResult, repair
from secateur.jsontext import Text

ASKED = (
    '{"info":{"id":"msg_1","role":"user","time":{"created":1000}},"parts":[{"id":"prt_1","type":"text","text":"hi"}]}'
)
BODY = (
    '{"info":{"id":"ses_1","projectID":"p"},\n "messages":[%s,\n'
    ' {"info":{"id":"msg_2","role":"assistant","time":%s},"parts":[%s]}]}'
)
ENDED = (
    '{"status":"completed","input":{"a":"\\u00e9"},"output":"out","title":"","metadata":{},"time":{"start":1,"end":2}}'
)


def mended(text: str) -> RepairResult:
    return repair(text.encode())


def session(*parts: str, time: str = '{"created":2000}') -> str:
    return BODY % (ASKED, time, ", ".join(parts))


def tool(state: str, id: str = "prt_2", call: str = "c") -> str:
    return f'{{"id":"{id}","type":"tool","callID":"{call}", "tool":"bash","state":{state}}}'


def text(said: str, id: str = "prt_3", more: str = "") -> str:
    return f'{{"id":"{id}","type":"text","text":"{said}"{more}}}'


CASES = {
    "a call that was running": (
        "L1",
        [tool('{"status":"running", "input":{"a":1},"time":{"start":2100}}')],
        [
            tool(
                '{"status":"error", "input":{"a":1},"time":{"start":2100,"end":2100},'
                '"error":"[no result: the call was interrupted]"}'
            )
        ],
    ),
    "a call that waited": (
        "L1",
        [tool('{"status":"pending","input":{},"raw":""}')],
        [
            tool(
                '{"status":"error","input":{},"raw":"","error":"[no result: the call was interrupted]",'
                '"time":{"start":2000,"end":2000}}'
            )
        ],
    ),
    "a call without a state": (
        "L1",
        [tool("null")],
        [
            tool(
                '{"status":"error","input":{},"error":"[no result: the call was interrupted]",'
                '"time":{"start":2000,"end":2000}}'
            )
        ],
    ),
    "an output that is no text": (
        "L1",
        [tool(ENDED.replace('"out"', '{"x":1}'))],
        [tool(ENDED.replace('"out"', '"{\\"x\\":1}"'))],
    ),
    "an input that was cut": (
        "L7",
        [tool(ENDED.replace('{"a":"\\u00e9"}', '"{\\"a"'))],
        [tool(ENDED.replace('{"a":"\\u00e9"}', '{"_raw":"{\\"a"}'))],
    ),
    "a call id that stands twice": (
        "F3",
        [tool(ENDED), tool(ENDED, id="prt_4")],
        [tool(ENDED), tool(ENDED, id="prt_4", call="c_2")],
    ),
    "a part id that stands twice": (
        "F3",
        [text("one"), text("two"), text("three", id="prt_4")],
        [text("one"), text("two", id="prt_3_2"), text("three", id="prt_4")],
    ),
    "a part that stands twice": ("F3", [tool(ENDED), tool(ENDED), text("so")], [tool(ENDED), text("so")]),
    "an empty text beside others": ("L6", [text(" "), tool(ENDED)], [tool(ENDED)]),
    "a message of empty texts": (
        "L6",
        ['{"type":"step-start"}', text(""), text("", id="prt_4")],
        ['{"type":"step-start"}', text("[no content]")],
    ),
    "half a character": ("A71", [text("so \\ud83d")], [text("so \ufffd")]),
}


@pytest.mark.parametrize("case", CASES)
def test_broken_bytes_are_mended_and_the_others_stay(case: str) -> None:
    rule, before, after = CASES[case]
    done = mended(session(*before))
    assert done.document.decode() == session(*after)
    assert rule in [one.rule for one in done.repairs]
    assert all(one.what[:1].islower() for one in done.repairs), done.repairs
    assert done.remaining == ()
    assert mended(session(*after)).document == session(*after).encode()


def test_a_call_that_never_ended_ends_with_its_message() -> None:
    running = tool('{"status":"running","input":{},"time":{"start":2100}}')
    done = mended(session(running, time='{"created":2000,"completed":2500}'))
    state = Text.of(done.document).value()["messages"][1]["parts"][0]["state"]
    assert state["time"] == {"start": 2100, "end": 2500}


def test_a_time_that_is_left_out_is_told_but_one_that_is_there_stays() -> None:
    failed = '{"status":"error","input":{},"error":"no","time":{"start":7,"end":%s}}'
    assert mended(session(tool(failed % "5"))).repairs == ()
    assert mended(session(tool(failed % "null"))).document.decode() == session(tool(failed % "2500")).replace(
        "2500", "7"
    )


@pytest.mark.parametrize(
    "parts",
    [
        [text("", more=',"metadata":{"google":{"thoughtSignature":"s"}}')],
        [text("", more=',"ignored":true')],
        ['{"type":"step-start"}'],
        [tool(ENDED), tool(ENDED, id="prt_4", call="d"), text("so")],
        [],
    ],
)
def test_what_is_sound_is_the_very_same(parts: list[str]) -> None:
    document = session(*parts)
    done = mended(document)
    assert done.document == document.encode()
    assert (done.repairs, done.remaining) == ((), ())


def test_the_same_call_id_in_a_later_message_gets_its_own() -> None:
    messages = session(tool(ENDED)).replace("]}]}", ']},{"info":{"role":"assistant"},"parts":[%s]}]}')
    done = mended(messages % tool(ENDED, id="prt_9"))
    assert done.document.decode() == messages % tool(ENDED, id="prt_9", call="c_2")


@pytest.mark.parametrize("messages", ["[1]", '[{"info":1,"parts":[1,{"type":"tool","state":[]}]}]', '[{"parts":{}}]'])
def test_odd_messages_stay_and_do_not_break_the_mending(messages: str) -> None:
    document = f'{{"messages":{messages}}}'.encode()
    once = repair(document, "opencode")
    assert repair(once.document, "opencode").repairs == ()
