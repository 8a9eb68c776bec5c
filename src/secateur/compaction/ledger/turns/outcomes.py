"""How a step of a turn is told: files of one kind of change, or a command with how its runs ended.

Rule: the last run counts, with its own error; of those before it, it is told only that some failed. How often says
nothing to whoever goes on.
"""

from collections.abc import Sequence

from msgspec import Struct

from secateur.compaction.ledger.repository.commits import COMMITTED

MOST_NAMES = 8  # of files in one step
FEW_NAMES = 4  # of those in a step of a summary, where the files have lines of their own
SEPARATOR = " · "
CHANGES = ("created", "changed", "moved", "deleted", "restored")  # how a step on files begins
READ_ONLY = "read files only"  # a turn in which calls did nothing else: the files have lines of their own
UNSHOWN = "outcome not shown"
STOPPED = "did not finish"


class TurnStep(Struct):
    """Files of one kind of change, or a command with its outcomes, or a plain text."""

    kind: str
    names: list[str]
    told: str = ""
    last_ok: bool | None = None
    has_failed: bool = False  # one of its runs
    has_passed: bool = False  # or one of which it is not known how it ended
    others: int = 0  # commands beside the first that differ from it in a number only
    is_stopped: bool = False  # whether the last run was stopped before it ended

    def note(self, told: str, ok: bool | None, is_stopped: bool = False) -> None:
        """Note one more run."""
        self.has_failed, self.has_passed = self.has_failed or ok is False, self.has_passed or ok is not False
        self.told, self.last_ok, self.is_stopped = told, ok, is_stopped

    @property
    def is_failing(self) -> bool:
        """Whether no run of it went well."""
        return self.has_failed and not self.has_passed


def render_step(step: TurnStep) -> str:
    """Tell a step in one line."""
    if step.kind == "commit":
        return f"{COMMITTED}{step.names[0]}"
    if step.kind in CHANGES:
        return name_files(step.kind, step.names)
    told = f": {step.told.replace(SEPARATOR, ' - ').replace(' → ', ' -> ')}" if step.told else ""
    count = f", {step.others + 1} such calls" if step.others else ""
    return f"{step.names[0].replace(SEPARATOR, ' - ')} → {_describe_outcome(step)}{count}{told}"


def _describe_outcome(step: TurnStep) -> str:
    if step.last_ok is False:
        return "failed"
    ended = "ok" if step.last_ok else STOPPED if step.is_stopped else "said" if step.told else UNSHOWN
    return f"failed, then {ended}" if step.has_failed else ended


def name_files(kind: str, names: Sequence[str], more: int = 0, most: int = MOST_NAMES) -> str:
    """Name the files of a step, `more` of them not by name; one more by name takes no more room than its count."""
    most += len(names) == most + 1 and not more
    more += max(0, len(names) - most)
    return f"{kind} {', '.join(names[:most])}{f' and {more} more' if more else ''}"
