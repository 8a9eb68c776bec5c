"""What the first request of a session takes: a result is read a fixed number of times, however long it is, and each of
its lines is looked at a bounded number of times where results are shortened.

Operations are counted, not timed: function calls of Python, and those into its built-in ones.
"""

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from profiling import profiled
from secateur import Engine

MODEL, DAY_MS = "claude-opus-4-5", 86_400_000
RESULTS = 60


def count_operations(work: Callable[[], Any]) -> Counter[str]:
    """Calls by name; those of functions in Python under "python"."""
    found = Counter[str]()

    def note(frame: Any, event: str, called: Any) -> None:
        if event in ("call", "c_call"):
            found["python" if event == "call" else getattr(called, "__qualname__", "")] += 1

    with profiled(note):
        work()
    return found


def error_log(result: int, line: int) -> str:
    told = f"request {line * 2_654_435_761 % (1 << 32):08x} of bed {result} failed: no shears"
    return f'12:00:{line % 60:02} ERROR "worker-{line % 7}": ✗ {told}\n'


def build_log(result: int, line: int) -> str:
    return f"[{line}] compiled src/rose_{result}_{line * 31}.ts in {line % 90} ms\n"


def source(result: int, line: int) -> str:
    return f"    rose_{result}_{line} = prune(bed[{line * 7}], keep='{line % 13}')\n"


def one_line(result: int, line: int) -> str:
    return f"✗ error: E{line} of bed {result} failed in src/bed{line % 99}.py, "


Kind = Callable[[int, int], str]
KINDS = (error_log, build_log, source, one_line)


def request(kind: Kind, lines: int) -> bytes:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "mend the gate"}]
    for number in range(RESULTS):
        call = {"type": "tool_use", "id": f"c{number}", "name": "Bash", "input": {"command": f"sh step{number}.sh"}}
        text = "".join(kind(number, line) for line in range(lines))
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": text}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return json.dumps({"model": MODEL, "max_tokens": 9, "messages": messages}).encode()


def operations(policy: str, kind: Kind, lines: int) -> Counter[str]:
    body = request(kind, lines)
    return count_operations(lambda: Engine(policy, compact=False).fit(body, now_ms=DAY_MS))


@pytest.mark.parametrize("policy", ["observe", "kilocode", "opencode"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_result_is_decoded_and_hashed_once_however_long_it_is(kind: Kind, policy: str) -> None:
    operations(policy, kind, 10)  # what is made once in a process
    short, long = operations(policy, kind, 30), operations(policy, kind, 240)
    messages = 2 * RESULTS + 1
    assert long.total() <= 1.15 * short.total()
    assert long["Decoder.decode"] <= messages + 40
    assert long["blake2b.hexdigest"] <= messages + 40


@pytest.mark.parametrize("kind", KINDS)
def test_a_line_is_looked_at_a_bounded_number_of_times(kind: Kind) -> None:
    operations("balance", kind, 10)
    short, long = operations("balance", kind, 60), operations("balance", kind, 240)
    patterns = sum(times for name, times in long.items() if name.startswith("Pattern."))
    lines = RESULTS * 240
    assert patterns <= 4 * lines
    assert long.total() - short.total() <= 60 * (lines - RESULTS * 60)
