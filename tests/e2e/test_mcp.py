"""The real client of the Model Context Protocol against the real server: over standard input and output, and HTTP."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from cli_runs import environment
from secateur import Engine
from secateur.lineage import handle_of

pytest.importorskip("mcp", reason="needs secateur[mcp]")

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

OUTPUT = "".join(f"line {number} of the output\n" for number in range(1, 301))
HANDLE = handle_of(OUTPUT)
CLEAR: dict[str, Any] = {
    "name": "clear",
    "protect": {"last_messages": 1},
    "prune": [{"type": "hard_clear"}],
    "schedule": {"type": "every_request"},
}
TOOL = {"name": "mcp__secateur__recall", "input_schema": {"type": "object"}}


def body(*more: dict[str, Any]) -> bytes:
    call = {"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": "run"}}
    result = {"type": "tool_result", "tool_use_id": "c", "content": OUTPUT}
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": "seen"},
        {"role": "user", "content": "more"},
        *more,
    ]
    return json.dumps({"model": "claude-opus-4-5", "max_tokens": 9, "tools": [TOOL], "messages": messages}).encode()


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/s.db"
    view = Engine(CLEAR, store=url).fit(body(), session="s", now_ms=1)
    assert f"recall {HANDLE}".encode() in view.request
    return url


async def asked(client: Client, tool: str, **given: Any) -> tuple[str, bool]:
    answer = await client.call_tool(tool, given)
    return "".join(block.text for block in answer.content), bool(answer.is_error)


def test_a_client_lists_reads_searches_pins_and_hears_what_is_wrong(url: str) -> None:
    async def talk() -> None:
        argv = ["-m", "secateur", "mcp", "--store", url]
        server = StdioServerParameters(command=sys.executable, args=argv, env=environment())
        async with Client(stdio_client(server)) as client:
            tools = (await client.list_tools()).tools
            assert [one.name for one in tools] == ["recall", "search", "removed", "status", "pin", "unpin"]
            assert all((one.description or "").startswith("secateur: ") for one in tools)
            assert [one.name for one in tools if one.annotations and not one.annotations.read_only_hint] == [
                "pin",
                "unpin",
            ]
            assert HANDLE in (await asked(client, "removed"))[0]
            first, _ = await asked(client, "recall", handle=HANDLE)
            second, _ = await asked(client, "recall", handle=HANDLE, page=2)
            assert first.split("\n", 1)[1] + second.split("\n", 1)[1] == OUTPUT
            assert f"{HANDLE}:17: line 17 of" in (await asked(client, "search", pattern="line 17 "))[0]
            assert "session s" in (await asked(client, "status"))[0]
            assert (await asked(client, "pin", pattern=HANDLE))[1] is False
            wrong, failed = await asked(client, "recall", handle="0" * 12)
            assert failed
            assert "nothing is kept under '000000000000'" in wrong
            assert (await asked(client, "recall", handle=HANDLE, page=None, lines=7))[0].endswith(
                "]\nline 7 of the output\n"
            )
            assert await asked(client, "recall", id=HANDLE) == (
                "recall needs `handle`; it takes handle, page, lines, json_path",
                True,
            )
            assert await asked(client, "recall", handle=HANDLE, page="two") == (
                "`page` is a whole number, and 'two' is none",
                True,
            )

    asyncio.run(talk())


def test_what_was_read_back_stays_until_it_was_used(url: str) -> None:
    """The tool's real answer, in the histories of a client, under a policy that clears everything else."""

    async def read() -> str:
        argv = ["-m", "secateur", "mcp", "--store", url, "--session", "s"]
        server = StdioServerParameters(command=sys.executable, args=argv, env=environment())
        async with Client(stdio_client(server)) as client:
            return (await asked(client, "recall", handle=HANDLE))[0]

    told = asyncio.run(read())
    call = {"type": "tool_use", "id": "r", "name": TOOL["name"], "input": {"handle": HANDLE}}
    result = {"type": "tool_result", "tool_use_id": "r", "content": [{"type": "text", "text": told}]}
    more: list[dict[str, Any]] = [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    engine = Engine(CLEAR, store=url)
    stands = []
    for number in range(5):
        view = json.loads(engine.fit(body(*more), session="s", now_ms=2 + number).request)
        stands.append(view["messages"][6]["content"][0]["content"] == result["content"])
        more += [{"role": "assistant", "content": f"so {number}"}, {"role": "user", "content": "on"}]
    assert stands == [True, True, True, False, False]


def test_over_http_only_who_says_the_token_is_answered(url: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    argv = [sys.executable, "-m", "secateur", "mcp", "--store", url, "--session", "s", "--http", str(port)]
    env = environment(SECATEUR_MCP_TOKEN="rose") | {"PATH": os.environ["PATH"]}
    process = subprocess.Popen(argv, env=env, stderr=subprocess.DEVNULL)
    try:
        _wait(port)
        at = f"http://127.0.0.1:{port}/mcp"

        async def talk(scheme: str) -> None:
            async with httpx2.AsyncClient() as stranger:
                for headers in ({}, {"authorization": "Bearer thorn"}, {"authorization": "Basic rose"}):
                    assert (await stranger.post(at, json={}, headers=headers)).status_code == 401
            async with (
                httpx2.AsyncClient(headers={"authorization": f"{scheme} rose"}) as known,
                Client(streamable_http_client(at, http_client=known)) as client,
            ):
                assert HANDLE in (await asked(client, "removed"))[0]

        for scheme in ("Bearer", "bearer", "BEARER"):
            asyncio.run(talk(scheme))
    finally:
        process.terminate()
        process.wait(10)


def test_a_port_that_is_taken_is_said_before_anything_is_promised(url: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        argv = [sys.executable, "-m", "secateur", "mcp", "--store", url, "--http", str(port)]
        done = subprocess.run(argv, env=environment(), capture_output=True, text=True, timeout=60, check=False)
    said = f"secateur: 127.0.0.1:{port} cannot be listened on: Address already in use; give another port\n"
    assert (done.returncode, done.stderr) == (2, said)


def _wait(port: int) -> None:
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    pytest.fail("the server does not listen")


OPENING = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}


def start_server(url: str) -> subprocess.Popen[str]:
    """A server whose standard streams are the test's."""
    argv = [sys.executable, "-m", "secateur", "mcp", "--store", url]
    return subprocess.Popen(
        argv, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_a_line_that_is_no_message_is_answered_and_the_server_continues(url: str) -> None:
    lines = [
        "{torn",
        "",
        "[]",
        '{"jsonrpc": "2.0", "id": 4}',
        json.dumps({"jsonrpc": "2.0", "id": 5, "method": "initialize", "params": OPENING}),
        '{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        "\\udc80 not json",
        '{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "\\ud800"}}',
        '{"jsonrpc": "2.0", "id": "\\ud800", "method": "tools/list"}',
        json.dumps({"jsonrpc": "2.0", "id": 6, "method": "tools/list"}),
    ]
    with start_server(url) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        answers = []
        for line in lines:
            process.stdin.write(line + "\n")
            process.stdin.flush()
            if line and "initialized" not in line:
                answers.append(json.loads(process.stdout.readline()))
        process.stdin.close()
        assert process.wait(30) == 0
    told = [(one["id"], one["error"]["code"] if "error" in one else 0) for one in answers]
    assert told == [
        (None, -32700),
        (None, -32600),
        (4, -32600),
        (5, 0),
        (None, -32700),
        (7, -32700),
        ("?", -32700),
        (6, 0),
    ]
    assert {one["name"] for one in answers[-1]["result"]["tools"]} >= {"recall", "search"}


def test_a_host_that_is_gone_ends_the_server_without_a_word(url: str) -> None:
    opening = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": OPENING})
    with start_server(url) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(opening + "\n")
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        process.stdin.write('{"jsonrpc": "2.0", "id": 2, "method": "ping"}\n')
        process.stdin.close()
        assert process.stderr.read() == ""
        assert process.wait(30) == 0
