"""What the proxy adds to a request, against a direct connection and other proxies in the same run.

    python benchmarks/proxy.py [--quick]

One client asks one scripted upstream, directly and through each proxy in turn, over connections that stay open:
`pair` is the least that a Python proxy can be (uvicorn and aiohttp, nothing read), `observe` and `prune` are
`secateur serve`; `nginx`, `litellm` and `headroom` run where they are on the PATH, from environments of their own. The
large requests are a session that grows by one round each time (warm).
Added time is the difference of medians (and of 99th percentiles) to the direct connection.
Times depend on the machine, ratios hardly do. Every process is a child of this one and ends with it.
"""

import argparse
import asyncio
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from statistics import median, quantiles
from typing import Any

ANSWER = json.dumps({"id": "m", "type": "message", "role": "assistant", "content": [], "pad": "x" * 1_900}).encode()
EVENT = b'event: message_start\ndata: {"type": "message_start", "message": {"role": "assistant"}}\n\n'
PATH, HELD, STREAMED = "/v1/messages", "/v1/messages?held=1", "/v1/messages?streamed=1"
STREAMS, STREAM_BYTES = 200, 50_000
SESSIONS, SESSION_BYTES = 200, 1_000_000
TARGET_PAIR, TARGET_JSON, TARGET_MB, TARGET_CACHE_MB = 2.0, 1.0, 120, 256
TARGET_OTHERS = {"litellm": 5.0, "headroom": 10.0}  # their added median over ours, at the same body


# --- the upstream, and the least proxy, each in a process of its own -----------------------------------------------


class Provider(asyncio.Protocol):
    """An upstream that answers at once; a stream is begun and then held open, or paced."""

    def connection_made(self, transport: Any) -> None:
        self.transport, self.data, self.wanted = transport, bytearray(), -1

    def data_received(self, data: bytes) -> None:
        self.data += data
        if self.wanted < 0 and (end := self.data.find(b"\r\n\r\n")) >= 0:
            lines = bytes(self.data[:end]).lower().split(b"\r\n")
            lengths = [int(line[15:]) for line in lines if line.startswith(b"content-length:")]
            self.wanted = end + 4 + (lengths[0] if lengths else 0)
        if 0 <= self.wanted <= len(self.data):
            line = bytes(self.data[: self.data.index(b"\r\n")])
            del self.data[: self.wanted]
            self.wanted = -1
            self.answer(line)

    def answer(self, line: bytes) -> None:
        if b"held=" in line or b"streamed=" in line:
            head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
            self.transport.write(head + _chunk(EVENT))
            if b"streamed=" in line:
                asyncio.get_running_loop().call_later(0.02, self.transport.write, _chunk(EVENT) + b"0\r\n\r\n")
            return
        head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(ANSWER)
        self.transport.write(head + ANSWER)


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


async def run_provider() -> None:
    """Answer forever."""
    server = await asyncio.get_running_loop().create_server(Provider, "127.0.0.1", 0)
    print(f"listening on http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


async def run_pair(upstream: str) -> None:
    """The least proxy: what came is sent on, and what is answered is sent back."""
    import aiohttp
    import uvicorn

    connector = aiohttp.TCPConnector(limit=0)
    client = aiohttp.ClientSession(connector=connector, auto_decompress=False, cookie_jar=aiohttp.DummyCookieJar())

    async def app(scope: Any, receive: Any, send: Any) -> None:
        body, more = b"", True
        pieces = []
        while more:
            message = await receive()
            pieces.append(message.get("body", b""))
            more = message.get("more_body", False)
        body = b"".join(pieces)
        headers = [(n.decode(), v.decode()) for n, v in scope["headers"] if n not in (b"host", b"content-length")]
        address = f"{upstream}{scope['path']}?{scope['query_string'].decode()}"
        async with client.request(scope["method"], address, headers=headers, data=body) as response:
            kept = [(n, v) for n, v in response.raw_headers if n.lower() not in (b"transfer-encoding", b"connection")]
            await send({"type": "http.response.start", "status": response.status, "headers": kept})
            async for piece in response.content.iter_any():
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    listening = socket.create_server(("127.0.0.1", 0))
    print(f"listening on http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
    await uvicorn.Server(
        uvicorn.Config(app, log_level="critical", lifespan="off", ws="none", timeout_keep_alive=75)
    ).serve([listening])


# --- starting them -------------------------------------------------------------------------------------------------


class Server:
    """A running process."""

    def __init__(self, name: str, port: int, pid: int) -> None:
        self.name, self.port, self.pid = name, port, pid

    def cpu_s(self) -> float:
        """The processor time that it and its children took so far."""
        total = 0.0
        for pid in (self.pid, *_list_children(self.pid)):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return total

    def pss_mb(self) -> float:
        """Its memory: what it shares with others is divided among them."""
        kb = 0
        for pid in (self.pid, *_list_children(self.pid)):
            text = Path(f"/proc/{pid}/smaps_rollup").read_text()
            kb += int(next(line for line in text.splitlines() if line.startswith("Pss:")).split()[1])
        return kb / 1024


def _list_children(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@contextmanager
def started(name: str, argv: list[str], port: int = 0, more: dict[str, str] | None = None) -> Iterator[Server]:
    """A process that prints its address, or listens on a port that it was given."""
    process = subprocess.Popen(
        argv,
        stdout=subprocess.DEVNULL if port else subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **(more or {})},
    )
    try:
        if not port:
            assert process.stdout is not None
            port = int(process.stdout.readline().rpartition(":")[2])
        else:
            _wait_for(port)
        yield Server(name, port, process.pid)
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _wait_for(port: int) -> None:
    for _ in range(1_800):
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    raise SystemExit(f"nothing listens on port {port}")


def _find_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


@contextmanager
def all_started(folder: Path) -> Iterator[tuple[Server, list[Server]]]:
    """The upstream, and every proxy that can be run here."""
    own = [sys.executable, __file__]
    with ExitStack() as stack:
        provider = stack.enter_context(started("direct", [*own, "--provider"]))
        upstream = f"http://127.0.0.1:{provider.port}"
        proxies = [stack.enter_context(started("pair", [*own, "--pair", upstream]))]
        for mode in ("observe", "prune"):
            argv = [sys.executable, "-m", "secateur", "serve", "--port", "0", "--mode", mode, "--upstream", upstream]
            argv += ["--store", f"sqlite://{folder / mode}.db"]
            proxies.append(stack.enter_context(started(mode, argv)))
        if nginx := shutil.which("nginx"):
            port = _find_port()
            proxies.append(stack.enter_context(started("nginx", _configure_nginx(nginx, folder, port, upstream), port)))
        if litellm := shutil.which("litellm"):
            port = _find_port()
            proxies.append(
                stack.enter_context(
                    started("litellm", _configure_litellm(litellm, folder, port, upstream), port, _LITELLM)
                )
            )
        if headroom := shutil.which("headroom"):
            port = _find_port()
            argv = [headroom, "proxy", "--port", str(port), "--no-rate-limit", "--no-telemetry"]
            more = {"ANTHROPIC_TARGET_API_URL": upstream, "HOME": str(folder)}
            proxies.append(stack.enter_context(started("headroom", argv, port, more)))
        yield provider, proxies


_LITELLM = {"LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true"}  # it serves this run alone


def _configure_nginx(program: str, folder: Path, port: int, upstream: str) -> list[str]:
    config = folder / "nginx.conf"
    config.write_text(
        f"daemon off; pid {folder}/nginx.pid; error_log /dev/null; events {{}}\n"
        f"http {{ access_log off; keepalive_requests 1000000; client_max_body_size 64m;"
        f" client_body_temp_path {folder}/b;"
        f" proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;"
        f" uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;"
        f" upstream provider {{ server {upstream.removeprefix('http://')}; keepalive 32; }}\n"
        f" server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://provider; proxy_http_version 1.1;"
        ' proxy_set_header Connection ""; proxy_buffering off; proxy_request_buffering off; }} } }\n'.replace("}}", "}")
    )
    return [program, "-c", str(config), "-p", str(folder)]


def _configure_litellm(program: str, folder: Path, port: int, upstream: str) -> list[str]:
    config = folder / "litellm.yaml"
    params = {"model": "anthropic/claude-opus-5", "api_base": upstream, "api_key": "k"}
    config.write_text(json.dumps({"model_list": [{"model_name": "claude-opus-5", "litellm_params": params}]}))
    return [program, "--config", str(config), "--port", str(port), "--host", "127.0.0.1"]


# --- the client ----------------------------------------------------------------------------------------------------


class Client:
    """One connection that stays open."""

    def __init__(self, server: Server) -> None:
        self.connection = socket.create_connection(("127.0.0.1", server.port))
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.first_s = 0.0  # until the first byte of the last response's body

    def ask(self, body: bytes, session: str, path: str = PATH) -> float:
        """Send a request; the seconds until its response was complete."""
        begun = time.perf_counter()
        self.begin(body, session, path)
        data = b""
        while b"\r\n\r\n" not in data:
            data += self._receive()
        head, _, rest = data.partition(b"\r\n\r\n")
        while not rest:
            rest = self._receive()
        self.first_s = time.perf_counter() - begun
        assert head.startswith(b"HTTP/1.1 200"), data[:500]
        length = next(
            (int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), -1
        )
        while len(rest) < length or (length < 0 and not rest.endswith(b"0\r\n\r\n")):
            rest += self._receive()
        return time.perf_counter() - begun

    def begin(self, body: bytes, session: str, path: str) -> None:
        """Send a request."""
        head = f"POST {path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: k\r\nx-session-id: {session}\r\n"
        head += (
            f"anthropic-version: 2023-06-01\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        self.connection.sendall(head.encode() + body)

    def wait_for_event(self) -> None:
        """Return when the first event of a stream is there."""
        data = b""
        while b"event: message_start" not in data:
            data += self._receive()

    def _receive(self) -> bytes:
        data = self.connection.recv(1 << 18)
        assert data, "the connection was closed"
        return data


def build_body(size: int, rounds: int, name: str = "it", lines_each: int = 90) -> bytes:
    """A request of about so many bytes and further rounds: outputs of commands, no two alike."""
    messages: list[Any] = [{"role": "user", "content": f"build {name}"}]
    wanted, number = size, 0
    while wanted > 0 or rounds > 0:
        lines = [
            f"{number}:{line}: src/module_{number % 89}.c:{line * 7 % 1013}: {line * number % 97} units\n"
            for line in range(lines_each)
        ]
        call = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": f"make {number}"}}
        output = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "".join(lines)}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [output]}]
        rounds -= wanted <= 0
        wanted -= len(output["content"]) + 200
        number += 1
    tool = {"name": "Bash", "description": "runs a command", "input_schema": {"type": "object"}}
    return json.dumps({"model": "claude-opus-5", "max_tokens": 9, "tools": [tool], "messages": messages}).encode()


def measure(servers: list[Server], bodies: list[bytes], name: str) -> dict[str, list[float]]:
    """The seconds of each request at each server; the servers take turns."""
    clients = {server.name: Client(server) for server in servers}
    taken: dict[str, list[float]] = {server.name: [] for server in servers}
    for number, body in enumerate(bodies):
        for server in servers:
            seconds = clients[server.name].ask(body, name)
            if number:  # the first request of a session is cold
                taken[server.name].append(seconds)
    return taken


def measure_first_byte(servers: list[Server], bodies: list[bytes]) -> dict[str, list[float]]:
    """The seconds until the first byte of a stream is there, which its upstream sends at once; one session."""
    clients = {server.name: Client(server) for server in servers}
    taken: dict[str, list[float]] = {server.name: [] for server in servers}
    for number, body in enumerate(bodies):
        for server in servers:
            clients[server.name].ask(body, "first", STREAMED)
            if number:
                taken[server.name].append(clients[server.name].first_s)
    return taken


def report(name: str, taken: dict[str, list[float]]) -> dict[str, float]:
    """Print a table; the added median of each in ms."""
    direct, added = taken["direct"], {}
    print(f"\n{name}, {len(direct)} requests each; ms")
    print(f"  {'':10}{'median':>9}{'p99':>9}{'+ median':>10}{'+ p99':>9}")
    for server, seconds in taken.items():
        middle, late = median(seconds) * 1000, quantiles(seconds, n=100)[98] * 1000
        added[server] = middle - median(direct) * 1000
        more = late - quantiles(direct, n=100)[98] * 1000
        print(f"  {server:10}{middle:9.3f}{late:9.3f}{added[server]:10.3f}{more:9.3f}")
    return added


def measure_rate(servers: list[Server], bodies: list[bytes]) -> dict[str, float]:
    """Print the processor time of a session's first request and of each later one; the seconds of a later one.

    Work that follows a response counts too.
    """
    print(f"\nprocessor time of {len(bodies)} requests of up to {len(bodies[-1]):,} bytes, one session; µs each")
    print(f"  {'':10}{'first':>9}{'later':>9}")
    found = {}
    for server in servers:
        client, start = Client(server), server.cpu_s()
        client.ask(bodies[0], f"rate-{len(bodies)}")
        first = wait_until_idle(server)
        for body in bodies[1:]:
            client.ask(body, f"rate-{len(bodies)}")
        found[server.name] = each = (wait_until_idle(server) - first) / (len(bodies) - 1)
        rate = f"{1 / each if each else 0:10,.0f} a second and core"
        print(f"  {server.name:10}{(first - start) * 1e6:9.0f}{each * 1e6:9.0f}{rate}")
    return found


def wait_until_idle(server: Server) -> float:
    """Wait for what is done after a response; the processor time the server has taken."""
    before, now = -1.0, server.cpu_s()
    while now > before:
        time.sleep(0.2)
        before, now = now, server.cpu_s()
    return now


def measure_memory(servers: list[Server]) -> dict[str, float]:
    """Print the memory of each with many streams held open."""
    print(f"\nmemory with {STREAMS} streams open, each of a request of {STREAM_BYTES:,} bytes; MB")
    found = {}
    for server in servers:
        before = server.pss_mb()
        clients = [Client(server) for _ in range(STREAMS)]
        for number, client in enumerate(clients):
            client.begin(build_body(STREAM_BYTES, number % 3, str(number)), f"held-{number}", HELD)
        for client in clients:
            client.wait_for_event()
        found[server.name] = server.pss_mb()
        print(f"  {server.name:10}{before:7.0f} -> {found[server.name]:.0f}")
        for client in clients:
            client.connection.close()
    return found


def measure_sessions(servers: list[Server], quick: bool) -> dict[str, float]:
    """Print the memory of each after requests of many large sessions."""
    count = SESSIONS // 10 if quick else SESSIONS
    print(f"\nmemory after two requests of each of {count} sessions of {SESSION_BYTES:,} bytes; MB")
    found = {}
    for server in servers:
        before, client = server.pss_mb(), Client(server)
        for number in range(count):
            for rounds in (0, 1):
                client.ask(build_body(SESSION_BYTES, rounds, f"large {number}"), f"large-{number}")
        found[server.name] = server.pss_mb()
        print(f"  {server.name:10}{before:7.0f} -> {found[server.name]:.0f}")
    return found


def check(name: str, value: float, bar: float, fits: Callable[[float, float], bool] = float.__le__) -> None:
    """Print whether a target is met."""
    print(f"  {'met   ' if fits(value, bar) else 'MISSED'} {name}: {value:.2f} (target {bar:g})")


def main(quick: bool) -> None:
    """Measure everything and print it."""
    rounds = 6 if quick else 21
    with tempfile.TemporaryDirectory() as name, all_started(Path(name)) as (provider, proxies):
        servers = [provider, *proxies]
        small = report(
            "small request, asked again, 2 KB answer",
            measure(servers, [build_body(100, 0)] * (100 if quick else 1_000), "small"),
        )
        bodies = [build_body(1_000_000, more) for more in range(rounds)]
        report("1 MB, warm", measure(servers, bodies, "one"))
        bodies = [build_body(4_000_000, more) for more in range(rounds)]
        large = report("4 MB, warm", measure(servers, bodies, "four"))
        parsed = []
        for body in bodies:
            begun = time.perf_counter()
            json.loads(body)
            parsed.append(time.perf_counter() - begun)
        grown = [build_body(0, 1 + number, lines_each=1) for number in range(50 if quick else 200)]
        going = report("small request of a session that goes on", measure(servers, grown, "going"))
        first = report("the same, time to the first byte of a stream", measure_first_byte(servers, grown))
        cpu = measure_rate(proxies, grown)
        ours = [one for one in proxies if one.name not in TARGET_OTHERS]
        memory = measure_memory(ours)
        cached = measure_sessions([one for one in ours if one.name in ("observe", "prune")], quick)
        large_cpu = measure_rate(proxies, bodies)
        print("\ntargets")
        for mode in ("observe", "prune"):
            check(
                f"{mode}, small request asked again, times the added median of the pair",
                small[mode] / small["pair"],
                TARGET_PAIR,
            )
            check(
                f"{mode}, session that goes on, times the added median of the pair",
                going[mode] / going["pair"],
                TARGET_PAIR,
            )
            check(f"{mode}, first byte, times the added median of the pair", first[mode] / first["pair"], TARGET_PAIR)
            check(
                f"{mode}, session that goes on, times the pair's processor time", cpu[mode] / cpu["pair"], TARGET_PAIR
            )
            ratio = large[mode] / (median(parsed) * 1000)
            check(f"{mode}, 4 MB warm, times json.loads of the body", ratio, TARGET_JSON)
            more = (large_cpu[mode] - large_cpu["pair"]) / median(parsed)
            check(f"{mode}, 4 MB warm, processor time beyond the pair's, times json.loads", more, TARGET_JSON)
            check(f"{mode}, MB at {STREAMS} streams", memory[mode], TARGET_MB)
            check(f"{mode}, MB after {SESSIONS} sessions of 1 MB", cached[mode], TARGET_CACHE_MB)
            for other, bar in TARGET_OTHERS.items():
                if other in small:
                    ratio = small[other] / small[mode]
                    check(f"{mode}, small request, {other}'s added median over ours", ratio, bar, float.__ge__)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer requests")
    parser.add_argument("--provider", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--pair", default="", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.provider or given.pair:
        import uvloop

        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(run_provider() if given.provider else run_pair(given.pair))
    else:
        main(given.quick)
