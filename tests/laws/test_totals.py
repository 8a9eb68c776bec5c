"""Law of totals: the edits of a report sum to the difference between its input and its output, to the token.

What is said of the output was read from the bytes that were written, so the two are told apart by no one: this holds
for what was pruned and for what was summed up, in every format, and for a host's own entry as it is in its file.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import recorded
from cli_runs import secateur
from every_format import FORMATS_OF_ALL, Step, Turn, document
from every_format.drawn import LOG, SOURCE, TURNS
from law_examples import examples
from laws.trials import BIRTH, CONDENSE, INPUTS, SAME, STALE, own, preset
from secateur import Engine, StillTooLong
from secateur.cli.exit_codes import UnreadableInput
from secateur.cli.inputs import InputSource, open_document
from secateur.cli.report import make_report
from secateur.policy import PRESETS

SESSIONS = Path(__file__).parents[2] / "sessions"
COUNTER = "estimate"
OWN = own("everything", SAME, STALE, CONDENSE, INPUTS, on_arrival=BIRTH, protect={"last_messages": 2})
POLICIES = (*(preset(name) for name in PRESETS), OWN)


def of(data: bytes, format: str | None = None, model: str = "") -> Any:
    return open_document(InputSource("a document", data, data, False), format, COUNTER, model=model)


def agrees(raw: bytes, policy: Any, window: int | None, compact: bool) -> int:
    """The report of one run agrees with itself; how many edits it tells of."""
    engine, before = Engine(policy, window=window, compact=compact), of(raw)
    try:
        view = engine.compact(raw, force=True, idle_s=400.0) if compact else engine.fit(raw, idle_s=400.0)
    except StillTooLong as error:
        view = error.view
    told = make_report(view, before, of(view.request, before.format, before.transcript.model), None)
    freed = told.input.tokens - told.output.tokens
    assert sum(one.tokens_before - one.tokens_after for one in told.edits) == freed
    assert view.receipt.tokens_raw - view.receipt.tokens_view == freed
    assert not [one for one in told.warnings if "report this" in one]
    return len(told.edits)


@pytest.mark.parametrize("trial", POLICIES, ids=lambda trial: trial.name)
@examples(6)
@given(st.sampled_from(FORMATS_OF_ALL), TURNS, st.sampled_from([None, 1_000, 4_000]), st.booleans())
def test_a_report_sums(trial: Any, format: str, turns: Any, window: int | None, compact: bool) -> None:
    agrees(document(format, turns), trial.policy, window, compact)


@pytest.mark.parametrize("trial", POLICIES, ids=lambda trial: trial.name)
@pytest.mark.parametrize("format", FORMATS_OF_ALL)
def test_results_that_are_errors(format: str, trial: Any) -> None:
    failed = Step("read", json.dumps({"file_path": "src/a.py"}), LOG, error=True)
    agrees(document(format, [Turn("please go on", (failed,))] * 3), trial.policy, None, False)


@pytest.mark.parametrize("format", FORMATS_OF_ALL)
def test_in_every_format(format: str) -> None:
    steps = tuple(Step("bash", json.dumps({"command": f"make {n}"}), LOG + SOURCE * 2) for n in range(8))
    raw = document(format, [Turn("go", steps), Turn("and on", steps[:3]), Turn("now?", steps[:1])])
    assert agrees(raw, OWN.policy, None, False)
    for window in (2_000, 6_000, 20_000):
        agrees(raw, "balance", window, True)


@recorded.NEEDED
@pytest.mark.parametrize("path", recorded.paths(500_000))
def test_of_recorded_sessions(path: str) -> None:
    raw = recorded.data(path)
    try:
        of(raw)
    except UnreadableInput:
        pytest.skip("several conversations, or none")
    for name in ("balance", "digests", "kilocode", "pi-auto-compressor"):
        agrees(raw, name, None, False)
    for name, window in (("balance", 20_000), ("balance", 60_000), ("opencode", 30_000), ("hermes", 30_000)):
        agrees(raw, name, window, True)


@pytest.mark.parametrize("name", sorted(one.name for one in SESSIONS.iterdir() if one.suffix != ".md"))
@pytest.mark.parametrize(
    "given", ["prune", "compact --window 20000", "compact --window 40000", "compact --window 100000"]
)
def test_the_samples_raise_no_alarm(name: str, given: str) -> None:
    done = secateur(*given.split(), SESSIONS / name, "--dry-run", "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    freed = told["input"]["tokens"] - told["output"]["tokens"]
    assert freed == sum(one["tokens_before"] - one["tokens_after"] for one in told["edits"]) > 0
    assert told["warnings"] == []
