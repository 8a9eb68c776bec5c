"""FM-04: a confirmation that waits for many turns; the user's late yes must find its call."""

from native import calls, tool, user
from secateur.api.repair import repair

WAITING = [user("delete it?"), calls(("ask", "request_confirmation")), user("what is it for?"), user("hm")]


def test_the_call_stays_word_for_word_and_a_late_answer_takes_its_place() -> None:
    waiting = repair(WAITING, "openai_chat")
    assert waiting.document[1] is WAITING[1]
    assert waiting.document[2]["content"] == "[no result: the call was interrupted]"
    answered = repair([*WAITING, tool("yes", "ask")], "openai_chat")
    assert answered.document == [WAITING[0], WAITING[1], tool("yes", "ask"), *WAITING[2:]]
