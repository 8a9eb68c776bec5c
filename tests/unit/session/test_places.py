"""Where parts stand in a history that grows, is rewound, and says the same twice."""

from secateur.model import Message, Part
from secateur.session.places import Places


def said(*keys: str) -> Message:
    return Message("assistant", (), tuple(Part("text", (), key, key=key) for key in keys))


def test_messages_are_named_once_and_in_order() -> None:
    places = Places()
    places.learn((said("a"), said("b", "c"), said("d")), 0)
    assert places.of(["d", "c", "b", "elsewhere"]) == [1, 2]


def test_the_same_reasoning_in_two_answers_is_found_twice() -> None:
    places = Places()
    places.learn((said("a"), said("r"), said("r", "b")), 0)
    assert places.of(["r"]) == [1, 2]
    places.forget(2)
    assert places.of(["r", "b"]) == [1]


def test_what_was_rewound_is_forgotten_and_learned_anew() -> None:
    places = Places()
    places.learn((said("a"), said("b")), 0)
    places.forget(1)
    assert places.of(["b"]) == []
    places.learn((said("a"), said("c"), said("b")), 1)
    assert places.of(["a", "b"]) == [0, 2]
    places.forget(0)
    assert places.of(["a", "b", "c"]) == []
