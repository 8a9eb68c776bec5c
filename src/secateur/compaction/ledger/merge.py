"""Two ledgers of one session made one: what was known, and what a later span adds.

Rule: nothing an earlier ledger kept is lost but by its bounds; the later word wins on states. Merging in a span a
second time changes nothing. Which spans belong together is the caller's to know.
"""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from secateur.compaction.ledger.bounded import limit_ledger
from secateur.compaction.ledger.coverage import is_covering, name_command
from secateur.compaction.ledger.entries import (
    AS_OF_THEN,
    Command,
    Constraint,
    Failure,
    FileEntry,
    Ledger,
    Pending,
    PlanItem,
    Quote,
    Undelivered,
    UserRequest,
    mark,
)
from secateur.compaction.ledger.files.lines import find_base
from secateur.compaction.ledger.files.paths import find_known_path, mark_inside
from secateur.compaction.ledger.files.reads import find_subject
from secateur.compaction.ledger.files.touched import OTHERS, limit_uncommitted, merge_use
from secateur.compaction.ledger.files.values import merge_values
from secateur.compaction.ledger.repository.ci import mark_pushed
from secateur.compaction.ledger.repository.repository import merge_elsewhere, merge_tickets
from secateur.compaction.ledger.repository.status import list_unnamed, select_dirty
from secateur.compaction.ledger.repository.ticket_states import mark_shown, merge_shown
from secateur.compaction.ledger.repository.unpushed import merge_unpushed
from secateur.compaction.ledger.runs.failures import is_overtaken
from secateur.compaction.ledger.runs.last_calls import keep_last_each, take_ends
from secateur.compaction.ledger.turns.progress import join_progress
from secateur.compaction.ledger.user.constraints import normalize_demand
from secateur.compaction.ledger.user.permissions import mark_lifted
from secateur.compaction.ledger.user.retractions import mark_replaced
from secateur.compaction.ledger.user.taken_back import mark_taken_back
from secateur.compaction.ledger.work.circumstances import is_project_change
from secateur.compaction.ledger.work.code_changes import is_code
from secateur.compaction.ledger.work.plans import end_task
from secateur.compaction.ledger.work.standing import merge_standing
from secateur.text.host_texts import is_nudge
from secateur.toolcalls.effects import Effect


def merge(earlier: Ledger, later: Ledger) -> Ledger:
    """The ledger of both spans, within its bounds."""
    silent = not (later.requests or later.questions) and later.before == "open"
    names = (*later.identifiers[: len(later.identifiers) // 2], *earlier.identifiers, *later.identifiers)
    both = Ledger(
        requests=_merge_requests(earlier, later),
        constraints=_merge_constraints(earlier.constraints, later),
        files=_merge_files(earlier, later),
        commands=keep_last_each((*_mark_edited(earlier.commands, later), *later.commands), lambda one: one.text),
        failures=_merge_failures(earlier, later),
        tasks=_merge_tasks(earlier, later),
        questions=earlier.questions if silent else later.questions,
        pending=_merge_pending(earlier, later),
        commits=_merge_commits(earlier.commits, later.commits),
        uncommitted=_merge_uncommitted(earlier, later),
        status=later.status or (() if later.commits or later.delivered else earlier.status),
        strays=_merge_strays(earlier, later),
        dirty=_merge_dirty(earlier, later),
        identifiers=tuple(dict.fromkeys(names)),
        branch=later.branch or (earlier.branch if later.root in ("", earlier.root) else ""),
        root=later.root or earlier.root,
        folder=later.folder or earlier.folder,
        elsewhere=merge_elsewhere(earlier.elsewhere, later.elsewhere),
        unpushed=merge_unpushed(
            earlier.unpushed, later.unpushed, "push" in later.delivered, "push" in earlier.delivered
        ),
        tickets=merge_tickets((*mark_shown(earlier.tickets, later.shown_tickets), *later.tickets)),
        shown_tickets=merge_shown((*earlier.shown_tickets, *later.shown_tickets)),
        ci=later.ci or (mark_pushed(earlier.ci) if "push" in later.delivered else earlier.ci),
        attempts=keep_last_each((*earlier.attempts, *later.attempts), lambda one: one.text),
        values=merge_values((*earlier.values, *later.values)),
        document=later.document or earlier.document,
        last_words=_merge_last_words(earlier, later),
        thought=later.thought if later.last_words or later.requests or later.thought else earlier.thought,
        lead=later.lead if later.last_words or later.requests else earlier.lead,
        basis=later.basis if later.requests else earlier.basis,
        last_calls=_merge_last_calls(earlier, later),
        report=_merge_report(earlier, later),
        reported=later.reported or earlier.reported,
        undelivered=_merge_undelivered(earlier, later),
        standing=merge_standing(earlier, later),
        delivered=tuple(dict.fromkeys((*earlier.delivered, *later.delivered))),
        progress=earlier.progress if earlier.requests else join_progress(earlier.progress, later.progress),
        before=later.before if earlier.before == "open" else earlier.before,
        replanned=earlier.replanned or later.replanned,
        arrived=tuple(dict.fromkeys((*earlier.arrived, *later.arrived))),
        omitted=_merge_counts(earlier.omitted, later.omitted),
    )
    return limit_ledger(both)


def _merge_requests(earlier: Ledger, later: Ledger) -> tuple[UserRequest, ...]:
    """Merge the requests; the later span decides what became of open ones."""
    has_gone_on = later.last_words or later.requests or later.commands or later.files
    kept = (replace(one, goal=False) for one in earlier.requests if not (has_gone_on and is_nudge(one.text)))
    found = {mark(one.key) or one.text: one for one in kept}
    for name, one in found.items():
        if one.state == "open":
            found[name] = replace(one, state=later.before)
    first = mark(later.requests[0].key) or later.requests[0].text if later.requests else ""
    names = [*found]
    until = names.index(first) if first in found else len(names)
    if until:
        last = found[names[until - 1]]
        found[names[until - 1]] = replace(last, progress=join_progress(last.progress, later.progress))
    for one in later.requests:
        found[mark(one.key) or one.text] = replace(one, goal=False)
    return tuple(found.values())


def _merge_constraints(earlier: Sequence[Constraint], later: Ledger) -> tuple[Constraint, ...]:
    """Merge the demands; among the earlier ones, which may be in any order, nothing new is taken back."""
    found: dict[str, Constraint] = {}
    again = {normalize_demand(one.text) for one in later.constraints}
    said_once = [one for one in earlier if normalize_demand(one.text) not in again]
    past = mark_taken_back(mark_lifted(said_once, later.requests), later.requests)
    lifted = {one.text: one for one in past}
    for one in (*(lifted.get(one.text, one) for one in earlier), *later.constraints):
        known = found.setdefault(normalize_demand(one.text), one)
        if one.scope == "standing" != known.scope:
            found[normalize_demand(one.text)] = replace(known, scope="standing")
    return mark_replaced(found.values(), len({normalize_demand(one.text) for one in earlier}))


def _merge_last_words(earlier: Ledger, later: Ledger) -> Quote | None:
    if later.last_words or not earlier.last_words or not later.requests:
        return later.last_words or earlier.last_words
    return replace(earlier.last_words, is_answered=True)


def _merge_last_calls(earlier: Ledger, later: Ledger) -> tuple[Command, ...]:
    """Merge the calls that ended after the last words; new words of the agent or the user begin the list anew."""
    if later.last_words or later.requests:
        return later.last_calls
    return take_ends(keep_last_each((*earlier.last_calls, *later.last_calls), lambda one: one.text))


def _merge_report(earlier: Ledger, later: Ledger) -> Quote | None:
    """Return the newest report of work, unless it is what the agent said last."""
    report = later.report or earlier.report
    return report if later.last_words is None or report is None or report.text != later.last_words.text else None


def _merge_uncommitted(earlier: Ledger, later: Ledger) -> tuple[str, ...]:
    """Merge the files that were changed since the last commit; a commit of the later span ends the earlier list."""
    is_committed = bool(later.commits) or "commit" in later.delivered
    return limit_uncommitted(dict.fromkeys((*(() if is_committed else earlier.uncommitted), *later.uncommitted)))


def _merge_commits(earlier: Sequence[str], later: Sequence[str]) -> tuple[str, ...]:
    """Merge the commits; a bare hash says nothing beside the same one with its subject."""
    both = dict.fromkeys((*earlier, *later))
    known = [one for one in both if " " in one]
    return tuple(one for one in both if " " in one or not any(f" {one}]" in other for other in known))


def _merge_undelivered(earlier: Ledger, later: Ledger) -> tuple[Undelivered, ...]:
    kept = (one for one in earlier.undelivered if one.kind not in later.delivered)
    return keep_last_each((*kept, *later.undelivered), lambda one: one.kind)


def _merge_dirty(earlier: Ledger, later: Ledger) -> tuple[str, ...]:
    """Return what was changed before the session: the later span knows it while the earlier changed nothing."""
    has_begun = any(map(is_project_change, earlier.files)) or earlier.commits
    return select_dirty(earlier.dirty, later.status) if has_begun or earlier.dirty else later.dirty


def _merge_strays(earlier: Ledger, later: Ledger) -> tuple[str, ...]:
    """Return what the newest status showed of files that no call of both spans changed since a commit."""
    if not (later.status or later.commits or later.delivered):
        return list_unnamed(earlier.strays, later.files, earlier.dirty)
    is_told = bool(earlier.commits) and OTHERS not in earlier.uncommitted
    changed = (one for one in earlier.files if not is_told or one.path in earlier.uncommitted)
    return list_unnamed(later.strays, changed, earlier.dirty)


def _mark_edited(commands: Iterable[Command], later: Ledger) -> Iterable[Command]:
    """Mark failed checks behind which a file of the project was changed, and others behind which code was."""
    is_changed = any(map(is_project_change, later.files))
    has_code = any(is_project_change(one) and is_code(one.path) for one in later.files)
    return (
        replace(one, edited_since=True) if one.check and (is_changed if one.ok is False else has_code) else one
        for one in commands
    )


def _merge_files(earlier: Ledger, later: Ledger) -> tuple[FileEntry, ...]:
    """Merge the files; what the earlier span may have committed is not taken back by restoring the file."""
    is_past = find_subject(later.requests) is not None
    found = {one.path: replace(one, current=False) if is_past else one for one in earlier.files}
    roots = dict.fromkeys(filter(None, (earlier.folder, find_base(earlier))))
    for one in later.files:
        path = find_known_path(found, one.path, roots)
        if one.use == "moved":
            mark_inside(found, replace(one, path=path))
        before = found.pop(path, None)
        is_kept = before is not None and one.use == "restored" and bool(earlier.commits)
        use = before.use if before and is_kept else merge_use(before, one.use)
        scratch = one.scratch or (before is not None and before.scratch)
        about = one.about or (before.about if before else "")
        named = one.named or (before is not None and before.named)
        current = one.current or (before is not None and before.current)
        looks = one.looks + (before.looks if before else 0)
        found[path] = replace(
            one, path=path, use=use, scratch=scratch, about=about, named=named, current=current, looks=looks
        )
    return tuple(found.values())


def _merge_failures(earlier: Ledger, later: Ledger) -> tuple[Failure, ...]:
    """Resolve earlier errors if the later span ran the same command, or a check of as much, successfully."""
    passed = [one for one in later.commands if one.ok]
    mine = {(one.line, one.during) for one in later.failures}
    is_changed = any(map(is_project_change, later.files))
    effects = [Effect(one.path, one.use, one.to) for one in later.files]
    found = []
    for one in earlier.failures:
        if (one.line, one.during) not in mine and (one.resolved or not is_overtaken(one, effects)):
            better = any(
                name_command(run.text) == name_command(one.during)
                or (run.check and one.check and is_covering(run.text, one.during, one.line, run.started))
                for run in passed
            )
            resolved = one.resolved or better
            since = not resolved and (one.edited_since or is_changed)
            found.append(replace(one, resolved=resolved, edited_since=since))
    return (*found, *later.failures)


def _merge_tasks(earlier: Ledger, later: Ledger) -> tuple[PlanItem, ...]:
    found = {one.text or one.id: one for one in earlier.tasks}
    ids = {one.id: one.text for one in earlier.tasks if one.id and one.text}
    there = {one.text for one in later.tasks}
    for name, one in found.items():
        if later.replanned and one.state == "open" and one.text not in there:
            found[name] = end_task(one, "superseded")
        elif one.state == "open" and not one.key and later.commits and one.text.casefold().startswith("commit "):
            found[name] = end_task(replace(one, text=one.text.removesuffix(f" {AS_OF_THEN}")))
    for one in later.tasks:
        text = one.text or ids.get(one.id, "")
        found[text or one.id] = replace(one, text=text)
    return tuple(found.values())


def _merge_pending(earlier: Ledger, later: Ledger) -> tuple[Pending, ...]:
    waits = (one for one in earlier.pending if not (one.call and one.call in later.arrived))
    return keep_last_each((*waits, *later.pending), lambda one: f"{mark(one.key)} {one.call} {one.tool} {one.target}")


def _merge_counts(one: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    return {name: max(one.get(name, 0), other.get(name, 0)) for name in sorted({*one, *other})}
