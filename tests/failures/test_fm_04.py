"""FM-04: a confirmation that waits for many turns; the user's late yes must find its call."""

from native import calls, tool, user
from secateur.api.repair import repaired

WAITING = [user("delete it?"), calls(("ask", "request_confirmation")), user("what is it for?"), user("hm")]


def test_the_call_stays_word_for_word_and_a_late_answer_takes_its_place() -> None:
    waiting = repaired(WAITING, "openai_chat")
    assert waiting.native[1] is WAITING[1]
    assert waiting.native[2]["content"] == "[no result: the call was interrupted]"
    answered = repaired([*WAITING, tool("yes", "ask")], "openai_chat")
    assert answered.native == [WAITING[0], WAITING[1], tool("yes", "ask"), *WAITING[2:]]
