"""Whether a view fits its window: which windows bind, and what is done before one is told that it does not fit.

Rule: a window that the caller stated binds every policy that edits; one that was looked up binds those that say so, and
is a warning for others. A policy that leaves unread results whole shortens the oldest of them before it gives up.
"""

from msgspec import Struct
from msgspec.structs import replace

from secateur.budget import Budget
from secateur.compaction.outcome import Refused
from secateur.decision import taken_back
from secateur.fitting.moment import Numbers
from secateur.fitting.telling import largest, too_long
from secateur.fitting.unread import shortened
from secateur.fitting.wish import Fitted
from secateur.policy import Policy
from secateur.receipt import Entry, entries
from secateur.session import Session


class Window(Struct, frozen=True):
    """The window of one request."""

    tokens: int
    source: str
    stated: int  # by the caller; 0: not
    fixed: int  # tokens of system prompt and tools
    ratio: float  # what the provider counts for one token of ours


class Held(Struct, frozen=True):
    """What came of it."""

    too_long: str = ""  # why the view cannot be sent
    warnings: tuple[str, ...] = ()
    entries: tuple[Entry, ...] = ()  # of unread results that were shortened
    why: str = ""  # of their epoch

    def onto(self, summed: Fitted) -> Fitted:
        """What fitting came to, this included."""
        told, said = (*summed.entries, *self.entries), (*summed.warnings, *self.warnings)
        return replace(summed, entries=told, warnings=said, why=summed.why or self.why, too_long=self.too_long)


def held(work: Session, policy: Policy, window: Window, given: tuple[Numbers | None, Fitted, Budget]) -> Held:
    """Hold the view to its window."""
    numbers, summed, budget = given
    if policy.binds == "never":
        return Held()
    why = _over(work, policy, window, (numbers, summed))
    done = Held()
    if why and policy.protect.unread and not work.document.transcript.partial:
        done = _yielded(work, window, given)
        why = _over(work, policy, window, (numbers, summed))
    if why and _binds(work, policy, window, summed):
        return Held(why, done.warnings, done.entries, done.why)
    return Held("", (*done.warnings, *filter(None, (why,))), done.entries, done.why)


def _binds(work: Session, policy: Policy, window: Window, summed: Fitted) -> bool:
    """Whether the window is one that this policy may not exceed. A host that is busy only asks what could be done."""
    reason = summed.outcome.reason if isinstance(summed.outcome, Refused) else ""
    if reason == "busy":
        return False
    stated = window.stated > 0 and (reason == "fixed_overhead" or _used(work, window) > window.stated)
    return stated or (policy.binds == "any" and reason != "off")


def _used(work: Session, window: Window) -> int:
    """Tokens of the view, as the provider would count them."""
    return round((work.tokens[1] + window.fixed) * window.ratio)


def _over(work: Session, policy: Policy, window: Window, given: tuple[Numbers | None, Fitted]) -> str:
    """Why the view does not fit; "" if it does. A policy that a looked-up window binds counts as it compacts."""
    numbers, summed = given
    if numbers is not None and policy.binds == "any" and summed.outcome is not None:
        return too_long(work, numbers, summed.outcome)
    used = _used(work, window)
    if isinstance(summed.outcome, Refused) and summed.outcome.reason == "fixed_overhead":
        return summed.outcome.text
    if window.tokens <= 0 or used <= window.tokens:
        return ""
    if numbers is not None and summed.too_long:
        return summed.too_long
    named = ", ".join(f"{part.tool or part.kind} ({part.tokens:,})" for part in largest(work.after()))
    return (
        f"{used:,} tokens are left and the window is {window.tokens:,} ({window.source}); system prompt and tools take "
        f"{window.fixed:,}, the largest that stay are {named}: give a larger window, or protect less"
    )


def _yielded(work: Session, window: Window, given: tuple[Numbers | None, Fitted, Budget]) -> Held:
    """Shorten the oldest unread results, until the view fits or none is left."""
    numbers, summed, budget = given
    if isinstance(summed.outcome, Refused) and summed.outcome.reason == "fixed_overhead":
        return Held()  # no result is to blame
    used = numbers.load(work).tokens if numbers is not None else _used(work, window)
    epoch = shortened(work, budget, max(1, used - window.tokens))
    if epoch is None:
        return Held()
    before = work.aligned
    work.open(epoch)
    if taken_back(work, budget.now, True):
        return Held()
    told = entries(work.document.transcript.messages, before, work.aligned, epoch)
    if budget.handles:
        return Held(entries=told, why=epoch.why)
    many = "1 result" if len(told) == 1 else f"{len(told)} results"
    said = f"shortened to fit, though the model has not read it and cannot read it back: {many}"
    return Held("", (f"{said}; give the engine a store, and the model the tools of `secateur mcp`",), told, epoch.why)
