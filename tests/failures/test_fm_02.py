"""FM-02: a synthetic result outlives its call, which was summarized: 400 on every request after."""

from native import blocks, user
from secateur.api.repair import repair


def test_a_result_whose_call_was_summarized_becomes_text() -> None:
    answered = blocks(("a", "[interrupted]", True))[1]
    done = repair([user("summary of all before"), answered, user("go on")], "anthropic_messages")
    assert [block["type"] for block in done.document[1]["content"]] == ["text"]
    assert "[interrupted]" in done.document[1]["content"][0]["text"]
    assert done.remaining == ()
