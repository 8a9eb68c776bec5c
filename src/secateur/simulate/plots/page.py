"""A plot as a file: a page with text, charts, tooltips and a table (.html), or an image (.png, .svg, .pdf).

Rule: one self-contained file. A page forbids itself to fetch anything (its Content-Security-Policy) and follows the
reader's light or dark theme; text from a session is escaped. `vl-convert` draws images; it comes with the extra `plots`
and is loaded on first use.
"""

import json
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

from secateur.errors import ConfigError
from secateur.simulate.plots.charts import draw_bills, draw_context, draw_image, draw_trade
from secateur.simulate.plots.layout import FAINT, FONT, INK, LINES, PAPER, make_config
from secateur.simulate.plots.picture import Picture

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'unsafe-eval'; img-src data:"
_COLUMNS = (
    "",
    "sent",
    "peak",
    "bill",
    "",
    "cache breaks",
    "epochs",
    "hard recall",
    "soft recall",
    "complete",
    "bill with refetching",
    "vs optimal",
)

ENDINGS = (".html", ".png", ".svg", ".pdf")
_SCALE = 2.0  # pixels of an image per pixel of the drawing: sharp on a dense screen


def page(picture: Picture, bundle: Callable[[str], str]) -> str:
    """The page. `bundle` gives the drawing library with a script of ours that may use it."""
    here = Path(__file__)
    script = bundle(here.with_name("page.js").read_text("utf-8")).replace("</script", "<\\/script")
    style = here.with_name("page.css").read_text("utf-8")
    return "\n".join(
        (
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{escape(picture.title)}: what each policy would have cost</title>",
            f"<style>{_format_colors()}\n{style}</style></head><body><main>",
            f"<h1>{escape(picture.title)}</h1><p class=faint>{escape(picture.subtitle)}</p>",
            *(f"<p>{escape(one)}</p>" for one in picture.words),
            '<div class=chart id="before"></div>',
            f'<label class=choose>policy <select id="policy">{_format_options(picture)}</select></label>',
            '<div class=chart id="after"></div>',
            '<div class=two><div class=chart id="bills"></div><div class=chart id="trade"></div></div>',
            f"<h2>All figures</h2><div class=wide>{_format_figures(picture)}</div>",
            '<h2 id="named"></h2><div class=wide id="timeline"></div>',
            "</main>",
            f'<script type="application/json" id="picture">{_dump_data(picture)}</script>',
            f'<script type="module">{script}</script></body></html>',
        )
    )


def _format_colors() -> str:
    def of(theme: str) -> str:
        named = {"ink": INK, "faint": FAINT, "lines": LINES, "paper": PAPER}
        return "".join(f"--{name}:{colors[theme]};" for name, colors in named.items())

    return f":root{{{of('light')}font-family:{FONT}}} @media(prefers-color-scheme:dark){{:root{{{of('dark')}}}}}"


def _format_options(picture: Picture) -> str:
    """Options for all policies except the unpruned one and the oracle, which have no context chart."""
    names = picture.policies[1:-1]
    return "".join(f"<option{' selected' if name == picture.chosen else ''}>{escape(name)}</option>" for name in names)


def _dump_data(picture: Picture) -> str:
    held: dict[str, Any] = {
        "before": draw_context(picture, picture.policies[0], legend=False),
        "after": {name: draw_context(picture, name) for name in picture.policies[1:-1]},
        "bills": draw_bills(picture),
        "trade": draw_trade(picture),
        "timeline": picture.timeline,
        "config": {theme: make_config(theme) for theme in ("light", "dark")},
    }
    return json.dumps(held, separators=(",", ":")).replace("<", "\\u003c")


def _format_figures(picture: Picture) -> str:
    heads = "".join(f"<th>{one}</th>" for one in _COLUMNS)
    return f"<table><tr>{heads}</tr>{''.join(_format_row(row, picture.chosen) for row in picture.standings)}</table>"


def _format_row(row: dict[str, Any], chosen: str) -> str:
    cells = (
        f"{row['sent']:,}",
        f"{row['peak']:,}",
        f"${row['dollars']:,.2f}",
        "" if abs(row["share"] - 1) < 5e-4 else f"{row['share'] - 1:+.1%}",
        f"{row['cache_breaks']:,}",
        f"{row['epochs']:,}",
        f"{row['recall']:.1%}",
        f"{row['soft']:.1%}",
        f"{row['complete_requests']:.1%}",
        f"${row['refetched dollars']:,.2f}",
        f"{row['vs_optimal']:.2f}" if row["vs_optimal"] else "",
    )
    mark = " class=chosen" if row["policy"] == chosen else ""
    return f"<tr{mark}><td>{escape(row['policy'])}</td>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def write(picture: Picture, out: Path, theme: str = "light") -> None:
    """Draw to a file; its ending says how. A page follows the reader's own theme.

    Raises ConfigError for another ending, or where the extra is not installed; OSError where it cannot be written.
    """
    draw, ending = load_renderer(out), out.suffix.lower()
    if ending == ".html":
        out.write_text(page(picture, draw.javascript_bundle), encoding="utf-8")
        return
    spec = draw_image(picture) | {"config": make_config(theme), "background": PAPER[theme]}
    if ending == ".png":
        out.write_bytes(draw.vegalite_to_png(spec, scale=_SCALE))
    elif ending == ".svg":
        out.write_text(draw.vegalite_to_svg(spec), encoding="utf-8")
    else:
        out.write_bytes(draw.vegalite_to_pdf(spec))


def load_renderer(out: Path) -> Any:
    """Load the renderer, if installed and able to write the file's type. Raises ConfigError."""
    if out.suffix.lower() not in ENDINGS:
        raise ConfigError(f"{out}: a plot's name must end in {', '.join(ENDINGS)}")
    try:
        import vl_convert
    except ImportError as error:
        raise ConfigError("plots require vl-convert: pip install 'secateur[plots]'") from error
    return vl_convert
