"""FM-22: call ids of 1.5 KB, and two that are empty, still tell calls apart."""

from native import calls, tool, user
from secateur.api.repair import repair


def test_two_empty_ids_become_two_ids_and_a_long_one_stays() -> None:
    long = "x" * 1_500
    messages = [user("hi"), calls(("", "a"), ("", "b"), (long, "c")), tool("1"), tool("2"), tool("3", long)]
    done = repair(messages, "openai_chat")
    asked = [call["id"] for call in done.document[1]["tool_calls"]]
    assert asked == ["call", "call_2", long]
    assert [(message["tool_call_id"], message["content"]) for message in done.document[2:]] == [
        ("call", "1"),
        ("call_2", "2"),
        (long, "3"),
    ]
