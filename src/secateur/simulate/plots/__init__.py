"""Pictures of a comparison: context over time, cumulative bill, recall against cost; as a page or an image.

    write(pictured(comparison, "session.jsonl"), Path("out.html"))

Rule: what is drawn was computed before; charts are data (Vega-Lite) and drawn by `vl-convert`, which brings everything
with it. A page holds all that it needs: nothing is fetched when it is made or looked at.
"""

from secateur.simulate.plots.page import ENDINGS, load_renderer, write
from secateur.simulate.plots.picture import Picture, build_picture

__all__ = ["ENDINGS", "Picture", "build_picture", "load_renderer", "write"]
