"""What edits took out, added up: by rule, by tool and by turn.

Rule: sums of the receipt's own entries, so that tables and receipt cannot differ.
"""

from collections.abc import Iterable

from msgspec import Struct

from secateur.cli.turns import by_turn as turns
from secateur.cli.turns import turn_numbers
from secateur.model import Transcript
from secateur.receipt import Entry

LEAVES = {
    "excerpt": "an exact excerpt stays",
    "deduplicate": "the same stands later",
    "supersede": "what holds now stands later",
    "soft_trim": "its ends stay",
    "hard_clear": "a line says what went",
    "condense": "an outline stays",
    "clear_inputs": "long arguments, their beginning stays",
    "clear_media": "a line names what was shown",
    "drop_reasoning": "earlier thinking",
    "settle": "thinking that is void behind an edit",
}


class Row(Struct, frozen=True):
    """So many edited parts, and their tokens before and after."""

    name: str
    parts: int
    before: int
    after: int

    @property
    def freed(self) -> int:
        """Tokens that went; below zero where a placeholder is longer than what it stands for."""
        return self.before - self.after


def by_rule(entries: Iterable[Entry]) -> list[Row]:
    """What left by each rule, the most freed first, named by the rule and what it leaves."""
    named = ((f"{entry.by}: {LEAVES[entry.by]}" if entry.by in LEAVES else entry.by, entry) for entry in entries)
    return sorted(_rows(named), key=lambda row: -row.freed)


def by_tool(entries: Iterable[Entry]) -> list[Row]:
    """What left of each tool, the most freed first."""
    return sorted(_rows((entry.tool or "(no tool)", entry) for entry in entries), key=lambda row: -row.freed)


def by_turn(entries: Iterable[Entry], transcript: Transcript) -> list[Row]:
    """What left of each turn, in order, named by the turn's number and what was asked."""
    names = {turn.turn: f"{turn.turn:>3}  {turn.asked or '(before the first turn)'}" for turn in turns(transcript)}
    numbers = turn_numbers(transcript)
    return _rows((names[numbers[entry.message]], entry) for entry in entries)


def _rows(named: Iterable[tuple[str, Entry]]) -> list[Row]:
    rows: dict[str, Row] = {}
    for name, entry in named:
        row = rows.get(name, Row(name, 0, 0, 0))
        rows[name] = Row(name, row.parts + 1, row.before + entry.tokens_before, row.after + entry.tokens_after)
    return list(rows.values())
