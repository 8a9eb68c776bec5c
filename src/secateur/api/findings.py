"""The one pass: which rules look at which block, and what they told.

Rule: nothing is made for a block that breaks no rule; paths become text only where something is wrong.
"""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from secateur.api.rule import Check, Found, Rule, Violation
from secateur.api.walker import History
from secateur.model import Path


class Chosen(Struct, frozen=True):
    """The rules that hold for a profile: by block type for the walk, and those that come after it."""

    by_block: dict[str, tuple[tuple[Check, Rule], ...]]
    after: tuple[Rule, ...]


def chosen(rules: Iterable[Rule], profile: str | None, whole: bool, ends: bool) -> Chosen:
    """Those of the rules that hold for this profile, and for a window where the history is not whole.

    `ends`: the window reaches the end of the history.
    """
    spoken = [r for r in rules if whole or not r.whole or (ends and r.tail)]
    held = [r for r in spoken if not r.profiles or profile in r.profiles]
    by_block: dict[str, tuple[tuple[Check, Rule], ...]] = {}
    for one in held:
        for kind in one.blocks:
            by_block[kind] = (*by_block.get(kind, ()), (one.check, one))
    return Chosen(by_block, tuple(one for one in held if not one.blocks))


class Findings:
    """What the rules told of one history."""

    def __init__(self, rules: Chosen, history: History) -> None:
        self._by_block = rules.by_block
        self._after = rules.after
        self._history = history
        self._found: list[Violation] = []

    def look(self, kind: str, block: Any, path: Path, step: str | int | None = None) -> None:
        """Let the rules for this type of block look at one, at a path or a step further in."""
        for check, rule in self._by_block.get(kind, ()):
            told = check(block, self._history)
            if told:
                self._tell(rule, told, path if step is None else (*path, step))

    def finished(self) -> list[Violation]:
        """Let the rules for the history look, and give all that was told, in the order of the history."""
        for rule in self._after:
            self._tell(rule, rule.check(self._history), ())
        return sorted(self._found, key=self._place)

    def _tell(self, rule: Rule, told: Found, at: Path) -> None:
        for inner, text in told:
            path = (*at, *inner)
            self._found.append(Violation(rule.id, path, self._history.where(path), text, rule.severity))

    def _place(self, violation: Violation) -> tuple[int, ...]:
        """Where it comes in the history; what is wrong with the request itself comes first."""
        steps = (step if isinstance(step, int) else 0 for step in violation.path)
        return (int(violation.path[:1] == (self._history.array,)), *steps)
