"""Which checks, commands and errors a summary shows: those whose outcome still matters.

Rule: of a check its newest outcome, and of what failed the errors, beside the check while it fails. Left out is what a
later run covers, what code was changed behind, what only prepared something, and errors that were resolved.
"""

import re
from collections.abc import Sequence

from msgspec.structs import replace

from secateur.compaction.ledger.coverage import cut_chain, is_overtaken, list_targets
from secateur.compaction.ledger.entries import Command, Failure, Ledger
from secateur.compaction.ledger.files.selection import keep_last
from secateur.compaction.ledger.turns.hiccups import is_slip
from secateur.compaction.ledger.turns.outcomes import SEPARATOR
from secateur.compaction.ledger.turns.step_kinds import (
    is_lasting,
    is_outward,
    is_task_run,
    name_line,
    shorten_arguments,
)
from secateur.text.host_texts import is_nudge

MOST_SCRATCH_CHECKS = 2
MOST_PASSED_CHECKS = 16
MOST_ERRORS, MOST_OF_RUN = 3, 2  # that are not open; of one run
MOST_COMMANDS = 12  # that are no checks
_CHECKS_ALL = re.compile(r"^(?:npm|pnpm|yarn|bun|make|mise|just|task)(?: run)? check$")
_TRACKS = re.compile(r"(?:bd|tk) (?:create|update|show|close|claim|ready|sync)\b")


def select_commands(ledger: Ledger) -> tuple[Command, ...]:
    """Keep checks whose outcome matters, and commands that changed more than files."""
    told = [one for one in ledger.commands if one.ok is not None or one.stopped]
    known = {one.check for one in told if one.check and not one.scratch}
    kept = tuple(
        one
        for one in ledger.commands
        if (one.check and (one in told or (one.check not in known and not one.scratch)))
        or (not one.check and _is_lasting(one, ledger))
    )
    passed = [one for one in kept if one.check and one.ok]
    covered = {one.text for at, one in enumerate(passed) if is_overtaken(one, passed[at + 1 :])}
    stale = {one.check: one.text for one in passed if one.edited_since}  # of each kind the newest
    valid = [one for one in passed if not one.edited_since]
    failing = {one.check for one in kept if one.check and one.ok is False and not one.edited_since}
    kept = tuple(one for one in kept if one.text not in covered and not _is_outdated(one, valid))
    kept = tuple(one for one in kept if not (one.ok is False and _is_mended(one, valid)))
    kept = tuple(one for one in kept if not (one.ok is False and _is_run_again(one, ledger.commands)))
    kept = tuple(one for at, one in enumerate(kept) if not (one.ok is False and _is_failing_again(one, kept[at + 1 :])))
    kept = tuple(one for one in kept if not (one.ok and one.edited_since) or stale.get(one.check) == one.text)
    kept = tuple(one for one in kept if not (one.edited_since and one.ok is False and one.check in failing))
    few = keep_last(kept, MOST_SCRATCH_CHECKS, lambda one: one.scratch and bool(one.check))
    few = keep_last(few, MOST_PASSED_CHECKS, lambda one: one.ok is True and bool(one.check))
    few = tuple(one if one.check else replace(one, text=shorten_arguments(one.text)) for one in few)
    few = tuple(one for one in few if one.check or one.text)
    return keep_last(few, MOST_COMMANDS, lambda one: not one.check)


def _is_mended(one: Command, valid: Sequence[Command]) -> bool:
    """Whether another check of its kind passed since the last change, and it checked nothing, or all is checked since.

    What a project calls its check (`npm run check`) is of every kind.
    """
    if is_slip(one.told, True) and any(run.check == one.check for run in valid):
        return True
    whole = [run for run in valid if not list_targets(run.text)]
    return one.edited_since and any(run.check == one.check or _CHECKS_ALL.match(run.text) for run in whole)


def _is_run_again(one: Command, commands: Sequence[Command]) -> bool:
    """Whether a check failed before a change, and was run again since without an error in what was shown of it."""
    behind = commands[commands.index(one) + 1 :] if one.edited_since else ()
    return is_overtaken(one, [run for run in behind if run.check and run.ok is None and not (run.stopped or run.told)])


def _is_failing_again(one: Command, later: Sequence[Command]) -> bool:
    """Whether a later run that failed checked as much first: it tells how things are."""
    failing = (run for run in later if run.check and run.ok is False)
    return one.check is not None and is_overtaken(one, [replace(run, text=cut_chain(run.text)) for run in failing])


def _is_outdated(one: Command, valid: Sequence[Command]) -> bool:
    """Whether code was changed behind a check that did not fail, and one of its kind or a test passed since."""
    is_old = bool(one.check) and one.ok is True and one.edited_since
    if one.check and one.ok is None and one.edited_since:
        return True  # of what is no more, nothing is known
    return is_old and any(run.check in (one.check, "test") or is_overtaken(one, [run]) for run in valid)


def _is_lasting(one: Command, ledger: Ledger) -> bool:
    """Whether a command left the machine, or changed what no step tells; a commit has its own line."""
    if ledger.tickets and _TRACKS.match(one.text):
        return False  # the ticket has a line
    if one.scratch or (ledger.commits and re.search(r"\bgit\b.{0,40}\bcommit\b", one.text)):
        return False
    return is_outward(one.text) or is_task_run(one.text) or (not ledger.requests and is_lasting(one.text))


def join_errors(ledger: Ledger, commands: tuple[Command, ...]) -> tuple[tuple[Command, ...], tuple[Failure, ...]]:
    """Put the errors of a check that fails beside it; return the checks, and the errors that have no such place."""
    left_out = {one.text for one in ledger.commands if one.check} - {one.text for one in commands}
    failures = tuple(one for one in _select_failures(ledger, commands) if one.during not in left_out)
    failing = {name_line(one.text) for one in commands if one.check and (one.ok is False or one.stopped)}
    found: dict[str, list[str]] = {}
    for one in failures:
        if name_line(one.during) in failing and not one.resolved:
            found.setdefault(name_line(one.during), []).append(one.line)
    joined = tuple(
        replace(one, told=_join_told(found[name], one.told))
        if (name := name_line(one.text)) in found and name in failing and one.ok is not True
        else one
        for one in commands
    )
    return joined, tuple(one for one in failures if one.resolved or name_line(one.during) not in found)


def _join_told(errors: Sequence[str], total: str) -> str:
    """Join the errors of a check with its own last line, unless that is a bare word; what both say stands once."""
    return SEPARATOR.join(dict.fromkeys((*errors, *(total.split(SEPARATOR) if " " in total else ()))))


def _select_failures(ledger: Ledger, commands: Sequence[Command]) -> tuple[Failure, ...]:
    """Keep open errors of checks, and the newest others that nothing resolved or changed, and that are of no trial."""
    told = {one.told for one in commands if one.check and one.ok is False}
    shown = {one.text for one in commands}
    is_answered = bool(ledger.requests) and all(one.state == "done" or is_nudge(one.text) for one in ledger.requests)
    kept = tuple(
        one
        for at, one in enumerate(ledger.failures)
        if not (one.resolved or (one.edited_since and not one.check))
        and not (not one.check and is_slip(one.line, not one.edit))
        and not (one.scratch and one.during not in shown)
        and not (is_answered and not one.check)
        and one.line not in told
        and not _is_repeated(one, ledger.failures[:at])
    )
    has_current = any(one.check and one.ok is False and not one.edited_since for one in commands)
    runs = [one.during for one in kept]
    kept = tuple(one for at, one in enumerate(kept) if not one.during or runs[:at].count(one.during) < MOST_OF_RUN)
    few = keep_last(kept, 1, lambda one: has_current and one.check and one.edited_since and not one.resolved)
    return keep_last(few, MOST_ERRORS, lambda one: one.resolved or not one.check)


def _is_repeated(one: Failure, before: Sequence[Failure]) -> bool:
    """Whether an earlier error of the same run says the same after its name."""
    said = (other.line.partition(": ")[2] for other in before if other.during == one.during)
    return any(message and message in one.line for message in said) or any(one.line == other.line for other in before)
