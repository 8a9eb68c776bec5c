"""Rules, the violations that they report, and one pass of all rules over a history.

Rule: a rule is data with one function. Each sentence that it reports says what is wrong and, after the colon, what to
do. Each rule is repaired or says why not: `repairs` on a repair pass names the
rules that it serves, `no_repair` on a rule gives the reason. Nothing is built for a block that breaks no rule.
"""

from collections.abc import Callable, Iterable
from typing import Any, Literal

from msgspec import Struct

from secateur.api.walker import Walker
from secateur.model import Path

Severity = Literal["error", "warning"]
Found = Iterable[tuple[Path, str]]  # paths and sentences; a rule on blocks gives paths inside the block
Check = Callable[..., Found]


class Violation(Struct, frozen=True):
    """One place that an API would reject. A value, never an exception."""

    rule: str  # the id of the rule: A1, O2, R3
    path: Path  # from the body on: ("messages", 3, "content", 1)
    where: str  # the same for people: messages.3.content.1
    text: str  # one sentence: what is wrong, and after the colon what to do
    severity: Severity = "error"  # a warning costs quality or money, not the request


class Rule(Struct, frozen=True):
    """One thing that an API rejects."""

    id: str
    says: str  # what must be true
    source: str  # the evidence: the docs, a type of the SDK, an issue that quotes the error; "reported": by users
    check: Check  # (block, history) with `blocks`, else (history)
    blocks: tuple[str, ...] = ()  # the types of blocks that it checks during the walk; none: the history, afterwards
    whole: bool = False  # needs the whole history
    tail: bool = False  # needs the whole history, or a part that reaches its end
    profiles: tuple[str, ...] = ()  # applies to these servers only; none: to all
    severity: Severity = "error"
    no_repair: str = ""  # why no pass repairs it; "" if one does
    family: str = ""  # of a plugin's rule: the API whose histories it checks
    repair: Callable[..., None] | None = None  # of a plugin's rule: a pass over a `RepairRun` that repairs violations
    partly: str = ""  # what of it the pass repairs, or leaves; "": all of it is repaired


def rule(id: str, says: str, source: str, **more: Any) -> Callable[[Check], Rule]:
    """Turn a function into a rule."""

    def build(check: Check) -> Rule:
        return Rule(id, says, source, check, **more)

    return build


class RuleSelection(Struct, frozen=True):
    """The rules that apply to a profile: those on blocks by the type of block, and those on the history."""

    by_block: dict[str, tuple[tuple[Check, Rule], ...]]
    on_history: tuple[Rule, ...]


def select_rules(rules: Iterable[Rule], profile: str | None, whole: bool, ends: bool) -> RuleSelection:
    """The rules that apply to this profile, and to a part of a history unless it is `whole`.

    `ends`: the part reaches the end of the history.
    """
    for_part = [one for one in rules if whole or not one.whole or (ends and one.tail)]
    selected = [one for one in for_part if not one.profiles or profile in one.profiles]
    by_block: dict[str, tuple[tuple[Check, Rule], ...]] = {}
    for one in selected:
        for kind in one.blocks:
            by_block[kind] = (*by_block.get(kind, ()), (one.check, one))
    return RuleSelection(by_block, tuple(one for one in selected if not one.blocks))


class Findings:
    """The violations of one history."""

    def __init__(self, rules: RuleSelection, history: Walker) -> None:
        self._by_block = rules.by_block
        self._on_history = rules.on_history
        self._history = history
        self._violations: list[Violation] = []

    def check_block(self, kind: str, block: Any, path: Path, step: str | int | None = None) -> None:
        """Apply the rules for this type of block to a block at `path`, or one step further in."""
        rules = self._by_block.get(kind)
        if rules is None:
            return
        history = self._history
        for check, rule in rules:
            if found := check(block, history):
                self._add(rule, found, path if step is None else (*path, step))

    def finish(self) -> list[Violation]:
        """Apply the rules for the history. Returns all violations in the order of the history."""
        for rule in self._on_history:
            self._add(rule, rule.check(self._history), ())
        return sorted(self._violations, key=self._get_position)

    def _add(self, rule: Rule, found: Found, at: Path) -> None:
        for inner, text in found:
            path = (*at, *inner)
            self._violations.append(Violation(rule.id, path, self._history.describe(path), text, rule.severity))

    def _get_position(self, violation: Violation) -> tuple[int, ...]:
        """Return where it comes in the history; violations of the request itself come first."""
        steps = (step if isinstance(step, int) else 0 for step in violation.path)
        return (int(violation.path[:1] == (self._history.array,)), *steps)
