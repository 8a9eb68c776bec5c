"""A full view keeps excerpts of large results of which an outline would show nothing, as far as there is room."""

import json
import random
from typing import Any

import pytest

from secateur import Engine
from secateur.lineage import handle_of

DRAWN = random.Random(7)
WINDOW = 16_000
KINDS = {
    "one long line": "".join(DRAWN.choice("abcdefghijklmnop ") for _ in range(120_000)),
    "encoded bytes": "".join(DRAWN.choice("ABCDEFabcdef0123456789+/") for _ in range(60_000)),
    "a log without structure": "\n".join(f"{n:06} plain words of number {n * 7} go on here" for n in range(3_000)),
}
BALANCE: dict[str, Any] = {"extends": "balance", "name": "ours", "on_arrival": None}


def body(*results: str) -> bytes:
    """Calls with these results, each answered by the model before the next."""
    found: list[dict[str, Any]] = [{"role": "user", "content": "What is wrong with the dump?"}]
    for number, text in enumerate(results):
        call = {"type": "tool_use", "id": f"c{number}", "name": "fetch", "input": {"what": f"part {number}"}}
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": text}
        found += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    found += [{"role": "assistant", "content": "I see."}, {"role": "user", "content": "And now?"}]
    tool = {"name": "mcp__secateur__recall", "input_schema": {"type": "object"}}
    return json.dumps({"model": "claude-sonnet-4-5", "max_tokens": 9, "tools": [tool], "messages": found}).encode()


def results(request: bytes) -> list[str]:
    blocks = [block for one in json.loads(request)["messages"] for block in one["content"] if isinstance(block, dict)]
    return [str(block["content"]) for block in blocks if block["type"] == "tool_result"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("behind", [0, 1, 6])
def test_its_ends_stay_with_what_is_left_out_and_how_to_read_it_back(kind: str, behind: int) -> None:
    large = KINDS[kind]
    view = Engine(BALANCE, window=WINDOW, store="memory://").fit(
        body(large, *(f"small {n} " * 20 for n in range(behind))), session="s"
    )
    shown = results(view.request)[0]
    assert shown.startswith(large[:2_000])
    assert shown.endswith(large[-2_000:])
    assert f"of {len(large)}" in shown
    assert f"recall {handle_of(large)}" in shown
    assert 0.4 * WINDOW < view.receipt.tokens_view <= 0.75 * WINDOW
    assert [(edit.strategy, edit.tool) for edit in view.receipt.edits] == [("excerpt", "fetch")]
    assert "large results without an outline become excerpts" in view.receipt.reason


def test_of_several_the_oldest_gives_way_first() -> None:
    large = KINDS["one long line"]
    view = Engine(BALANCE, window=WINDOW).fit(body(large[:60_000], large[-24_000:]), session="s")
    older, newer = results(view.request)
    assert len(older) < 20_000
    assert newer == large[-24_000:]


def test_the_view_grows_behind_the_excerpt_and_reads_the_same_again() -> None:
    engine = Engine(BALANCE, window=WINDOW)
    large = KINDS["one long line"]
    request = json.loads(body(large))
    first = engine.fit(json.dumps(request).encode(), session="s").request
    request["messages"] += [{"role": "assistant", "content": "It is."}, {"role": "user", "content": "Go on."}]
    again = engine.fit(json.dumps(request).encode(), session="s")
    assert json.loads(again.request)["messages"][:-2] == json.loads(first)["messages"]
    assert not again.receipt.opened


def test_an_excerpt_that_was_undone_is_not_made_again() -> None:
    engine = Engine(BALANCE, window=WINDOW, store="memory://", too_long="send")
    request = json.loads(body(KINDS["one long line"]))
    engine.fit(json.dumps(request).encode(), session="s")
    engine.undo("s")
    request["messages"] += [{"role": "assistant", "content": "It is."}, {"role": "user", "content": "Go on."}]
    again = engine.fit(json.dumps(request).encode(), session="s")
    assert "excerpt" not in [edit.strategy for edit in again.receipt.edits if edit.verb == "rewrite"]


def test_a_text_with_an_outline_is_digested_as_before() -> None:
    source = "\n".join(f"def function_{n}(value):\n    return value * {n}\n" for n in range(2_500))
    view = Engine(BALANCE, window=WINDOW).fit(body(source), session="s")
    assert "excerpt" not in [edit.strategy for edit in view.receipt.edits]


def test_where_the_rest_leaves_no_room_nothing_is_excerpted() -> None:
    said = [f"{n} " + KINDS["one long line"][n * 4_000 : n * 4_000 + 4_000] for n in range(16)]
    view = Engine(BALANCE, window=WINDOW).fit(body(KINDS["one long line"][:30_000], *said), session="s")
    assert "large results" not in view.receipt.reason


@pytest.mark.parametrize("preset", ["opencode", "openclaw", "kilocode", "hermes", "pi-auto-compressor"])
def test_presets_of_other_systems_make_none(preset: str) -> None:
    view = Engine(preset, window=WINDOW, too_long="send").fit(body(KINDS["one long line"]), session="s")
    assert "large results" not in view.receipt.reason
