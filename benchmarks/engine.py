"""What the engine costs, as ratios to `json.loads` of the same bytes in the same run.

    SECATEUR_CORPUS=DIR python benchmarks/engine.py [--quick]

Cold: read + plan + apply + emit of a body never seen. Next turn: the same session grown by one round. Unchanged: the
very bytes again. Epoch: a turn that opens one. Peak: `tracemalloc` of the cold pass over the size of the body.
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
from pathlib import Path
from statistics import median
from typing import Any

from secateur import Engine

BARS = {"cold UTF-8": 2.0, "cold ASCII": 4.0, "next turn": 0.25, "unchanged": 0.05, "epoch": 1.0, "peak": 6.0}
MODEL = "claude-opus-4-5"


def conversation(corpus: Path) -> Iterator[dict[str, Any]]:
    """User and assistant messages of recorded Claude Code sessions, as an API would get them."""
    for file in sorted(corpus.glob("claude_code_jsonl/*/*.gz")):
        for line in gzip.decompress(file.read_bytes()).splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if entry.get("type") in ("user", "assistant") and not entry.get("isMeta"):
                message = entry["message"]
                yield {"role": message["role"], "content": message["content"]}


def messages_of(corpus: Path, size: int) -> list[dict[str, Any]]:
    """About `size` bytes of whole rounds."""
    found, total = [], 0
    for message in conversation(corpus):
        found.append(message)
        total += len(json.dumps(message, ensure_ascii=False).encode())
        if total >= size and message["role"] == "user":
            break
    return found


def body(messages: list[dict[str, Any]], ascii_only: bool) -> bytes:
    data = json.dumps({"model": MODEL, "max_tokens": 1, "messages": messages}, ensure_ascii=False).encode()
    return re.sub(rb"[\x80-\xff]+", b"x", data) if ascii_only else data


def timed(step: Callable[[], Any], times: int) -> float:
    """Median seconds; the collector runs between passes, not in them."""
    taken = []
    for _ in range(times):
        gc.collect()
        start = time.perf_counter()
        step()
        taken.append(time.perf_counter() - start)
    return median(taken)


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


def turns(data: bytes, policy: str, times: int) -> tuple[float, float]:
    """Seconds of the next turn and of the unchanged request, once an epoch is in force."""
    engine = Engine(policy, MODEL)
    engine.fit(data, session="s", now=0)
    taken = []
    for step in growing(data, times):
        gc.collect()
        start = time.perf_counter()
        engine.fit(step, session="s", now=1)
        taken.append(time.perf_counter() - start)
    copies = iter([bytes(bytearray(step)) for _ in range(times)])
    return median(taken), timed(lambda: engine.fit(next(copies), session="s", now=2), times)


def epoch(messages: list[dict[str, Any]], ascii_only: bool, times: int) -> float:
    """Seconds of a turn that opens an epoch: a session that was within its gates grows out of them."""
    taken = []
    for _ in range(times):
        engine = Engine("kilocode", MODEL)
        half = body(messages[: len(messages) // 2], ascii_only)
        engine.fit(half, session="s", now=0)
        spoken = [{"role": "user", "content": "go on"}, {"role": "assistant", "content": "yes"}]
        first = body(messages + spoken, ascii_only)
        engine.fit(first, session="s", now=1)
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
        engine.fit(warm, session="s", now=2)
        last = body(grown, ascii_only)
        gc.collect()
        start = time.perf_counter()
        view = engine.fit(last, session="s", now=3)
        taken.append(time.perf_counter() - start)
        assert view.receipt.opened, "this turn was to open an epoch"
    return median(taken)


def peak(data: bytes) -> float:
    gc.collect()
    tracemalloc.start()
    Engine("kilocode", MODEL).fit(data, now=0)
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
    cold = timed(lambda: Engine("kilocode", MODEL).fit(data, now=0), times)
    fine = report("cold", cold / loads, f"cold {'ASCII' if ascii_only else 'UTF-8'}")
    nothing = timed(lambda: Engine("observe", MODEL).fit(data, now=0), times)
    report("cold, nothing to do (observe)", nothing / loads)
    warm, same = turns(data, "kilocode", times)
    fine &= report("next turn", warm / loads, "next turn")
    fine &= report("unchanged", same / loads, "unchanged")
    fine &= report("turn that opens an epoch", epoch(messages, ascii_only, max(3, times // 2)) / loads, "epoch")
    return report("peak memory / body", peak(data), "peak") and fine


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
        engine = Engine("kilocode", MODEL)
        engine.fit(data, session="s", now=0)
        taken = []
        for step in growing(data, times):
            gc.collect()
            start = time.perf_counter()
            engine.fit(step, session="s", now=1)
            taken.append(time.perf_counter() - start)
        longer = next(growing(step, 1))
        steps = counted(partial(engine.fit, longer, session="s", now=1))
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
        cold = timed(lambda data=data: Engine("kilocode").fit(data, now=0), 3)
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
    corpus = os.environ.get("SECATEUR_CORPUS")
    if not corpus:
        print("set SECATEUR_CORPUS to a folder of recorded sessions: the bodies are built from them")
        return 2
    times = 3 if quick else 9
    messages = messages_of(Path(corpus), 4_000_000)
    fine = measure("UTF-8", messages, False, times)
    fine &= measure("pure ASCII", messages, True, times)
    growth(times, (1_000, 10_000) if quick else (1_000, 10_000, 100_000))
    largest(Path(corpus), 2 if quick else 6)
    return 0 if fine else 1


if __name__ == "__main__":
    raise SystemExit(main())
