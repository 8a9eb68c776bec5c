"""Where history is cut."""

import msgspec
import pytest

from compactions import rows
from conversation import assistant, result, summary, talk, user
from secateur.compaction.cut import cut, keep_unanswered
from secateur.compaction.settings import Compaction
from secateur.compaction.waiting import find_pending_rows, is_interim
from secateur.model import Message, Part


def tail(*messages: Message, every_user: bool = False, **settings: object) -> int:
    return cut(rows(talk(*messages)), Compaction(**settings), 1_000, every_user).end  # type: ignore[arg-type]


def round_(id: str, text: str = "x" * 400) -> list[Message]:
    return [assistant((id, "bash", "{}")), result(text, call=id)]


def test_the_tail_begins_with_a_turn() -> None:
    messages = [user("x" * 400), assistant(text="y" * 400), user("x" * 400), assistant(text="y" * 400)]
    assert tail(*messages, keep_tokens=250) == 2
    assert tail(*messages, keep_tokens=1_000) == 0


def test_an_oversized_turn_is_split_between_rounds_and_keeps_its_request() -> None:
    messages = [user("do it"), *round_("a"), *round_("b"), *round_("c")]
    found = cut(rows(talk(*messages)), Compaction(keep_tokens=230), 1_000)
    assert (found.start, found.end, found.split) == (0, 3, 0)
    assert found.stays == ((0, 1),)
    assert list(found.iterate_segments()) == [(1, 3)]


def test_parallel_results_are_not_parted() -> None:
    calls = assistant(("a", "bash", "{}"), ("b", "bash", "{}"))
    messages = [user(), calls, result("x" * 400, call="a"), result("x" * 400, call="b"), user("and?")]
    assert tail(*messages, keep_tokens=0, keep_messages=2) == 1


def test_the_first_messages_stay_in_layout_middle_with_whole_rounds() -> None:
    messages = [user("a"), assistant(("1", "bash", "{}")), result("r", call="1"), *[user("m"), assistant(text="n")] * 9]
    found = cut(
        rows(talk(*messages)), Compaction(layout="middle", head_messages=2, keep_tokens=0, keep_messages=2), 1_000
    )
    assert found.start == 3
    assert cut(rows(talk(*messages)), Compaction(head_messages=2, keep_tokens=0, keep_messages=2), 1_000).start == 0


def test_leading_system_messages_never_go() -> None:
    system = Message("system", (), user("rules").parts, "harness")
    assert cut(rows(talk(system, user("a"), assistant(text="b"), user("c"))), Compaction(keep_tokens=1), 9).start == 1


def test_a_hosts_summary_is_never_in_the_head() -> None:
    messages = [summary(), *[user("m"), assistant(text="n")] * 9]
    assert (
        cut(
            rows(talk(*messages)), Compaction(layout="middle", head_messages=3, keep_messages=2, keep_tokens=0), 9
        ).start
        == 0
    )


def test_results_that_nobody_has_read_stay() -> None:
    assert tail(user("do it"), *round_("a"), *round_("b", "y" * 40_000), keep_tokens=10) == 3


def test_what_was_said_since_the_last_answer_stays_as_far_as_it_has_room() -> None:
    said = [user("x" * 400), user("y" * 4_000), user("z" * 400)]
    talked = rows(talk(user(), *round_("a"), assistant(text="done"), *said))
    found = cut(talked, Compaction(keep_tokens=10), 1_000)
    assert (found.end, found.stays) == (7, ((6, 7),))
    assert keep_unanswered(found, talked, 5_000).stays == ((4, 7),)
    assert keep_unanswered(found, talked, 500).stays == ((4, 5), (6, 7))  # what is too long alone makes way


def test_calls_without_a_result_stay_where_they_stand() -> None:
    waiting = assistant(("w", "deploy", "{}"))
    messages = [user("a"), assistant(text="ok"), waiting, user("b"), *round_("c"), user("d")]
    found = cut(rows(talk(*messages)), Compaction(keep_tokens=20), 1_000)
    assert found.stays == ((2, 3),)


def test_interim_results_stay_until_one_says_how_it_ended() -> None:
    pending = [assistant(("w", "deploy", "{}")), result('{"status": "pending"}', call="w")]
    messages = [user("a"), assistant(text="ok"), *pending, user("b"), *round_("c"), user("d")]
    assert cut(rows(talk(*messages)), Compaction(keep_tokens=20), 1_000).stays == ((2, 4),)
    ended = result('{"status": "done"}', call="w")
    messages = [user("a"), assistant(text="ok"), *pending, user("b"), *round_("c"), ended, user("d")]
    assert cut(rows(talk(*messages)), Compaction(keep_tokens=20), 1_000).stays == ()


@pytest.mark.parametrize(
    ("text", "interim"),
    [
        ('{"status":"pending"}', True),
        ("state: awaiting approval", True),
        ('{"status":"ok"}', False),
        ("3 tests pending review of status", False),
        ('{"status":"pending"}' + "x" * 500, False),
    ],
)
def test_what_an_interim_result_is(text: str, interim: bool) -> None:
    assert is_interim(text) is interim


def test_every_user_message_is_a_turn_where_a_policy_says_so() -> None:
    messages = [user("x" * 40), assistant(text="y" * 40), user("x" * 40, "harness"), assistant(text="y" * 40)]
    assert tail(*messages, keep_turns=1, keep_tokens=0, every_user=True) == 2
    assert tail(*messages, keep_turns=1, keep_tokens=0) == 0


def test_without_any_user_message_the_newest_rounds_stay() -> None:
    assert tail(*round_("a"), *round_("b"), *round_("c"), keep_tokens=230) == 2


def waiting(*messages: Message) -> list[int]:
    return list(find_pending_rows(rows(talk(*messages))))


def test_a_call_without_a_result_waits_until_the_user_and_then_the_agent_have_spoken() -> None:
    call = assistant(("a", "bash", '{"command": "ls"}'))
    assert waiting(user("go"), call) == [1]
    assert waiting(user("go"), call, user("and?")) == [1]
    assert waiting(user("go"), call, user("and?"), assistant(text="It was stopped.")) == []


def test_a_call_that_may_be_answered_at_any_time_waits_for_good() -> None:
    call = assistant(("a", "ask_approval", '{"question": "Deploy?"}'))
    assert waiting(user("go"), call, user("and?"), assistant(text="I wait.")) == [1]


def test_a_round_with_one_result_is_not_abandoned() -> None:
    calls = assistant(("a", "bash", '{"command": "ls"}'), ("b", "bash", '{"command": "make"}'))
    messages = [user("go"), calls, result("x", call="a"), user("and?"), assistant(text="Later.")]
    assert waiting(*messages) == [1]


def test_a_tool_loop_that_began_with_reasoning_goes_on_with_a_round_that_does() -> None:
    def reasoned(id: str) -> list[Message]:
        call, told = round_(id)
        thought = Part("reasoning", (), "let me see")
        return [msgspec.structs.replace(call, parts=(thought, *call.parts)), told]

    def end(*messages: Message) -> int:
        return cut(rows(talk(*messages)), Compaction(keep_tokens=230), 1_000, leads=True).end

    head = [user("do it"), *reasoned("a")]
    assert end(*head, *round_("b"), *round_("c"), *round_("d")) == 1  # no later round begins with it
    assert end(*head, *reasoned("b"), *round_("c"), *round_("d")) == 3
    assert end(*head, *round_("b"), *round_("c"), *reasoned("d")) == 7
    assert end(user("do it"), *round_("a"), *round_("b"), *round_("c"), *reasoned("d")) == 5  # it began without
    assert end(*head, *round_("b"), *round_("c"), *round_("d"), assistant(text="done")) == 5  # the loop is over
