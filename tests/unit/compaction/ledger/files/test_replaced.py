"""Which line came in place of which."""

from difflib import SequenceMatcher

from hypothesis import given
from hypothesis import strategies as st

from secateur.compaction.ledger.files.replaced import LEAST_SIMILAR, pair_lines

LINES = st.lists(st.text("abc =(", min_size=1, max_size=12), max_size=6).map(tuple)


def pair_by_comparing_all(removed: tuple[str, ...], added: tuple[str, ...]) -> list[tuple[str, str]]:
    left, pairs = list(added), []
    for old in removed:
        ratios = [SequenceMatcher(None, old, new).ratio() for new in left]
        if ratios and max(ratios) >= LEAST_SIMILAR:
            pairs.append((old, left.pop(ratios.index(max(ratios)))))
    return pairs


@given(LINES, LINES)
def test_lines_that_cannot_be_similar_need_no_comparison(removed: tuple[str, ...], added: tuple[str, ...]) -> None:
    assert pair_lines(removed, added) == pair_by_comparing_all(removed, added)


def test_of_equally_similar_lines_the_first_is_taken() -> None:
    assert pair_lines(("total = 1",), ("total = 2", "total = 3")) == [("total = 1", "total = 2")]
