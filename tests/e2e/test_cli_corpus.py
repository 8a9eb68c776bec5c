"""Real recorded sessions of five formats through the command line: what the report says is what the files show.

The sessions are found through SECATEUR_CORPUS, a folder with a MANIFEST.json.
"""

import gzip
import json
import os
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from cli_runs import saved, secateur

CORPUS = os.environ.get("SECATEUR_CORPUS", "")
LOGS = ("claude_code_jsonl", "codex_rollout_jsonl", "pi_session_jsonl")
BODIES = ("openai_chat_litellm_completion_json",)
MANY = 3  # files of each format: the whole corpus goes through the library elsewhere

pytestmark = pytest.mark.skipif(not CORPUS, reason="SECATEUR_CORPUS does not name a folder of recorded sessions")


def documents() -> list[Any]:
    """Names of the documents to try; none without a corpus."""
    if not CORPUS:
        return ["no corpus"]
    listed = json.loads((Path(CORPUS) / "MANIFEST.json").read_text())
    chosen = []
    for wanted in (*LOGS, *BODIES):
        found = [one for one in listed if one["format"] == wanted and one["raw_bytes"] < 1_000_000]
        found.sort(key=lambda one: (-one["tool_results"], one["path"]))
        chosen += [one["path"] for one in islice(found, MANY)]
    return [*chosen, "request"]


def document(name: str) -> bytes:
    """The bytes of one document; `request` is the last body of a file of recorded requests."""
    path = Path(CORPUS) / name
    if name == "request":
        path = next((Path(CORPUS) / "anthropic_messages_requests_jsonl").rglob("*.jsonl.gz"))
        last = gzip.decompress(path.read_bytes()).splitlines()[-1]
        return json.dumps(json.loads(last)["request"]["body"]).encode()
    data = path.read_bytes()
    return gzip.decompress(data) if name.endswith(".gz") else data


@pytest.mark.parametrize("policy", ["opencode", "kilocode"])
@pytest.mark.parametrize("name", documents())
def test_the_report_is_what_the_files_show(tmp_path: Path, name: str, policy: str) -> None:
    raw = document(name)
    path, out = saved(tmp_path, raw, "input"), tmp_path / "output"
    done = secateur("prune", path, "--policy", policy, "--json", "-o", out)
    assert done.code == 0, done.err
    report, written = done.json, out.read_bytes()
    freed = sum(edit["tokens_before"] - edit["tokens_after"] for edit in report["edits"])
    assert report["input"]["tokens"] - report["output"]["tokens"] == freed
    assert (report["input"]["bytes"], report["output"]["bytes"]) == (len(raw), len(written))
    assert report["input"]["messages"] == report["output"]["messages"]
    assert report["input"]["tool_results"] == report["output"]["tool_results"]
    assert bool(report["skipped_reason"]) == (not report["edits"])
    assert not [warning for warning in report["warnings"] if "please report" in warning]
    if "jsonl" in name:
        before, after = raw.split(b"\n"), written.split(b"\n")
        assert len(before) == len(after)
        changed = {number for number, line in enumerate(before) if line != after[number]}
        assert changed == {line for edit in report["edits"] for line in edit["lines"]}


@pytest.mark.parametrize("name", documents())
def test_what_prune_does_diff_foretells_and_inspect_confirms(tmp_path: Path, name: str) -> None:
    path, out = saved(tmp_path, document(name), "input"), tmp_path / "output"
    report = secateur("prune", path, "--policy", "opencode", "--json", "-o", out).json
    changes = secateur("diff", path, out, "--json").json["changes"]
    assert {one["where"]["message"] for one in changes} == {edit["message"] for edit in report["edits"]}
    inspected = secateur("inspect", out, "--json")
    assert inspected.code in (0, 1)
    assert inspected.json["input"]["tokens"] == report["output"]["tokens"]
    assert inspected.json["problems"] == secateur("inspect", path, "--json").json["problems"]
