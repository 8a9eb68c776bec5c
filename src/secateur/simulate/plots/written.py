"""A picture as a file: a page (.html), or an image (.png, .svg, .pdf).

Rule: one file that needs nothing beside it. `vl-convert` draws; it comes with the extra `plots` and is loaded when
something is to be drawn.
"""

from pathlib import Path
from typing import Any

from secateur.errors import ConfigError
from secateur.simulate.plots.charts import draw_image
from secateur.simulate.plots.page import page
from secateur.simulate.plots.picture import Picture
from secateur.simulate.plots.style import PAPER, make_config

ENDINGS = (".html", ".png", ".svg", ".pdf")
_SCALE = 2.0  # pixels of an image per pixel of the drawing: sharp on a dense screen


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
        raise ConfigError(f"{out}: a picture ends in {', '.join(ENDINGS)}")
    try:
        import vl_convert
    except ImportError as error:
        raise ConfigError("pictures are drawn by vl-convert: pip install 'secateur[plots]'") from error
    return vl_convert
