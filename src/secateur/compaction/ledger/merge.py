"""Two ledgers of one session made one: what was known, and what a later span adds.

Rule: nothing an earlier ledger kept is lost but by its bounds; the later word wins on states. Merging in a span a
second time changes nothing. Which spans belong together is the caller's to know.
"""

from collections.abc import Callable, Iterable
from typing import TypeVar

from msgspec.structs import replace

from secateur.compaction.ledger.bounded import bounded
from secateur.compaction.ledger.constraints import same
from secateur.compaction.ledger.entries import Constraint, Failure, FileEntry, Ledger, Pending, PlanItem, UserRequest
from secateur.compaction.ledger.files import joined
from secateur.compaction.ledger.marks import mark

_T = TypeVar("_T")


def merge(earlier: Ledger, later: Ledger) -> Ledger:
    """The ledger of both spans, within its bounds."""
    silent = not (later.requests or later.questions) and later.before == "open"
    names = (*later.identifiers[: len(later.identifiers) // 2], *earlier.identifiers, *later.identifiers)
    both = Ledger(
        requests=_requests(earlier, later),
        constraints=_constraints((*earlier.constraints, *later.constraints)),
        files=_files(earlier.files, later.files),
        commands=_newest((*earlier.commands, *later.commands), lambda one: one.text),
        failures=_failures(earlier, later),
        tasks=_tasks(earlier, later),
        questions=earlier.questions if silent else later.questions,
        pending=_pending(earlier, later),
        commits=tuple(dict.fromkeys((*earlier.commits, *later.commits))),
        identifiers=tuple(dict.fromkeys(names)),
        branch=later.branch or earlier.branch,
        before=later.before if earlier.before == "open" else earlier.before,
        replanned=earlier.replanned or later.replanned,
        arrived=tuple(dict.fromkeys((*earlier.arrived, *later.arrived))),
        omitted=_most(earlier.omitted, later.omitted),
    )
    return bounded(both)


def _newest(entries: Iterable[_T], name: Callable[[_T], str]) -> tuple[_T, ...]:
    """The last entry of each name, where it stands."""
    found: dict[str, _T] = {}
    for one in entries:
        found.pop(name(one), None)
        found[name(one)] = one
    return tuple(found.values())


def _requests(earlier: Ledger, later: Ledger) -> tuple[UserRequest, ...]:
    """What stood open is what the later span made of it."""
    found = {mark(one.key) or one.text: one for one in earlier.requests}
    for name, one in found.items():
        if one.state == "open":
            found[name] = replace(one, state=later.before)
    for one in later.requests:
        found[mark(one.key) or one.text] = one
    return tuple(found.values())


def _constraints(entries: Iterable[Constraint]) -> tuple[Constraint, ...]:
    found: dict[str, Constraint] = {}
    for one in entries:
        known = found.setdefault(same(one.text), one)
        if one.scope == "standing" != known.scope:
            found[same(one.text)] = replace(known, scope="standing")
    return tuple(found.values())


def _files(earlier: Iterable[FileEntry], later: Iterable[FileEntry]) -> tuple[FileEntry, ...]:
    found = {one.path: one for one in earlier}
    for one in later:
        before = found.pop(one.path, None)
        found[one.path] = replace(one, use=joined(before, one.use))
    return tuple(found.values())


def _failures(earlier: Ledger, later: Ledger) -> tuple[Failure, ...]:
    """Errors of before are resolved where the later span ran the same command, or the same kind of check, well."""
    kinds = {one.text: one.check for one in (*earlier.commands, *later.commands)}
    passed = {one.text for one in later.commands if one.ok}
    last = {one.check: one.ok for one in later.commands if one.check}
    mine = {(one.line, one.during) for one in later.failures}
    found = []
    for one in earlier.failures:
        check = kinds.get(one.during)
        if (one.line, one.during) not in mine:
            better = one.during in passed or (check is not None and last.get(check, False))
            found.append(replace(one, resolved=one.resolved or better))
    return (*found, *later.failures)


def _tasks(earlier: Ledger, later: Ledger) -> tuple[PlanItem, ...]:
    found = {one.text or one.id: one for one in earlier.tasks}
    ids = {one.id: one.text for one in earlier.tasks if one.id and one.text}
    there = {one.text for one in later.tasks}
    for name, one in found.items():
        if later.replanned and one.state == "open" and one.text not in there:
            found[name] = replace(one, state="superseded")
    for one in later.tasks:
        text = one.text or ids.get(one.id, "")
        found[text or one.id] = replace(one, text=text)
    return tuple(found.values())


def _pending(earlier: Ledger, later: Ledger) -> tuple[Pending, ...]:
    waits = (one for one in earlier.pending if not (one.call and one.call in later.arrived))
    return _newest((*waits, *later.pending), lambda one: f"{mark(one.key)} {one.call} {one.tool} {one.target}")


def _most(one: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    return {name: max(one.get(name, 0), other.get(name, 0)) for name in sorted({*one, *other})}
