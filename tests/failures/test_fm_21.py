"""FM-21: a result of ten megabytes on one line, the newest message: nothing crashes, and mending leaves it whole."""

import json

from native import calls, tool, user
from secateur.api.repair import repair

GIANT = "x" * 10_000_000


def test_a_giant_result_is_left_alone_beside_what_is_mended() -> None:
    body = json.dumps([user("hi"), calls(("a", "bash"), ("b", "bash")), tool(GIANT, "a")]).encode()
    done = repair(body, "openai_chat")
    assert [one.rule for one in done.repairs] == ["O2"]
    assert done.document.startswith(body[:-1])
