"""Recorded sessions of other projects, found through SECATEUR_CORPUS, a folder with a MANIFEST.json.

A test plays a fixed sample of them: the largest and a few others of each format. With SECATEUR_CORPUS_WHOLE=1 it plays
all of them.
"""

import gzip
import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import pytest

Item = TypeVar("Item")

EACH = 2  # of a format, in the sample
MORE = 6  # where a test is fast: of a format, beside the largest
WHOLE = os.environ.get("SECATEUR_CORPUS_WHOLE", "") not in ("", "0")
CORPUS = os.environ.get("SECATEUR_CORPUS", "")
NEEDED = pytest.mark.skipif(not CORPUS, reason="SECATEUR_CORPUS does not name a folder of recorded sessions")
_UNREAD = ("_yaml", "_md", "_stream_jsonl", "inspect_eval_log_json")  # no conversation that any format reads


def paths(most_bytes: int = 1_500_000, *formats: str) -> list[Any]:
    """The sessions that are not longer, of these formats or of all, as parameters of a test."""
    listed = json.loads((Path(CORPUS) / "MANIFEST.json").read_text()) if CORPUS else []
    found: defaultdict[str, list[str]] = defaultdict(list)
    for one in listed:
        readable = one["raw_bytes"] < most_bytes and not one["format"].endswith(_UNREAD)
        if readable and (not formats or one["format"] in formats):
            found[one["format"]].append(one["path"])
    chosen = [path for some in found.values() for path in (some if WHOLE else sorted(some, key=_hash)[:EACH])]
    return [pytest.param(path, id=path) for path in chosen]


def sample(sizes: Mapping[Item, int], group: Callable[[Item], str], each: int = MORE) -> list[Item]:
    """Of each group the largest item and `each` others, the same ones in each run, in their order."""
    groups: defaultdict[str, list[Item]] = defaultdict(list)
    for item in sizes:
        groups[group(item)].append(item)
    chosen: set[Item] = set()
    for items in groups.values():
        chosen |= {max(items, key=lambda item: sizes[item]), *sorted(items, key=lambda item: _hash(str(item)))[:each]}
    return [item for item in sizes if WHOLE or item in chosen]


def data(path: str) -> bytes:
    """The session as its host wrote it."""
    raw = (Path(CORPUS) / path).read_bytes()
    return gzip.decompress(raw) if path.endswith(".gz") else raw


def _hash(path: str) -> bytes:
    return hashlib.sha256(path.encode()).digest()
