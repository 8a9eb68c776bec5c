"""The providers' own packages agree: what they take of a request they take of every view of it.

Recorded request bodies (SECATEUR_CORPUS), the rules' passing vectors and made-up sessions, under every preset at a
scale at which it acts and under policies that use every strategy. Packages: the extra `oracle`.
"""

import contextlib
import json
import os
from importlib import import_module
from typing import Any

import pytest

import carried
import recorded
import secateur
from laws.shapes import SHAPES, Shape, style
from laws.stories import story
from laws.trials import TRIALS
from replay.oracle import PACKAGES, installed, refusal
from replay.test_requests import Request, requests, sampled
from secateur.errors import StillTooLong

NOW = 4_000_000_000_000  # ms
STORIES = 25 if recorded.WHOLE else 12
LARGEST = 1_000_000  # bytes: vectors on sizes say nothing about shapes
CHOSEN = [trial for trial in TRIALS if trial and trial.bulk == 1]
needs_corpus = pytest.mark.skipif(
    not os.environ.get("SECATEUR_CORPUS"), reason="set SECATEUR_CORPUS to the folder of recorded requests"
)
FORMATS = [
    pytest.param(shape, marks=pytest.mark.skipif(not installed(shape.format), reason=f"{package} is not installed"))
    for shape in SHAPES
    for package in [PACKAGES[shape.format]]
]


def views(request: Request) -> list[tuple[str, dict[str, Any]]]:
    """The views that policies make of a request, each once."""
    found: dict[bytes, str] = {}
    for trial in CHOSEN:
        view = carried.fit(
            request.body,
            policy=trial.policy,
            format=request.format,
            model=request.model,
            window=300,
            idle_s=trial.idle_s,
            now_ms=NOW,
            compact=False,
        )
        if view.request is not request.body:
            found.setdefault(view.request, trial.name)
    found |= summed_up(request)
    return [(name, json.loads(view)) for view, name in found.items()]


def summed_up(request: Request) -> dict[bytes, str]:
    """The views in which a history became a summary, by policies that make one, in windows that it outgrew."""
    found: dict[bytes, str] = {}
    for policy in ("balance", "hermes", "opencode"):
        for window in (2_000, 12_000):
            with contextlib.suppress(StillTooLong):  # what may not be removed is longer than this window
                view = secateur.fit(
                    request.body, policy=policy, format=request.format, model=request.model, window=window, now_ms=NOW
                )
                if view.request is not request.body:
                    found.setdefault(view.request, f"{policy} in {window:,} tokens")
    return found


def refused(request: Request) -> tuple[int, list[str]]:
    """How many views were looked at, and what the package says against them."""
    if not installed(request.format) or refusal(request.format, json.loads(request.body)):
        return 0, []
    made = views(request)
    told = [(name, refusal(request.format, view)) for name, view in made]
    return len(made), [f"{name}: {text}" for name, text in told if text]


@needs_corpus
@pytest.mark.parametrize("file", sampled(), ids=lambda file: f"{file.parent.parent.name}/{file.name}"[-90:])
def test_recorded_requests(file: Any) -> None:
    for request in requests(file):
        assert refused(request)[1] == []


@pytest.mark.parametrize("shape", FORMATS)
def test_passing_vectors(shape: Shape) -> None:
    told = []
    for case in import_module(f"rules.{shape.family}").CASES:
        body = case.passes if isinstance(case.passes, dict) else {shape.array: case.passes}
        data = json.dumps(body, default=repr).encode()  # a vector of Python objects may hold bytes
        if len(data) < LARGEST:
            told += refused(Request(data, shape.format, ""))[1]
    assert told == []


@pytest.mark.parametrize("shape", FORMATS)
def test_made_up_sessions(shape: Shape) -> None:
    looked_at, told = 0, []
    for seed in range(STORIES):
        one = story(seed)
        body = shape.body(one, len(one.said), style(shape, seed))
        count, texts = refused(Request(json.dumps(body).encode(), shape.format, ""))
        looked_at, told = looked_at + count, told + texts
    print(f"{shape.format}: {looked_at} views")
    assert told == []
    assert looked_at > STORIES
