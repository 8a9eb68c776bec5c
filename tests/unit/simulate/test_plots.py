"""Pictures: names that do not overlap, layers that add up, files that need nothing beside them."""

import re
from pathlib import Path

import pytest

from secateur.errors import ConfigError
from secateur.pricing import get_rules, price_of
from secateur.simulate.cache import Caching
from secateur.simulate.compare import Comparison, compare_policies
from secateur.simulate.foresight import Terms
from secateur.simulate.plots import build_picture, load_renderer, write
from secateur.simulate.plots.layout import LAYERS, LEFT, place_labels
from secateur.simulate.requests import read_recording

pytest.importorskip("vl_convert")
SESSION = Path(__file__).parents[3] / "sessions" / "pi.jsonl"


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    price, rules = price_of("claude-sonnet-4-5"), get_rules("claude-sonnet-4-5")
    assert price is not None
    assert rules is not None
    return compare_policies(
        read_recording(SESSION.read_bytes()), ["openclaw", "opencode"], Terms(price, Caching(rules=rules))
    )


def test_each_token_of_a_prompt_is_in_one_layer(comparison: Comparison) -> None:
    picture = build_picture(comparison, "a session")
    for one in (comparison.base, *comparison.standings):
        rows = [row for row in picture.context if row["policy"] == one.name]
        assert [sum(row[name] for name in LAYERS) for row in rows] == [
            turn.fixed_tokens + sum(part.tokens for message in turn.seen for part in message.parts)
            for turn in one.run.turns
        ]
    left = {row["policy"]: row[LEFT] for row in picture.context}
    assert left["unpruned"] == 0 < left["opencode"]


def test_a_page_holds_all_it_needs_and_may_fetch_nothing(comparison: Comparison, tmp_path: Path) -> None:
    out = tmp_path / "out.html"
    write(build_picture(comparison, "<script>alert(1)</script>", words=["a < b"]), out)
    page = out.read_text("utf-8")
    assert "default-src 'none'" in page
    ours = re.sub(
        r'<script type="(module|application/json)".*?</script>', "", page, flags=re.S
    )  # not the library's code
    assert len(ours) < 20_000
    assert "://" not in ours
    assert not re.search(r"\b(src|href)=|@import|url\(", ours)
    assert "<script>alert" not in page
    assert "a &lt; b" in page
    assert page.count("<option") == 2
    assert re.findall(r"minmax\((?!min\()", page) == []  # a track of a fixed width is cut off on a phone


@pytest.mark.parametrize(("ending", "begins"), [("png", b"\x89PNG"), ("svg", b"<svg"), ("pdf", b"%PDF")])
def test_images_are_written(comparison: Comparison, tmp_path: Path, ending: str, begins: bytes) -> None:
    out = tmp_path / f"out.{ending}"
    write(build_picture(comparison, "a session"), out)
    assert out.read_bytes().startswith(begins)


def test_another_ending_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"must end in \.html, \.png"):
        load_renderer(Path("out.gif"))


def test_names_lie_beside_each_other() -> None:
    points = [(100.0, 50.0), (102.0, 51.0), (104.0, 49.0), (390.0, 50.0)]
    names = ["one policy", "another one", "a third", "at the edge"]
    found = place_labels(names, points, [(x, y, x) for x, y in points], 393, 280)
    boxes = [(one.x, one.y - 7, one.x + 6.6 * len(name), one.y + 7) for one, name in zip(found, names, strict=True)]
    for at, (left, top, right, bottom) in enumerate(boxes):
        assert 0 <= left < right <= 393
        for other in boxes[at + 1 :]:
            assert right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
