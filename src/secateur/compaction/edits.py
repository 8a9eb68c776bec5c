"""What a cut comes to as edits of the plan: ranges of the raw history, and what stands in their place.

Rule: a range begins and ends where messages of the raw history do, whatever the view shows; what an earlier compaction
put in right beside a range, outside the cut, is said again, since a new range hides it. What stands there is not made
here.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile

from secateur.compaction.cut import HistoryCut, Span
from secateur.compaction.rows import ViewEntry
from secateur.model import Edit, Message, NewMessage, Replace


def replace_segments(
    cut: HistoryCut, rows: Sequence[ViewEntry], raw: Sequence[Message], items: tuple[NewMessage, ...]
) -> Iterator[Edit]:
    """Yield edits for the ranges to replace: the first becomes `items`, the others nothing."""
    for number, span in enumerate(find_segments(cut, rows)):
        yield replace_span(span, rows, raw, items if number == 0 else ())


def replace_span(
    span: Span, rows: Sequence[ViewEntry], raw: Sequence[Message], items: Iterable[NewMessage], by: str = "compact"
) -> Replace:
    """Replace one range of rows with `items`."""
    first, last = span
    i, j = rows[first].first, rows[last - 1].last
    before = tuple(
        row.new for row in reversed(list(takewhile(_make_place_test(i), _iterate_backward(rows, first)))) if row.new
    )
    behind = tuple(row.new for row in takewhile(_make_place_test(j), _iterate_forward(rows, last)) if row.new)
    after = raw[i - 1].key if i else ""
    return Replace(after, raw[j - 1].key, (*before, *items, *behind), strategy=by)


def find_segments(cut: HistoryCut, rows: Sequence[ViewEntry]) -> Iterator[Span]:
    """Yield the runs to replace that stand for raw messages; a mere insertion cannot be hidden."""
    for first, last in cut.iterate_segments():
        if rows[first].first < rows[last - 1].last:
            yield first, last


def _make_place_test(place: int) -> Callable[[ViewEntry], bool]:
    """Return a test of whether a row is an insertion at a place; such rows are adjacent."""
    return lambda row: row.first == row.last == place


def _iterate_backward(rows: Sequence[ViewEntry], first: int) -> Iterator[ViewEntry]:
    return (rows[number] for number in range(first - 1, -1, -1))


def _iterate_forward(rows: Sequence[ViewEntry], last: int) -> Iterator[ViewEntry]:
    return (rows[number] for number in range(last, len(rows)))
