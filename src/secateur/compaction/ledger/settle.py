"""The facts of a span, with the states that the whole history gave them.

Rule: errors listed are those that the span holds, and requests behind it are shortened; whether they are still so is
decided on all that was said and done, to the newest message, so that a summary never calls open what was answered,
passed or replaced behind the span. What the user demands and wants now, what the agent said last, what is open, which
files changed, how checks ended and what was committed are those of the whole history: whoever reads the summary alone
knows how things are.
"""

from collections.abc import Collection, Iterable, Sequence

from msgspec.structs import replace

from secateur.compaction.ledger.coverage import is_overtaken, list_targets, name_command
from secateur.compaction.ledger.entries import Command, Constraint, Failure, FileEntry, Ledger, UserRequest, mark
from secateur.compaction.ledger.user.briefs import condense_request
from secateur.compaction.ledger.user.constraints import normalize_demand
from secateur.compaction.ledger.user.requests import is_substantial
from secateur.text.host_texts import is_nudge

LATER_CHARS = 240  # of a request behind the span, which is kept in whole


def settle_states(span: Ledger, whole: Ledger) -> Ledger:
    """Return the span's ledger with the states of the whole history."""
    commands = _settle_commands(span.commands, whole)
    return replace(
        span,
        requests=_settle_requests(span.requests, whole.requests),
        constraints=_settle_constraints(span.constraints, whole.constraints),
        files=_settle_files(span.files, whole.files),
        commits=whole.commits,
        uncommitted=whole.uncommitted,
        status=whole.status,
        strays=whole.strays,
        dirty=whole.dirty,
        before=whole.before,
        progress=whole.progress if not span.requests else span.progress,
        commands=commands,
        failures=_settle_failures(span.failures, commands, whole),
        tasks=whole.tasks,
        questions=whole.questions,
        pending=whole.pending,
        branch=whole.branch,
        root=whole.root,
        folder=whole.folder,
        elsewhere=whole.elsewhere,
        unpushed=whole.unpushed,
        tickets=whole.tickets,
        ci=whole.ci,
        attempts=whole.attempts,
        values=whole.values,
        document=whole.document,
        last_words=whole.last_words,
        thought=whole.thought,
        lead=whole.lead,
        basis=whole.basis,
        last_calls=whole.last_calls,
        report=whole.report,
        reported=whole.reported,
        undelivered=whole.undelivered,
        delivered=whole.delivered,
        standing=whole.standing,
    )


def _settle_requests(mine: Iterable[UserRequest], all_: tuple[UserRequest, ...]) -> tuple[UserRequest, ...]:
    """Settle the requests of the span, and add those behind it, the newest in whole."""
    known = {mark(one.key) or one.text: one for one in all_}
    found = {mark(one.key) or one.text: one for one in mine}
    found = {
        name: _settle_request(one, known.get(name, one))
        for name, one in found.items()
        if name in known or not is_nudge(one.text)
    }
    newest = next((one for one in reversed(all_) if is_substantial(one.text)), None)
    last = max((at for at, one in enumerate(all_) if (mark(one.key) or one.text) in found), default=-1)
    for one in all_[last + 1 :]:
        is_whole = one is newest or one is all_[-1]
        short = one if is_whole else replace(one, text=condense_request(one.text, LATER_CHARS))
        found.setdefault(mark(one.key) or one.text, short)
    order = {name: number for number, name in enumerate(known)}
    places: dict[str, int] = {}
    place = -1
    for name in found:  # one that the whole ledger had no room for stands behind the one before it
        place = places[name] = order.get(name, place)
    return tuple(found[name] for name in sorted(found, key=lambda name: places[name]))


def _settle_request(mine: UserRequest, known: UserRequest) -> UserRequest:
    return replace(known, text=mine.text, key=mine.key, answers=mine.answers or known.answers)


def _settle_constraints(mine: Iterable[Constraint], all_: Iterable[Constraint]) -> tuple[Constraint, ...]:
    """Settle the demands of the span, and add those around it: they bind whoever reads the summary as well."""
    found = {normalize_demand(one.text): one for one in mine}
    for one in all_:
        name = normalize_demand(one.text)
        found[name] = replace(found.get(name, one), replaced_by=one.replaced_by or found.get(name, one).replaced_by)
    return tuple(found.values())


def _settle_files(mine: Iterable[FileEntry], all_: Iterable[FileEntry]) -> tuple[FileEntry, ...]:
    known = {one.path: one for one in all_}
    moved = tuple(f"{one.path}/" for one in known.values() if one.use == "moved")
    mine = [one for one in mine if one.path in known or not one.path.startswith(moved)]  # it has another name since
    found = {same.path: same for one in mine if (same := known.get(_find_whole(one.path, known), one))}
    later = (one for path, one in known.items() if path not in found and one.use != "discarded")
    return (*found.values(), *later)


def _find_whole(path: str, known: Collection[str]) -> str:
    """Return the absolute path under which the whole history knows a file that the span knows by a relative one."""
    same = [one for one in known if one.endswith(f"/{path}")] if path not in known and path[:1] not in "/~" else []
    return same[0] if len(same) == 1 else path


def _settle_commands(mine: Iterable[Command], whole: Ledger) -> tuple[Command, ...]:
    """Settle the last outcome of each command and of every check; those that failed only if nothing passed since."""
    all_ = whole.commands
    gone = {one.path for one in whole.files if one.use in ("deleted", "moved", "discarded")}
    known = {name_command(one.text): (number, one) for number, one in enumerate(all_)}
    checks = tuple(one for one in all_ if one.check and (one.ok is False or one.stopped or not one.scratch))
    found: dict[str, Command] = {}
    for one in (*mine, *checks):
        number, newest = known.get(name_command(one.text), (-1, one))
        failed = newest.check is not None and (newest.ok is False or newest.stopped)
        if failed and number < 0 and one.key and "commands" not in whole.omitted:
            continue  # the whole history does not tell of it any more
        if failed and is_overtaken(newest, [run for run in all_[number + 1 :] if run.ok]):
            continue
        if failed and any(path.endswith(target) for target in list_targets(newest.text) for path in gone):
            continue  # what it checked is not there any more
        if failed and _is_trial_overtaken(newest, all_[number + 1 :]):
            continue
        found[name_command(one.text)] = newest
    order = {name: number for name, (number, _) in known.items()}
    return tuple(found[name] for name in sorted(found, key=lambda name: order.get(name, -1)))


def _is_trial_overtaken(failed: Command, later: Sequence[Command]) -> bool:
    """Whether a script that was only made to try something failed, and a later check or trial passed."""
    return failed.scratch and any(run.ok and (run.check or run.scratch) for run in later)


def _settle_failures(mine: Iterable[Failure], commands: Iterable[Command], whole: Ledger) -> tuple[Failure, ...]:
    """Settle the errors of the span; those that the whole history does not have any more were overtaken.

    So were those of a check that is not among the settled `commands`.
    """
    left = {name_command(one.text) for one in commands}
    past = {one.text for one in whole.commands if one.check and one.ok is False and name_command(one.text) not in left}
    known = {(one.line, one.during): one for one in whole.failures}
    is_cut = "failures" in whole.omitted
    found = {(one.line, one.during): known.get((one.line, one.during), one) for one in mine}
    found = {name: one for name, one in found.items() if name in known or is_cut}
    found |= {(one.line, one.during): one for one in whole.failures if one.check and not one.resolved}
    return tuple(one for one in found.values() if one.resolved or one.during not in past)
