"""The three charts as Vega-Lite: context over time, bill so far, recall against cost.

Rule: data in, data out; sizes in pixels. Colors that depend on the theme come from its configuration, by style.
"""

from textwrap import wrap
from typing import Any

from secateur.simulate.plots.layout import LAYERS, OF_LAYERS, assign_colors, place_labels
from secateur.simulate.plots.picture import Picture, Rows

WIDE, HIGH = 860, 230
HALF, LOW = 393, 280
Chart = dict[str, Any]


def draw_context(picture: Picture, policy: str, *, legend: bool = True) -> Chart:
    """Chart each request's prompt under one policy, in layers; epochs are lines."""
    top = max((sum(row[one] for one in LAYERS) for row in picture.context), default=1)
    used = [one for one in LAYERS if any(row[one] for row in picture.context)]
    rows = [row for row in picture.context if row["policy"] == policy]
    alone = len(rows) == 1
    rows += [{**row, "request": row["request"] + 1} for row in rows] if alone else []  # it has some width
    marks = [row for row in picture.epochs if row["policy"] == policy]
    x: Chart = {"field": "request", "type": "quantitative", "title": "request", "axis": {"tickMinStep": 1}}
    x["axis"] |= {"values": [1]} if alone else {}
    x["scale"] = {"nice": False, "domainMin": 1, "domainMax": max((row["request"] for row in rows), default=1)}
    color = {
        "field": "layer",
        "type": "nominal",
        "scale": {"domain": used[::-1], "range": [OF_LAYERS[one] for one in used[::-1]]},
        "legend": {"orient": "bottom", "columns": 5, "offset": 6} if legend else None,
    }
    area = {
        "data": {"values": [{name: row[name] for name in ("request", *used)} for row in rows]},
        "transform": [
            {"fold": used, "as": ["layer", "tokens"]},
            {"calculate": f"indexof({used}, datum.layer)", "as": "rank"},
        ],
        "mark": {"type": "area", "interpolate": "step-after", "line": False, "opacity": 0.92},
        "encoding": {
            "x": x,
            "y": {"field": "tokens", "type": "quantitative", "stack": True, "title": "tokens in the prompt"}
            | {"axis": {"format": "~s", "tickCount": 5}, "scale": {"domain": [0, top * 1.04], "nice": False}},
            "color": color,
            "order": {"field": "rank", "type": "quantitative"},
            "tooltip": [
                _make_tooltip("request", "d"),
                {"field": "layer", "title": "kind"},
                _make_tooltip("tokens", ","),
            ],
        },
    }
    return _with_size([area, *_draw_epochs(marks, x)], WIDE, HIGH) | _make_title(
        *_format_heading(picture, policy, marks)
    )


def draw_bills(picture: Picture) -> Chart:
    """Chart each policy's cost up to each request."""
    colors = assign_colors(picture.policies, picture.chosen)
    ends = {row["policy"]: row["dollars"] for row in picture.standings}
    most = max(ends.values(), default=0.0)
    order = sorted(ends, key=lambda name: -ends[name])
    named = {name: f"{name}  ${ends[name]:,.2f}" for name in order}
    rows = [{**row, "named": named[row["policy"]], **_choose_style(picture, row["policy"])} for row in picture.bills]
    scale = {"domain": [named[one] for one in order], "range": [colors[one] for one in order]}
    line = {
        "data": {"values": rows},
        "mark": {"type": "line", "interpolate": "step-after"},
        "encoding": {
            "x": {"field": "request", "type": "quantitative", "title": "request"}
            | {"scale": {"nice": False, "zero": False}, "axis": {"tickMinStep": 1, "tickCount": 5}},
            "y": {"field": "dollars", "type": "quantitative", "title": None}
            | {"scale": {"domain": [0, (most or 1.0) * 1.04], "nice": False}}
            | {"axis": {"format": "$~f" if most >= 10 else "$.2f" if most >= 0.1 else "$.2~r", "tickCount": 5}},
            "color": {"field": "named", "type": "nominal", "scale": scale}
            | {"legend": {"orient": "bottom", "columns": 2, "symbolType": "stroke", "symbolStrokeWidth": 3}},
            "strokeWidth": {"field": "wide", "type": "quantitative", "scale": None},
            "strokeDash": {"field": "dashed", "type": "nominal", "legend": None}
            | {"scale": {"domain": [False, True], "range": [[1, 0], [5, 4]]}},
            "tooltip": [
                {"field": "policy"},
                _make_tooltip("request", "d"),
                _make_tooltip("dollars", "$,.2f", "so far"),
            ],
        },
    }
    return _with_size([line], HALF, LOW) | _make_title("The bill so far", "each request's prompt and answer, summed up")


def draw_trade(picture: Picture) -> Chart:
    """Chart recall against cost."""
    colors = assign_colors(picture.policies, picture.chosen)
    rows = picture.standings
    left, right = _widen_span([row[name] for row in rows for name in ("share", "refetched")], 0.06)
    low, high = _widen_span([row[name] for row in rows for name in ("recall", "soft")], 0.08)
    across = [
        (_interpolate(row["share"], left, right) * HALF, _interpolate(row["recall"], high, low) * LOW) for row in rows
    ]
    ends = [_interpolate(row["refetched"], left, right) * HALF for row in rows]
    rings = [_interpolate(row["soft"], high, low) * LOW for row in rows]
    names = [row["policy"] for row in rows]
    scale = {"domain": names, "range": [colors[one] for one in names]}
    x: Chart = {"field": "share", "type": "quantitative", "title": "bill, of the unpruned one"}
    x |= {"axis": {"format": ".0%", "tickCount": 5, "grid": True}, "scale": {"domain": [left, right], "nice": False}}
    y: Chart = {"field": "recall", "type": "quantitative", "title": "recall"}
    y |= {"axis": {"format": ".0%", "tickCount": 5}, "scale": {"domain": [low, high], "nice": False}}
    color = {"field": "policy", "type": "nominal", "scale": scale, "legend": None}
    tips = [
        {"field": "policy"},
        _make_tooltip("dollars", "$,.2f", "bill"),
        _make_tooltip("refetched dollars", "$,.2f", "bill, lost results fetched again"),
        _make_tooltip("recall", ".1%", "hard recall"),
        _make_tooltip("soft", ".1%", "soft recall"),
        _make_tooltip("complete_requests", ".1%", "requests with all they needed"),
    ]
    again: Chart = {"mark": {"type": "rule", "opacity": 0.45, "strokeWidth": 2}}
    again |= {"encoding": {"x": x, "x2": {"field": "refetched"}, "y": y, "color": color}}
    parted = [{"filter": f"abs(datum.recall - datum.soft) > {_APART_AT}"}]
    stem: Chart = {"transform": parted, "mark": {"type": "rule", "opacity": 0.45, "strokeDash": [2, 2]}}
    stem |= {"encoding": {"x": x, "y": y, "y2": {"field": "soft"}, "color": color}}
    soft: Chart = {"transform": parted, "mark": {"type": "point", "filled": False, "size": 55, "opacity": 1}}
    soft |= {"encoding": {"x": x, "y": y | {"field": "soft"}, "color": color, "tooltip": tips}}
    point: Chart = {"mark": {"type": "point", "filled": True, "size": 95, "opacity": 1}}
    point |= {"encoding": {"x": x, "y": y, "color": color, "tooltip": tips}}
    name: Chart = {"mark": {"type": "text", "align": "left", "baseline": "middle"}}
    name |= {"encoding": {"x": {"field": "lx", "type": "quantitative", "scale": None, "axis": None}}}
    name["encoding"] |= {"y": {"field": "ly", "type": "quantitative", "scale": None, "axis": None}}
    name["encoding"] |= {"text": {"field": "names"}, "color": color}
    name |= {"data": {"values": _label_points(names, across, ends, rings)}}
    chart = _with_size([again, stem, soft, point, name], HALF, LOW) | {"data": {"values": rows}}
    chart["resolve"] = {"scale": {"x": "shared", "y": "shared"}}
    return chart | _make_title("Recall against cost", "top left is best; ring: soft recall; bar: with refetching")


def draw_image(picture: Picture) -> Chart:
    """All charts in one image."""
    shown = list(dict.fromkeys((picture.policies[0], picture.chosen)))
    over = [draw_context(picture, one, legend=at == len(shown) - 1) for at, one in enumerate(shown)]
    below = {"hconcat": [draw_bills(picture), draw_trade(picture)], "bounds": "flush", "spacing": 74, "resolve": _APART}
    title: Chart = {
        "text": picture.title,
        "subtitle": [picture.subtitle, *(line for one in picture.words for line in wrap(one, _LINE))],
        "fontSize": 20,
        "offset": 22,
    }
    title |= {"subtitleFontSize": 13, "subtitleLineHeight": 18, "subtitlePadding": 8}
    return {"vconcat": [*over, below], "spacing": 34, "resolve": _APART, "title": title, "padding": 28}


_LINE = 125  # letters across the image
_APART_AT = 0.005  # a share by which soft recall differs from hard, for the eye
_MANY = 3  # names in one label
_NEAR = 5.0  # pixels: closer points are one to the eye
_APART = {"scale": {"color": "independent", "x": "independent", "y": "independent"}}


def _format_heading(picture: Picture, policy: str, marks: Rows) -> tuple[str, str]:
    row = next(one for one in picture.standings if one["policy"] == policy)
    title = "Context as it was" if policy == picture.policies[0] else f"Context under {policy}"
    epochs = f", {len(marks):,} epochs" if len(marks) != 1 else ", 1 epoch"
    change = f" ({row['share'] - 1:+.0%})" if abs(row["share"] - 1) >= 0.005 else ""
    share = "" if policy == picture.policies[0] else f"{change}{epochs}"
    return title, f"${row['dollars']:,.2f}{share}, at most {row['peak']:,} tokens, {row['sent']:,} sent"


def _draw_epochs(marks: Rows, x: Chart) -> list[Chart]:
    """Lines for epochs with tooltips; those on arrival are ticks at the bottom."""
    tips = [_make_tooltip("request", "d"), {"field": "why"}, _make_tooltip("freed", ",", "tokens freed")]
    tips += [_make_tooltip("cost", "$,.4f", "cost then"), _make_tooltip("saved", "$,.4f", "saved since")]
    events = [row for row in marks if row["kind"] != "on arrival"]
    arrivals = [row for row in marks if row["kind"] == "on arrival"]
    faint = max(0.18, min(0.8, 12 / max(1, len(events))))
    line = {"type": "rule", "style": "epoch", "strokeDash": [3, 3], "strokeWidth": 1.1, "opacity": faint}
    spot = {"type": "point", "shape": "triangle-down", "filled": True, "size": 60, "style": "epoch", "y": 0}
    tick = {"type": "tick", "style": "epoch", "thickness": 1.2, "height": 6, "y": HIGH - 3, "opacity": 0.7}
    encoded = {"x": x, "tooltip": tips}
    found: list[Chart] = []
    if events:
        found.append({"data": {"values": events}, "mark": line, "encoding": encoded})
    if 0 < len(events) <= 60:
        found.append({"data": {"values": events}, "mark": spot, "encoding": encoded})
    if arrivals:
        found.append({"data": {"values": arrivals}, "mark": tick, "encoding": encoded})
    return found


def _choose_style(picture: Picture, policy: str) -> dict[str, Any]:
    first, last = picture.policies[0], picture.policies[-1]
    wide = 3.2 if policy == picture.chosen else 2.2 if policy == first else 1.5
    return {"wide": wide, "dashed": policy == last}


def _label_points(names: list[str], points: list[tuple[float, float]], ends: list[float], rings: list[float]) -> Rows:
    """One label for each cluster of points, in the color of its first point."""
    groups: list[list[int]] = []
    for at, (x, y) in enumerate(points):
        near = (one for one in groups if abs(points[one[0]][0] - x) < _NEAR and abs(points[one[0]][1] - y) < _NEAR)
        group = next(near, None)
        groups.append([at]) if group is None else group.append(at)
    texts = [_join_names([names[at] for at in group]) for group in groups]
    bars = [(min(x, end), y, max(x, end)) for (x, y), end in zip(points, ends, strict=True)]
    bars += [(x, ring, x) for (x, _), ring in zip(points, rings, strict=True)]
    spots = place_labels(texts, [points[group[0]] for group in groups], bars, HALF, LOW)
    told = zip(texts, spots, groups, strict=True)
    return [{"names": text, "lx": spot.x, "ly": spot.y, "policy": names[group[0]]} for text, spot, group in told]


def _join_names(names: list[str]) -> str:
    return (
        ", ".join(names)
        if len(names) <= _MANY
        else f"{', '.join(names[: _MANY - 1])} and {len(names) - _MANY + 1} more"
    )


def _interpolate(value: float, first: float, last: float) -> float:
    return (value - first) / (last - first)


def _widen_span(values: list[float], room: float) -> tuple[float, float]:
    low, high = min(values), max(values)
    more = max((high - low) * room, 0.02)
    return low - more, high + more


def _make_tooltip(field: str, form: str, title: str = "") -> Chart:
    return {"field": field, "type": "quantitative", "format": form, "title": title or field}


def _with_size(layers: list[Chart], width: int, height: int) -> Chart:
    return {"layer": layers, "width": width, "height": height}


def _make_title(text: str, below: str) -> Chart:
    return {"title": {"text": text, "subtitle": below}}
