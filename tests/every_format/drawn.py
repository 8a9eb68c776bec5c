"""Conversations drawn by Hypothesis: outputs of the kinds that policies tell apart, and calls that are made again."""

import json

from hypothesis import strategies as st

from every_format.said import Step, Turn

LOG = "\n".join(
    f"2026-01-02 03:04:{n % 60:02} INFO worker-{n % 7} handled request {n * 7919} in {n} ms" for n in range(90)
)
SOURCE = "\n".join(
    f"def function_{n}(argument):\n    '''What number {n} is for.'''\n    return argument * {n}\n" for n in range(40)
)
FAILED = "collected 12 items\n" + "tests/test_a.py F.F\n" * 60 + "E   AssertionError: 3 != 4\n2 failed, 10 passed\n"
PASSED = "collected 12 items\n" + "tests/test_a.py ....\n" * 60 + "12 passed in 0.31s\n"
FOUND = "\n".join(f"src/module_{n % 9}.py:{n}:    return value_{n}" for n in range(80))
TABLE = json.dumps([{"id": n, "name": f"row {n}", "state": "ok"} for n in range(60)])
QUOTING = (
    "How a placeholder looks:\n[secateur: characters 1-20 of 30 left out]\n[secateur: lines 1-9 of 12 left out]\n"
    '[secateur: bash "ls" gave 900 chars, 9 lines; removed, call again if needed]\n' + "a line of the page\n" * 70
)
OUTPUT = st.sampled_from(
    [LOG, SOURCE, FAILED, PASSED, FOUND, TABLE, QUOTING, "ok", "", "x" * 4_000, "é\U0001f600\n" * 900]
)
PATH = st.sampled_from(["src/a.py", "src/b.py", "README.md"])


@st.composite
def step(draw: st.DrawFn) -> Step:
    """A read, a write, a command or a search, and any output."""
    kind = draw(st.sampled_from(["read", "write", "bash", "bash", "grep", "skill"]))
    given = {
        "read": {"file_path": draw(PATH)},
        "write": {"file_path": draw(PATH), "content": "line of text\n" * draw(st.sampled_from([1, 60, 90]))},
        "bash": {"command": draw(st.sampled_from(["pytest -q", "ls -la", "make build", "cat src/a.py"]))},
        "grep": {"pattern": "return", "path": "src"},
        "skill": {"name": "review"},
    }[kind]
    return Step(kind, json.dumps(given), draw(OUTPUT), draw(st.integers(0, 5)) == 0)


TURN = st.builds(Turn, st.just("please go on"), st.lists(step(), min_size=1, max_size=6).map(tuple))
TURNS = st.lists(TURN, min_size=3, max_size=6)
