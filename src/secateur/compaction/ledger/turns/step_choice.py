"""Which steps of a turn are told: those that tell most, in their order.

Rule: commits and what left the machine stay first, then how the work stands: the newest failure, what was changed, and
each check as it ended. A program that was run to try something is told if it was the last one. Steps that changed files
in the same way are joined before any is left out, and those before an older commit, which tells of them, go first.
What is left out is not counted: nobody can act on a number of commands.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby, pairwise

from secateur.compaction.ledger.repository.commits import COMMITTED
from secateur.compaction.ledger.turns.delegated import DELEGATED
from secateur.compaction.ledger.turns.hiccups import name_head
from secateur.compaction.ledger.turns.outcomes import CHANGES, FEW_NAMES, UNSHOWN, name_files
from secateur.compaction.ledger.turns.step_kinds import is_outward, is_trial, name_step, split_chain
from secateur.toolcalls.commands import find_check_kind, is_check

ROOMY, MOST_COMMITS = 8, 16  # of at least so many steps, and of commits that take no room of theirs
MOST_TRIALS = 3  # that are told: programs that were run to try something
NEVER_TOLD = -1  # a rank
_NAMES = re.compile(rf"({'|'.join(CHANGES)}) (.+?)(?: and (\d+) more)?")
_PASSES = re.compile(r"(?: → |, then )ok(?=$|[:,])")
_OWN_ERROR = re.compile(r"\b(?:Import|ModuleNotFound|Attribute|Syntax|Indentation|Name)Error\b|\bis not a function\b")


def limit_steps(steps: Iterable[str], most: int) -> tuple[str, ...]:
    """Limit the steps to those that tell most."""
    told = tuple(steps)
    if len(told) > most:
        told = _join_changes(told)
    ranks = _rank(told)
    if most >= ROOMY:
        most += min(MOST_COMMITS, sum(one.startswith(COMMITTED) for one in told))
    most = min(most, sum(rank > NEVER_TOLD for rank in ranks))
    order = sorted(range(len(told)), key=lambda at: (ranks[at], at), reverse=True)
    return tuple(told[at] for at in sorted(order[:most]))


def drop_settled(steps: Sequence[str]) -> tuple[str, ...]:
    """Return the steps of an older turn without what only led to its newest commit, and changes of files joined.

    These are checks, programs that were run to try something, and what other agents reported.
    """
    last = max((at for at, one in enumerate(steps) if one.startswith(COMMITTED)), default=-1)
    return _join_changes(one for at, one in enumerate(steps) if at > last or not _is_preparing(one))


def _is_preparing(step: str) -> bool:
    return " → " in step and (is_check(name_step(step)) or is_trial(step) or step.startswith(f"{DELEGATED}: "))


def drop_mended(steps: Sequence[str], failing: Collection[str]) -> tuple[str, ...]:
    """Return the steps without checks that failed, are not open, and behind which another one tells how things are.

    That is one that begins alike and passed; behind a failure that is no longer known as one, such as that of a test
    runner that did not start, any of its kind. `failing`: the checks that are open.
    """
    left: list[str] = []
    passed: set[str] = set()
    ran = {find_check_kind(line) for line in failing}
    for step in reversed(steps):
        checks = [line for line in split_chain(name_step(step)) if is_check(line)] if " → " in step else []
        heads, kinds = {name_head(line) for line in checks}, {find_check_kind(line) for line in checks}
        is_told = heads <= passed or kinds <= ran
        if not (checks and has_failed(step) and is_told and name_step(step) not in failing):
            left.append(step)
        passed |= heads if _PASSES.search(step) else set()
        ran |= kinds
    return join_neighbors(left[::-1])


def join_neighbors(steps: Iterable[str]) -> tuple[str, ...]:
    """Join the steps next to each other that changed files in the same way, and name the first few files of each."""
    groups = (list(some) for _, some in groupby(steps, _find_kind))
    return tuple(_name_few(step) for some in groups for step in _join_all(some))


def _find_kind(step: str) -> str:
    found = split_names(step)
    return found[0] if found else step


def _name_few(step: str) -> str:
    found = split_names(step)
    return name_files(*found, most=FEW_NAMES) if found else step


def split_names(step: str) -> tuple[str, list[str], int] | None:
    """Split a step on files into the kind of change, the names and how many more there are; None for another step."""
    hit = _NAMES.fullmatch(step)
    return (hit[1], hit[2].split(", "), int(hit[3] or 0)) if hit else None


def list_names(steps: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the names of files in these steps, each with the kind of change."""
    for kind, names, _ in filter(None, map(split_names, steps)):
        yield from ((kind, name) for name in names)


def _join_changes(steps: Iterable[str]) -> tuple[str, ...]:
    """Join the steps that changed files in the same way, at the place of the first.

    Never over a commit, nor over the last check or the last files taken back before it: none of them stands before a
    change that it took, tested or undid.
    """
    told = tuple(steps)
    commits = [at + 1 for at, one in enumerate(told) if one.startswith(COMMITTED)]
    cuts = {0, *commits, len(told)}
    for start, end in zip((0, *commits), (*commits, len(told)), strict=True):
        for is_cut in (_is_check_step, _is_restoring):
            cuts.add(max((at + 1 for at in range(start, end) if is_cut(told[at])), default=start))
    return tuple(one for start, end in pairwise(sorted(cuts)) for one in _join_all(told[start:end]))


def _is_check_step(step: str) -> bool:
    return " → " in step and is_check(name_step(step))


def _is_restoring(step: str) -> bool:
    return step.startswith("restored ")


def _join_all(steps: Iterable[str]) -> Iterator[str]:
    """Yield these steps, those that changed files in the same way as one."""
    found: dict[str, str] = {}
    names: dict[str, dict[str, None]] = {}
    more: Counter[str] = Counter()
    for step in steps:
        if (hit := _NAMES.fullmatch(step)) is None:
            found[step] = step
            continue
        mine = names.setdefault(hit[1], {})
        mine |= dict.fromkeys(hit[2].split(", "))
        more[hit[1]] += int(hit[3] or 0)
        found[hit[1]] = name_files(hit[1], tuple(mine), more[hit[1]])
    yield from found.values()


def _rank(steps: Sequence[str]) -> list[int]:
    """Rank the steps: of programs that were run to try something the last ones count, and of failures the newest."""
    trials = [at for at, one in enumerate(steps) if is_trial(one)]
    last_failed = max((at for at, one in enumerate(steps) if has_failed(one)), default=-1)
    committed = next(iter([at for at, one in enumerate(steps) if one.startswith(COMMITTED)][-2:-1]), -1)
    ranks = [
        min(rank_step(one), 2) if at < committed and _NAMES.fullmatch(one) else rank_step(one)
        for at, one in enumerate(steps)
    ]
    for at in trials[:-1]:
        ranks[at] = min(ranks[at], 1) if at in trials[-MOST_TRIALS:] else NEVER_TOLD
    for at in {*trials[-1:], last_failed} - {-1}:
        ranks[at] = max(ranks[at], 5 if at == last_failed else 4)
    return ranks


def rank_step(step: str) -> int:
    """Rank a step without regard to the others; below zero, it is never told."""
    if step.startswith(COMMITTED) or is_outward(step):
        return 6
    if " → " in step and is_trial(step):
        is_mistake = has_failed(step) and _OWN_ERROR.search(step) is not None
        return NEVER_TOLD if is_mistake or step.endswith(UNSHOWN) else 1
    if " → " in step and is_check(name_step(step)):
        return 1 if step.endswith(UNSHOWN) else 4 if has_failed(step) else 3
    if _NAMES.fullmatch(step):
        return 4
    return 0 if step.startswith("read ") or step.endswith(UNSHOWN) else 1 if has_failed(step) else 2


def has_failed(step: str) -> bool:
    """Whether the last run that a step tells of failed."""
    outcome = step.partition(" → ")[2]
    return outcome.startswith("failed") and ", then " not in outcome.partition(":")[0]
