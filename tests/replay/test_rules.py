"""Requests that providers answered break no rule: bodies recorded with their answers, read from SECATEUR_CORPUS."""

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from secateur.api import check

CORPUS = Path(os.environ.get("SECATEUR_CORPUS", "/nowhere"))
CASSETTES = {
    "vcr_anthropic_messages_yaml": ("anthropic", "messages"),
    "vcr_openai_chat_yaml": ("openai_chat", "messages"),
    "vcr_openai_responses_yaml": ("openai_responses", "input"),
    "vcr_gemini_generate_content_yaml": ("gemini", "contents"),
    "vcr_bedrock_converse_yaml": ("bedrock", "messages"),
}

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="set SECATEUR_CORPUS to a folder of recorded sessions")


def plain(file: Path) -> bytes:
    data = file.read_bytes()
    return gzip.decompress(data) if file.suffix == ".gz" else data


def answered(kind: str) -> Iterator[tuple[str, dict[str, str], Any]]:
    """Requests of cassettes that got a 2xx: name, headers, body."""
    yaml = pytest.importorskip("yaml")
    for file in sorted(CORPUS.glob(f"{kind}/*/*")):
        for exchange in yaml.load(plain(file), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))["interactions"]:
            asked = exchange["request"]
            body = asked.get("parsed_body") or json.loads(asked.get("body") or "null")
            if exchange["response"]["status"]["code"] // 100 == 2:
                yield file.name, {name: values[0] for name, values in asked["headers"].items()}, body


@pytest.mark.parametrize("kind", CASSETTES)
def test_requests_that_were_answered_break_no_rule(kind: str) -> None:
    family, array = CASSETTES[kind]
    bodies = [one for one in answered(kind) if isinstance(one[2], dict) and array in one[2]]
    found = [(name, one) for name, headers, body in bodies for one in check(family, body[array], body, headers=headers)]
    assert bodies
    assert not found


def test_requests_of_an_agent_that_were_answered_break_no_rule() -> None:
    lines = [line for file in CORPUS.glob("anthropic_messages_requests_jsonl/*/*") for line in plain(file).splitlines()]
    bodies = [exchange["request"]["body"] for exchange in map(json.loads, lines)]
    assert bodies
    assert not [one for body in bodies for one in check("anthropic", body["messages"], body)]


def test_logged_completions_break_no_rule() -> None:
    files = [
        *CORPUS.glob("openai_chat_litellm_completion_json/*/*"),
        *CORPUS.glob("checkpoint_series/openai_chat*/*/*"),
    ]
    logs = [json.loads(plain(file)) for file in files]
    kept = [log for log in logs if log.get("response")]
    assert kept
    assert not [one for log in kept for one in check("openai_chat", log["messages"], log)]
