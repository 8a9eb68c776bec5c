"""Where parts are in a history that grows, is rewound, and says the same twice."""

from hypothesis import given
from hypothesis import strategies as st

from secateur.model import Message, Part
from secateur.projection.message_index import MessageIndex, Tallies


def said(*keys: str) -> Message:
    return Message("assistant", (), tuple(Part("text", (), key, key=key) for key in keys))


def test_messages_are_named_once_and_in_order() -> None:
    index = MessageIndex()
    index.learn((said("a"), said("b", "c"), said("d")), 0)
    assert index.find(["d", "c", "b", "elsewhere"]) == [1, 2]


def test_the_same_reasoning_in_two_answers_is_found_twice() -> None:
    index = MessageIndex()
    index.learn((said("a"), said("r"), said("r", "b")), 0)
    assert index.find(["r"]) == [1, 2]
    index.forget(2)
    assert index.find(["r", "b"]) == [1]


def test_what_was_rewound_is_forgotten_and_learned_anew() -> None:
    index = MessageIndex()
    index.learn((said("a"), said("b")), 0)
    index.forget(1)
    assert index.find(["b"]) == []
    index.learn((said("a"), said("c"), said("b")), 1)
    assert index.find(["a", "b"]) == [0, 2]
    index.forget(0)
    assert index.find(["a", "b", "c"]) == []


sizes = st.lists(st.lists(st.integers(0, 9), max_size=4), max_size=8)


@given(st.lists(sizes, min_size=1, max_size=4))
def test_the_largest_parts_of_a_view_are_those_of_a_full_sort_however_the_view_changed(
    views: list[list[list[int]]],
) -> None:
    tallies = Tallies()
    for view in views:
        messages = tuple(Message("user", (), tuple(Part("text", (), tokens=size) for size in one)) for one in view)
        parts = [part for message in messages for part in message.parts]
        found = tallies.find_largest(messages, 3)
        expected = sorted(parts, key=lambda part: -part.tokens)[:3]
        assert [*map(id, found)] == [*map(id, expected)]
