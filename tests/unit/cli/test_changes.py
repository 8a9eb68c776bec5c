"""What differs between two transcripts."""

from conversation import assistant, result, talk, user
from secateur.cli.changes import changes
from secateur.model import Message

READ = assistant(("c1", "read", '{"path":"a"}'))


def told(old: list[Message], new: list[Message]) -> list[tuple[str, int, str, str]]:
    return [(one.verb, one.where.message, one.before, one.after) for one in changes(talk(*old), talk(*new))]


def test_the_same_has_no_changes() -> None:
    assert told([user("hi"), READ, result("text", call="c1")], [user("hi"), READ, result("text", call="c1")]) == []


def test_a_cleared_result_is_one_change_where_it_stands() -> None:
    old = [user("hi"), READ, result("long", call="c1"), user("more")]
    new = [user("hi"), READ, result("[gone]", call="c1"), user("more")]
    assert told(old, new) == [("changed", 2, "long", "[gone]")]


def test_a_result_that_says_the_same_elsewhere_is_not_taken_for_the_changed_one() -> None:
    old = [result("same", call="c1"), result("same", call="c2"), result("same", call="c3")]
    new = [result("same", call="c1"), result("gone", call="c2"), result("same", call="c3")]
    assert told(old, new) == [("changed", 1, "same", "gone")]


def test_new_and_missing_messages_are_new_and_gone() -> None:
    old = [user("one"), assistant(text="two"), user("three")]
    assert told(old, [user("one"), user("three")]) == [("gone", 1, "two", "")]
    assert told([user("one")], [user("one"), assistant(text="two")]) == [("new", 1, "", "two")]


def test_another_history_differs_in_all_its_parts() -> None:
    assert told([user("one")], [user("two")]) == [("changed", 0, "one", "two")]
    assert told([user("one")], [assistant(text="two")]) == [("gone", 0, "one", ""), ("new", 0, "", "two")]


def test_a_summary_in_place_of_a_range_is_told_as_such() -> None:
    old = [user("1"), assistant(text="2"), user("3"), assistant(text="4"), user("5")]
    new = [user("1"), Message("system", (), user("what was").parts, "summary"), user("5")]
    assert told(old, new) == [
        ("gone", 1, "2", ""),
        ("gone", 2, "3", ""),
        ("gone", 3, "4", ""),
        ("new", 1, "", "what was"),
    ]


def test_a_medium_that_went_with_its_result_is_told_beside_it() -> None:
    old = [result("text", call="c1", image="hash")]
    assert told(old, [result("[gone]", call="c1")]) == [("changed", 0, "text", "[gone]"), ("gone", 0, "image/png", "")]
