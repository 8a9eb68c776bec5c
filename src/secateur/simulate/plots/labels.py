"""Where the names of points go, so that none lies on another or on a point.

Rule: places are tried in a fixed order around each point, and farther out if all are taken. Same in, same out.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

_CHAR, _HEIGHT, _AWAY = 6.9, 14.0, 9.0  # pixels of a letter at 11.5 points, of a line, from the point


class Placed(Struct, frozen=True):
    """A name's left end and middle line, in pixels from the chart's left top."""

    x: float
    y: float


Box = tuple[float, float, float, float]  # left, top, right, bottom


def place_labels(
    names: Sequence[str],
    points: Sequence[tuple[float, float]],
    bars: Sequence[tuple[float, float, float]],
    width: float,
    height: float,
) -> list[Placed]:
    """One place per name, inside the chart if there is room; bars (left, height, right) stay clear too."""
    taken: list[Box] = [(left - 5, y - 4, right + 5, y + 4) for left, y, right in bars]
    order = sorted(range(len(names)), key=lambda at: (points[at][1], -points[at][0]))
    found: dict[int, Placed] = {}
    for at in order:
        wide = _CHAR * len(names[at])
        places = list(_iterate_places(points[at], wide))
        free = (one for one in places if _can_fit(_make_box(one, wide), taken, width, height))
        found[at] = next(free, places[0])
        taken.append(_make_box(found[at], wide))
    return [found[at] for at in range(len(names))]


def _iterate_places(point: tuple[float, float], wide: float) -> Iterator[Placed]:
    x, y = point
    for far in range(12):
        down = far * _HEIGHT
        for side in (x + _AWAY, x - _AWAY - wide):
            yield Placed(side, y + down)
            yield Placed(side, y - down)
        yield Placed(x - wide / 2, y + _HEIGHT + down)
        yield Placed(x - wide / 2, y - _HEIGHT - down)


def _make_box(one: Placed, wide: float) -> Box:
    return one.x, one.y - _HEIGHT / 2, one.x + wide, one.y + _HEIGHT / 2


def _can_fit(box: Box, taken: Sequence[Box], width: float, height: float) -> bool:
    left, top, right, bottom = box
    if left < 0 or right > width or top < 0 or bottom > height:
        return False
    return not any(left < r and x < right and top < b and t < bottom for x, t, r, b in taken)
