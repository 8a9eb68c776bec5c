"""FM-05: a long-running tool answers `pending` first, and with the same id later for good."""

from native import calls, tool, user
from secateur.api.repair import repair

PENDING = '{"status":"pending"}'


def test_a_pending_result_is_left_alone_and_the_final_one_is_not_lost() -> None:
    started = [user("build"), calls(("a", "build")), tool(PENDING, "a")]
    assert repair(started, "openai_chat").document is started
    done = repair([*started, user("ready?"), tool('{"status":"done"}', "a")], "openai_chat")
    assert done.document[:4] == [*started, user("ready?")]
    assert done.document[4]["role"] == "user"
    assert done.document[4]["content"].endswith('{"status":"done"}')
