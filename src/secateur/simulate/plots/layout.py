"""How plots are drawn: layers of a request's context, positions of labels, colors and fonts, light and dark.

Rule: every token of a view is in exactly one layer, and what an edit left of a part is a layer of its own. Labels never
overlap each other or a point: positions are tried in a fixed order around each point, and farther out if all are taken.
A layer and a policy have the same color in every chart; the chosen policy and the results have the strongest colors.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from secateur.model import Message, Part
from secateur.simulate.requests import Recording
from secateur.simulate.run import Run

_CHAR, _HEIGHT, _AWAY = 6.9, 14.0, 9.0  # pixels of a letter at 11.5 points, of a line, from the point

LEFT = "what edits left"
LAYERS = (
    "system prompt and tools",
    "user",
    "host and summaries",
    "assistant",
    "reasoning",
    "tool calls",
    "media",
    LEFT,
    "tool results",
)
_KINDS = {"reasoning": "reasoning", "tool_call": "tool calls", "tool_result": "tool results", "media": "media"}
Layer = list[int]  # tokens, in the order of LAYERS


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


def measure_layers(recording: Recording, run: Run) -> list[Layer]:
    """By request: tokens of each layer in the sent view."""
    stack = _Stack(recording)
    return [stack.measure_view(turn.request.segment, turn.seen, turn.fixed_tokens) for turn in run.turns]


class _Stack:
    """Sums over messages; views that begin alike are counted once."""

    def __init__(self, recording: Recording) -> None:
        self._came = [{p.key: p.text for one in segment.messages for p in one.parts} for segment in recording.segments]
        self._own = [set(map(id, segment.messages)) for segment in recording.segments]
        self._messages: Sequence[Message] = ()
        self._sums: list[Layer] = [[0] * len(LAYERS)]

    def measure_view(self, segment: int, seen: Sequence[Message], fixed: int) -> Layer:
        pairs = zip(self._messages, seen, strict=False)
        short = min(len(self._messages), len(seen))
        keep = next((at for at, (old, new) in enumerate(pairs) if old is not new), short)
        del self._sums[keep + 1 :]
        for message in seen[keep:]:
            self._sums.append(self._with(self._sums[-1], segment, message))
        self._messages = seen
        whole = list(self._sums[-1])
        whole[0] += fixed
        return whole

    def _with(self, below: Layer, segment: int, message: Message) -> Layer:
        whole = list(below)
        whole_message = id(message) in self._own[segment]
        for part in message.parts:
            edited = not whole_message and self._came[segment].get(part.key, part.text) != part.text
            whole[LAYERS.index(LEFT if edited else _classify_part(message, part))] += part.tokens
        return whole


def _classify_part(message: Message, part: Part) -> str:
    if part.kind in _KINDS:
        return _KINDS[part.kind]
    if message.role == "system":
        return LAYERS[0]
    if message.role == "assistant":
        return "assistant"
    return "user" if message.origin == "user" else "host and summaries"


FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', sans-serif"
INK = {"light": "#1f2933", "dark": "#e6eaf0"}
FAINT = {"light": "#6b7785", "dark": "#9aa5b4"}
LINES = {"light": "#e3e7ec", "dark": "#2d3542"}
PAPER = {"light": "#ffffff", "dark": "#12161d"}

OF_LAYERS = dict(
    zip(
        LAYERS,
        ("#9aa5b1", "#3f7cc4", "#7a93ac", "#3aa6a0", "#a678c9", "#e0b63f", "#dd7fa5", "#8a6f5a", "#e9825a"),
        strict=True,
    )
)
CHOSEN, BASE, ORACLE = "#1f9d63", "#808b99", "#c0476b"
_OTHERS = ("#4f8fd0", "#d98a2b", "#8f6fc4", "#2fa3a8", "#b5598f", "#8c8a3c", "#5f7f8f", "#cc6a52")


def assign_colors(names: Sequence[str], chosen: str) -> dict[str, str]:
    """A color for each policy; the first is the unpruned one, the last the oracle."""
    others = [name for name in names[1:-1] if name != chosen]
    colors = {name: _OTHERS[at % len(_OTHERS)] for at, name in enumerate(others)}
    return {names[0]: BASE, **colors, names[-1]: ORACLE, chosen: CHOSEN}


def make_config(theme: str) -> dict[str, Any]:
    """The style of all charts."""
    ink, faint, lines = INK[theme], FAINT[theme], LINES[theme]
    return {
        "font": FONT,
        "background": None,
        "view": {"stroke": None},
        "title": {"color": ink, "subtitleColor": faint, "fontSize": 15, "subtitleFontSize": 12, "anchor": "start"}
        | {"fontWeight": 600, "offset": 12, "subtitlePadding": 4, "frame": "group"},
        "axis": {"labelColor": faint, "titleColor": faint, "gridColor": lines, "domainColor": lines}
        | {
            "tickColor": lines,
            "labelFontSize": 11,
            "titleFontSize": 11,
            "titleFontWeight": "normal",
            "titlePadding": 8,
        },
        "axisX": {"grid": False},
        "axisY": {"domain": False, "ticks": False},
        "legend": {"labelColor": ink, "titleColor": faint, "labelFontSize": 11.5, "symbolType": "square"}
        | {"symbolSize": 90, "rowPadding": 4, "labelLimit": 260, "title": None},
        "header": {"labelColor": ink, "titleColor": faint, "labelFontSize": 12, "labelFontWeight": 600},
        "style": {"epoch": {"stroke": ink, "fill": ink}},
        "text": {"color": ink, "fontSize": 11.5},
        "rule": {"color": ink},
    }
