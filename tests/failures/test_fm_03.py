"""FM-03: a call whose result never came (the process was killed) must not stop compaction or the next request."""

import json

from native import calls, tool, user
from secateur import fit
from secateur.api.repair import repair

LONG = "word " * 40_000


def test_an_orphan_call_is_closed_and_pruning_goes_on() -> None:
    messages = [user("hi"), calls(("a", "bash"), ("b", "bash")), tool(LONG, "a"), user("so?"), user("and?"), user("go")]
    done = repair(json.dumps({"model": "gpt-5", "messages": messages}).encode(), "openai_chat")
    assert [one.rule for one in done.repairs] == ["O2"]
    view = fit(done.document, policy="hermes", window=20_000)
    roles = [message["role"] for message in json.loads(view.request)["messages"]]
    assert roles[:4] == ["user", "assistant", "tool", "tool"]
    assert repair(view.request, "openai_chat").repairs == ()
