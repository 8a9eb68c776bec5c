"""Recorded sessions of hosts that write one document, and of Copilot CLI: read, edited, and read by a second reader.

Results of several runs are taken apart, and events put together, as their formats ask. The sessions are not part of the
project; SECATEUR_CORPUS names the folder that holds them, with its MANIFEST.json.
"""

import json
import os
import random
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import carried
import recorded
import secateur
from loaders import (
    atif_loader,
    copilot_cli_loader,
    gemini_cli_loader,
    opencode_loader,
    openhands_loader,
    swe_agent_loader,
    tau_loader,
)
from loaders.shown import Shown
from secateur import documents
from secateur.errors import UnknownFormat
from secateur.jsontext import Text
from secateur.model import Part, Transcript
from secateur.patch import Op, apply
from secateur.policy import PRESETS
from session_lines import parts

CORPUS = os.environ.get("SECATEUR_CORPUS", "")
LOADERS: dict[str, Callable[[bytes], list[Shown]]] = {
    "opencode": opencode_loader.load,
    "gemini_cli": gemini_cli_loader.load,
    "copilot_cli": copilot_cli_loader.load,
    "openhands": openhands_loader.load,
    "openhands_lines": openhands_loader.load,
    "swe_agent": swe_agent_loader.load,
    "mini_swe_agent": swe_agent_loader.load,
    "atif": atif_loader.load,
    "tau_bench": tau_loader.load,
}
WHOLE = {
    "opencode_export_json": "opencode",
    "gemini_cli_session_json": "gemini_cli",
    "copilot_cli_events_jsonl": "copilot_cli",
    "swe_agent_traj_json": "swe_agent",
    "mini_swe_agent_traj_json": "mini_swe_agent",
    "atif_trajectory_json": "atif",
}
REFUSED = ("inspect_eval_log_json", "aider_chat_history_md", "copilot_cli_stream_jsonl")
NEW = 'short é \ud83d "quoted"\\ \n'
SAMPLED = 3  # results of each session that are edited
EVERY = 10  # of the runs in a results file one in ten is read
LONG_AFTER = 4_000_000_000_000  # ms: later than any call by more than any ttl

pytestmark = pytest.mark.skipif(not CORPUS, reason="set SECATEUR_CORPUS to the folder of recorded sessions")


@cache
def list_sizes(kind: str) -> dict[str, int]:
    """The files of a kind, with their bytes."""
    entries = json.loads((Path(CORPUS) / "MANIFEST.json").read_text()) if CORPUS else []
    return {entry["path"]: entry["raw_bytes"] for entry in entries if entry["format"] == kind}


def paths(kind: str) -> list[str]:
    return [*list_sizes(kind)]


def some_paths(kind: str) -> list[str]:
    return recorded.sample(list_sizes(kind), lambda path: "")


content = cache(recorded.data)


def sessions() -> Iterator[tuple[str, str, Callable[[], bytes]]]:
    """Format, name and content of some conversations of each kind."""
    for kind, name in WHOLE.items():
        for path in some_paths(kind):
            yield name, path, lambda path=path: content(path)
    yield from runs()
    folders = sorted({path.rpartition("/")[0] for path in paths("openhands_v1_events_json")})
    for folder in folders:
        yield "openhands", f"{folder} (array)", lambda folder=folder: b"[" + b",\n".join(events(folder)) + b"]\n"
        yield "openhands_lines", f"{folder} (lines)", lambda folder=folder: b"\n".join(events(folder)) + b"\n"


def runs() -> Iterator[tuple[str, str, Callable[[], bytes]]]:
    """Conversations out of files that hold several."""
    for path in some_paths("openhands_v0_events_json"):
        if ".jsonl" not in path:
            yield "openhands", path, lambda path=path: content(path)
            continue
        for number, line in enumerate(content(path).splitlines()):
            yield "openhands", f"{path}:{number}", lambda line=line: line
    for kind, inside in (("tau_bench_openai_chat_json", ""), ("tau2_bench_results_json", "simulations")):
        for path in paths(kind):
            text = Text.of(content(path))
            listed = text.child(inside) if inside else text
            assert listed is not None
            for number in sorted(recorded.sample(dict.fromkeys(range(0, len(listed), EVERY), 0), lambda _: "", each=1)):
                run = listed.child(number)
                assert run is not None
                yield "tau_bench", f"{path}:{number}", lambda run=run: run.raw


def events(folder: str) -> list[bytes]:
    return [content(path).strip() for path in paths("openhands_v1_events_json") if path.rpartition("/")[0] == folder]


SESSIONS = {name: (format, data) for format, name, data in sessions()} if CORPUS else {}
EACH = pytest.mark.parametrize("name", SESSIONS)


@cache
def read(name: str) -> documents.Document:
    return documents.read(SESSIONS[name][1]())


def shown(transcript: Transcript) -> list[Shown]:
    """The transcript in the words of the second readers: no text for media and for what is not known."""
    return [
        Shown(message.role, part.kind, "" if part.kind in ("media", "other") else part.text, part.call_id)
        for message in transcript.messages
        for part in message.parts
    ]


def picked(name: str, transcript: Transcript) -> list[Part]:
    """A few results that may be edited, the same ones in each run."""
    free = [part for part in parts(transcript) if part.kind == "tool_result" and not part.pinned]
    return random.Random(name).sample(free, min(SAMPLED, len(free)))


@EACH
def test_it_is_recognized(name: str) -> None:
    found = read(name)
    assert (found.format.name, bool(found.reason)) == (SESSIONS[name][0], True)
    assert found.transcript.messages


@EACH
def test_a_second_reader_finds_the_same(name: str) -> None:
    assert shown(read(name).transcript) == LOADERS[SESSIONS[name][0]](SESSIONS[name][1]())


@EACH
def test_every_part_stands_where_it_says(name: str) -> None:
    found = read(name)
    for message in found.transcript.messages:
        assert found.native.at(message.path) is not None
        assert all(found.native.at(part.path) is not None for part in message.parts)


@EACH
def test_every_result_answers_a_call_of_its_round(name: str) -> None:
    waiting: dict[str, int] = {}
    for part in parts(read(name).transcript):
        if part.kind == "tool_call":
            waiting[part.call_id] = waiting.get(part.call_id, 0) + 1
        elif part.kind == "tool_result":
            waiting[part.call_id] = waiting.get(part.call_id, 0) - 1
            assert waiting[part.call_id] >= 0, part.path


@EACH
def test_an_edit_changes_what_it_names_and_no_other_part(name: str) -> None:
    found = read(name)
    before = parts(found.transcript)
    for part in picked(name, found.transcript):
        edited = apply(found.native, [Op(part.path, found.format.replacement_body(part, NEW))])
        after = parts(found.format.read(edited))
        assert [one.text for one in after] == [NEW if one is part else one.text for one in before]
        assert [one.local for one in after if one.text != NEW] == [one.local for one in before if one is not part]


@EACH
def test_edited_files_load_again_with_only_the_edited_results_changed(name: str) -> None:
    found = read(name)
    chosen = picked(name, found.transcript)
    edited = apply(found.native, [Op(part.path, found.format.replacement_body(part, NEW)) for part in chosen])
    keys = {part.key for part in chosen}
    pairs = zip(parts(found.transcript), shown(found.transcript), strict=True)
    expected = [Shown(one.role, one.kind, NEW, one.call) if part.key in keys else one for part, one in pairs]
    assert LOADERS[SESSIONS[name][0]](edited.data) == expected


def find_gaps(native: Text, removed: list[Part]) -> list[tuple[int, int]]:
    """Where elements are taken out of their arrays: from the element that stays before them to the one behind."""
    taken, found = {part.path for part in removed}, set()
    for path in taken:
        array = native.at(path[:-1])
        assert array is not None
        spots = array.open()
        first = last = int(path[-1])
        while first and (*path[:-1], first - 1) in taken:
            first -= 1
        while (*path[:-1], last + 1) in taken:
            last += 1
        behind = spots.starts[last + 1] if last + 1 < len(spots.starts) else spots.ends[last]
        found.add((spots.ends[first - 1] if first else spots.starts[0], behind))
    return sorted(found)


@EACH
@pytest.mark.parametrize("policy", PRESETS)
def test_presets_leave_every_byte_outside_their_edits(name: str, policy: str) -> None:
    data = SESSIONS[name][1]()
    view = carried.fit(data, policy=policy, window=16_000, now_ms=LONG_AFTER, model="claude-sonnet-4-5", compact=False)
    texts = {part.key: part.text for part in parts(view.transcript)}
    touched = [part for part in parts(view.raw_transcript) if texts.get(part.key) != part.text]
    gone = {edit.key for edit in view.receipt.edits if edit.verb == "remove"}
    removed = [part for part in touched if part.key in gone and isinstance(part.path[-1], int)]
    rewritten = [part for part in touched if part not in removed]
    places = {path for part in rewritten for path in (part.path, part.cleared_at_path[:-1]) if path}
    native = read(name).native
    gaps = find_gaps(native, removed)
    spans = sorted([*gaps, *((spot.start, spot.end) for spot in map(native.at, places) if spot is not None)])
    here, there = 0, 0
    for behind, span in zip([(0, 0), *spans], [*spans, (len(data), len(data))], strict=True):
        same = data[here : span[0]]
        at = view.request.index(same, there) if span[0] < len(data) else len(view.request) - len(same)
        assert at >= there
        assert view.request[at : at + len(same)] == same
        assert at == 0 or here
        assert behind not in gaps or not view.request[there:at].strip(b", \r\n\t")  # a separator, and nothing new
        here, there = span[1], at + len(same)
    assert bool(touched) == (view.request != data)
    again = documents.read(view.request, model="claude-sonnet-4-5")
    cleared = "[Old tool result content cleared]"  # a stamped output reads as opencode's own placeholder
    stamped = {part.key for part in touched if part.cleared_at_path and policy == "opencode"}
    kept = [cleared if part.key in stamped else part.text for part in parts(view.transcript)]
    # OpenHands writes signed reasoning a second time, in a field that it sends to other providers only
    copies = {part.text for part in removed if part.path[-2:-1] == ("thinking_blocks",)}
    found = [
        part for part in parts(again.transcript) if part.path[-1] != "reasoning_content" or part.text not in copies
    ]
    assert [part.text for part in found] == kept


@pytest.mark.parametrize("path", [path for kind in REFUSED for path in paths(kind)])
def test_records_that_are_no_conversation_are_refused_with_what_to_do(path: str) -> None:
    with pytest.raises(UnknownFormat, match="give|take"):
        documents.read(content(path))


@pytest.mark.parametrize(
    "path", [one for kind in ("tau_bench_openai_chat_json", "tau2_bench_results_json") for one in paths(kind)]
)
def test_results_of_several_runs_are_refused_with_how_to_take_one_out(path: str) -> None:
    with pytest.raises(secateur.FormatError, match=r"holds \d+ conversations: .* jq "):
        documents.read(content(path))


@pytest.mark.parametrize("path", paths("openai_chat_litellm_completion_json"))
def test_completion_logs_are_chat(path: str) -> None:
    value: Any = json.loads(content(path))
    found = documents.read(content(path))
    assert found.format.name == "openai_chat"
    assert len(found.transcript.messages) == len(value["messages"])
