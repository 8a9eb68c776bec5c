"""How a step of a turn is told: files of one kind of change, or a command with how its runs ended.

Rule: the number of runs that failed is exact. An error stands behind that number only where all these runs had it; else
it is marked as that of the last run, and runs that did not fail are counted as well. Where runs failed only before the
last change of a file, this is said in words instead.
"""

from collections.abc import Sequence

from msgspec import Struct

from secateur.compaction.ledger.repository.commits import COMMITTED

MOST_NAMES = 8  # of files in one step
SEPARATOR = " · "
CHANGES = ("created", "changed", "moved", "deleted", "restored")  # how a step on files begins
READ_ONLY = "read files only"  # a turn in which calls did nothing else: the files have lines of their own
UNSHOWN = "outcome not shown"
STOPPED = "did not finish"
FAILED_BEFORE = "failed before the last edit"  # of runs that did not fail since a file was changed


class TurnStep(Struct):
    """Files of one kind of change, or a command with its outcomes, or a plain text."""

    kind: str
    names: list[str]
    failed: int = 0
    told: str = ""
    last_ok: bool | None = None
    runs: int = 0
    runs_since: int = 0  # since the last change of a file
    failed_since: int = 0
    last_error: str = ""
    others: int = 0  # commands beside the first that differ from it in a number only
    is_mixed: bool = False  # whether runs failed with errors that differ
    is_stopped: bool = False  # whether the last run was stopped before it ended

    def note(self, told: str, ok: bool | None, is_stopped: bool = False) -> None:
        """Note one more run."""
        if ok is False:
            self.is_mixed |= self.failed > 0 and self.last_error != told
            self.last_error = told
        self.runs, self.runs_since = self.runs + 1, self.runs_since + 1
        self.failed, self.failed_since = self.failed + (ok is False), self.failed_since + (ok is False)
        self.told, self.last_ok, self.is_stopped = told, ok, is_stopped

    @property
    def is_failing(self) -> bool:
        """Whether no run of it went well."""
        return self.runs > 0 and self.failed == self.runs

    def start_again(self) -> None:
        """Note that a file was changed, so that runs from now on are counted apart."""
        self.runs_since = self.failed_since = 0


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
    failed = _describe_failed(step)
    if step.last_ok is None:
        ended = STOPPED if step.is_stopped else "said" if step.told else UNSHOWN
        return f"{failed}, then {ended}" if step.failed else ended
    return (f"{failed}, then ok" if step.failed else "ok") if step.last_ok else failed


def _describe_failed(step: TurnStep) -> str:
    """Tell how many runs failed, and of how many, where that is not plain from how the last one ended."""
    is_last = step.last_ok is False
    if step.runs == step.failed + (not is_last):
        if step.failed < 2:
            return "failed"
        return f"failed {step.failed} times{', the last' if is_last and step.is_mixed else ''}"
    if 0 < step.runs_since < step.runs and not step.failed_since:
        return FAILED_BEFORE
    return f"failed in {step.failed} of {step.runs} runs{', also the last' if is_last else ''}"


def name_files(kind: str, names: Sequence[str], more: int = 0) -> str:
    """Name the files of a step, `more` of them not by name."""
    more += max(0, len(names) - MOST_NAMES)
    return f"{kind} {', '.join(names[:MOST_NAMES])}{f' and {more} more' if more else ''}"
