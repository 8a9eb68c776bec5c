"""Two proxies on one store for simulated hours: sessions of several tenants by turns, pauses, forks, restarts.

    python benchmarks/soak.py [--hours H] [--sessions N] [--tenants N] [--store URL] [--wait S]

Real proxies, real HTTP on loopback, and a real store (a PostgreSQL database, if its address is given); only the wall
clock is simulated, so that pauses cost no time. The upstream keeps what it was sent. Counted are requests that a
provider would refuse, views that do not begin with the view before them though no epoch was opened, texts of one
session in another's request, and memory over time. A request whose store did not answer in time goes on without it and
is counted apart. Of one session in eight, what its requests cost with the provider's prompt cache, as they were sent,
is compared with what `secateur simulate` predicts of its history, and with what it would have cost unpruned. Each of
them assumes a client that marks its newest message for the cache. Exit code 1 where something was wrong.
"""

import argparse
import json
import random
import re
import sys
import time
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from secateur.api import check
from secateur.lineage import hash_text
from secateur.proxy.background import start_in_thread
from secateur.proxy.callers import Tenants, read_secret
from secateur.proxy.settings import ProxyLimits, ProxySettings
from secateur.sessions import store_access
from secateur.sessions.store_access import WAIT_S
from secateur.simulate.bill import sum_bill
from secateur.simulate.replay import ReplayedTurn
from secateur.simulate.requests import Recording, read_recording
from secateur.simulate.run import bill_turns, simulate
from secateur.stores import open_store
from secateur.stores.protocol import SessionId

ANSWER = json.dumps({"type": "message", "content": []}).encode()  # no usage: one that is invented would be learned from
MODEL = "claude-opus-5"
BILLED = 8  # one session in so many has its bill reckoned
START_S = 1_800_000_000.0
_MARK = re.compile(rb"mark-[a-z0-9-]+")
TOOL = {"name": "Bash", "description": "runs a command", "input_schema": {"type": "object"}}


class SoakReport(Struct):
    """What was counted."""

    requests: int = 0
    epochs: int = 0
    forks: int = 0
    restarts: int = 0
    away: int = 0  # requests that went on without the store
    edited: int = 0
    invalid: int = 0
    moved: int = 0  # views whose beginning changed though no epoch was opened
    crossings: int = 0
    memory_mb: list[float] = []  # of this process, at equal distances
    played_mb: list[float] = []  # of these, what the sessions played here take by themselves
    billed: int = 0  # requests whose cost was reckoned
    bill: float = 0.0  # dollars for them, as they were sent
    predicted: float = 0.0  # by `simulate`, of the same histories
    unpruned: float = 0.0

    @property
    def wrong(self) -> int:
        """How many things should not have been."""
        return self.invalid + self.moved + self.crossings


class Clock:
    """The wall clock, set by hand."""

    def __init__(self) -> None:
        self.now_s = START_S

    def __call__(self) -> float:
        return self.now_s


class SentRequest(Struct, frozen=True):
    """One request as its provider received it."""

    at: int  # ms since 1970
    body: bytes  # compressed
    opened: bool  # an epoch was opened for it


class Talk:
    """One session of an agent."""

    def __init__(self, name: str, tenant: str, messages: list[Any], marks: frozenset[str]) -> None:
        self.name, self.tenant, self.messages = name, tenant, messages
        self.mark = f"mark-{tenant}-{name}-"
        self.marks = marks | {self.mark}  # of the sessions that it was forked from, too
        self.view: list[str] = []  # hashes of the messages that were sent last
        self.epochs = 0
        self.receipts = 0  # that the store has
        self.known = True  # the view before was made with the store
        self.sent: list[SentRequest] | None = None  # of a session whose bill is reckoned
        self.next_s = 0.0

    def work(self, drawn: random.Random) -> bytes:
        """One more round, and the request that follows."""
        number = len(self.messages)
        text = "".join(
            f"{self.mark} line {line} of output {number}\n" for line in range(drawn.choice([3, 20, 120, 400]))
        )
        call = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": f"make {number}"}}
        output = {"type": "tool_result", "tool_use_id": f"t{number}", "content": text}
        self.messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [output]}]
        body = {"model": MODEL, "max_tokens": 9, "tools": [TOOL], "messages": self.messages}
        return json.dumps(body).encode()

    def fork(self, name: str) -> "Talk":
        """Another session that continues from here."""
        return Talk(name, self.tenant, list(self.messages), self.marks)


@contextmanager
def provider() -> Iterator[tuple[str, list[bytes]]]:
    """An upstream that answers at once; its address, and the bodies that it was sent."""
    bodies: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else each answer waits for the client to acknowledge its headers

        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(ANSWER)))
            self.end_headers()
            self.wfile.write(ANSWER)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", bodies
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Proxies:
    """Two proxies, of which now and then one is stopped and started anew."""

    def __init__(self, settings: ProxySettings) -> None:
        self._settings = settings
        self._stacks = [ExitStack(), ExitStack()]
        self.addresses = ["", ""]
        for place in range(2):
            self._start(place)

    def _start(self, place: int) -> None:
        self.addresses[place] = self._stacks[place].enter_context(start_in_thread(self._settings)).address

    def restart(self, place: int) -> None:
        """Stop one of them, and start it again."""
        self._stacks[place].close()
        self._start(place)

    def close(self) -> None:
        """Stop both."""
        for stack in self._stacks:
            stack.close()


def send(address: str, talk: Talk, body: bytes) -> str:
    """Send a request; what the proxy did to it."""
    parts = urlsplit(address)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=60)
    headers = {"x-api-key": f"key of {talk.tenant}", "x-session-id": talk.name, "content-type": "application/json"}
    connection.request("POST", "/v1/messages", body, headers)
    response = connection.getresponse()
    response.read()
    connection.close()
    assert response.status == 200, response.status
    return response.getheader("x-secateur") or ""


def judge(report: SoakReport, talk: Talk, body: bytes, did: str, epochs: int, was_kept: bool = True) -> None:
    """Count what is wrong with a request as its provider received it; `was_kept`: the store has its receipt."""
    request = json.loads(body)
    view = [hash_text(json.dumps(strip_markers(message))) for message in request["messages"]]
    report.requests += 1
    report.edited += did == "edited"
    is_known = did != "failed" and was_kept
    report.away += not is_known
    report.invalid += any(found.severity == "error" for found in check("anthropic", request["messages"], request))
    opened = epochs > talk.epochs
    if is_known and talk.known and not opened and view[: len(talk.view)] != talk.view:
        report.moved += 1
    found = {word for word in body.decode().replace("\\n", " ").replace('"', " ").split() if word.startswith("mark-")}
    report.crossings += bool(found - talk.marks)
    report.epochs += epochs - talk.epochs
    talk.view, talk.epochs, talk.known = view, epochs, is_known


def strip_markers(value: Any) -> Any:
    """The same without cache markers."""
    if isinstance(value, list):
        return [strip_markers(one) for one in value]
    if isinstance(value, dict):
        return {name: strip_markers(one) for name, one in value.items() if name != "cache_control"}
    return value


def measure_memory_mb() -> float:
    """What this process takes."""
    text = Path("/proc/self/smaps_rollup").read_text()
    return round(int(next(line for line in text.splitlines() if line.startswith("Pss:")).split()[1]) / 1024, 1)


def measure_played_mb(talks: list[Talk]) -> float:
    """What the sessions' own messages and the requests kept for their bills take, about."""
    texts = sum(len(block["content"]) for talk in talks for one in talk.messages[2::2] for block in one["content"])
    return round((texts + sum(len(one.body) for talk in talks for one in talk.sent or ())) / 1_048_576, 1)


class SoakPlan(Struct, frozen=True):
    """How long, and how many."""

    hours: float = 24.0
    sessions: int = 64
    tenants: int = 8
    policy: str = "balance"
    cached_mb: int = 32  # of memory for sessions, of each proxy: little, so that it is full early
    wait_s: float = WAIT_S  # for the store, of one request
    shows_progress: bool = False  # on stderr, each time that the memory is measured


def soak(store_url: str, plan: SoakPlan) -> SoakReport:
    """Let agents work for so many simulated hours."""
    clock, real, wait_s = Clock(), time.time, store_access.WAIT_S
    time.time, store_access.WAIT_S = clock, plan.wait_s
    try:
        with provider() as (upstream, bodies):
            settings = ProxySettings(
                mode="prune",
                policy=plan.policy,
                store=store_url,
                upstreams={"anthropic": upstream},
                limits=ProxyLimits(cached_bytes=plan.cached_mb * 1024 * 1024),
            )
            proxies = Proxies(settings)
            try:
                return play(store_url, plan, clock, proxies, bodies)
            finally:
                proxies.close()
    finally:
        time.time, store_access.WAIT_S = real, wait_s


def play(store_url: str, plan: SoakPlan, clock: Clock, proxies: Proxies, bodies: list[bytes]) -> SoakReport:
    """Sessions by turns, whoever is next by the simulated clock."""
    report, drawn, store = SoakReport(), random.Random(7), open_store(store_url)
    owners, end_s = Tenants(read_secret(store), None, is_shared=False), START_S + plan.hours * 3_600
    talks = [start_talk(f"s{number}", f"t{number % plan.tenants}") for number in range(plan.sessions)]
    for talk in talks:
        talk.next_s = START_S + drawn.random() * 60
    restart_s, measure_s = START_S + plan.hours * 600, START_S
    while (talk := min(talks, key=lambda one: one.next_s)).next_s < end_s:
        clock.now_s = talk.next_s
        if clock.now_s >= restart_s:
            proxies.restart(report.restarts % 2)
            report.restarts += 1
            restart_s += plan.hours * 600  # six times in all
        if clock.now_s >= measure_s:
            measure(report, talks, plan, clock.now_s)
            measure_s += plan.hours * 180
        did = send(drawn.choice(proxies.addresses), talk, talk.work(drawn))
        state = store.load(SessionId(talk.name, owners.find_name(f"key of {talk.tenant}")))
        epochs, body = len(state.plan.epochs) if state else 0, bodies.pop()
        receipts, talk.receipts = talk.receipts, state.receipts if state else 0
        if talk.sent is not None:
            talk.sent.append(SentRequest(round(clock.now_s * 1000), zlib.compress(body, 1), epochs > talk.epochs))
        judge(report, talk, body, did, epochs, was_kept=talk.receipts > receipts)
        talk.next_s += drawn.choice([10, 20, 30, 60, 120, 400, 4_000])  # the last two outlast a cache
        if len(talk.messages) > 200 or drawn.random() < 0.01:
            report.forks += 1
            new = f"f{report.forks}"
            add_bill(report, talk, plan.policy)
            talks[talks.index(talk)] = grown = (
                start_talk(new, talk.tenant) if len(talk.messages) > 200 else talk.fork(new)
            )
            grown.next_s = talk.next_s
    for talk in talks:
        add_bill(report, talk, plan.policy)
    store.close()
    return report


def measure(report: SoakReport, talks: list[Talk], plan: SoakPlan, now_s: float) -> None:
    """Note what the process takes by now."""
    report.memory_mb.append(measure_memory_mb())
    report.played_mb.append(measure_played_mb(talks))
    if plan.shows_progress:
        show_progress(report, now_s)


def show_progress(report: SoakReport, now_s: float) -> None:
    """Print how far a run is, and what it took so far."""
    hours, memory = (now_s - START_S) / 3_600, f"{report.memory_mb[-1]:.0f} MB, {report.played_mb[-1]:.0f} played here"
    done = f"{report.requests:,} requests, {time.process_time():,.0f} s of processor time"
    print(f"{hours:5.1f} h: {done}, {memory}, {report.wrong} wrong", file=sys.stderr, flush=True)


def start_talk(name: str, tenant: str) -> Talk:
    """A session at its beginning."""
    talk = Talk(name, tenant, [{"role": "user", "content": f"build {name} of {tenant}"}], frozenset())
    talk.sent = [] if int(name[1:]) % BILLED == 0 else None
    return talk


def add_bill(report: SoakReport, talk: Talk, policy: str) -> None:
    """Reckon what a session's requests cost as they were sent, and what `simulate` says of its history."""
    if not talk.sent:
        return
    history = record(talk.messages)
    times = [one.at for one in talk.sent]
    asked = history.requests[-len(times) :]  # its first one, before any call, was never sent
    history = replace(history, requests=tuple(map(lambda one, at: replace(one, at=at), asked, times)))
    predicted, unpruned = simulate(history, policy), simulate(history)
    turns = []
    for one, request in zip(talk.sent, history.requests, strict=True):
        view = record(json.loads(zlib.decompress(one.body))["messages"]).segments[0]
        turns.append(ReplayedTurn(request, one.at, view.messages[:-1], view.fixed_tokens, one.opened))
    rows = bill_turns(turns, predicted.price, predicted.caching)
    report.billed += len(rows)
    report.bill += sum_bill(rows, predicted.price).dollars
    report.predicted += predicted.bill.dollars
    report.unpruned += unpruned.bill.dollars
    talk.sent = None


def record(messages: list[Any]) -> Recording:
    """A history as a recording, whose last request has an answer, too."""
    answered = [*messages, {"role": "assistant", "content": "done"}]
    return read_recording(json.dumps({"model": MODEL, "max_tokens": 9, "tools": [TOOL], "messages": answered}).encode())


def main() -> int:
    """Run, and print what was counted."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--hours", type=float, default=24.0)
    parser.add_argument("--sessions", type=int, default=64)
    parser.add_argument("--tenants", type=int, default=8)
    parser.add_argument("--policy", default="balance")
    parser.add_argument("--wait", type=float, default=WAIT_S, help="seconds for the store; more on a busy machine")
    parser.add_argument("--store", default="", help="a PostgreSQL address; default: a SQLite file that is removed")
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        store = given.store or f"sqlite://{folder}/soak.db?synchronous=normal"
        plan = SoakPlan(given.hours, given.sessions, given.tenants, given.policy)
        plan = replace(plan, wait_s=given.wait, shows_progress=True)
        report = soak(store, plan)
    for name in SoakReport.__struct_fields__:
        print(f"{name:12}{getattr(report, name)}")
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
