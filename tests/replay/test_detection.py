"""Recorded documents are found out, and each is refused under every name that is not its own."""

from collections.abc import Iterator

import pytest

from recorded import data as load_recording
from replay import test_logs, test_requests, test_session_files
from replay.test_logs import CORPUS
from secateur import formats
from secateur.documents import read
from secateur.errors import FormatError
from secateur.jsontext import Text

LOGS = {"pi_session_jsonl": "pi", "claude_code_jsonl": "claude_code", "codex_rollout_jsonl": "codex"}
ONE_GRAMMAR = {"pi", "openclaw"}
CHAT_LISTS = {"openai_chat", "mini_swe_agent"}  # as a bare list, which has no header

pytestmark = pytest.mark.skipif(not CORPUS, reason="set SECATEUR_CORPUS to the folder of recorded sessions")


def recorded() -> Iterator[tuple[str, str]]:
    """Where a document is kept, and which."""
    yield from (("log", f"{host} {path}") for host, path in test_logs.sampled())
    yield from (("session", name) for name in test_session_files.SESSIONS)
    yield from (("requests", str(file)) for file in test_requests.sampled())


def documents(kind: str, name: str) -> Iterator[tuple[str, bytes]]:
    """The format and the bytes of each document that is kept there."""
    if kind == "log":
        host, _, path = name.partition(" ")
        yield LOGS[host], load_recording(path)
    elif kind == "session":
        format, data = test_session_files.SESSIONS[name]
        yield format, data()
    else:
        file = next(file for file in test_requests.files() if str(file) == name)
        yield from ((one.format, one.body) for one in test_requests.requests(file))


@pytest.mark.parametrize(("kind", "name"), list(recorded()), ids=lambda text: text[-60:])
def test_found_out_and_refused_under_other_names(kind: str, name: str) -> None:
    for format, data in documents(kind, name):
        found = read(data).format.name
        assert found == format or {found, format} <= ONE_GRAMMAR
        for other in formats.list_format_names():
            if other != found and not {other, found} <= ONE_GRAMMAR:
                held(data, found, other)


def held(data: bytes, found: str, other: str) -> None:
    """The other name is refused; where it is not, the document is a plain one that both formats read alike."""
    told = refusal(data, other)
    if told:
        assert f"looks like {found}" in told
        return
    bare = Text.of(data).kind == "["
    assert is_plain(data) or (bare and {found, other} <= CHAT_LISTS), f"{found} taken as {other}"


def refusal(data: bytes, name: str) -> str:
    """Why the document is not read under this name; "" if it is."""
    try:
        read(data, name)
    except FormatError as error:
        return str(error)
    return ""


def is_plain(data: bytes) -> bool:
    """Whether no message holds what only one format has: calls, results, pictures, keyed blocks."""
    marks = (b"tool_calls", b'"tool"', b"tool_use", b"tool_result", b"toolCall", b"toolResult", b"toolUse", b"image")
    return not any(mark in data for mark in (*marks, b'"parts"', b"function_call", b"functionCall"))
