"""Reads of files find what they cover by an index; comparing each with all the others gives the same."""

from hypothesis import given, settings
from hypothesis import strategies as st

from secateur.model import Part
from secateur.toolcalls.completed_calls import CompletedCall, is_shown_again
from secateur.toolcalls.staleness import Reads

texts = st.lists(st.sampled_from(["import os", "x = 1", "def cut():", "", "  return 2", "12: y", "z"]), max_size=8)
reads = st.lists(
    st.tuples(texts.map("\n".join), st.frozensets(st.sampled_from("ab"), min_size=1), st.integers(0, 3)), max_size=14
)


def completed(number: int, text: str, shows: frozenset[str], command: int = 0) -> CompletedCall:
    call = Part("tool_call", (), f"show {command}", "Read", key=f"call {number}")
    return CompletedCall(number, call, Part("tool_result", (), text, "Read", key=f"result {number}"), shows=shows)


@given(reads)
@settings(deadline=None)
def test_a_read_covers_what_comparing_it_with_each_read_before_finds(history: list[tuple[str, frozenset[str], int]]):
    table, left = Reads(), list[CompletedCall]()
    for number, (text, shows, command) in enumerate(history):
        later = completed(number, text, shows, command)
        covered = [one for one in left if is_shown_again(one, later)]
        assert table.take(later) == covered
        left = [*(one for one in left if one not in covered), later]


def test_a_result_is_unused_since_the_last_of_its_files_is_and_outdated_if_one_was_written_to():
    table = Reads()
    table.take(completed(1, "x = 1", frozenset("a")))
    table.take(completed(3, "y = 2", frozenset("ab"), 1))
    table.leave("a", 5)
    assert table.find_unused() == ({"result 1": 5}, {})
    table.write("b")
    table.leave("b", 7)
    assert table.find_unused() == ({"result 1": 5, "result 3": 7}, {"result 3": 7})
    table.use("a")
    assert table.find_unused() == ({}, {})


def test_a_read_that_is_too_long_is_unused_from_its_own_message_on():
    table = Reads(longest=5)
    table.take(completed(1, "x = 1", frozenset("a")))
    table.take(completed(3, "y = 12", frozenset("ab"), 1))
    assert table.find_unused() == ({"result 3": 3}, {})
    table.leave("a", 5)
    table.use("b")
    assert table.find_unused() == ({"result 1": 5, "result 3": 3}, {})


def test_a_read_that_is_covered_remains_unused_as_it_was():
    table = Reads()
    table.take(completed(1, "x = 1", frozenset("a")))
    table.leave("a", 2)
    table.take(completed(3, "x = 1", frozenset("a")))
    table.use("a")
    assert table.find_unused() == ({"result 1": 2}, {})
