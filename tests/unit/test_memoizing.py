"""A memoized function gives what it gives without, and keeps no more characters than it may."""

from hypothesis import given
from hypothesis import strategies as st

from secateur.memoizing import memoize_texts
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
