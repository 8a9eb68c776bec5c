"""The estimate against o200k on recorded results: seldom too low, and sessions as a whole near.

Results are in Claude Code's and Codex' logs as strings under a few names, so that no reader is needed here.
SECATEUR_CORPUS names the folder of recorded sessions; toktok-rs, the extra `tokens`, counts exactly.
"""

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from secateur.tokens import estimate

CORPUS = os.environ.get("SECATEUR_CORPUS", "")
RESULTS = ("tool_result", "function_call_output", "custom_tool_call_output")

pytestmark = pytest.mark.skipif(not CORPUS, reason="set SECATEUR_CORPUS to the folder of recorded sessions")


def results(value: Any, inside: bool = False) -> Iterator[str]:
    """Texts of results, wherever they stand."""
    if isinstance(value, list):
        for one in value:
            yield from results(one, inside)
    elif isinstance(value, dict):
        inside = inside or value.get("type") in RESULTS
        for name, one in value.items():
            if inside and name in ("content", "output", "text") and isinstance(one, str):
                yield one
            else:
                yield from results(one, inside)


def session(file: Path) -> set[str]:
    found: set[str] = set()
    for line in gzip.decompress(file.read_bytes()).splitlines():
        try:
            found.update(results(json.loads(line)))
        except ValueError:
            continue  # a torn line
    return {text.encode("utf-8", "replace").decode() for text in found if text}


def test_results_are_seldom_counted_too_low_and_sessions_hardly() -> None:
    count = pytest.importorskip("toktok", reason="needs toktok-rs, the extra `tokens`").batch_count
    away: list[float] = []
    totals: list[float] = []
    for file in sorted(Path(CORPUS).glob("c*_jsonl/*/*.jsonl.gz"))[::4]:
        texts = sorted(session(file))
        exact, near = count(texts, "o200k_base"), [estimate(text) for text in texts]
        away += [n / true - 1 for n, true in zip(near, exact, strict=True) if true > 50]
        if sum(exact) > 10_000:
            totals.append(sum(near) / sum(exact) - 1)
    assert len(away) > 1_000
    assert sum(error < -0.15 for error in away) < 0.05 * len(away)
    assert sum(error > 0.25 for error in away) < 0.05 * len(away)
    assert median(map(abs, away)) < 0.07
    assert min(totals) > -0.05
    assert max(totals) < 0.25
