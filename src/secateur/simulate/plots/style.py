"""Colors and letters, light and dark.

Rule: a layer and a policy have the same color in every chart; both sets were looked at on white and on black. What the
eye should find first, the chosen policy and the results, is the strongest.
"""

from collections.abc import Sequence
from typing import Any

from secateur.simulate.plots.layers import LAYERS

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
