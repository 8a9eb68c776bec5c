"""The command line on session files of other hosts: looked at and pruned, or refused with what to give instead."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli_runs import LONG, secateur
from host_sessions import DOCUMENTS
from secateur import formats

ALL = """
description = "Every output."
[[prune]]
type = "hard_clear"
placeholder = "[gone]"
[schedule]
type = "every_request"
"""


def stored(name: str, folder: Path) -> Path:
    """The session as its host would leave it in a file, its output long."""
    whole = DOCUMENTS[name]
    lines = [json.dumps(one) for one in whole] if formats.get_format(name).log else [json.dumps(whole, indent=2)]
    path = folder / "session"
    path.write_text("\n".join(lines).replace('"found"', json.dumps(LONG)) + "\n")
    return path


@pytest.mark.parametrize("name", DOCUMENTS)
def test_it_is_looked_at(name: str, tmp_path: Path) -> None:
    report = secateur("inspect", stored(name, tmp_path), "--json").json
    assert (report["input"]["format"], report["input"]["tool_results"]) == (name, 1)
    assert report["warnings"] == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_output_leaves_and_the_rest_stays(name: str, tmp_path: Path) -> None:
    policy = tmp_path / "all.toml"
    policy.write_text(ALL)
    source, out = stored(name, tmp_path), tmp_path / "out"
    done = secateur("prune", source, "--policy", policy, "-o", out)
    assert done.code == 0, done.err
    assert out.read_text() == source.read_text().replace(json.dumps(LONG), '"[gone]"')


def test_several_conversations_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    runs: list[Any] = [{"task_id": 1, "traj": []}, {"task_id": 2, "traj": []}]
    path.write_text(json.dumps(runs))
    done = secateur("inspect", path)
    assert done.code == 3
    assert "holds 2 conversations: extract one and use that, for example with jq '.[0]'" in done.err


def test_a_record_that_is_no_conversation_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "history.md"
    path.write_text("# aider chat started at 2025-02-11 08:15:40\n\nhm\n")
    done = secateur("prune", path)
    assert (done.code, "this is an Aider chat history" in done.err) == (3, True)
