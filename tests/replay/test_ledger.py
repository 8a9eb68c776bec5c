"""The ledger of recorded sessions, against what other code says of them.

SECATEUR_CORPUS names the folder that holds the sessions; how it is measured is in `benchmarks/ledger.py`.
"""

import os
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

CORPUS = os.environ.get("SECATEUR_CORPUS", "")
BENCHMARK = Path(__file__).parent.parent.parent / "benchmarks" / "ledger.py"

pytestmark = pytest.mark.skipif(not CORPUS, reason="set SECATEUR_CORPUS to the folder of recorded sessions")


@pytest.fixture(scope="module")
def found() -> list[Any]:
    """Figures of the two largest sessions of each family."""
    spec = spec_from_file_location("ledger_benchmark", BENCHMARK)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:  # a benchmark imports its neighbors
        patch.syspath_prepend(BENCHMARK.parent)
        spec.loader.exec_module(module)
    return [module.figures(name, messages) for name, messages in module.sessions(Path(CORPUS), 2)]


def test_files_are_those_that_the_calls_name(found: list[Any]) -> None:
    assert len(found) == 10
    assert mean(one.artifacts for one in found) >= 0.95


def test_every_anchor_of_the_rendered_ledger_stands_in_the_session(found: list[Any]) -> None:
    assert sum(one.anchors for one in found) > 300
    assert {one.name: one.false for one in found if one.false} == {}


def test_constraints_survive_five_rounds(found: list[Any]) -> None:
    assert min(one.survived for one in found) >= 0.95
