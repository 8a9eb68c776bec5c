"""A compacted view from request to request: where messages are in it, and what is counted again."""

import pytest

from conversation import assistant, result, talk, user
from secateur.bounds import extend_index
from secateur.formats import get_format
from secateur.model import Message, NewMessage, Replace
from secateur.projection.message_index import Tallies, Tally
from secateur.projection.messages import Shown, build_replacement, get_entry_words, locate_shown, weigh_items

OPENAI = get_format("openai_chat")
TWO = Replace("", "b", (NewMessage("user", "what happened"), NewMessage("user", "go on")))
NONE = Replace("c", "d", ())


@pytest.mark.parametrize(
    ("ranges", "shown"),
    [
        ([], [0, 1, 2, 3, 4, 5]),
        ([(0, 3, TWO)], [2, 3, 4]),
        ([(1, 3, NONE)], [0, 1, 2, 3]),
        ([(0, 2, TWO), (4, 5, NONE)], [2, 3, 4]),
        ([(2, 2, TWO)], [0, 1, 4, 5, 6, 7]),
    ],
)
def test_where_messages_stand_that_a_view_shows(ranges: list[tuple[int, int, Replace]], shown: list[int]) -> None:
    assert locate_shown(ranges, range(6)) == shown


def test_what_stands_in_a_view_stays_the_same_object() -> None:
    messages = talk(user(), assistant(text="yes"), result("one"), assistant(text="done"), user("more")).messages
    shown, ranges = Shown(), [(0, 2, TWO)]
    first, _ = shown.build_view(messages[:4], extend_index(messages[:4]), ranges, OPENAI, len)
    second, index = shown.build_view(messages, extend_index(messages), ranges, OPENAI, len)
    assert [part.text for one in first for part in one.parts] == ["what happened", "go on", "one", "done"]
    assert all(one is other for one, other in zip(first, second, strict=False))
    assert index == extend_index(second)


def test_only_what_is_new_or_reads_otherwise_is_counted() -> None:
    asked: list[Message] = []

    def weigh(message: Message) -> int:
        asked.append(message)
        return sum(len(part.text) for part in message.parts)

    messages = talk(user("a"), user("bb"), user("ccc"), user("dddd")).messages
    tally = Tally(weigh)
    assert [tally.sum_messages(messages[:2]), tally.sum_messages(messages), tally.sum_messages(messages)] == [3, 10, 10]
    assert asked == [*messages]
    other = talk(user("eeeee")).messages
    assert tally.sum_messages((messages[0], *other, messages[2])) == 9
    assert asked == [*messages, *other]


def test_one_tally_for_each_counter() -> None:
    messages = talk(user("four"), result("of it", image="x")).messages
    tallies = Tallies()
    assert tallies.get_tally(len).sum_messages(messages) == 9
    assert tallies.get_tally(str.__len__).sum_messages(messages) == 9
    assert tallies.get_tally(len) is tallies.get_tally(len)


def test_a_host_holds_a_summary_and_what_stands_behind_it_as_one_text() -> None:
    carried = NewMessage("user", "a skill", meta={"carried": 1})
    edit = Replace("", "b", (NewMessage("user", "what happened", "summary"), carried, NewMessage("user", "go on")))
    for host, sizes in (("claude_code", [22, 0, 5]), ("opencode", [44, 0, 5]), ("codex", [13, 7, 5])):
        words = get_entry_words(get_format(host), [(0, 2, edit)], edit)
        assert weigh_items(edit, len, words) == sizes
        assert [one.parts[0].tokens for one in build_replacement(edit, len, words)] == sizes
    assert get_entry_words(get_format("claude_code"), [(0, 1, TWO), (1, 2, edit)], TWO) is None
