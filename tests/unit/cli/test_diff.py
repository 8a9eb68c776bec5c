"""What differs between two transcripts, and its first lines: bounded, and honest about what is left out."""

from conversation import assistant, result, talk, user
from secateur.cli.diff import find_changes, make_excerpt
from secateur.model import Message

READ = assistant(("c1", "read", '{"path":"a"}'))


def told(old: list[Message], new: list[Message]) -> list[tuple[str, int, str, str]]:
    return [(one.verb, one.where.message, one.before, one.after) for one in find_changes(talk(*old), talk(*new))]


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


def test_a_cleared_output_shows_its_first_lines_and_what_stands_there_now() -> None:
    old = "\n".join(f"line {n}" for n in range(10))
    assert list(make_excerpt(old, "[gone]", 2)) == ["-line 0", "-line 1", "- … 8 more lines", "+[gone]"]


def test_lines_that_stay_are_context() -> None:
    old = "head\na\nb\ntail"
    assert list(make_excerpt(old, "head\n...\ntail", 4)) == [" head", "-a", "-b", "+...", " tail"]


def test_one_line_more_is_singular() -> None:
    assert list(make_excerpt("a\nb", "c", 1)) == ["-a", "- … 1 more line", "+c"]


def test_long_lines_are_cut_and_say_how_long_they_are() -> None:
    assert list(make_excerpt("x" * 10_000_000, "", 1)) == ["-" + "x" * 200 + "… (10,000,000 characters)", "+"]


def test_texts_of_many_lines_are_compared_as_far_as_anybody_reads() -> None:
    told = list(make_excerpt("a\n" * 1_000_000, "b", 1))
    assert told == ["-a", "- … 999 more lines", "+b", "  … 999,001 more lines, not compared"]


def test_no_difference_has_no_lines() -> None:
    assert list(make_excerpt("a", "a", 4)) == []
