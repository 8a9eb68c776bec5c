"""Dense sessions, made up: 26 results of ten sorts in 120,000 to 190,000 tokens, with facts planted where they fit.

Rule: `SHARES` says what part of the tokens each kind has, and `FACTS` what is planted; both were fixed before any
policy was tuned by them. A fact is a name or a number like its neighbors, told only by its single
occurrence. The same seed gives the same session. Nothing in it is recorded.
"""

import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from msgspec import Struct

from secateur.simulate.requests import Recording, read_recording
from secateur.tokens import get_model_counter

SHARES = {
    "source": 0.25, "logs": 0.25, "json": 0.15, "search": 0.10, "diffs": 0.10, "documents": 0.10, "other": 0.05
}  # fmt: skip
RESULTS = {"source": 6, "logs": 7, "json": 4, "search": 3, "diffs": 2, "documents": 2, "other": 2}
FACTS = {
    "constant": 4, "function": 4, "failed": 3, "logged": 4, "row": 4, "hit": 3, "changed": 4, "sentence": 4,
    "version": 3, "path": 3,
}  # fmt: skip
LEAST, MOST = 120_000, 190_000  # tokens
MODEL = "claude-opus-4-5"
_VERBS = [
    "load",
    "merge",
    "settle",
    "close",
    "check",
    "post",
    "round",
    "split",
    "export",
    "void",
    "match",
    "sum",
    "queue",
    "drain",
    "renew",
    "lock",
    "plan",
    "scan",
    "rank",
    "trim",
    "seal",
    "audit",
    "quote",
    "route",
    "pack",
]
_NOUNS = [
    "invoice",
    "ledger",
    "account",
    "payment",
    "refund",
    "tax",
    "customer",
    "order",
    "batch",
    "shipment",
    "tariff",
    "coupon",
    "voucher",
    "region",
    "carrier",
    "depot",
    "manifest",
    "parcel",
    "pallet",
    "courier",
    "rebate",
    "deposit",
    "margin",
    "contract",
]
_HOW = [
    "twice",
    "empty",
    "late",
    "foreign",
    "partial",
    "negative",
    "archived",
    "locked",
    "shared",
    "unknown",
    "daily",
    "stale",
    "early",
    "pending",
    "manual",
    "split",
    "remote",
    "cached",
    "nested",
    "signed",
]
_ROOMS = [
    "billing",
    "core",
    "api",
    "store",
    "jobs",
    "forms",
    "pages",
    "reports",
    "intake",
    "dispatch",
    "pricing",
    "search",
]
_PEOPLE = ["ada.lindqvist", "noor.haddad", "eve.okafor", "jan.peeters", "mei.tanaka", "raul.ibarra"]
_SYLLABLES = ["ba", "co", "du", "fe", "gi", "ho", "ka", "lo", "mu", "ne", "pi", "ra", "so", "ti", "vu", "za"]
_COUNT = get_model_counter("estimate", MODEL)


class Fact(Struct, frozen=True):
    """What was planted, and the call of the result that it is in."""

    kind: str
    word: str
    call: str


class Result(Struct, frozen=True):
    """A call, and what it printed."""

    tool: str
    arguments: dict[str, Any]
    text: str


def build_session(seed: int) -> tuple[Recording, tuple[Fact, ...]]:
    """The session of a seed, as if it had been recorded, and the facts in it."""
    random = Random(f"dense {seed}")
    total = random.randrange(LEAST, MOST)
    facts: list[Fact] = []
    messages: list[dict[str, Any]] = [{"role": "user", "content": _TASK}]
    for number, (kind, place) in enumerate(_shuffle_results(random)):
        id = f"toolu_{seed:02}{number:04}"
        words = _plant(random, kind, place)
        made = _MAKERS[kind](random, round(total * SHARES[kind] / RESULTS[kind]), place, [word for _, word in words])
        facts += [Fact(fact, word, id) for fact, word in words]
        said = {"type": "text", "text": f"Next: the {random.choice(_NOUNS)} {kind} of {random.choice(_ROOMS)}."}
        call = {"type": "tool_use", "id": id, "name": made.tool, "input": made.arguments}
        result = {"type": "tool_result", "tool_use_id": id, "content": made.text}
        messages += [{"role": "assistant", "content": [said, call]}, {"role": "user", "content": [result]}]
    messages.append({"role": "assistant", "content": [{"type": "text", "text": "The settlement is mended."}]})
    body = json.dumps({"model": MODEL, "system": "You are a coding agent.", "messages": messages}).encode()
    assert all(body.count(fact.word.encode()) == 1 for fact in facts), "a fact is to occur once"
    return read_recording(body, compactions=False), tuple(facts)


_TASK = "Settlement rounds wrongly since the move to the new carriers. Find out why, and mend it without new tables."
_HOMES = {  # kind of fact: kind of result, and which of them
    "constant": ("source", (0, 2, 3, 5)), "function": ("source", (0, 1, 2, 4)), "failed": ("logs", (0, 1, 2)),
    "logged": ("logs", (3, 3, 4, 4)), "row": ("json", (0, 1, 2, 3)), "hit": ("search", (0, 1, 2)),
    "changed": ("diffs", (0, 0, 1, 1)), "sentence": ("documents", (0, 0, 1, 1)), "version": ("logs", (5, 5, 6)),
    "path": ("other", (0, 1, 1)),
}  # fmt: skip


def _shuffle_results(random: Random) -> list[tuple[str, int]]:
    found = [(kind, place) for kind, count in RESULTS.items() for place in range(count)]
    random.shuffle(found)
    return found


def _plant(random: Random, kind: str, place: int) -> list[tuple[str, str]]:
    """The facts of one result: kind and word."""
    found = [(fact, place) for fact, (home, places) in _HOMES.items() if home == kind for one in places if one == place]
    return [(fact, _WORDS[fact](random)) for fact, _ in found]


def _coin(random: Random) -> str:
    return "".join(random.choice(_SYLLABLES) for _ in range(4))


def _name(random: Random) -> str:
    return f"{random.choice(_VERBS)}_{random.choice(_NOUNS)}_{random.choice(_HOW)}"


def _file(random: Random, end: str = ".py") -> str:
    return f"src/{random.choice(_ROOMS)}/{random.choice(_NOUNS)}_{random.choice(_VERBS)}{end}"


def _hex(random: Random, digits: int) -> str:
    return f"{random.randrange(16**digits):0{digits}x}"


_WORDS: dict[str, Callable[[Random], str]] = {
    "constant": lambda random: f"{random.randrange(10**7, 10**8)}",
    "function": lambda random: f"{random.choice(_VERBS)}_{_coin(random)}_{random.choice(_HOW)}",
    "failed": lambda random: f"test_{_coin(random)}_{random.choice(_HOW)}",
    "logged": lambda random: _hex(random, 12),
    "row": lambda random: f"{random.choice(_VERBS)}-{_coin(random)}",
    "hit": lambda random: f"{random.choice(_NOUNS)}_{_coin(random)}",
    "changed": lambda random: f"{random.choice(_NOUNS)}_{_coin(random)}",
    "sentence": lambda random: f"{_coin(random).title()}",
    "version": lambda random: f"{random.randrange(3, 9)}.{random.randrange(40, 99)}.{random.randrange(100, 999)}",
    "path": lambda random: f"{random.choice(_NOUNS)}_{_coin(random)}",
}


def _fill(blocks: Iterator[list[str]], tokens: int, special: list[list[str]], random: Random) -> list[str]:
    """Blocks of lines up to so many tokens, with the special ones spread over their middle."""
    made: list[list[str]] = []
    left = tokens - sum(_COUNT("\n".join(block)) for block in special)
    while left > 0:
        made.append(next(blocks))
        left -= _COUNT("\n".join(made[-1]))
    for block in special:
        made.insert(random.randrange(len(made) // 5, max(len(made) // 5 + 1, 4 * len(made) // 5)), block)
    return [line for block in made for line in block]


def _source(random: Random, tokens: int, place: int, words: list[str]) -> Result:
    def blocks() -> Iterator[list[str]]:
        while True:
            yield _write_function(random, _name(random))

    special = [
        ["", f"{random.choice(_NOUNS).upper()}_{random.choice(_HOW).upper()}_LIMIT = {word}"]
        if word.isdigit() else _write_function(random, word) for word in words
    ]  # fmt: skip
    head = ["import decimal", f"from {random.choice(_ROOMS)} import {random.choice(_NOUNS)}s", ""]
    lines = [*head, *_fill(blocks(), tokens * 3 // 4 if place % 2 else tokens, special, random)]
    file = _file(random)
    if place % 2 == 0:
        return Result("Bash", {"command": f"cat {file}"}, "\n".join(lines))
    text = "\n".join(f"{number:6}\t{line}" for number, line in enumerate(lines, 1))
    return Result("Read", {"file_path": f"/home/dev/ledger/{file}"}, text)


def _write_function(random: Random, name: str) -> list[str]:
    thing, other = random.choice(_NOUNS), random.choice(_NOUNS)
    lines = ["", "", f"def {name}({thing}, {random.choice(_HOW)}=None):"]
    lines.append(f'    """{random.choice(_VERBS).title()} the {thing} of a {random.choice(_HOW)} {other}."""')
    for _ in range(random.randrange(3, 12)):
        call = f"{_name(random)}({thing}.{random.choice(_HOW)}, {random.randrange(500)})"
        lines += random.choice((
            [f"    {random.choice(_NOUNS)} = {call}"],
            [f"    if {thing}.{random.choice(_HOW)} > {random.randrange(900)}:", f"        return {call}"],
            [f"    for one in {thing}.{random.choice(_NOUNS)}s:", f"        {other}.append({call})"],
            [f"    # {random.choice(_NOUNS)}s that are {random.choice(_HOW)} are {random.choice(_VERBS)}ed elsewhere"],
            ["    try:", f"        {other} = {call}", f"    except {thing.title()}Error:", "        raise"],
        ))  # fmt: skip
    return [*lines, f"    return {other}"]


def _logs(random: Random, tokens: int, place: int, words: list[str]) -> Result:
    return (_tests if place < 3 else _service if place < 5 else _install)(random, tokens, words)


def _tests(random: Random, tokens: int, words: list[str]) -> Result:
    def blocks() -> Iterator[list[str]]:
        while True:
            yield [f"tests/test_{random.choice(_ROOMS)}.py::test_{_name(random)} PASSED"]

    failed = [f"tests/test_{random.choice(_ROOMS)}.py::{word}" for word in words]
    failed.append(f"tests/test_{random.choice(_ROOMS)}.py::test_{_name(random)}")
    lines = _fill(blocks(), tokens, [[f"tests/test_{random.choice(_ROOMS)}.py::test_{_name(random)} FAILED"]], random)
    lines += ["", "=================================== FAILURES ==================================="]
    for name in failed:
        wrong = random.randrange(100, 9_000)
        lines += [
            f"____ {name.partition('::')[2]} ____", "", f">       assert settle({wrong}) == {wrong + 1}",
            f"E       assert {wrong} == {wrong + 1}", f"{name.partition('::')[0]}:{random.randrange(20, 400)}",
        ]  # fmt: skip
    lines.append(f"========== {len(failed)} failed, {len(lines)} passed in {random.uniform(9, 60):.2f}s ==========")
    return Result("Bash", {"command": "python -m pytest -v tests"}, "\n".join(lines))


def _service(random: Random, tokens: int, words: list[str]) -> Result:
    second = random.randrange(9_000)

    def line(id: str) -> list[str]:
        nonlocal second
        second += random.randrange(3)
        time = (
            f"2026-03-04T{8 + second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}.{random.randrange(1000):03}Z"
        )
        said = random.choice((
            f"request {id} GET /v2/{random.choice(_NOUNS)}s/{random.randrange(99_999)} 200 {random.randrange(900)}ms",
            f"request {id} settled {random.choice(_NOUNS)} {random.randrange(99_999)} in {random.choice(_ROOMS)}",
            f"request {id} queued for {random.choice(_ROOMS)} after {random.randrange(2, 40)} others",
        ))  # fmt: skip
        level = "WARN" if random.random() < 0.01 else "INFO"
        return [f"{time} {level} [{random.choice(_ROOMS)}] {said}"]

    def blocks() -> Iterator[list[str]]:
        while True:
            yield line(_hex(random, 12))

    special = [line(word) for word in words]
    second = 0
    lines = _fill(blocks(), tokens, special, random)
    return Result("Bash", {"command": "kubectl logs deploy/settlement --tail=2000"}, "\n".join(lines))


def _install(random: Random, tokens: int, words: list[str]) -> Result:
    def package(version: str) -> list[str]:
        name = f"{random.choice(_NOUNS)}-{random.choice(_VERBS)}-{random.choice(_HOW)}"
        size = f"{random.randrange(9, 900)} kB"
        return [
            f"Collecting {name}=={version}",
            f"  Downloading {name}-{version}-py3-none-any.whl.metadata (4.{len(name)} kB)",
            f"Requirement already satisfied: {random.choice(_NOUNS)}>=2 in ./.venv (from {name}) ({size})",
        ]  # fmt: skip

    def blocks() -> Iterator[list[str]]:
        while True:
            yield package(f"{random.randrange(3)}.{random.randrange(30)}.{random.randrange(30)}")

    pinned = [f"Requirement already satisfied: {random.choice(_NOUNS)}-core=={word} in ./.venv" for word in words]
    lines = _fill(blocks(), tokens, [[one] for one in pinned], random)
    return Result("Bash", {"command": "pip install -r requirements.txt"}, "\n".join([*lines, "Successfully installed"]))


def _json(random: Random, tokens: int, place: int, words: list[str]) -> Result:
    rows: list[dict[str, Any]] = []
    left = tokens
    while left > 0:
        rows.append({
            "id": 10_000 + len(rows), "reference": f"{random.choice(_VERBS)}-{random.choice(_NOUNS)}",
            "state": random.choice(("active", "active", "active", "held")), "cents": random.randrange(10**6),
            "carrier": {"code": random.choice(_ROOMS), "depot": random.choice(_NOUNS)}, "owner": random.choice(_PEOPLE),
            "updated": f"2026-0{random.randrange(1, 4)}-{random.randrange(10, 28)}T{random.randrange(10, 24)}:00:00Z",
        })  # fmt: skip
        left -= _COUNT(json.dumps(rows[-1], indent=1 if place % 2 else None))
    for word in words:
        rows[random.randrange(len(rows) // 5, 4 * len(rows) // 5)]["reference"] = word
    text = json.dumps(rows, indent=1 if place % 2 else None)
    command = (
        "cat fixtures/accounts.json" if place == 3 else f"curl -s localhost:8080/v2/{random.choice(_NOUNS)}s?all=1"
    )
    return Result("Bash", {"command": command}, text)


def _search(random: Random, tokens: int, place: int, words: list[str]) -> Result:
    verb = random.choice(_VERBS)

    def hits(file: str, count: int) -> list[str]:
        return [
            f"{file}:{at}:    {random.choice(('return', 'total =', 'assert', 'yield'))} {verb}_{random.choice(_NOUNS)}"
            f"({random.choice(_NOUNS)}, {random.choice(_HOW)}={random.randrange(100)})"
            for at in sorted(random.sample(range(1, 900), count))
        ]

    def blocks() -> Iterator[list[str]]:
        while True:
            yield hits(_file(random), random.randrange(2, 9))

    special = [hits(f"src/{random.choice(_ROOMS)}/{word}.py", 1) for word in words]
    lines = _fill(blocks(), tokens, special, random)
    return Result("Bash", {"command": f"grep -rn {verb}_ src"}, "\n".join(lines))


def _diffs(random: Random, tokens: int, place: int, words: list[str]) -> Result:
    def hunk(name: str) -> list[str]:
        at, thing = random.randrange(1, 900), random.choice(_NOUNS)
        call = f"{_name(random)}({thing}.{random.choice(_HOW)}, {random.randrange(500)})"
        return [
            f"@@ -{at},6 +{at},7 @@ def {_name(random)}({thing}):", f"     {random.choice(_NOUNS)} = {call}",
            f"     if {thing}.{random.choice(_HOW)}:", f"-        return {_name(random)}({thing})",
            f"+        {name} = {_name(random)}({thing}, {random.randrange(90)})",
            f"+        return {random.choice(_NOUNS)}", f"     return {thing}", "",
        ]  # fmt: skip

    def blocks() -> Iterator[list[str]]:
        while True:
            file = _file(random)
            head = [f"diff --git a/{file} b/{file}", f"index {_hex(random, 7)}..{_hex(random, 7)} 100644"]
            hunks = [hunk(random.choice(_NOUNS)) for _ in range(random.randrange(1, 4))]
            yield [*head, f"--- a/{file}", f"+++ b/{file}", *(line for one in hunks for line in one)]

    lines = _fill(blocks(), tokens, [hunk(word) for word in words], random)
    return Result("Bash", {"command": "git diff HEAD~3"}, "\n".join(lines))


def _documents(random: Random, tokens: int, place: int, words: list[str]) -> Result:
    def sentence(name: str) -> str:
        return random.choice((
            f"By now {name} has the {random.choice(_HOW)} {random.choice(_NOUNS)}s of {random.choice(_ROOMS)}.",
            f"A {random.choice(_NOUNS)} that is {random.choice(_HOW)} goes to {name} in {random.randrange(90)} days.",
            f"Ask {name} before a {random.choice(_NOUNS)} is {random.choice(_VERBS)}ed by {random.choice(_ROOMS)}.",
            f"The {random.choice(_NOUNS)} of {name} may be {random.choice(_HOW)}, so {random.choice(_ROOMS)} waits.",
        ))  # fmt: skip

    def blocks() -> Iterator[list[str]]:
        while True:
            said = [sentence(random.choice(_ROOMS).title()) for _ in range(random.randrange(3, 7))]
            if random.random() < 0.2:
                yield [f"## {random.choice(_VERBS).title()} a {random.choice(_HOW)} {random.choice(_NOUNS)}", ""]
            yield [" ".join(said), ""]

    lines = _fill(blocks(), tokens, [[sentence(word), ""] for word in words], random)
    return Result("Read", {"file_path": f"docs/{random.choice(_ROOMS)}.md"}, "\n".join(lines))


def _other(random: Random, tokens: int, place: int, words: list[str]) -> Result:
    def entry(name: str) -> list[str]:
        day = f"Mar {random.randrange(1, 29):2} 10:{random.randrange(60):02}"
        return [f"-rw-r--r-- 1 dev dev {random.randrange(99_999):6} {day} {name}"]

    def blocks() -> Iterator[list[str]]:
        while True:
            yield entry(_file(random).rpartition("/")[2])

    lines = _fill(blocks(), tokens, [entry(f"{word}.py") for word in words], random)
    return Result("Bash", {"command": f"ls -la src/{random.choice(_ROOMS)}"}, "\n".join(lines))


_MAKERS: dict[str, Callable[[Random, int, int, list[str]], Result]] = {
    "source": _source, "logs": _logs, "json": _json, "search": _search, "diffs": _diffs, "documents": _documents,
    "other": _other,
}  # fmt: skip
