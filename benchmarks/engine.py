"""What the engine costs, as ratios to `json.loads` of the same bytes in the same run.

    SECATEUR_CORPUS=DIR python benchmarks/engine.py [--quick]

Cold: read + plan + apply + emit of a body never seen. Next turn: the same session grown by one round. Unchanged: the
very bytes again. First: in a new process, for a session whose cache is gone. Epoch: a turn that opens one. Peak:
`tracemalloc` of the cold pass over the size of the body.
"""

import argparse
import gc
import gzip
import json
import os
import re
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from itertools import zip_longest
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import contents
from corpus import find_corpus

from secateur import Engine, documents
from secateur.model import Message, Transcript

BARS = {
    "cold UTF-8": 3.0,
    "cold ASCII": 5.0,
    "observe UTF-8": 2.0,
    "observe ASCII": 3.5,
    "corpus": 8.0,
    "content": 25.0,
    "next turn": 0.25,
    "unchanged": 0.05,
    "epoch": 1.0,
    "peak": 6.0,
}
MODEL = "claude-opus-4-5"


def sessions(corpus: Path) -> Iterator[Transcript]:
    """Recorded sessions, one of each host in turn, as their host would send them."""
    kinds = [
        sorted(corpus.glob(f"{kind}/*/*.gz"))
        for kind in ("claude_code_jsonl", "codex_rollout_jsonl", "pi_session_jsonl")
    ]
    for files in zip_longest(*kinds):
        for file in filter(None, files):
            yield documents.read(gzip.decompress(file.read_bytes())).transcript


def spoken(message: Message) -> dict[str, Any] | None:
    """A message as the Messages API has it; None for what it has no place for here."""
    blocks: list[dict[str, Any]] = []
    for part in message.parts:
        if part.kind == "text" and part.text:
            blocks.append({"type": "text", "text": part.text})
        elif part.kind == "tool_call":
            given = json.loads(part.text) if part.text[:1] == "{" else {"input": part.text}
            blocks.append({"type": "tool_use", "id": part.call_id, "name": part.tool, "input": given})
        elif part.kind == "tool_result":
            blocks.append({"type": "tool_result", "tool_use_id": part.call_id, "content": part.text})
    role = "assistant" if message.role == "assistant" else "user"
    return {"role": role, "content": blocks} if blocks else None


def messages_of(corpus: Path, size: int) -> list[dict[str, Any]]:
    """About `size` bytes of recorded sessions, whole ones but for the last."""
    found: list[dict[str, Any]] = []
    total = 0
    for transcript in sessions(corpus):
        for message in filter(None, map(spoken, transcript.messages)):
            found.append(message)
            total += len(json.dumps(message, ensure_ascii=False).encode())
            if total >= size and message["role"] == "user":
                return found
    return found


def body(messages: list[dict[str, Any]], ascii_only: bool) -> bytes:
    data = json.dumps({"model": MODEL, "max_tokens": 1, "messages": messages}, ensure_ascii=False).encode()
    return re.sub(rb"[\x80-\xff]+", b"x", data) if ascii_only else data


def timed(step: Callable[[], Any], times: int) -> float:
    """Median processor seconds; the collector runs between passes, not before its time in them."""
    return median(once(step) for _ in range(times))


def once(step: Callable[[], Any]) -> float:
    gc.collect()
    start = time.process_time()
    step()
    return time.process_time() - start


def ratio(step: Callable[[], Any], data: bytes, times: int) -> float:
    """Median over pairs of passes, so that a machine that slows down slows both."""
    return median(once(step) / once(partial(json.loads, data)) for _ in range(times))


def growing(data: bytes, rounds: int) -> Iterator[bytes]:
    """The same request, one round longer each time."""
    tail = data.rindex(b"]}")
    for number in range(1, rounds + 1):
        more = [
            {"role": "assistant", "content": [{"type": "tool_use", "id": f"new{number}", "name": "Bash", "input": {}}]},
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": f"new{number}", "content": f"line {number}\n" * 90}],
            },
        ]
        data = data[:tail] + b", " + json.dumps(more)[1:-1].encode() + b"]}"
        tail = data.rindex(b"]}")
        yield data


def turns(data: bytes, policy: str, times: int, **kept: Any) -> tuple[float, float]:
    """Seconds of the next turn and of the unchanged request, once an epoch is in force."""
    engine = Engine(policy, MODEL, compact=False, **kept)  # pruning alone
    engine.fit(data, session="s", now_ms=0)
    taken = []
    for step in growing(data, times):
        gc.collect()
        start = time.process_time()
        engine.fit(step, session="s", now_ms=1)
        taken.append(time.process_time() - start)
    copies = iter([bytes(bytearray(step)) for _ in range(times)])
    return median(taken), timed(lambda: engine.fit(next(copies), session="s", now_ms=2), times)


def epoch(messages: list[dict[str, Any]], ascii_only: bool, times: int) -> float:
    """Seconds of a turn that opens an epoch: a session that was within its gates grows out of them."""
    taken = []
    for _ in range(times):
        engine = Engine("kilocode", MODEL, compact=False)
        half = body(messages[: len(messages) // 2], ascii_only)
        engine.fit(half, session="s", now_ms=0)
        spoken = [{"role": "user", "content": "go on"}, {"role": "assistant", "content": "yes"}]
        first = body(messages + spoken, ascii_only)
        engine.fit(first, session="s", now_ms=1)
        extra = [
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": f"e{n}", "name": "Bash", "input": {}} for n in range(8)],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": f"e{n}", "content": f"{n} output of a build\n" * 2600}
                    for n in range(8)
                ],
            },
        ]
        grown = [*messages, *spoken, *extra, *spoken, *spoken, *spoken]
        warm = body(messages + spoken + extra, ascii_only)
        engine.fit(warm, session="s", now_ms=2)
        last = body(grown, ascii_only)
        gc.collect()
        start = time.process_time()
        view = engine.fit(last, session="s", now_ms=3)
        taken.append(time.process_time() - start)
        assert view.receipt.opened, "this turn was to open an epoch"
    return median(taken)


def peak(data: bytes) -> float:
    gc.collect()
    tracemalloc.start()
    Engine("kilocode", MODEL, compact=False).fit(data, now_ms=0)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / len(data)


def report(name: str, value: float, bar: str | None = None) -> bool:
    limit = BARS.get(bar or "", float("inf"))
    told = f"(bar {limit:g})" if bar else ""
    print(f"  {name:<34}{value:8.3f} x  {told}{'' if value <= limit else '  MISSED'}")
    return value <= limit


def measure(label: str, messages: list[dict[str, Any]], ascii_only: bool, times: int) -> bool:
    data = body(messages, ascii_only)
    loads = timed(lambda: json.loads(data), times)
    print(f"{label}: {len(data) / 1e6:.2f} MB, {len(messages):,} messages, json.loads {loads * 1e3:.1f} ms")
    cold = ratio(lambda: Engine("kilocode", MODEL, compact=False).fit(data, now_ms=0), data, times)
    fine = report("cold", cold, f"cold {'ASCII' if ascii_only else 'UTF-8'}")
    nothing = ratio(lambda: Engine("observe", MODEL).fit(data, now_ms=0), data, times)
    fine &= report("cold, nothing to do (observe)", nothing, f"observe {'ASCII' if ascii_only else 'UTF-8'}")
    warm, same = turns(data, "kilocode", times)
    fine &= report("next turn", warm / loads, "next turn")
    fine &= report("unchanged", same / loads, "unchanged")
    with TemporaryDirectory() as folder:
        for store_raw in (False, True):
            url = f"sqlite:///{folder}/{store_raw}.db"
            warm, _ = turns(data, "kilocode", times, store=url, store_raw=store_raw)
            report(f"next turn, in SQLite, store_raw={store_raw}", warm / loads)
    fine &= report("turn that opens an epoch", epoch(messages, ascii_only, max(3, times // 2)) / loads, "epoch")
    return report("peak memory / body", peak(data), "peak") and fine


def first(policy: str, data: bytes, times: int) -> float:
    """A first request in a process that has made none: the least ratio of some children, each with its own loads."""
    return min(in_child(partial(_first, policy, data)) for _ in range(times))


def _first(policy: str, data: bytes) -> float:
    loads = min(once(partial(json.loads, data)) for _ in range(3))
    return once(lambda: Engine(policy, MODEL, compact=False).fit(data, now_ms=0)) / loads


def in_child(work: Callable[[], float]) -> float:
    """What a child of this process measures: nothing that it loads or remembers is left behind."""
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(theirs, str(work()).encode())
        finally:
            os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as said:
        found = float(said.read())
    os.waitpid(child, 0)
    return found


def resumed(times: int, corpus: bytes) -> bool:
    """First requests of sessions that are taken up again in a new process, their caches gone; hostile content too."""
    tasks = [
        {"role": "user", "content": f"task {n}"} if n % 2 else {"role": "assistant", "content": "done"}
        for n in range(9)
    ]
    # A process that was serving before the pause has loaded the API's rules, which an edited argument asks for
    # first: without one here, their import would be counted in the first request of every child.
    written = [
        {"role": "user", "content": "write it down"},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "w", "name": "Write", "input": {"content": "a line\n" * 900}}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "w", "content": "done"}]},
    ]
    short = body([*written, *contents.messages("source")[:201], *tasks], True)
    for policy in ("kilocode", "balance", "observe"):  # what is loaded and compiled once is not what is measured
        Engine(policy, MODEL, compact=False).fit(short, now_ms=0)
    print("first request in a new process")
    fine = report("balance, recorded sessions", first("balance", corpus, times), "corpus")
    for kind in contents.KINDS:
        for escaped in (False, True):
            data, code = contents.body(kind, MODEL, escaped), "ASCII" if escaped else "UTF-8"
            if kind == "long lines":
                fine &= report(f"kilocode, {kind}, {code}", first("kilocode", data, times), f"cold {code}")
                fine &= report(f"observe, {kind}, {code}", first("observe", data, times), f"observe {code}")
            fine &= report(f"balance, {kind}, {code}", first("balance", data, times), "content")
    return fine


def growth(times: int, sizes: tuple[int, ...]) -> None:
    """The warm ratio and the Python steps of a warm turn against the length of the history."""
    print("history length against a warm turn (kilocode)")
    for size in sizes:
        messages = []
        for n in range(size // 2):
            call = {"type": "tool_use", "id": f"c{n}", "name": "Bash", "input": {"command": f"run {n}"}}
            result = {"type": "tool_result", "tool_use_id": f"c{n}", "content": f"output {n} of a command\n" * 20}
            messages.append({"role": "assistant", "content": [call]})
            messages.append({"role": "user", "content": [result]})
            if n % 50 == 49:
                messages.append({"role": "user", "content": f"next task {n}"})
        data = body(messages, True)
        loads = timed(lambda data=data: json.loads(data), 3)
        engine = Engine("kilocode", MODEL, compact=False)
        engine.fit(data, session="s", now_ms=0)
        taken = []
        for step in growing(data, times):
            gc.collect()
            start = time.process_time()
            engine.fit(step, session="s", now_ms=1)
            taken.append(time.process_time() - start)
        longer = next(growing(step, 1))
        steps = counted(partial(engine.fit, longer, session="s", now_ms=1))
        print(f"  {len(messages):>8,} messages {median(taken) / loads:8.4f} x {steps:>9,} Python function calls")


def counted(step: Callable[[], Any]) -> int:
    """Python-level calls that a step makes."""
    calls = 0

    def note(frame: Any, event: str, arg: Any) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(note)
    try:
        step()
    finally:
        sys.setprofile(None)
    return calls


def largest(corpus: Path, count: int) -> None:
    """Cold passes over the largest recorded sessions."""
    files = [
        file
        for kind in ("claude_code_jsonl", "codex_rollout_jsonl", "pi_session_jsonl")
        for file in corpus.glob(f"{kind}/*/*.gz")
    ]
    sized = sorted(((len(gzip.decompress(file.read_bytes())), file) for file in files), reverse=True)
    print("largest recorded sessions, cold (kilocode)")
    for size, file in sized[:count]:
        data = gzip.decompress(file.read_bytes())
        loads = timed(lambda data=data: [_quiet(line) for line in data.split(b"\n")], 3)
        cold = timed(lambda data=data: Engine("kilocode").fit(data, now_ms=0), 3)
        print(f"  {size / 1e6:5.2f} MB {file.parent.parent.name:<22}{cold / loads:8.3f} x json.loads of its lines")


def _quiet(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="fewer passes, shorter histories")
    quick = options.parse_args().quick
    corpus = find_corpus()
    times = 3 if quick else 9
    messages = messages_of(corpus, 4_000_000)
    # First of all: large blocks that were freed leave the allocator in a state in which json.loads takes a third less
    # time than it takes in any new process.
    fine = resumed(times, body(messages, False))
    fine &= measure("UTF-8", messages, False, times)
    fine &= measure("pure ASCII", messages, True, times)
    growth(times, (1_000, 10_000) if quick else (1_000, 10_000, 100_000))
    largest(corpus, 2 if quick else 6)
    return 0 if fine else 1


if __name__ == "__main__":
    raise SystemExit(main())
