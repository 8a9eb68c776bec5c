"""Bulk for the cases: fields of a line, and blocks of source, diffs, prose and JSON. The same for the same seed."""

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

_THINGS = ("invoice", "ledger", "account", "payment", "refund", "tax", "customer", "order", "quote", "shipment")
_DEEDS = ("load", "merge", "settle", "close", "check", "post", "round", "split", "export", "void", "match", "sum")
_HOW = ("twice", "empty", "late", "foreign", "partial", "negative", "archived", "locked", "shared", "unknown")
_PLACES = ("billing", "core", "api", "store", "jobs", "web/forms", "web/pages", "reports")
_SAID = (
    "the a of when each before after value request window driver reads writes keeps returns index cache field option "
    "server client default limit retry table column message buffer thread signal folder record header version state"
)
_WORDS = _SAID.split()
_FIELD = re.compile(r"\{(\w+)\}")


class Fields:
    """Fills the fields of a line. The clock goes on with every time that is asked for."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self._number, self._count = 1, 1
        self._ms = random.randrange(3_600_000, 60_000_000)

    def place(self, number: int, count: int) -> None:
        """Which line of how many comes next."""
        self._number, self._count = number, count

    def fill(self, line: str) -> str:
        """The line with its fields filled in; other braces stay."""
        return _FIELD.sub(lambda field: self._value(field[1]) or field[0], line)

    def sentence(self) -> str:
        said = " ".join(self.random.choices(_WORDS, k=self.random.randrange(7, 14)))
        return f"{said.capitalize()}."

    def name(self) -> str:
        return "_".join(map(self.random.choice, (_DEEDS, _THINGS, _HOW)))

    def _value(self, field: str) -> str:
        random = self.random
        if field.startswith("hex"):
            return f"{random.getrandbits(4 * int(field[3:])):0{field[3:]}x}"
        made = {
            "i": lambda: str(self._number),
            "count": lambda: str(self._count),
            "pct": lambda: str(100 * self._number // self._count),
            "n": lambda: str(random.randrange(1, 1_000)),
            "nn": lambda: str(random.randrange(1_000, 100_000)),
            "f": lambda: f"{random.uniform(0.01, 9):.2f}",
            "word": lambda: random.choice(_WORDS),
            "thing": lambda: random.choice(_THINGS),
            "place": lambda: random.choice(_PLACES),
            "name": self.name,
            "path": lambda: f"src/{random.choice(_PLACES)}/{random.choice(_THINGS)}_{random.choice(_DEEDS)}.py",
            "test": lambda: f"tests/test_{random.choice(_THINGS)}_{random.choice(_DEEDS)}.py",
            "Class": lambda: f"{random.choice(_DEEDS)}{random.choice(_THINGS)}".title(),
            "pkg": lambda: f"{random.choice(_THINGS)}-{random.choice(_DEEDS)}-{random.choice(_HOW)}",
            "ver": lambda: f"{random.randrange(9)}.{random.randrange(30)}.{random.randrange(20)}",
            "ip": lambda: f"10.{random.randrange(9)}.{random.randrange(250)}.{random.randrange(250)}",
            "sentence": self.sentence,
            "time": self._time,
            "code": lambda: f"{random.choice(_THINGS)} = {self.name()}({random.choice(_HOW)}, {random.randrange(99)})",
            "bars": lambda: _draw("{pct}%|{hex4}    | {i}/200 [00:{pct}<01:00,  {f}it/s]", self),
            "objects": lambda: _draw("remote: Counting objects: {pct}% ({nn}/99412)", self),
            "pulls": lambda: _draw("0c2f9a11be07: Downloading [==>      ]  {f}MB/94.1MB", self),
            "uploads": lambda: _draw("Completed {f} MiB/40.0 MiB ({f} MiB/s) with {n} file(s) remaining", self),
            "numbers": lambda: ",".join(f"{random.uniform(0, 9):.3f}" for _ in range(1_500)),
            "uuid": lambda: "-".join(f"{random.getrandbits(4 * size):0{size}x}" for size in (8, 4, 4, 4, 12)),
        }.get(field)
        return made() if made is not None else ""

    def _time(self) -> str:
        self._ms += self.random.randrange(5, 900)
        seconds, ms = divmod(self._ms, 1_000)
        return f"{seconds // 3600 % 24:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{ms:03}"


def _draw(line: str, fields: Fields) -> str:
    """A line that is drawn over itself two hundred times."""
    drawn = []
    for number in range(1, 201):
        fields.place(number, 200)
        drawn.append(fields.fill(line))
    return "\r".join(drawn)


def _source(fields: Fields, count: int) -> list[str]:
    """So many functions of Python."""
    random, lines = fields.random, ["import decimal", "from billing import names", ""]
    for _ in range(count):
        thing = random.choice(_THINGS)
        lines += ["", f"def {fields.name()}({thing}, {random.choice(_HOW)}=None):", f'    """{fields.sentence()}"""']
        for _ in range(random.randrange(3, 9)):
            call = f"{fields.name()}({thing}.{random.choice(_HOW)}, {random.randrange(50)})"
            lines += random.choice((
                [f"    {random.choice(_THINGS)} = {call}"],
                [f"    if {thing}.{random.choice(_HOW)} > {random.randrange(90)}:", f"        return {call}"],
                [f"    for one in {thing}.{random.choice(_THINGS)}s:", f"        {call}"],
            ))  # fmt: skip
        lines.append(f"    return {thing}")
    return lines


def _numbered(fields: Fields, count: int) -> list[str]:
    return [f"{number:6}\t{line}" for number, line in enumerate(_source(fields, count), 1)]


def _diff(fields: Fields, count: int) -> list[str]:
    """A unified diff of so many files."""
    random, lines = fields.random, list[str]()
    for _ in range(count):
        path = fields.fill("{path}")
        lines += [f"diff --git a/{path} b/{path}", fields.fill("index {hex7}..{hex7} 100644")]
        lines += [f"--- a/{path}", f"+++ b/{path}"]
        for _ in range(random.randrange(1, 4)):
            at = random.randrange(1, 900)
            lines.append(f"@@ -{at},9 +{at},9 @@ def {fields.name()}(order):")
            lines += [random.choice("  -+") + fields.fill("    {code}") for _ in range(9)]
    return lines


def _prose(fields: Fields, count: int) -> list[str]:
    """So many sections of a document."""
    lines = []
    for number in range(1, count + 1):
        lines += [f"## {number}. {' '.join(fields.random.choices(_WORDS, k=3)).capitalize()}", ""]
        lines += [" ".join(fields.sentence() for _ in range(3)) for _ in range(3)]
        lines += ["", fields.fill("    {name} --{word} {n} {path}"), ""]
    return lines


def _row(fields: Fields, number: int) -> dict[str, Any]:
    random = fields.random
    return {
        "id": 10_000 + number,
        "name": fields.name(),
        "state": random.choice(("open", "open", "open", "closed")),
        "cents": random.randrange(10**6),
        "ratio": round(random.random(), 3),
        "owner": {"login": fields.fill("{thing}-{n}"), "url": fields.fill("https://example.org/users/{thing}/{nn}")},
        "labels": [random.choice(_WORDS) for _ in range(random.randrange(3))],
        "assignee": None if random.random() < 0.7 else {"login": fields.fill("{word}-{n}")},
        "updated_at": f"2026-0{random.randrange(1, 9)}-{random.randrange(10, 28)}T10:00:00Z",
    }


def _json(fields: Fields, count: int) -> list[str]:
    """A one-line array of so many objects."""
    return [json.dumps([_row(fields, number) for number in range(count)], separators=(",", ":"))]


def _json_indented(fields: Fields, count: int) -> list[str]:
    return json.dumps([_row(fields, number) for number in range(count)], indent=2).split("\n")


def _json_nested(fields: Fields, count: int) -> list[str]:
    """An object whose field holds the rows."""
    rows = [_row(fields, number) for number in range(count)]
    return json.dumps({"total": count, "next": "/v1/items?page=2", "items": rows}, indent=2).split("\n")


def _json_lines(fields: Fields, count: int) -> list[str]:
    return [json.dumps(_row(fields, number)) for number in range(count)]


def _json_settings(fields: Fields, count: int) -> list[str]:
    """One object of many fields, nested, of which no two are alike."""
    value = {fields.fill("{name}_{n}"): {"limit": number, "hint": fields.sentence()} for number in range(count)}
    return json.dumps(value, indent=2).split("\n")


BLOCKS: dict[str, Callable[[Fields, int], list[str]]] = {
    "source": _source,
    "numbered": _numbered,
    "diff": _diff,
    "prose": _prose,
    "json": _json,
    "json_indented": _json_indented,
    "json_nested": _json_nested,
    "json_lines": _json_lines,
    "json_settings": _json_settings,
}
