"""How processor time grows with what there is to do: for each path, times per doubling and their ratio.

    python benchmarks/growth.py [--quick] [PATH ...]

A path that is linear in what is new (per request) or in the body (a first request) doubles at most; 2.3 is allowed for
what grows with the logarithm, and for caches of the machine that are left behind. Where a first size is edited, or
becomes a digest or a summary, and the size before it did not, because a threshold of the policy lies between them, the
ratio tells of what was done and not of growth: it is printed, and not held to the bar. Each pass has texts of its own,
so that nothing is remembered from the pass before. The least of three passes counts.
"""

import argparse
import gc
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

from secateur import Engine
from secateur.compaction.outcome import Compacted
from secateur.policy import PRESETS
from secateur.view import View

BAR = 2.3
MODEL = "claude-opus-4-5"
PASSES = 3
DAY = 86_400_000  # ms: no cache outlives it
SOURCES = ("beds.py", "vines.py", "roses.py", "tools.py", "paths.py")

Made = Callable[[int, int], Callable[[], Any]]  # of a size and a salt: what is timed


def report(salt: int, number: int, lines: int = 12) -> str:
    """What a command printed, not twice the same."""
    said = [f"{salt}.{number}: cut rose {number * 7 + n} of bed {n} in {SOURCES[n % 5]}" for n in range(lines)]
    return "\n".join([*said, f"error: {number} shears are missing" if number % 9 == 0 else "done"])


def rounds(count: int, salt: int, every: int = 25) -> list[dict[str, Any]]:
    """A history of so many rounds of one call; after `every` of them the user speaks again (0: never)."""
    found: list[dict[str, Any]] = [{"role": "user", "content": f"mend the gate {salt}"}]
    for n in range(count):
        given = {"command": f"sh step{n}.sh"} if n % 3 else {"path": f"src/{SOURCES[n % 5]}", "note": "x" * 80}
        call = {"type": "tool_use", "id": f"c{n}", "name": "Bash" if n % 3 else "Read", "input": given}
        result = {"type": "tool_result", "tool_use_id": f"c{n}", "content": report(salt, n)}
        found += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
        if every and n % every == every - 1:
            found += [{"role": "assistant", "content": f"step {n} is done"}, {"role": "user", "content": f"go on {n}"}]
    return found


def body(messages: list[dict[str, Any]]) -> bytes:
    return json.dumps({"model": MODEL, "max_tokens": 1, "messages": messages}).encode()


def parallel(count: int, salt: int) -> bytes:
    """One round of so many calls at once, behind it a few turns."""
    calls = [{"type": "tool_use", "id": f"p{n}", "name": "Bash", "input": {"command": f"sh {n}"}} for n in range(count)]
    results = [{"type": "tool_result", "tool_use_id": f"p{n}", "content": report(salt, n, 30)} for n in range(count)]
    asked = [{"role": "user", "content": "all at once"}, {"role": "assistant", "content": calls}]
    return body([*asked, {"role": "user", "content": results}, *_said(), *rounds(40, salt + 1, 10)[1:]])


def parallel_chat(count: int, salt: int) -> bytes:
    """The same as Chat Completions has it: each result is a message."""
    calls = [
        {
            "id": f"p{n}",
            "type": "function",
            "function": {"name": "Bash", "arguments": json.dumps({"command": f"sh {n}"})},
        }
        for n in range(count)
    ]
    results = [{"role": "tool", "tool_call_id": f"p{n}", "content": report(salt, n, 30)} for n in range(count)]
    asked = [{"role": "user", "content": "all at once"}, {"role": "assistant", "content": None, "tool_calls": calls}]
    return json.dumps({"model": "gpt-5.2", "messages": [*asked, *results, *_said(), *_said(), *_said()]}).encode()


def ranges(size: int, salt: int) -> bytes:
    """A file that is read range by range, of which a few lines overlap, and written to now and then."""
    found: list[dict[str, Any]] = [{"role": "user", "content": f"look through the garden {salt}"}]
    for n in range(size // 2):
        start = n * 50 + 1
        written = n % 10 == 9
        given = (
            {"path": "src/garden.py", "content": f"rose {n}"} if written else {"path": "src/garden.py", "offset": start}
        )
        call = {"type": "tool_use", "id": f"c{n}", "name": "Write" if written else "Read", "input": given}
        said = "\n".join(f"{line}\tbed_{salt}_{line} = rose({line * 7})" for line in range(start, start + 60))
        result = {"type": "tool_result", "tool_use_id": f"c{n}", "content": "written" if written else said}
        found += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
        if n % 25 == 24:
            found += _said()
    return body(found)


def _said() -> list[dict[str, Any]]:
    return [{"role": "assistant", "content": "done"}, {"role": "user", "content": "go on"}]


def nested(depth: int, salt: int) -> bytes:
    """Arguments of lists in lists."""
    given: Any = f"rose {salt}"
    for _ in range(depth):
        given = [given]
    found = rounds(60, salt)
    found[1]["content"][0]["input"] = {"command": "sh", "deep": given}
    return body(found)


def cold(policy: str, data: Callable[[int, int], bytes], **settings: Any) -> Made:
    def made(size: int, salt: int) -> Callable[[], Any]:
        engine, came = Engine(policy, MODEL, compact=False, **settings), data(size, salt)
        return lambda: engine.fit(came, now_ms=DAY)

    return made


def long(size: int, salt: int) -> bytes:
    return body(rounds(size // 2, salt))


def alone(size: int, salt: int) -> bytes:
    """A long history in which the user spoke once."""
    return body(rounds(size // 2, salt, 0))


def turn(policy: str, messages: int, idle_s: float | None = None, compact: bool = False) -> Made:
    """The next turns of a session whose new part has the size; the history before it stays the same."""

    def made(size: int, salt: int) -> Callable[[], Any]:
        engine, history = Engine(policy, MODEL, compact=compact), rounds(messages // 2 + size // 2, salt)
        engine.fit(body(history[: messages + 1]), session="s", now_ms=0)
        grown = body(history)
        return lambda: engine.fit(grown, session="s", now_ms=1, idle_s=idle_s)

    return made


def forced(policy: str) -> Made:
    """A turn behind a pause that the cache did not outlive: all that is eligible goes."""

    def made(size: int, salt: int) -> Callable[[], Any]:
        engine, history = Engine(policy, MODEL, compact=False), rounds(size // 2, salt)
        engine.fit(body(history), session="s", now_ms=0, idle_s=0)
        grown = body([*history, *rounds(2, salt + 1)[1:]])
        return lambda: engine.fit(grown, session="s", now_ms=DAY, idle_s=DAY / 1000)

    return made


def compacted(policy: str) -> Made:
    def made(size: int, salt: int) -> Callable[[], Any]:
        engine, came = Engine(policy, MODEL), long(size, salt)
        return lambda: engine.compact(came, now_ms=DAY)

    return made


def fitted(policy: str) -> Made:
    """A first request with compaction on, in a window of a third of its size."""

    def made(size: int, salt: int) -> Callable[[], Any]:
        came = long(size, salt)
        engine = Engine(policy, MODEL, window=max(20_000, len(came) // 12), too_long="send")

        return lambda: engine.fit(came, now_ms=DAY)

    return made


def session(policy: str) -> Made:
    """A whole session, request by request: what grows with its square is what is read again, so the new part counts."""

    def made(size: int, salt: int) -> Callable[[], Any]:
        history = rounds(size * 2, salt, 4)
        cuts = [number + 1 for number, one in enumerate(history) if one["role"] == "user"]
        steps = [body(history[:cut]) for cut in cuts[len(cuts) - len(cuts) // 2 :: max(1, len(cuts) // 2 // 20)]][:20]
        engine = Engine(policy, MODEL, compact=False)
        for number, cut in enumerate(cuts[: len(cuts) // 2]):
            engine.fit(body(history[:cut]), session="s", now_ms=number)
        return lambda: [engine.fit(step, session="s", now_ms=DAY + n) for n, step in enumerate(steps)]

    return made


def paths(quick: bool) -> Iterator[tuple[str, Made, tuple[int, ...]]]:
    """Each path, and the sizes of it."""
    most, calls = (4_000, 2_500) if quick else (16_000, 10_000)
    messages = tuple(size for size in (1_000, 2_000, 4_000, 8_000, 16_000) if size <= most)
    at_once = tuple(size for size in (625, 1_250, 2_500, 5_000, 10_000) if size <= calls)
    for policy in PRESETS:
        yield f"cold, {policy}", cold(policy, long), messages
    for policy in PRESETS:
        yield f"parallel calls, {policy}", cold(policy, parallel), at_once
    yield "parallel calls as messages, balance", cold("balance", parallel_chat), at_once
    yield "parallel calls as messages, kilocode", cold("kilocode", parallel_chat), at_once
    yield "one request of the user, balance", cold("balance", alone), messages
    yield "one request of the user, kilocode", cold("kilocode", alone), messages
    for policy in ("kilocode", "balance", "digests"):
        yield f"warm, {policy}: by what is new", turn(policy, 1_000), tuple(size // 4 for size in messages)
    for policy in ("kilocode", "balance", "digests", "opencode"):
        yield f"forced epoch, {policy}", forced(policy), messages
    for policy in ("kilocode", "balance", "digests", "hermes"):
        yield f"compaction, {policy}", compacted(policy), messages
    for policy in PRESETS:
        yield f"cold with compaction, {policy}", fitted(policy), messages
    for policy in ("opencode", "kilocode", "balance"):
        yield (
            f"many epochs, {policy}: 20 requests behind so many",
            session(policy),
            (50, 100, 200, *(() if quick else (400, 800))),
        )
    yield "ranges of one file, balance", cold("balance", ranges), messages
    yield "ranges of one file, digests", cold("digests", ranges), messages
    yield "nesting, balance", cold("balance", nested), (50, 100, 200, 400)


DONE = ("nothing", "edits", "digest", "summary")


def timed(made: Made, size: int) -> tuple[float, int]:
    """Processor seconds, the least of some passes; and which of `DONE` the view shows, where there is one."""
    least, done = float("inf"), 0
    for salt in range(PASSES):
        step = made(size, salt * 1_000_003 + size)
        gc.collect()
        start = time.process_time()
        view = step()
        least = min(least, time.process_time() - start)
        view = view[-1] if isinstance(view, list) and view else view
        if isinstance(view, View):
            done = int(view.receipt.active_edits > 0)
            if isinstance(view.compaction, Compacted):
                done = 2 if view.compaction.rung == "digest" else 3
    return least, done


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="shorter histories")
    options.add_argument("only", nargs="*", metavar="PATH", help="only paths whose names hold one of these")
    given = options.parse_args()
    worst = 0.0
    for name, made, sizes in paths(given.quick):
        if given.only and not any(one in name for one in given.only):
            continue
        print(name, flush=True)
        before, was_done = 0.0, 0
        for size in sizes:
            taken, done = timed(made, size)
            ratio, begins = taken / before if before else 0.0, done > was_done
            worst = max(worst, 0.0 if begins else ratio)
            note = f"  (the first {DONE[done]})" if begins else "  MISSED" if ratio > BAR else ""
            print(f"  {size:>8,}{taken * 1e3:>12.1f} ms  {f'x {ratio:.2f}' if before else ''}{note}", flush=True)
            before, was_done = taken, done
    print(f"worst ratio per doubling: {worst:.2f} (bar {BAR})")
    return 0 if worst <= BAR else 1


if __name__ == "__main__":
    raise SystemExit(main())
