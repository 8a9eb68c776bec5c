"""What is mended was found before."""

import pytest

import recorded
from secateur.api import check
from secateur.api.repair import Settings, repaired
from secateur.cli.exit_codes import UnreadableInput
from secateur.cli.inputs import InputSource, open_document
from secateur.cli.report import find_violations
from secateur.formats import named
from secateur.session import document


@recorded.NEEDED
@pytest.mark.parametrize("path", recorded.paths(1_000_000))
def test_what_is_mended_was_found_before(path: str) -> None:
    raw = recorded.data(path)
    try:
        read = open_document(InputSource(path, raw, raw, False), None, "estimate")
    except UnreadableInput:
        pytest.skip("several conversations, or none")
    found = find_violations(read)[1]
    done = repaired(document.read(raw).native, read.format, Settings())
    mended = [one for one in done.mended if one.rule != "F2"]  # the tree of lines is no matter of what is sent
    assert not mended or found or read.transcript.warnings


@recorded.NEEDED
@pytest.mark.parametrize("path", recorded.paths(3_000_000, "swe_agent_traj_json"))
def test_a_command_in_a_text_needs_no_result(path: str) -> None:
    messages = named("swe_agent").read(document.read(recorded.data(path)).native).messages
    assert [one.rule for one in check("transcript", messages) if one.severity == "error"] == []
