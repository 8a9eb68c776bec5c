"""FM-23: arguments cut in the middle are broken JSON, and refused forever."""

import json

from native import calls, tool, user
from secateur.api.repair import repair

CUT = '{"path": "/etc/app.conf", "content": "line 1\\nline 2...[truncated]'


def test_arguments_that_break_off_become_json_that_holds_all_of_them() -> None:
    done = repair([user("write"), calls(("a", "write_file"), args=CUT), tool("ok", "a")], "openai_chat")
    assert json.loads(done.document[1]["tool_calls"][0]["function"]["arguments"]) == {"_raw": CUT}
    assert done.remaining == ()
