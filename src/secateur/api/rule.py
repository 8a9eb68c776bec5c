"""What a rule is, and what it says of a place that breaks it.

Rule: a rule is data with one function; the sentence it tells names what is wrong and, after the colon, what to do.
"""

from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any, Literal

from msgspec import Struct

from secateur.model import Path

Severity = Literal["error", "warning"]
Found = Iterable[tuple[Path, str]]  # places and sentences; of a block rule, places inside the block
Check = Callable[..., Found]


class Violation(Struct, frozen=True):
    """One place that an API would refuse. A value, never an exception."""

    rule: str  # its id: A1, O2, R3
    path: Path  # from the body on: ("messages", 3, "content", 1)
    where: str  # the same for people: messages.3.content.1
    text: str  # one sentence: what is wrong, and after the colon what to do
    severity: Severity = "error"  # a warning costs quality or money, not the request


class Rule(Struct, frozen=True):
    """One thing an API refuses."""

    id: str
    says: str  # what must hold
    source: str  # where it is said: the docs, a type of the SDK, an issue that quotes the error; "reported": by users
    check: Check  # (block, history) with `blocks`, else (history)
    blocks: tuple[str, ...] = ()  # types of block it looks at, during the walk; none: the history, after it
    whole: bool = False  # needs the whole history
    tail: bool = False  # of these, one to which the end of the history is enough
    profiles: tuple[str, ...] = ()  # holds for these servers only; none: for all
    severity: Severity = "error"
    family: str = ""  # of a plugin's rule: the API whose histories it looks at
    repair: Callable[..., None] | None = (
        None  # of a plugin's rule: the pass (over a `Work`) that repairs what breaks it
    )


def rule(id: str, says: str, source: str, **more: Any) -> Callable[[Check], Rule]:
    """Make a rule of a function."""

    def made(check: Check) -> Rule:
        return Rule(id, says, source, check, **more)

    return made


def gathered(*modules: ModuleType) -> tuple[Rule, ...]:
    """The rules that these modules define, by family letter and number."""
    found = [value for module in modules for value in vars(module).values() if isinstance(value, Rule)]
    return tuple(sorted(found, key=lambda one: int(one.id[1:])))
