"""Where protection stands, and which results are left outside it."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from conversation import assistant, part, result, results, summary, talk, user
from secateur.bounds import (
    explain_protection,
    extend_index,
    find_boundary,
    find_call,
    find_first_unspent,
    find_protected_keys,
    find_prunable_results,
    get_index,
    is_eligible,
    is_forbidden,
)
from secateur.budget import Budget
from secateur.model import Message, MessagePositions, Part, Transcript
from secateur.protect import Protection

SYSTEM = Message("system", (), (Part("text", (), "Be brief."),))
REMINDER = user("<system-reminder>mind the gap</system-reminder>", origin="harness")
ROUNDS = talk(
    user(),  # 0
    assistant(("c1", "bash", "{}")),
    result("one", call="c1"),  # 2
    user(),  # 3
    assistant(("c2", "read", "{}")),
    result("two", "read", call="c2"),  # 5
    REMINDER,
    assistant(text="done"),
    user(),  # 8
)


def budget(protect: Protection, window: int = 200_000, **edited: str) -> Budget:
    return Budget(window=window, tokens_used=0, count=len, protect=protect, edited_by=edited)


def texts(
    talked: Transcript, protect: Protection, settled: Callable[[Part], bool] | None = None, ends: bool = False
) -> list[str]:
    done = settled or (lambda part: False)
    return [part.text for _, part in find_prunable_results(talked, budget(protect), done, ends)]


def test_the_index_tells_users_from_turns() -> None:
    assert get_index(ROUNDS) == MessagePositions(
        user_messages=(0, 3, 6, 8), user_turns=(0, 3, 8), assistant_messages=(1, 4, 7)
    )


def test_an_index_that_the_transcript_has_is_believed() -> None:
    known = MessagePositions(user_messages=(5,), user_turns=(5,), assistant_messages=(), first_prunable=2)
    assert get_index(replace(ROUNDS, index=known)) is known


def test_an_index_is_continued() -> None:
    whole = get_index(ROUNDS)
    for cut in range(len(ROUNDS.messages) + 1):
        first = extend_index(ROUNDS.messages[:cut])
        assert extend_index(ROUNDS.messages, first, cut) == whole


def test_a_reminder_beside_results_opens_no_turn_but_a_question_does() -> None:
    held = result("one").parts
    reminded = Message("user", (), (*held, Part("text", (), "<system-reminder>x</system-reminder>")), "harness")
    asked = Message("user", (), (*held, Part("text", (), "and now stop")), "user")
    assert get_index(talk(reminded)).user_messages == ()
    assert get_index(talk(asked)).user_turns == (0,)


@pytest.mark.parametrize(
    ("protect", "inside"),
    [
        (Protection(), range(0, 9)),
        (Protection(last_turns=1), range(0, 8)),
        (Protection(last_turns=2), range(0, 3)),
        (Protection(last_turns=2, count_all_user_messages=True), range(0, 6)),
        (Protection(last_turns=4), range(0, 0)),
        (Protection(last_turns=4, count_all_user_messages=True), range(0, 0)),
        (Protection(last_assistant_messages=1), range(0, 7)),
        (Protection(last_assistant_messages=3), range(0, 1)),
        (Protection(last_assistant_messages=4), range(0, 0)),
        (Protection(last_rounds=1), range(0, 4)),
        (Protection(last_rounds=2), range(0, 1)),
        (Protection(last_rounds=3), range(0, 0)),
        (Protection(last_messages=5), range(0, 4)),
        (Protection(last_messages=20), range(0, 0)),
        (Protection(first_messages=2), range(2, 9)),
        (Protection(first_messages=2, last_messages=5), range(2, 4)),
        (Protection(first_messages=5, last_messages=5), range(5, 5)),
        (Protection(before_first_user=True), range(0, 9)),
        (Protection(last_turns=2, last_messages=8), range(0, 1)),
    ],
)
def test_boundary(protect: Protection, inside: range) -> None:
    assert find_boundary(ROUNDS, protect) == inside


def test_the_head_does_not_count_the_system_message() -> None:
    assert find_boundary(talk(SYSTEM, user(), user(), user()), Protection(first_messages=1)) == range(2, 4)


def test_before_the_first_user_message() -> None:
    early = talk(assistant(("c", "read", "{}")), result("early", call="c"), user(), result("late"))
    assert find_boundary(early, Protection(before_first_user=True)) == range(2, 4)
    nobody = talk(assistant(text="hello"), result("x"))
    assert not find_boundary(nobody, Protection(before_first_user=True))


@pytest.mark.parametrize(
    ("protect", "says"),
    [
        (Protection(), ""),
        (Protection(last_turns=2), ""),
        (Protection(last_turns=4), "3 user turns"),
        (Protection(last_assistant_messages=4), "3 assistant messages"),
        (Protection(last_messages=9), "all 9 messages are within"),
    ],
)
def test_why_shut(protect: Protection, says: str) -> None:
    told = explain_protection(ROUNDS, protect)
    assert says in told
    assert bool(told) == bool(says)


def test_why_shut_without_a_user_message() -> None:
    assert "no user message yet" in explain_protection(talk(result("x")), Protection(before_first_user=True))


@pytest.mark.parametrize(
    ("protect", "stays"),
    [
        (Protection(), False),
        (Protection(error_results=True), True),
        (Protection(min_result_chars=4), True),
        (Protection(min_result_chars=3), False),
        (Protection(tools=("ba*",)), True),
        (Protection(prunable_tools=("read",)), True),
    ],
)
def test_forbidden(protect: Protection, stays: bool) -> None:
    assert is_forbidden(part(talk(result("one", error=True)), 0), protect) is stays


def test_pins_are_forbidden() -> None:
    one = part(talk(result("one")), 0)
    assert is_forbidden(one, Protection(part_keys=(one.key,)))
    assert is_forbidden(replace(one, pinned=True), Protection())
    assert not is_forbidden(one, Protection(part_keys=("another",)))


def test_eligible_are_results_only() -> None:
    talked = talk(assistant(("c", "bash", "{}"), text="hm"), result("one", call="c"))
    assert [is_eligible(talked, 0, one, Protection()) for one in talked.messages[0].parts] == [False, False]
    assert is_eligible(talked, 1, part(talked, 1), Protection())


def test_results_that_hold_media_can_be_protected() -> None:
    talked = talk(result("see", image="cat"), result("plain"))
    assert not is_eligible(talked, 0, part(talked, 0), Protection(media_results=True))
    assert is_eligible(talked, 0, part(talked, 0), Protection())
    assert is_eligible(talked, 1, part(talked, 1), Protection(media_results=True))


def test_roles_are_told_by_the_arguments_of_the_call() -> None:
    talked = talk(
        user(),
        assistant(("c1", "tool_a", '{"command":"ls"}'), ("c2", "tool_b", '{"path":"a.txt","content":"x"}')),
        result("ran", "tool_a", "c1"),
        result("written", "tool_b", "c2"),
    )
    assert texts(talked, Protection(tool_kinds=("edit",))) == ["ran"]
    assert texts(talked, Protection(tool_kinds=("run",))) == ["written"]


def test_candidates_come_newest_first_and_stay_inside() -> None:
    assert texts(ROUNDS, Protection()) == ["two", "one"]
    assert texts(ROUNDS, Protection(last_turns=2)) == ["one"]
    assert texts(ROUNDS, Protection(tools=("bash",))) == ["two"]


def test_the_newest_results_stay_whatever_the_tool() -> None:
    talked = talk(user(), results("a", "b", "c"), results("d", tool="skill"), results("e"))
    assert texts(talked, Protection(last_results=3, tools=("skill",))) == ["b", "a"]
    assert texts(talked, Protection(last_results=1, last_messages=1)) == ["d", "c", "b", "a"]
    assert texts(talked, Protection(last_results=9)) == []


def test_the_newest_tokens_stay_and_the_result_that_crosses_the_line_may_go() -> None:
    talked = talk(results("a" * 10), results("b" * 10), results("c" * 10))
    assert texts(talked, Protection(last_tokens=20)) == ["a" * 10]
    assert texts(talked, Protection(last_tokens=19)) == ["b" * 10, "a" * 10]
    assert texts(talked, Protection(last_tokens=30)) == []


def test_results_that_are_not_worth_it_stay_and_still_count() -> None:
    talked = talk(results("a" * 10), results("b" * 5), results("c" * 10))
    assert texts(talked, Protection(min_prunable_chars=6)) == ["c" * 10, "a" * 10]
    assert texts(talked, Protection(min_prunable_chars=6, last_tokens=14)) == ["a" * 10]
    assert find_first_unspent(talked, Protection(min_prunable_chars=6), lambda part: part.text == "a" * 10) == 2


def test_without_protected_tokens_empty_results_may_go() -> None:
    assert texts(talk(results("", "")), Protection()) == ["", ""]


def test_what_is_protected_neither_counts_nor_stops() -> None:
    talked = talk(results("a" * 10), results("s" * 50, tool="skill"), results("c" * 10))
    assert texts(talked, Protection(last_tokens=10, tools=("skill",))) == ["a" * 10]


def test_settled_results_are_no_candidates_and_can_end_the_walk() -> None:
    talked = talk(results("a"), results("b"), results("c"))

    def settled(part: Part) -> bool:
        return part.text == "b"

    assert texts(talked, Protection(), settled) == ["c", "a"]
    assert texts(talked, Protection(), settled, ends=True) == ["c"]


def test_a_summary_ends_the_walk() -> None:
    talked = talk(results("a"), summary(), results("c"))
    assert texts(talked, Protection(), ends=True) == ["c"]
    assert texts(talked, Protection()) == ["c", "a"]


def test_the_walk_never_goes_behind_what_is_spent() -> None:
    talked = replace(ROUNDS, index=replace(get_index(ROUNDS), first_prunable=3))
    assert texts(talked, Protection()) == ["two"]


@pytest.mark.parametrize(("done", "first"), [((), 2), (("one",), 5), (("one", "two"), 9), (("two",), 2)])
def test_spent(done: tuple[str, ...], first: int) -> None:
    assert find_first_unspent(ROUNDS, Protection(), lambda part: part.text in done) == first


def test_spent_passes_what_may_never_go() -> None:
    assert find_first_unspent(ROUNDS, Protection(tools=("bash",)), lambda part: False) == 5
    assert (
        find_first_unspent(
            replace(ROUNDS, index=replace(get_index(ROUNDS), first_prunable=4)), Protection(), lambda part: False
        )
        == 5
    )


def test_guarded_names_edited_parts_that_are_protected_here() -> None:
    one, two = part(ROUNDS, 2).key, part(ROUNDS, 5).key
    assert find_protected_keys(ROUNDS, Protection(last_turns=2), {one, two}) == {two}
    assert find_protected_keys(ROUNDS, Protection(tools=("bash",)), {one, two}) == {one}
    assert find_protected_keys(ROUNDS, Protection(), {one, "gone"}) == frozenset()


def test_a_result_finds_its_call_within_its_round_only() -> None:
    twice = talk(
        assistant(("c", "bash", '{"command":"old"}')),
        result("1", call="c"),
        user(),
        assistant(("c", "bash", '{"command":"new"}'), ("d", "bash", '{"command":"other"}')),
        result("2", call="d"),
        result("3", call="c"),
        user(),
        result("orphan", call="c"),
    )
    said = [found.text if (found := find_call(twice, number, part(twice, number))) else None for number in (1, 4, 5, 7)]
    assert said == ['{"command":"old"}', '{"command":"other"}', '{"command":"new"}', None]


def test_only_what_is_known_to_be_open_is_walked_behind_the_newest() -> None:
    known = replace(ROUNDS, index=replace(get_index(ROUNDS), prunable=(2,)))
    assert texts(known, Protection()) == ["one"]
    assert texts(known, Protection(last_results=1)) == ["one"]
    assert texts(known, Protection(last_tokens=1)) == texts(ROUNDS, Protection(last_tokens=1))
