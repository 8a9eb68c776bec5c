"""What the gate costs: a view is validated before it goes out, by the rules of its API.

    SECATEUR_CORPUS=DIR python benchmarks/gate.py [--quick]

The body is that of benchmarks/engine.py. Cold: read + plan + apply + emit under `kilocode`, and of that the gate, as
ratios to `json.loads` of the same bytes; the gate may take 1.5. Warm: the same for turns of a
session that grows under a plan, and for a turn that opens an epoch there; a warm turn may cost 0.1 more.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from statistics import median
from typing import Any

from corpus import find_corpus
from engine import MODEL, body, growing, messages_of, once

from secateur import Engine
from secateur.render import emitter

COLD, WARM = 1.5, 0.1  # bars on what the gate adds, in units of json.loads


Taken = tuple[float, float]  # processor seconds: all but the gate, and the gate


@contextmanager
def clocked() -> Iterator[list[float]]:
    """The processor seconds of the gate, each time that it is asked: a summary takes longer than a gate could add."""
    as_it_is, taken = emitter.find_new_violations, list[float]()

    def find(*given: Any) -> Any:
        start = time.process_time()
        try:
            return as_it_is(*given)
        finally:
            taken.append(time.process_time() - start)

    emitter.find_new_violations = find
    try:
        yield taken
    finally:
        emitter.find_new_violations = as_it_is


def added(step: Callable[[], Taken], loads: float, times: int) -> Taken:
    """The step without the gate, and what the gate adds: medians, in units of json.loads."""
    rest, gate = zip(*(step() for _ in range(times)), strict=True)
    return median(rest) / loads, median(gate) / loads


def cold(data: bytes) -> Taken:
    with clocked() as taken:
        whole = once(lambda: Engine("kilocode", MODEL).fit(data, now_ms=0))
    return whole - sum(taken), sum(taken)


def warm(grown: list[bytes], data: bytes) -> Taken:
    """The median turn of a session that grows round by round under a plan."""
    engine = Engine("kilocode", MODEL)
    engine.fit(data, session="s", now_ms=0)
    rest, gate = zip(*(timed(engine, one) for one in grown), strict=True)
    return median(rest), median(gate)


def timed(engine: Engine, data: bytes) -> Taken:
    with clocked() as taken:
        whole = once(lambda: engine.fit(data, session="s", now_ms=1))
    return whole - sum(taken), sum(taken)


def report(name: str, found: Taken, bar: float) -> bool:
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
        fine &= report("cold", added(partial(cold, data), loads, times), COLD)
        fine &= report("next turn", added(partial(warm, [*growing(data, 5)], data), loads, max(3, times // 3)), WARM)
    return 0 if fine else 1


if __name__ == "__main__":
    raise SystemExit(main())
