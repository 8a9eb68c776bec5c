"""`secateur recover` as a person runs it."""

import json
from pathlib import Path

from cli_runs import pi_worked, saved, secateur


def test_the_document_goes_to_standard_output_and_the_figures_beside_it(tmp_path: Path) -> None:
    done = secateur("recover", saved(tmp_path, pi_worked()))
    assert done.code == 0
    assert done.text.startswith("# Hand-off from session.jsonl\n")
    assert "> thanks" in done.text
    assert "fix the login" in done.text
    assert "messages" in done.err


def test_the_document_goes_to_a_file(tmp_path: Path) -> None:
    out = tmp_path / "handoff.md"
    done = secateur("recover", "-", "-o", out, "--json", stdin=pi_worked())
    assert done.json["done"]["document"] == out.read_text()
    assert (done.json["done"]["format"], done.json["done"]["compactions"]) == ("pi", 0)
    assert done.json["done"]["messages"] == done.json["done"]["sent"] == 11


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    assert secateur("recover", saved(tmp_path, b"not a session")).code == 3
    assert secateur("recover", tmp_path / "none").code == 3
    empty = saved(tmp_path, json.dumps({"model": "gpt-5", "messages": []}).encode())
    done = secateur("recover", empty)
    assert done.code == 3
    assert "no messages" in done.err
