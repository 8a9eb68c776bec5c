"""Which calls and results are not a pair."""

from conversation import assistant, result, talk, user
from secateur.cli.inspect import find_problems
from secateur.model import Message


def told(*messages: Message) -> list[tuple[str, int, str]]:
    return [(one.what, one.where.message, one.where.call) for one in find_problems(talk(*messages))]


def test_pairs_are_no_problem_whatever_their_order() -> None:
    both = assistant(("a", "read", "{}"), ("b", "read", "{}"))
    assert told(user(), both, result("2", call="b"), result("1", call="a"), user()) == []


def test_ids_that_repeat_or_are_empty_pair_round_by_round() -> None:
    call = assistant(("", "bash", "{}"), ("", "bash", "{}"))
    assert told(user(), call, result("1"), result("2"), call, result("3"), result("4"), user()) == []


def test_a_call_that_a_user_spoke_over_has_no_result() -> None:
    assert told(user(), assistant(("a", "bash", "{}")), user("stop")) == [("call without result", 1, "a")]


def test_calls_of_the_last_round_are_still_running() -> None:
    both = assistant(("a", "read", "{}"), ("b", "read", "{}"))
    assert told(user(), both) == []
    assert told(user(), both, result("1", call="a")) == []


def test_a_result_nobody_asked_for() -> None:
    assert told(user(), result("1", call="x"), assistant(text="done")) == [("result without call", 1, "x")]


def test_a_second_result_of_one_call() -> None:
    call = assistant(("a", "bash", "{}"))
    assert told(user(), call, result("1", call="a"), result("1", call="a")) == [("result without call", 3, "a")]


def test_problems_come_in_the_order_of_the_conversation() -> None:
    call = assistant(("a", "bash", "{}"))
    assert [one[1] for one in told(user(), call, user(), result("1", call="z"), call, user())] == [1, 3, 4]
