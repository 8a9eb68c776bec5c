"""Recorded sessions of other projects, found through SECATEUR_CORPUS, a folder with a MANIFEST.json."""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

CORPUS = os.environ.get("SECATEUR_CORPUS", "")
NEEDED = pytest.mark.skipif(not CORPUS, reason="SECATEUR_CORPUS does not name a folder of recorded sessions")
_UNREAD = ("_yaml", "_md", "_stream_jsonl", "inspect_eval_log_json")  # no conversation that any format reads


def paths(most_bytes: int = 1_500_000, *formats: str) -> list[Any]:
    """The sessions that are not longer, of these formats or of all, as parameters of a test."""
    listed = json.loads((Path(CORPUS) / "MANIFEST.json").read_text()) if CORPUS else []
    return [
        pytest.param(one["path"], id=one["path"])
        for one in listed
        if one["raw_bytes"] < most_bytes
        and not one["format"].endswith(_UNREAD)
        and (not formats or one["format"] in formats)
    ]


def data(path: str) -> bytes:
    """The session as its host wrote it."""
    raw = (Path(CORPUS) / path).read_bytes()
    return gzip.decompress(raw) if path.endswith(".gz") else raw
