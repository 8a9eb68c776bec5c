"""Two hosts' sessions in one file: refused, whichever stands first, and the error says where the other begins."""

import json
from itertools import permutations
from typing import Any

import pytest

from host_sessions import DOCUMENTS
from native import pi_session, user
from secateur import documents
from secateur.errors import FormatError
from secateur.formats.logs import detect_host

CLAUDE = {
    "type": "user",
    "uuid": "1",
    "parentUuid": None,
    "sessionId": "s",
    "message": {"role": "user", "content": "x"},
}
ITEM = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]}


def lines(values: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


FILES = {
    "claude_code": lines([CLAUDE]),
    "codex": lines([{"type": "response_item", "payload": ITEM}]),
    "pi": pi_session([user("go")]),
    "copilot_cli": lines(DOCUMENTS["copilot_cli"]),
    "openhands_lines": lines(DOCUMENTS["openhands_lines"]),
    "hermes_lines": lines(DOCUMENTS["hermes_lines"]),
}


@pytest.mark.parametrize("name", FILES)
def test_a_host_is_known_by_its_lines(name: str) -> None:
    assert documents.read(FILES[name]).format.name == name
    told = {detect_host(json.loads(line)) for line in FILES[name].splitlines()}
    assert name in told <= {name, ""}


@pytest.mark.parametrize("pair", list(permutations(FILES, 2)), ids="-".join)
@pytest.mark.parametrize("apart", [0, 200])
def test_two_hosts_in_one_file_are_refused(pair: tuple[str, str], apart: int) -> None:
    one, other = pair
    data = FILES[one] + b'{"note": "nobody\'s"}\n' * apart + FILES[other]
    with pytest.raises(FormatError, match="sessions of two hosts"):
        documents.read(data)
    named = [name for name in pair if apart == 0 or name == one]
    for name in named:
        with pytest.raises(FormatError, match=f"two hosts|looks like ({one}|{other})"):
            documents.read(data, name)


@pytest.mark.parametrize("name", [name for name in FILES if name != "openhands_lines"])
def test_a_whole_document_on_a_line_is_another_session(name: str) -> None:
    for whole in (DOCUMENTS["opencode"], {"model": "gpt-5", "messages": [user("go")]}):
        with pytest.raises(FormatError, match="line .* is a whole document of its own"):
            documents.read(FILES[name] + lines([whole]))


def test_lines_of_nobody_stay() -> None:
    data = FILES["pi"] + lines([{"note": 1}, {"type": "message", "message": "odd"}, {"messages": "odd"}])
    assert len(documents.read(data).transcript.messages) == 1
