"""Recorded sessions of Pi, Claude Code and Codex: read in full, edited, and read again by a second reader.

The sessions are not part of the project; SECATEUR_CORPUS names the folder that holds them, with its MANIFEST.json. A
sample of each host is played, and every pair of snapshots of a growing session.
"""

import json
import os
import random
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import recorded
from loaders import claude_code_loader, codex_loader, pi_loader
from loaders.shown import Shown
from secateur.formats.claude_code import CLEARED, ClaudeCode
from secateur.formats.codex import Codex
from secateur.formats.pi import Pi
from secateur.jsontext import Lines
from secateur.model import Part, Transcript
from secateur.patch import Op, apply
from session_lines import parts, shown

CORPUS = os.environ.get("SECATEUR_CORPUS", "")
HOSTS: dict[str, tuple[Any, Any]] = {
    "pi_session_jsonl": (Pi(), pi_loader.load),
    "claude_code_jsonl": (ClaudeCode(), claude_code_loader.load),
    "codex_rollout_jsonl": (Codex(), codex_loader.load),
}
NEW = 'short é \ud83d "quoted"\\ \n'
SAMPLED = 3  # results of each file that are edited

pytestmark = pytest.mark.skipif(not CORPUS, reason="set SECATEUR_CORPUS to the folder of recorded sessions")


@cache
def entries() -> list[dict[str, Any]]:
    """What the manifest lists."""
    found: list[dict[str, Any]] = json.loads((Path(CORPUS) / "MANIFEST.json").read_text()) if CORPUS else []
    return found


def listed() -> list[tuple[str, str]]:
    """Host and path of each session file of the three hosts."""
    return [(host, entry["path"]) for entry in entries() for host in HOSTS if entry["format"].endswith(host)]


def sampled() -> list[tuple[str, str]]:
    """Some sessions of each host, and of each host's growing ones."""
    sizes = {entry["path"]: entry["raw_bytes"] for entry in entries()}
    return recorded.sample({one: sizes[one[1]] for one in listed()}, lambda one: one[0] + one[1].partition("/")[0])


FILES = pytest.mark.parametrize(("host", "path"), sampled())


@cache
def document(host: str, path: str) -> tuple[Lines, Transcript]:
    lines = Lines.of(recorded.data(path))
    return lines, HOSTS[host][0].read(lines)


def picked(path: str, transcript: Transcript) -> list[Part]:
    """A few results that may be edited, the same ones in each run."""
    free = [part for part in parts(transcript) if part.kind == "tool_result" and not part.pinned]
    return random.Random(path).sample(free, min(SAMPLED, len(free)))


@FILES
def test_it_is_recognized_by_its_own_format_only(host: str, path: str) -> None:
    lines, _ = document(host, path)
    assert [name for name, (reader, _) in HOSTS.items() if reader.recognize(lines)] == [host]


@FILES
def test_a_second_reader_finds_the_same(host: str, path: str) -> None:
    lines, transcript = document(host, path)
    assert shown(transcript) == HOSTS[host][1](lines.data)


@FILES
def test_every_part_stands_where_it_says(host: str, path: str) -> None:
    lines, transcript = document(host, path)
    for message in transcript.messages:
        assert message.lines
        assert lines.at(message.path) is not None
        for part in message.parts:
            assert lines.at(part.path) is not None
            assert part.path[0] in message.lines


@FILES
def test_every_result_answers_a_call_of_its_round(host: str, path: str) -> None:
    waiting: dict[str, int] = {}
    for part in parts(document(host, path)[1]):
        if part.kind == "tool_call":
            waiting[part.call_id] = waiting.get(part.call_id, 0) + 1
        elif part.kind == "tool_result":
            waiting[part.call_id] -= 1
            assert waiting[part.call_id] >= 0
            assert part.tool


@FILES
def test_an_edit_changes_what_it_names_and_no_other_part(host: str, path: str) -> None:
    lines, transcript = document(host, path)
    reader, _ = HOSTS[host]
    before = parts(transcript)
    for part in picked(path, transcript):
        after = parts(reader.read(apply(lines, [Op(part.path, reader.replacement_body(part, NEW))])))
        kept = [one for one in before if one.container_key != part.key]
        assert [one.text for one in after] == [NEW if one is part else one.text for one in kept]
        assert [one.local for one in after if one.text != NEW] == [one.local for one in kept if one is not part]


@FILES
def test_edited_files_load_again_with_only_the_edited_results_changed(host: str, path: str) -> None:
    lines, transcript = document(host, path)
    reader, load = HOSTS[host]
    chosen = picked(path, transcript)
    edited = apply(lines, [Op(part.path, reader.replacement_body(part, NEW)) for part in chosen])
    touched = {part.path[0] for part in chosen}
    pairs = zip(lines.data.split(b"\n"), edited.data.split(b"\n"), strict=True)
    assert {number for number, (old, new) in enumerate(pairs) if old != new} == touched
    keys = {part.key for part in chosen}
    expected = [
        Shown(one.role, one.kind, NEW, one.call) if part.key in keys else one
        for part, one in zip(parts(transcript), shown(transcript), strict=True)
        if part.container_key not in keys
    ]
    assert load(edited.data) == expected


def series() -> list[list[tuple[str, str]]]:
    """Snapshots of one growing session, smallest first."""
    found: dict[str, list[tuple[str, str]]] = {}
    for host, path in listed():
        if path.startswith("checkpoint_series/"):
            found.setdefault(path.rpartition("/")[0], []).append((host, path))
    return [sorted(snapshots, key=lambda one: len(recorded.data(one[1]))) for snapshots in found.values()]


@pytest.mark.parametrize(("old", "new"), [pair for snapshots in series() for pair in pairwise(snapshots)])
def test_a_grown_session_keeps_its_keys_unless_the_host_compacted(old: tuple[str, str], new: tuple[str, str]) -> None:
    (lines_before, before), (lines_after, after) = document(*old), document(*new)
    grown = lines_after.data.removeprefix(lines_before.data.rstrip(b"\n"))
    if any(mark in grown for mark in (b'"compact_boundary"', b'"microcompact_boundary"', b'"type":"compacted"')):
        assert [one.key for one in after.messages[: len(before.messages)]] != [one.key for one in before.messages]
    else:
        assert [one.key for one in after.messages[: len(before.messages)]] == [one.key for one in before.messages]


def test_the_host_cleared_what_a_micro_compaction_lists() -> None:
    cleared = [
        sum(part.text == CLEARED and part.pinned for part in parts(document(*snapshot)[1]))
        for snapshots in series()
        for snapshot in snapshots
        if snapshot[0] == "claude_code_jsonl"
    ]
    assert max(cleared) > 0
