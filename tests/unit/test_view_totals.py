"""What was found in a view is kept as long as it holds: for a view that grows, is edited, or is another one."""

from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import force_setattr, replace

from conversation import assistant, result, talk, user
from secateur.model import Message, Part
from secateur.proposal import ViewTotals

Messages = tuple[Message, ...]


def session(*sizes: int) -> Messages:
    """A round for each number, its result of so many tokens, after an answer that was thought about."""
    made = [user("go")]
    for number, size in enumerate(sizes):
        said = assistant((f"c{number}", "read", f'{{"n": {number}}}'))
        thought = Part("reasoning", (), f"hm {number}", prefix_bound=number % 2 == 1)
        made += [replace(said, parts=(thought, *said.parts)), result("x" * size, call=f"c{number}")]
    return counted(talk(*made).messages)


def counted(messages: Messages) -> Messages:
    for message in messages:
        for part in message.parts:
            force_setattr(part, "tokens", len(part.text))
    return messages


def shortened(message: Message, size: int) -> Message:
    parts = (replace(part, text=part.text[:size], tokens=min(size, part.tokens)) for part in message.parts)
    return replace(message, parts=tuple(parts))


def told(totals: ViewTotals) -> tuple[object, ...]:
    sums = totals.tokens, totals.thought, totals.bound, totals.thoughts, totals.blocks
    return *sums, totals.results, totals.order, totals.at


def test_what_it_tells() -> None:
    messages = session(10, 20)
    totals = ViewTotals().take(messages)
    sizes = [sum(len(part.text) for part in one.parts) for one in messages]
    assert totals.tokens == [0, *accumulate(sizes)]
    assert totals.thought == [0, 0, 4, 4, 8, 8]
    assert totals.bound == [0, 0, 0, 0, 4, 4]
    assert totals.thoughts == [0, 0, 1, 1, 2, 2]
    assert totals.blocks == [0, 1, 3, 4, 6, 7]
    assert totals.results == [2, 4]
    assert totals.order == {messages[2].parts[0].key: 0, messages[4].parts[0].key: 1}
    assert totals.at[messages[3].key] == 3


@given(st.lists(st.tuples(st.sampled_from(["grow", "edit", "back", "other"]), st.integers(0, 9)), max_size=12))
def test_it_tells_the_same_as_one_that_walks_all(steps: list[tuple[str, int]]) -> None:
    whole, other = session(*range(30, 50)), session(7, *range(31, 50))
    messages, totals = whole[:3], ViewTotals()
    for step, number in steps:
        if step == "grow":
            messages = (*messages, *whole[len(messages) : len(messages) + number])
        elif step == "back":
            messages = messages[: max(1, len(messages) - number)]
        elif step == "other":
            messages = other[: len(messages)]
        elif number < len(messages):
            messages = (*messages[:number], shortened(messages[number], number), *messages[number + 1 :])
        assert told(totals.take(messages)) == told(ViewTotals().take(messages))


def test_what_is_kept_goes_with_what_it_follows_from() -> None:
    messages = session(10, 20, 30)
    totals = ViewTotals().take(messages[:5])
    totals.keep("text", 1, 3)
    totals.keep("shape", 2, 5, shape=True)
    totals.take(messages)
    assert (totals.recall("text"), totals.recall("shape"), totals.recall("other")) == (1, 2, None)
    totals.take((*messages[:2], shortened(messages[2], 3), *messages[3:]))
    assert (totals.recall("text"), totals.recall("shape")) == (None, 2)
    totals.take(session(11, 20, 30))
    assert totals.recall("shape") is None
