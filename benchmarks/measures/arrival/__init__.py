"""Commands with their results, each marked by hand: what must reach a model whole, and what may shrink.

Rule: the cases are data, one TOML file per topic, written before and apart from the rules that are held to them; none
is recorded. A case has a `command` (or a `tool` with `arguments`), an `output`, and a verdict: `whole`, or `shrink`
with what must stay: the lines that begin with `!` in the output (the mark itself is taken off), or every value of it
(`values = true`, for JSON). Bulk is written as `<<COUNT line>>` or `<<COUNT line || other line>>`: so many lines with
fields such as `{path}` filled in, the same in every run; `<<BLOCK COUNT>>` is a block of source, prose, JSON and so on
(`blocks.py`).
"""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Literal

from msgspec import Struct

from arrival.blocks import BLOCKS, Fields

Verdict = Literal["whole", "shrink"]
FOLDER = Path(__file__).parent


class Case(Struct, frozen=True, kw_only=True):
    """One call and its result. `keeps` are lines or values that any view of it must show."""

    name: str
    topic: str
    verdict: Verdict
    tool: str
    arguments: dict[str, Any]
    output: str
    keeps: tuple[str, ...]
    is_error: bool = False

    def missing(self, view: str) -> tuple[str, ...]:
        """What must stay and is not in this view."""
        if self.verdict == "whole":
            return () if view == self.output else ("it is not whole",)
        return tuple(text for text in self.keeps if text not in view)


def read_cases(*topics: str) -> tuple[Case, ...]:
    """All cases, or those of these topics, in the order of their files."""
    files = sorted(FOLDER.glob("*.toml"))
    return tuple(case for file in files if not topics or file.stem in topics for case in _read_file(file))


def _read_file(file: Path) -> Iterator[Case]:
    for table in tomllib.loads(file.read_text("utf-8"))["case"]:
        text, keeps = build_output(table["output"], table["name"])
        if table.get("values"):
            keeps = [*keeps, *_list_values(text)]
        yield Case(
            name=table["name"],
            topic=file.stem,
            verdict=table["verdict"],
            tool=table.get("tool", "Bash"),
            arguments=table.get("arguments") or {"command": table["command"]},
            output=text,
            keeps=tuple(dict.fromkeys(keeps)),
            is_error=table.get("is_error", False),
        )


def build_output(pattern: str, seed: str) -> tuple[str, list[str]]:
    """The text that a pattern stands for, and its lines that must stay."""
    fields = Fields(Random(seed))
    lines: list[str] = []
    keeps: list[str] = []
    for line in pattern.removesuffix("\n").split("\n"):
        bulk = _BULK.fullmatch(line)
        if bulk is not None:
            lines += _repeat(fields, int(bulk["count"]), bulk["line"].split(" || "))
        elif block := _BLOCK.fullmatch(line):
            lines += BLOCKS[block["block"]](fields, int(block["count"]))
        else:
            text = fields.fill(line.removeprefix("!").replace(r"\r", "\r").replace(r"\e", "\x1b"))
            keeps += [text.strip()] if line.startswith("!") and text.strip() else []
            lines.append(text)
    return "\n".join(lines) + "\n", keeps


def _repeat(fields: Fields, count: int, patterns: list[str]) -> list[str]:
    patterns = [one.replace(r"\r", "\r").replace(r"\e", "\x1b").replace(r"\n", "\n") for one in patterns]
    found = []
    for number in range(1, count + 1):
        fields.place(number, count)
        found.append(fields.fill(fields.random.choice(patterns)))
    return found


_BULK = re.compile(r"<<(?P<count>\d+) (?P<line>.*)>>")
_BLOCK = re.compile(r"<<(?P<block>[a-z_]+) (?P<count>\d+)>>")


def _list_values(text: str) -> list[str]:
    """Every value of a JSON text or of JSON lines, as a reader would look for it."""
    try:
        values = [json.loads(text)]
    except ValueError:
        values = [json.loads(line) for line in text.split("\n") if line.strip()]
    return [shown for value in values for shown in _flatten(value)]


def _flatten(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from _flatten(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _flatten(inner)
    elif isinstance(value, str):
        yield json.dumps(value, ensure_ascii=False)[1:-1]
    else:
        yield json.dumps(value)
