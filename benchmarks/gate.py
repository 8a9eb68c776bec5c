"""What the gate costs: a view is validated before it goes out, by the rules of its API.

    SECATEUR_CORPUS=DIR python benchmarks/gate.py [--quick]

The body is that of benchmarks/engine.py. Cold: read + plan + apply + emit under `kilocode`, with the gate and with the
rules taken out, as ratios to `json.loads` of the same bytes; the difference may be 1.5. Warm: the same for turns of a
session that grows under a plan, and for a turn that opens an epoch there; a warm turn may cost 0.1 more.
"""

import argparse
import gc
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

from corpus import find_corpus
from engine import MODEL, body, growing, messages_of, once

from secateur import Engine
from secateur.render import emitter

COLD, WARM = 1.5, 0.1  # bars on what the gate adds, in units of json.loads


@contextmanager
def gate(on: bool) -> Iterator[None]:
    """With the gate as it is, or with one that finds nothing and looks at nothing."""
    as_it_is = emitter.find_new_violations
    if not on:
        emitter.find_new_violations = lambda *given: []
    try:
        yield
    finally:
        emitter.find_new_violations = as_it_is


def added(step: Callable[[bool], float], loads: float, times: int) -> tuple[float, float]:
    """The step without the gate, and what the gate adds: medians of differences between passes side by side."""
    pairs = [(step(False), step(True)) for _ in range(times)]
    return median(off for off, _ in pairs) / loads, median(on - off for off, on in pairs) / loads


def cold(data: bytes) -> Callable[[bool], float]:
    def step(on: bool) -> float:
        with gate(on):
            return once(lambda: Engine("kilocode", MODEL).fit(data, now_ms=0))

    return step


def warm(data: bytes, rounds: int) -> Callable[[bool], float]:
    """The median turn of a session that grows round by round under a plan."""
    grown = list(growing(data, rounds))

    def step(on: bool) -> float:
        with gate(on):
            engine = Engine("kilocode", MODEL)
            engine.fit(data, session="s", now_ms=0)
            return median(timed(engine, one) for one in grown)

    return step


def timed(engine: Engine, data: bytes) -> float:
    gc.collect()
    start = time.process_time()
    engine.fit(data, session="s", now_ms=1)
    return time.process_time() - start


def report(name: str, found: tuple[float, float], bar: float) -> bool:
    off, more = found
    fine = more <= bar
    print(f"  {name:<24}{off:8.3f} x without, the gate adds {more:7.3f} x (bar {bar}){'' if fine else '  MISSED'}")
    return fine


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="fewer passes")
    quick = options.parse_args().quick
    times, fine = 5 if quick else 15, True
    messages: list[dict[str, Any]] = messages_of(find_corpus(), 4_000_000)
    for label, ascii_only in (("UTF-8", False), ("pure ASCII", True)):
        data = body(messages, ascii_only)
        loads = median(once(lambda data=data: json.loads(data)) for _ in range(times))
        edits = Engine("kilocode", MODEL).fit(data, now_ms=0).receipt.active_edits
        print(f"{label}: {len(data) / 1e6:.2f} MB, {edits:,} edits, json.loads {loads * 1e3:.1f} ms")
        fine &= report("cold", added(cold(data), loads, times), COLD)
        fine &= report("next turn", added(warm(data, 5), loads, max(3, times // 3)), WARM)
    return 0 if fine else 1


if __name__ == "__main__":
    raise SystemExit(main())
