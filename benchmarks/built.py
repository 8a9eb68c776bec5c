"""A session made up: an agent that tests, builds, searches, reads source and asks an API, 25 requests long.

Rule: the outputs have the shapes of real ones, and their share of a long session that compresses well: four logs of
tests, four of builds, five searches, six listings of source, four answers in JSON, two lists of files. Nothing in it is
recorded. The same session each time.
"""

import json
from collections.abc import Callable
from random import Random
from typing import Any

from secateur.simulate.requests import Recording, read_recording

_THINGS = ("invoice", "ledger", "account", "payment", "refund", "tax", "customer", "order", "quote", "shipment")
_DEEDS = ("load", "merge", "settle", "close", "check", "post", "round", "split", "export", "void", "match", "sum")
_HOW = ("twice", "empty", "late", "foreign", "partial", "negative", "archived", "locked", "shared", "unknown")
_PLACES = ("billing", "core", "api", "store", "jobs", "web/forms", "web/pages", "reports")


def built() -> Recording:
    """The session as it was recorded, had it been."""
    random = Random(11)
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "The nightly settlement rounds wrongly since the move. Find out why and mend it."}
    ]
    kinds = ["tests"] * 4 + ["build"] * 4 + ["search"] * 5 + ["source"] * 6 + ["data"] * 4 + ["files"] * 2
    random.shuffle(kinds)
    for number, kind in enumerate(kinds):
        tool, given, text = _MADE[kind](random)
        call = {"type": "tool_use", "id": f"toolu_{number:04}", "name": tool, "input": given}
        said = {"type": "text", "text": f"Next I look at the {kind} of {random.choice(_PLACES)}."}
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": text}
        messages += [{"role": "assistant", "content": [said, call]}, {"role": "user", "content": [result]}]
    messages.append({"role": "assistant", "content": [{"type": "text", "text": "The rounding is mended."}]})
    body = {"model": "claude-opus-4-5", "system": "You are a coding agent.", "messages": messages}
    return read_recording(json.dumps(body).encode(), compactions=False)


def _name(random: Random) -> str:
    return f"{random.choice(_DEEDS)}_{random.choice(_THINGS)}_{random.choice(_HOW)}"


def _file(random: Random) -> str:
    return f"src/{random.choice(_PLACES)}/{random.choice(_THINGS)}_{random.choice(_DEEDS)}.py"


def _tests(random: Random) -> tuple[str, dict[str, Any], str]:
    count = 300
    bad = sorted(random.sample(range(count), 3))
    lines = [
        "============================= test session starts ==============================",
        "collected 300 items",
        "",
    ]
    names = [f"tests/test_{random.choice(_THINGS)}.py::test_{_name(random)}" for _ in range(count)]
    for number, name in enumerate(names):
        lines.append(f"{name} {'FAILED' if number in bad else 'PASSED'} [{100 * (number + 1) // count:3}%]")
    lines.append("=================================== FAILURES ===================================")
    for number in bad:
        wrong = random.randrange(100, 9_000)
        lines += [
            f"____ {names[number].split('::')[1]} ____", "", "    def check():", f"        made = settle({wrong})",
            f">       assert made == {wrong + 1}", f"E       AssertionError: assert {wrong} == {wrong + 1}",
            f"{names[number].split('::')[0]}:{random.randrange(20, 400)}: AssertionError",
        ]  # fmt: skip
    lines.append(f"================== 3 failed, {count - 3} passed in {random.uniform(9, 60):.2f}s ==================")
    return "Bash", {"command": f"python -m pytest -v tests/{random.choice(_THINGS)}"}, "\n".join(lines)


def _build(random: Random) -> tuple[str, dict[str, Any], str]:
    second = random.randrange(3_000)
    lines = ["> ledger@4.2.0 build", "> node scripts/build.mjs --all", ""]
    for number in range(150):
        second += random.randrange(3)
        time = f"2026-03-04T10:{second // 60 % 60:02}:{second % 60:02}.{random.randrange(1_000):03}Z"
        said = random.choice((
            f"compiled {_file(random)} in {random.randrange(4, 900)} ms",
            f"wrote dist/{random.choice(_THINGS)}-{random.randrange(16**8):08x}.js ({random.randrange(90_000)} bytes)",
            f"cache hit for {random.choice(_PLACES)} ({random.randrange(16**12):012x})",
        ))  # fmt: skip
        level = "WARN" if number % 97 == 40 else "INFO"
        lines.append(f"{time} {level} [{random.choice(_PLACES)}] {said}")
    lines.append(f"done in {random.uniform(20, 90):.1f}s")
    return "Bash", {"command": f"npm run build -w packages/{_name(random)}"}, "\n".join(lines)


def _search(random: Random) -> tuple[str, dict[str, Any], str]:
    word = random.choice(_DEEDS)
    files = sorted({_file(random) for _ in range(36)})
    lines = [
        f"{file}:{at}:    {random.choice(('return', 'total =', 'assert', 'yield'))} {word}_{random.choice(_THINGS)}"
        f"({random.choice(_THINGS)}, {random.choice(_HOW)}={random.randrange(100)})"
        for file in files
        for at in sorted(random.sample(range(1, 900), random.randrange(2, 9)))
    ]
    return "Bash", {"command": f"grep -rn {word}_ src"}, "\n".join(lines)


def _source(random: Random) -> tuple[str, dict[str, Any], str]:
    lines = ["import decimal", f"from {random.choice(_PLACES)[:4]} import names", ""]
    while len(lines) < 250:
        thing = random.choice(_THINGS)
        lines += ["", f"def {_name(random)}({thing}, {random.choice(_HOW)}=None):", f'    """The {thing} of a day."""']
        for _ in range(random.randrange(3, 14)):
            call = f"{_name(random)}({thing}.{random.choice(_HOW)}, {random.randrange(50)})"
            lines.append(random.choice((
                f"    {random.choice(_THINGS)} = {call}",
                f"    if {thing}.{random.choice(_HOW)} > {random.randrange(90)}:\n        return {call}",
                f"    for one in {thing}.{random.choice(_THINGS)}s:\n        {call}",
            )))  # fmt: skip
        lines.append(f"    return {thing}")
    text = "\n".join(lines).split("\n")
    numbered = "\n".join(f"{number:6}\t{line}" for number, line in enumerate(text, 1))
    return "Read", {"file_path": f"/home/dev/ledger/{_file(random)}"}, numbered


def _data(random: Random) -> tuple[str, dict[str, Any], str]:
    rows = [
        {
            "id": 10_000 + number,
            "name": _name(random),
            "state": "active",
            "cents": random.randrange(10**6),
            "owner": f"{random.choice(_THINGS)}@example.org",
            "updated": f"2026-0{random.randrange(1, 4)}-{random.randrange(10, 28)}",
        }
        for number in range(80)
    ]
    return "Bash", {"command": "curl -s localhost:8080/accounts?all=1"}, json.dumps(rows, indent=1)


def _files(random: Random) -> tuple[str, dict[str, Any], str]:
    found = sorted({f"{_file(random)[:-3]}_{random.choice(_HOW)}.py" for _ in range(200)})
    return "Bash", {"command": "find src -name '*.py'"}, "\n".join(found)


_MADE: dict[str, Callable[[Random], tuple[str, dict[str, Any], str]]] = {
    "tests": _tests,
    "build": _build,
    "search": _search,
    "source": _source,
    "data": _data,
    "files": _files,
}
