"""Pages of a long text: together they are the text, and no page is longer than asked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secateur.answers.recall import count_lines, page, parse_line_range, slice_lines
from secateur.errors import ConfigError

TEXTS = st.text(alphabet="ab\n\u2028é", max_size=400)


@given(TEXTS, st.integers(1, 5), st.integers(1, 30))
def test_pages_are_the_text_and_bounded(text: str, most: int, chars: int) -> None:
    count = page(text, 1, most, chars).pages
    pages = [page(text, number, most, chars) for number in range(1, count + 1)]
    assert "".join(one.text for one in pages) == text
    assert all(len(one.text) <= chars and one.text.count("\n") <= most for one in pages)
    assert [one.number for one in pages] == list(range(1, count + 1))
    assert pages[0].first == 1
    assert pages[-1].last == max(1, count_lines(text))


def test_a_page_says_which_lines_it_holds() -> None:
    text = "".join(f"line {number}\n" for number in range(1, 451))
    third = page(text, 3)
    assert (third.pages, third.first, third.last, third.lines) == (3, 401, 450, 450)
    assert page(text, 99) == third


def test_a_line_longer_than_a_page_comes_in_pieces() -> None:
    assert [page("x" * 25, number, 9, 10).text for number in (1, 2, 3)] == ["x" * 10, "x" * 10, "x" * 5]


@given(TEXTS, st.integers(1, 9), st.integers(0, 9))
def test_lines_are_whole_with_their_ends(text: str, first: int, more: int) -> None:
    assert slice_lines(text, 1, None) == text
    head, tail = slice_lines(text, 1, first), slice_lines(text, first + 1, None)
    assert head + tail == text
    assert slice_lines(text, first, first + more).count("\n") <= more + 1


@pytest.mark.parametrize(
    ("said", "first", "last"),
    [("7", 7, 7), (" 2 - 4 ", 2, 4), ("9-", 9, None), ("9-900", 9, 900), ("-3", 8, None), ("-99", 1, None)],
)
def test_a_range_is_read_as_people_write_it(said: str, first: int, last: int | None) -> None:
    assert parse_line_range(said, 10) == (first, last)


@pytest.mark.parametrize("said", ["", "-", "0", "11", "4-2", "2-x", "x", "1-2-3", "-0", "9" * 5_000])
def test_what_is_no_range_is_refused_with_what_to_write(said: str) -> None:
    with pytest.raises(ConfigError, match="in this text, which has 10; write 10-40, 10-, 10, or -10 for the last ones"):
        parse_line_range(said, 10)
