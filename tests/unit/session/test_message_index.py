"""Where parts stand in a history that grows, is rewound, and says the same twice."""

from secateur.model import Message, Part
from secateur.session.message_index import MessageIndex


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
