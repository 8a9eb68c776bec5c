"""`check` and `repair` agree: whatever is mended was found before, and what was found is mended or reported as left.

One mend can bring another with it: a call whose id was taken gets a new one, and then a result of its own. So a mend is
covered by a finding of its own rule or of one about the same thing (`TOGETHER`). A session file is broken by losing,
doubling or moving its lines, a request body by the same in its messages or their blocks.
"""

import json
from collections.abc import Iterable
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recorded
from every_format import FORMATS_OF_ALL, Step, Turn
from every_format import document as written
from laws.shapes import SHAPES, Shape
from laws.test_repair_broken import GONE, bend, bodies, broken
from secateur import documents
from secateur.api import Violation, check, get_family
from secateur.api.repair import RepairOptions, RepairRecord, repair
from secateur.cli.exit_codes import UnreadableInput
from secateur.cli.inputs import InputSource, open_document
from secateur.cli.report import find_violations
from secateur.errors import FormatError
from secateur.formats import get_format

TOGETHER = (
    {"A1", "A2", "A3", "A4", "A14"},  # calls, their results, and the order of both
    {"A50", "A53"},  # reasoning without a signature
    {"B1", "B2", "B3", "B8", "B11"},
    {"G2", "G3", "G6", "G10"},
    {"O1", "O2", "O4", "O6"},
    {"R1", "R2", "R3", "R5"},
    {"L1", "L2", "L3", "L4", "L10", "F3"},
)
FILES = tuple(name for name in FORMATS_OF_ALL if get_family(name) == "transcript")


STEP = st.builds(Step, st.sampled_from(["bash", "read"]), st.just('{"a": 1}'), st.sampled_from(["ok", "x" * 50]))
TURN = st.builds(
    Turn, st.just("do it"), st.lists(STEP, min_size=1, max_size=3).map(tuple), st.sampled_from(["Done.", ""])
)


def bent(raw: bytes, rng: Random, times: int) -> bytes:
    """The session with lines, or messages of its only value, lost, doubled or moved."""
    lines: list[Any] = raw.splitlines(keepends=True)
    whole = json.loads(raw) if len(lines) == 1 else None
    arrays = list(whole.values()) if isinstance(whole, dict) else [whole]
    array = max((one for one in arrays if isinstance(one, list)), key=len, default=lines)
    for _ in range(times):
        bend(array, rng)
    return b"".join(lines) if whole is None else json.dumps(whole).encode()


def unnamed(mended: Iterable[RepairRecord], found: Iterable[Violation]) -> list[RepairRecord]:
    """Mends that no finding covers."""
    named = {one.rule for one in found}
    covered = named.union(*(rules for rules in TOGETHER if rules & named))
    return [one for one in mended if one.rule not in covered]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.format)
def test_of_a_broken_body_all_is_named_and_all_that_is_named_is_mended(shape: Shape) -> None:
    mended = 0
    for rng, body in bodies(shape):
        bent = broken(shape, body, rng)
        before = list(check(shape.family, bent[shape.array], bent))
        done = repair(bent, shape.format)
        after = check(shape.family, done.document[shape.array], done.document)
        assert unnamed(done.repairs, before) == []
        assert {one.rule for one in after if one.severity == "error"} <= GONE.get(shape.format, set())
        wrong = {one.rule for one in before if one.severity == "error"} - GONE.get(shape.format, set())
        assert done.repairs or not wrong
        mended += bool(done.repairs)
    assert mended > 20


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=12, deadline=None)
@given(st.lists(TURN, min_size=2, max_size=4), st.randoms(use_true_random=False), st.integers(1, 2))
def test_of_a_broken_session_too(name: str, turns: list[Turn], rng: Random, times: int) -> None:
    raw = bent(written(name, turns), rng, times)
    try:
        read = documents.read(raw, name)
    except FormatError:
        return
    before = check("transcript", read.transcript.messages)
    done = repair(read.native, name)
    again = documents.read(done.document.data, name)
    after = {one.rule for one in check("transcript", again.transcript.messages) if one.severity == "error"}
    assert after <= {one.rule for one in done.remaining}
    assert read.transcript.warnings or unnamed(done.repairs, before) == []
    wrong = {one.rule for one in before if one.severity == "error"}
    assert done.repairs or wrong <= {one.rule for one in done.remaining}
    assert repair(done.document, name).repairs == ()


@recorded.NEEDED
@pytest.mark.parametrize("path", recorded.paths(1_000_000))
def test_what_is_mended_was_found_before(path: str) -> None:
    raw = recorded.data(path)
    try:
        read = open_document(InputSource(path, raw, raw, False), None, "estimate")
    except UnreadableInput:
        pytest.skip("several conversations, or none")
    found = find_violations(read)[1]
    done = repair(documents.read(raw).native, read.format, RepairOptions())
    mended = [one for one in done.repairs if one.rule != "F2"]  # the tree of lines is no matter of what is sent
    assert not mended or found or read.transcript.warnings


@recorded.NEEDED
@pytest.mark.parametrize("path", recorded.paths(3_000_000, "swe_agent_traj_json"))
def test_a_command_in_a_text_needs_no_result(path: str) -> None:
    messages = get_format("swe_agent").read(documents.read(recorded.data(path)).native).messages
    assert [one.rule for one in check("transcript", messages) if one.severity == "error"] == []
