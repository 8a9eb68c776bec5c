"""Recorded requests of every API under every preset: recognized, read, edited, and unharmed outside the edits.

Cassettes hold short conversations, one request after the other; the other recordings are long ones. Their very bytes
are used where the recorder kept them. SECATEUR_CORPUS names the folder that holds them; a sample of each kind is used.
"""

import gzip
import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import carried
import recorded
import secateur
from secateur.jsontext import Text
from secateur.model import Part, Transcript
from secateur.policy import PRESETS

CORPUS = os.environ.get("SECATEUR_CORPUS", "")
FOLDERS = (
    "vcr_anthropic_messages_yaml",
    "vcr_bedrock_converse_yaml",
    "vcr_gemini_generate_content_yaml",
    "vcr_openai_chat_yaml",
    "vcr_openai_responses_yaml",
    "anthropic_messages_requests_jsonl",
    "gemini_contents_json",
    "openai_chat_litellm_completion_json",
)
ADDRESSES = {
    "/v1/messages": "anthropic_messages",
    "/converse": "bedrock_converse",
    ":generateContent": "gemini",
    "/chat/completions": "openai_chat",
    "/responses": "openai_responses",
    "/responses/compact": "openai_responses",
}
CLEARING: dict[str, Any] = {  # no preset acts on what is this short
    "name": "clearing",
    "prune": [{"type": "hard_clear", "placeholder": "[gone]"}, {"type": "clear_media", "keep": 0}],
    "schedule": {"type": "every_request"},
}
NOW = 4_000_000_000_000  # ms

pytestmark = pytest.mark.skipif(not CORPUS, reason="set SECATEUR_CORPUS to the folder of recorded requests")


class Request(NamedTuple):
    """One recorded request."""

    body: bytes
    format: str
    model: str


def files() -> list[Path]:
    return sorted(file for folder in FOLDERS for file in (Path(CORPUS) / folder).rglob("*.*")) if CORPUS else []


@cache
def requests(file: Path) -> tuple[Request, ...]:
    """The requests of a file, oldest first."""
    data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    folder = next(part for part in file.parts if part in FOLDERS)
    if folder.startswith("vcr_"):
        return tuple(cassette(data))
    if folder == "anthropic_messages_requests_jsonl":
        bodies = [json.loads(line)["request"]["body"] for line in data.splitlines() if line.strip()]
        return tuple(Request(encoded(body), "anthropic_messages", "") for body in bodies)
    return (Request(data, "gemini" if folder.startswith("gemini") else "openai_chat", ""),)


def cassette(data: bytes) -> Iterator[Request]:
    yaml = pytest.importorskip("yaml")
    for interaction in yaml.load(data, Loader=yaml.CSafeLoader)["interactions"]:
        request = interaction["request"]
        address = request["uri"].partition("?")[0]
        format = next((name for end, name in ADDRESSES.items() if address.endswith(end)), "")
        if format:
            body = request["body"].encode() if isinstance(request.get("body"), str) else encoded(request["parsed_body"])
            model = address.split("/")[-2].replace("%3A", ":") if format == "bedrock_converse" else ""
            yield Request(body, format, model)


def encoded(body: Any) -> bytes:
    return (body if isinstance(body, str) else json.dumps(body)).encode()


def parts(read: Transcript) -> list[Part]:
    return [part for message in read.messages for part in message.parts]


def sampled() -> list[Path]:
    """Some files of each folder."""
    sizes = {file: file.stat().st_size for file in files()}
    return recorded.sample(sizes, lambda file: next(part for part in file.parts if part in FOLDERS))


FILES = pytest.mark.parametrize("file", sampled(), ids=lambda file: f"{file.parent.parent.name}/{file.name}"[-90:])


@FILES
def test_recognized_and_read(file: Path) -> None:
    for request in requests(file):
        view = carried.fit(request.body, policy="observe", model=request.model, now_ms=NOW)
        assert view.request is request.body
        read = view.raw_transcript
        named = carried.fit(request.body, policy="observe", format=request.format, model=request.model, now_ms=NOW)
        assert named.raw_transcript == read
        native = Text.of(request.body)
        assert all(native.at(part.path) is not None for part in parts(read))
        calls = [part.call_id for part in parts(read) if part.kind == "tool_call"]
        assert [
            part for part in parts(read) if part.kind == "tool_result" and not part.tool and part.call_id in calls
        ] == []


@FILES
def test_nothing_but_the_edited_changes(file: Path) -> None:
    for request in requests(file):
        for policy in (CLEARING, *PRESETS):
            view = carried.fit(
                request.body, policy=policy, model=request.model, window=2_000, now_ms=NOW, compact=False
            )
            texts = {part.key: part.text for part in parts(view.transcript)}
            edited = [part for part in parts(view.raw_transcript) if texts.get(part.key) != part.text]
            assert bool(edited) == (view.request != request.body)
            assert all(part.kind in spoken_of(policy) or part.prefix_bound for part in edited)
            again = carried.fit(
                view.request, policy="observe", format=request.format, model=request.model
            ).raw_transcript
            assert paired(again) == paired(view.raw_transcript)
            if all(part.key in texts for part in edited):  # no reasoning went, and no medium with its result
                assert beside(view.request, edited) == beside(request.body, edited)
                inside = [
                    part for part in edited if part.container_key
                ]  # what stands for these is now text of the result
                now = [part.text for part in parts(again)]
                assert inside or now == [part.text for part in parts(view.transcript)]


def spoken_of(policy: Any) -> tuple[str, ...]:
    """The kinds of parts that a policy may edit: systems that others made change results only (SEEDS S.2)."""
    if policy == "frugal":
        return ("tool_result", "tool_call", "reasoning")
    return ("tool_result", "tool_call") if policy in ("balance", "digests", "focus") else ("tool_result", "media")


def paired(read: Transcript) -> list[tuple[str, str, str]]:
    """Calls and results in order: kind, id and tool."""
    return [(part.kind, part.call_id, part.tool) for part in parts(read) if part.kind in ("tool_call", "tool_result")]


def beside(data: bytes, edited: list[Part]) -> bytes:
    """The document without what is at the places of edited parts."""
    native = Text.of(data)
    places = sorted({(at.start, at.end) for part in edited if (at := native.at(part.path)) is not None})
    left, here = [], 0
    for start, end in places:
        if start >= here:
            left.append(data[here:start])
            here = end
    return b"|".join([*left, data[here:]])


@FILES
def test_growing_requests_move_no_prefix_without_an_epoch(file: Path) -> None:
    engine, shown, plan = secateur.Engine(CLEARING | {"protect": {"last_messages": 2}}), [], None
    for number, request in enumerate(requests(file)):
        cold = carried.fit(request.body, policy="observe", model=request.model)
        view = engine.fit(request.body, session="s", now_ms=number)
        assert carried.fit(request.body, policy="observe", plan=view.plan).request == view.request
        now = [part.text for part in parts(view.transcript)]
        grown = [part.key for part in parts(cold.raw_transcript)][: len(shown)] == [key for key, _ in shown]
        if grown and view.plan == plan:
            assert now[: len(shown)] == [text for _, text in shown]
        keys = [part.key for part in parts(view.raw_transcript)]
        shown = list(zip(keys, now, strict=True)) if len(keys) == len(now) else []
        plan = view.plan
