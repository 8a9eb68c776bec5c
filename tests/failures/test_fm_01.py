"""FM-01: a budget cut through a batch of parallel calls leaves results without calls, and 400 forever."""

from native import blocks, user
from secateur.api.repair import repair


def test_a_split_batch_has_no_orphans_either_way() -> None:
    asked, answered = blocks(("a", "1", False), ("b", "2", False), ("c", "3", False))
    asked["content"] = asked["content"][:2]
    answered["content"] = answered["content"][1:]
    done = repair([user("hi"), asked, answered, user("so?")], "anthropic_messages")
    results = [block for block in done.document[2]["content"] if block["type"] == "tool_result"]
    assert [block["tool_use_id"] for block in results] == ["b", "a"]
    assert done.document[2]["content"][-1]["text"].endswith("\n3")
    assert done.remaining == ()
