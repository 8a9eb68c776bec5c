"""A view that is still too long after pruning: one compaction, by the first rung that holds, or why there is none.

    done = fitted(work, numbers, fitting, wish)

Rule: it asks in this order: is it off, is the host busy, is it due, can it be, does a breaker speak against it, does a
hook. Only then is anybody asked for a summary, and the session is changed by one epoch or not at all. A view that is
over its window afterwards is told of, not sent. Before all that, where the policy says so, older work becomes digests
when that pays, which needs no window and no model.
"""

from concurrent.futures import CancelledError
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from secateur.compaction.outcome import Compacted, Outcome, Refused
from secateur.compaction.summary import rendered
from secateur.compaction.template import template
from secateur.compaction.trigger import Due, due, limits
from secateur.decision import taken_back
from secateur.fitting import telling
from secateur.fitting.background import EARLY_SHARE, Job
from secateur.fitting.breakers import held_back
from secateur.fitting.epoch import breaks_running_turn, epoch_of, ranges_of, swapped, view_of
from secateur.fitting.hooks import Before, Reply, asked
from secateur.fitting.moment import Numbers
from secateur.fitting.possible import cannot
from secateur.fitting.ready import Ready
from secateur.fitting.shortening import shortened
from secateur.fitting.wish import Fitted, Fitting, Wish
from secateur.model import Replace
from secateur.plan import alive
from secateur.receipt import Entry, entries, replaced
from secateur.session import Session
from secateur.session.projection import weigher

if TYPE_CHECKING:
    from secateur.compacting import Made

ROUNDS = 3  # of one compaction, where the counters of its policy and of the window are far apart


class Found(Struct, frozen=True):
    """A compaction that was made, or the reason why not, and what was said on the way."""

    outcome: Outcome
    made: "Made | None" = None
    warnings: tuple[str, ...] = ()
    entries: tuple[Entry, ...] = ()
    why: str = ""  # of its epoch


def fitted(work: Session, numbers: Numbers, fitting: Fitting, wish: Wish, ready: Ready | None = None) -> Fitted:
    """Compact if it is due; `ready` is a summary that was made for this request before. Raises CancelledError."""
    early = _shortened(work, numbers, fitting, wish)
    done = _fitted(work, numbers, fitting, wish, ready)
    if early is None:
        return done
    first = telling.told(numbers, early.outcome, None, done.too_long)
    first = replace(first, entries=early.entries, why=early.why, warnings=early.warnings)
    if not isinstance(done.outcome, Compacted):
        return first
    return replace(done, entries=(*first.entries, *done.entries), blobs=(*first.blobs, *done.blobs))


def _shortened(work: Session, numbers: Numbers, fitting: Fitting, wish: Wish) -> Found | None:
    """Digests of older work, if they are due; None where nothing was done."""
    settings, document = numbers.settings, work.document
    log = fitting.written and (document.format.log or document.transcript.in_place)  # a host has no place for many
    if settings.digest is None or settings.off or not fitting.on or wish.busy or wish.forced or log:
        return None
    if cannot(work, fitting.written) is not None:
        return None
    space, load = limits(settings, numbers.window, numbers.model), numbers.load(work)
    verdict = due(settings, load, space)
    made = shortened(work, numbers, verdict.why == "over")
    if made is None or _undone(work, made[0]):
        return None
    outcome, why = made
    before = _before(work, numbers, (load.tokens, space.threshold), ("price", why), wish)
    reply, warning = asked(fitting.hooks, before)
    if reply.cancel:
        return None
    found = _opened(work, numbers, Found(outcome), replace(verdict, text=why))
    if not isinstance(found.outcome, Compacted):
        return None
    told = telling.tell(fitting.hooks, numbers, found.outcome)
    return replace(found, warnings=tuple(filter(None, (warning, told))))


def _undone(work: Session, made: Compacted) -> bool:
    """Whether the same was made before and taken back: nobody makes it again."""
    kept = {edit.after for epoch in alive(work.mine) for edit in epoch.edits if isinstance(edit, Replace)}
    every = {edit.after for epoch in work.mine.epochs for edit in epoch.edits if isinstance(edit, Replace)}
    return any(isinstance(edit, Replace) and edit.after in every - kept for edit in made.edits)


def _before(work: Session, numbers: Numbers, sizes: tuple[int, int], why: tuple[str, str], wish: Wish) -> Before:
    """What a hook is told of a compaction that is about to be made."""
    return Before(
        session=numbers.session,
        model=numbers.model,
        window=numbers.window,
        tokens=sizes[0],
        threshold=sizes[1],
        reason=why[0],
        text=why[1],
        messages=len(work.document.transcript.messages),
        focus=wish.focus,
    )


def _fitted(work: Session, numbers: Numbers, fitting: Fitting, wish: Wish, ready: Ready | None) -> Fitted:
    """A compaction because the window asks for it, or somebody does."""
    space = limits(numbers.settings, numbers.window, numbers.model)
    load = numbers.load(work)
    verdict = due(numbers.settings, load, space, wish.forced)
    before = _before(work, numbers, (load.tokens, space.threshold), (verdict.why, verdict.text), wish)
    no = _refused(work, verdict, fitting, wish)
    if fitting.background is not None and (no is None or no.reason == "under"):
        ready = ready or fitting.background.take(numbers.who)
        no = no if ready else _beside(work, numbers, fitting, wish, before) or no
    if no is not None and not (ready and no.reason == "under"):
        too_long = telling.too_long(work, numbers, no)
        mere = no.reason in ("off", "busy")  # nobody wants one now: the view is the caller's affair
        return telling.off(no, too_long) if mere else telling.told(numbers, no, None, too_long)
    return _done(work, numbers, fitting, wish, (before, verdict, ready))


def _done(
    work: Session, numbers: Numbers, fitting: Fitting, wish: Wish, given: tuple[Before, Due, Ready | None]
) -> Fitted:
    """A compaction that is due, or ready."""
    before, verdict, ready = given
    known = ranges_of(work)
    found = _swapped(work, numbers, ready) or _made(work, numbers, fitting, wish, before)
    if isinstance(found.outcome, Compacted):
        found = _opened(work, numbers, found, verdict)
    done = telling.told(numbers, found.outcome, found.made, telling.too_long(work, numbers, found.outcome))
    warning = telling.tell(fitting.hooks, numbers, found.outcome)
    kept = Ready(found.made, known) if found.made is not None and isinstance(found.outcome, Compacted) else None
    return replace(
        done,
        ready=kept,
        entries=found.entries,
        why=found.why,
        warnings=tuple(filter(None, (*found.warnings, warning))),
    )


def _beside(work: Session, numbers: Numbers, fitting: Fitting, wish: Wish, before: Before) -> Refused | None:
    """Begin a summary beside the requests where it is near; why this one goes on without, None where it cannot."""
    background = fitting.background
    if background is None or not numbers.session or wish.forced or not fitting.listed or cannot(work) is not None:
        return None
    if before.tokens < before.threshold * EARLY_SHARE or before.tokens > numbers.window:
        return None
    if held_back(work.mine, work.document.transcript.messages, numbers.window, work.count) is not None:
        return None
    scene = numbers.scene(work, replace(wish, forced=True), True)
    task = (scene, numbers.settings, numbers.after)
    listed, hooks, known = fitting.listed, fitting.hooks, ranges_of(work)
    background.begin(numbers.who, lambda: Job(lambda: asked(hooks, before)[0], task, listed, fitting.deadline_s, known))
    return Refused("beside", "a summary is being made beside the requests: it is swapped in when it is there")


def _refused(work: Session, verdict: Due, fitting: Fitting, wish: Wish) -> Refused | None:
    """Why no compaction is to be made, before anything else is looked at."""
    if not fitting.on:
        return Refused("off", "compaction is off")
    if verdict.why == "off":
        return Refused(verdict.why, verdict.text)
    if wish.busy:
        return Refused("busy", wish.busy)
    if not verdict.now:
        return Refused(verdict.why, verdict.text)
    return cannot(work, fitting.written)


def _swapped(work: Session, numbers: Numbers, ready: Ready | None) -> Found | None:
    """The summary that was made beside earlier requests, if it still holds."""
    if ready is None or not isinstance(ready.made.outcome, Compacted):
        return None
    made = swapped(work, ready.made.outcome, ready.known, numbers.after)
    return Found(made, replace(ready.made, outcome=made)) if made is not None else None


def _made(work: Session, numbers: Numbers, fitting: Fitting, wish: Wish, before: Before) -> Found:
    """A compaction that is made now."""
    from secateur import compacting  # only a request that compacts pays for loading it

    messages = work.document.transcript.messages
    held = None if wish.forced else held_back(work.mine, messages, numbers.window, work.count)
    if held is not None and before.tokens <= numbers.window:
        return Found(held)
    reply, warning = asked(fitting.hooks, before)
    warnings = tuple(filter(None, (warning,)))
    if reply.cancel:
        return Found(Refused("vetoed", reply.reason or "the hook before_compact cancelled it"), None, warnings)
    listed = fitting.listed if held is None and (fitting.background is None or wish.forced) else ()
    wish = _with(wish, reply)
    scene = numbers.scene(work, wish, bool(listed))
    made = compacting.compacted(
        compacting.Task(scene, numbers.settings, numbers.after), listed, fitting.deadline_s, wish.stop
    )
    if wish.stop is not None and wish.stop.called:
        raise CancelledError
    if held is not None:
        warnings += (f"no summariser was asked: {held.text}",)
    return _short_enough(work, numbers, Found(made.outcome, made, warnings), wish)


def _with(wish: Wish, reply: Reply) -> Wish:
    focus = "; ".join(filter(None, (wish.focus, reply.focus)))
    return replace(wish, focus=focus, summary=reply.summary or wish.summary)


def _short_enough(work: Session, numbers: Numbers, found: Found, wish: Wish) -> Found:
    """The same summary with a shorter tail, where the window counts otherwise than the policy."""
    from secateur import compacting

    space = limits(numbers.settings, numbers.window, numbers.model)
    first = found.outcome
    narrow = numbers
    for _ in range(ROUNDS):
        outcome = found.outcome
        if not isinstance(outcome, Compacted) or not isinstance(first, Compacted) or numbers.window <= 0:
            break
        left = numbers.of(work, view_of(work, epoch_of(work, outcome, "", numbers.now))).tokens
        if left <= space.usable:
            break
        narrow = replace(narrow, window=int(narrow.window * space.usable / left * 0.95))
        prose = rendered(template(numbers.settings.template, "en"), first.sections)
        again = replace(wish, forced=True, summary=prose or "-")
        made = compacting.compacted(
            compacting.Task(narrow.scene(work, again, False), numbers.settings, numbers.after), ()
        )
        if not isinstance(made.outcome, Compacted):
            break
        known = {"rung": first.rung, "by": first.by, "attempts": first.attempts, "asks": first.asks}
        found = replace(found, outcome=replace(made.outcome, **known, dropped=first.dropped))
    return found


def _opened(work: Session, numbers: Numbers, found: Found, verdict: Due) -> Found:
    """Open its epoch, unless what it makes could not be sent."""
    made = found.outcome
    assert isinstance(made, Compacted)
    epoch = epoch_of(work, made, f"compaction ({made.rung}): {verdict.text}", numbers.now)
    if breaks_running_turn(work, epoch):
        text = "the running turn began with reasoning that is bound to its prefix: it waits for the turn to end"
        return replace(found, outcome=Refused("running_turn", text, made.attempts, made.asks))
    before = work.aligned
    work.open(epoch)
    why = taken_back(work, numbers.now, True)
    if why:
        return replace(found, outcome=Refused("gate", why, made.attempts, made.asks))
    read = work.document.transcript.messages
    gone = replaced(read, before, work.ranges, epoch, weigher(work.document.format, work.ranges, work.count))
    told = (*entries(read, before, work.aligned, epoch), *gone)
    return replace(found, entries=told, why=epoch.why)
