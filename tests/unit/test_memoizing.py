"""A memoized function gives what it gives without, and keeps no more characters than it may."""

from hypothesis import given
from hypothesis import strategies as st

from secateur.memoizing import memoize_by, memoize_texts
from secateur.model import Part


@given(st.lists(st.text(max_size=9), max_size=30), st.integers(1, 20))
def test_results_are_those_of_the_function_and_texts_are_bounded(texts: list[str], most: int) -> None:
    made: list[str] = []

    def double(text: str) -> str:
        made.append(text)
        return text * 2

    memoized = memoize_texts(8, most)(double)
    assert [memoized(text) for text in texts] == [text * 2 for text in texts]
    assert set(made) == set(texts)


def test_what_was_asked_lately_is_not_made_again_until_the_texts_are_too_long() -> None:
    made: list[int] = []

    def measure(part: Part) -> int:
        made.append(len(part.text))
        return len(part.text)

    memoized = memoize_texts(100, 10)(measure)
    parts = [Part("text", (), "x" * size) for size in (4, 5, 6)]
    for part in (parts[0], parts[1], parts[0], parts[2], parts[2], parts[0]):
        memoized(part)
    assert made == [4, 5, 6, 4]


@given(st.lists(st.tuples(st.text(max_size=4), st.booleans()), max_size=30), st.integers(1, 20))
def test_what_is_named_alike_is_made_once_and_names_are_bounded(asked: list[tuple[str, bool]], most: int) -> None:
    made: list[tuple[str, bool]] = []

    def double(value: list[tuple[str, bool]]) -> str | None:
        made.append(value[0])
        text, is_nothing = value[0]
        return None if is_nothing else text * 2

    memoized = memoize_by(lambda value: value[0], 4, most)(double)
    assert [memoized([one]) for one in asked] == [None if one[1] else one[0] * 2 for one in asked]
    assert set(made) == set(asked)
    kept = memoize_by(lambda value: value[0], 4)(double)
    made.clear()
    for one in (*asked[:1], *asked[:1]):
        kept([one])
    assert made == asked[:1]
