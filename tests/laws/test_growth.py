"""Work grows no faster than what there is to do: twice the history, twice the calls at once, at most so many steps.

Steps are counted, not timed: function calls of Python, and those into its built-in ones.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest

from profiling import profiled
from secateur import Engine
from secateur.errors import StillTooLong
from secateur.model import Message, Part
from secateur.toolcalls.actions import pair_calls
from secateur.toolcalls.task_terms import find_call_of_result

MODEL = "claude-opus-4-5"
MOST = 2.3  # times as many steps for twice as much


def steps(work: Callable[[], Any]) -> int:
    calls = 0

    def note(frame: Any, event: str, arg: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    with profiled(note):
        work()
    return calls


def printed(salt: str, number: int) -> str:
    lines = [f"{salt} {number}: cut rose {number * 7 + n} of bed {n} in beds{n % 5}.py" for n in range(45)]
    return "\n".join([*lines, f"error: {number} shears are missing" if number % 9 == 0 else "done"])


def rounds(count: int, salt: str, every: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{"role": "user", "content": f"mend the gate {salt}"}]
    for n in range(count):
        call = {"type": "tool_use", "id": f"c{n}", "name": "Bash", "input": {"command": f"sh step{n}.sh"}}
        result = {"type": "tool_result", "tool_use_id": f"c{n}", "content": printed(salt, n)}
        found += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
        if every and n % every == every - 1:
            found += [{"role": "assistant", "content": "done"}, {"role": "user", "content": f"go on {n}"}]
    return found


def long(size: int, salt: str) -> bytes:
    return json.dumps({"model": MODEL, "max_tokens": 1, "messages": rounds(size, salt, 20)}).encode()


def alone(size: int, salt: str) -> bytes:
    """The user spoke once."""
    return json.dumps({"model": MODEL, "max_tokens": 1, "messages": rounds(size, salt, 0)}).encode()


def at_once(size: int, salt: str) -> bytes:
    """All calls in one message, and all results in one."""
    told = rounds(size, salt, 0)
    calls, results = ([one["content"][0] for one in told[first::2]] for first in (1, 2))
    messages = [told[0], {"role": "assistant", "content": calls}, {"role": "user", "content": results}]
    behind = rounds(24, f"behind {salt}", 4)[1:]
    return json.dumps({"model": MODEL, "max_tokens": 1, "messages": [*messages, *behind]}).encode()


def side_by_side(size: int, salt: str) -> bytes:
    """All calls in one message, each result in one of its own."""
    calls, messages = [], []
    for n in range(size):
        given = json.dumps({"command": f"sh step{n}.sh"})
        calls.append({"id": f"c{n}", "type": "function", "function": {"name": "Bash", "arguments": given}})
        messages.append({"role": "tool", "tool_call_id": f"c{n}", "content": printed(salt, n)})
    first = [{"role": "user", "content": salt}, {"role": "assistant", "content": None, "tool_calls": calls}]
    behind = [{"role": ("assistant", "user")[n % 2], "content": f"{n}"} for n in range(6)]
    return json.dumps({"model": "gpt-5.2", "messages": [*first, *messages, *behind]}).encode()


def fitted(policy: str, data: bytes, compact: bool) -> None:
    window = 20_000 + len(data) // 12 if compact else None
    try:
        Engine(policy, MODEL, window=window, compact=compact).fit(data, now_ms=86_400_000)
    except StillTooLong:
        assert compact


@pytest.mark.parametrize(
    ("policy", "compact"),
    [
        ("balance", False),
        ("digests", True),
        ("kilocode", True),
        ("opencode", False),
    ],
)
@pytest.mark.parametrize("made", [long, alone, at_once, side_by_side])
def test_twice_as_much_takes_twice_as_many_steps(made: Callable[[int, str], bytes], policy: str, compact: bool) -> None:
    kind = f"{made.__name__} {policy} {compact}"
    fitted(policy, made(400, f"{kind} first"), compact)  # what is made once in a process: also what a word is
    one, two = (made(size, f"{kind} {size}") for size in (200, 400))
    assert steps(lambda: fitted(policy, two, compact)) <= MOST * steps(lambda: fitted(policy, one, compact))


def test_a_call_is_found_among_thousands_without_a_walk_for_each_result() -> None:
    calls = tuple(Part("tool_call", (), f"{n}", "Bash", f"c{n}") for n in range(3_000))
    results = [Message("tool", (), (Part("tool_result", (), f"{n}", "Bash", f"c{n}"),)) for n in range(3_000)]
    messages = (Message("assistant", (), calls), *results)
    looked = [*range(1, 3_001), *range(3_000, 0, -1)]
    found: list[Part | None] = []
    taken = steps(lambda: found.extend(find_call_of_result(messages, n, messages[n].parts[0]) for n in looked))
    assert [part and part.call_id for part in found] == [f"c{n - 1}" for n in looked]
    assert taken < 20 * len(looked)
    assert [(call.call_id, result and result.text) for call, result in pair_calls(messages)] == [
        (f"c{n}", f"{n}") for n in range(3_000)
    ]
