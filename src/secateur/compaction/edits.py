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


def replaced(
    cut: HistoryCut, rows: Sequence[ViewEntry], raw: Sequence[Message], items: tuple[NewMessage, ...]
) -> Iterator[Edit]:
    """The ranges that give way. The first of them becomes `items`, the others nothing."""
    for number, span in enumerate(segments(cut, rows)):
        yield replacing(span, rows, raw, items if number == 0 else ())


def replacing(
    span: Span, rows: Sequence[ViewEntry], raw: Sequence[Message], items: Iterable[NewMessage], by: str = "compact"
) -> Replace:
    """One range of rows, become `items`."""
    first, last = span
    i, j = rows[first].first, rows[last - 1].last
    before = tuple(row.new for row in reversed(list(takewhile(_stands_at(i), _down(rows, first)))) if row.new)
    behind = tuple(row.new for row in takewhile(_stands_at(j), _up(rows, last)) if row.new)
    after = raw[i - 1].key if i else ""
    return Replace(after, raw[j - 1].key, (*before, *items, *behind), strategy=by)


def segments(cut: HistoryCut, rows: Sequence[ViewEntry]) -> Iterator[Span]:
    """The runs of rows that give way and stand for some raw message: a mere insertion is nothing that can be hidden."""
    for first, last in cut.segments():
        if rows[first].first < rows[last - 1].last:
            yield first, last


def _stands_at(place: int) -> Callable[[ViewEntry], bool]:
    """Whether a row is an insertion there: such rows stand side by side."""
    return lambda row: row.first == row.last == place


def _down(rows: Sequence[ViewEntry], first: int) -> Iterator[ViewEntry]:
    return (rows[number] for number in range(first - 1, -1, -1))


def _up(rows: Sequence[ViewEntry], last: int) -> Iterator[ViewEntry]:
    return (rows[number] for number in range(last, len(rows)))
