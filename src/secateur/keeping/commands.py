"""What is said of a session between its requests: what a provider reported, undo, pins.

Rule: each is kept before it is answered, with a receipt of its own, and holds from the next request on. Commands fail
loud; an observation never stops anything.
"""

from typing import Any

from msgspec.structs import replace

from secateur.errors import ConfigError, EditError, StoreError
from secateur.keeping import Desk, Keeping
from secateur.keeping.calibrating import calibrated, calibration_of
from secateur.keeping.clock import moved
from secateur.keeping.naming import is_owned, owned
from secateur.keeping.overflow import window_in
from secateur.keeping.pins import pin_of
from secateur.keeping.record import noticed, recorded
from secateur.keeping.undone import Undone, cost, newest
from secateur.model import Epoch
from secateur.plan import Plan
from secateur.receipt import Receipt
from secateur.stores.protocol import Change, Pin, State, Who
from secateur.usage import Usage, usage_of

__all__ = ["Undone", "noted", "pinned", "undone", "unpinned"]


def noted(keeping: Keeping, who: Who, receipt: Receipt | None, usage: Any, now: int) -> None:
    """Calibrate by what a provider said of a request, the session's last one by default, and move the clock.

    A sample that cannot be true of that request is left out; the session's next receipt says so. A refusal tells how
    large the window is, and no more.
    """
    told, window = usage_of(usage) or Usage(), window_in(usage)

    def change(desk: Desk, state: State) -> Change:
        last = receipt or keeping.last(desk, state)
        if last is None:
            return Change(at=now)
        before = calibration_of(state, last.model)
        if window:
            return Change(at=now, calibrations={last.model: replace(before, window=window)})
        after = calibrated(before, last.tokens_view, told)
        clock = moved(state.clock, told, last, now)
        return Change(at=now, clock=clock, calibrations={last.model: after} if after != before else None)

    if not who.session or not is_owned(who):
        return
    keeping.begin()
    try:
        keeping.note(who, change, keeping.reach)
    except StoreError:
        keeping.note_unkept(who, change)


def undone(keeping: Keeping, who: Who, epoch: int | None, now: int) -> Undone:
    """Take an epoch back by a new one."""
    owned(who, "an undo")
    made: list[Undone] = []

    def change(desk: Desk, state: State) -> Change:
        plan = Plan((*state.plan.epochs, *desk.unsaved))
        number = newest(plan) if epoch is None else epoch
        if not 0 <= number < len(plan.epochs):
            raise EditError(f"no epoch {number}: the plan of session {who.session!r} has {len(plan.epochs)}, from 0")
        tip = state.tip or (desk.last.tip if desk.last else "")
        new = Epoch(now, tip, f"undo of epoch {number}", (), undoes=number)
        tokens = cost(keeping.store, desk.work, state, plan, number)
        made[:] = [Undone(number, len(plan.epochs), tokens, plan.opened(new))]
        receipt = replace(noticed("undone", now), trigger=new.why, tokens_view=tokens)
        clock = replace(state.clock, by_hand=now)  # nobody was called
        receipts = recorded((*desk.waiting, receipt), state, (*desk.unsaved, new))
        return Change(at=now, epochs=(new,), receipts=receipts, clock=clock)

    keeping.note(who, change, keeping.store)
    return made[0]


def pinned(keeping: Keeping, who: Who, wanted: tuple[str, str], now: int) -> tuple[Pin, ...]:
    """Add a pin, if it is not there yet."""
    owned(who, "a pin")
    new = pin_of(*wanted, now)

    def change(desk: Desk, state: State) -> Change:
        known = any((pin.kind, pin.pattern) == (new.kind, new.pattern) for pin in state.pins)
        receipt = replace(noticed("pinned", now), trigger=f"pinned {new.kind} {new.pattern}")
        links = recorded((*desk.waiting, receipt), state, desk.unsaved)
        return Change(at=now, pins=state.pins if known else (*state.pins, new), receipts=links)

    return keeping.note(who, change, keeping.store).pins


def unpinned(keeping: Keeping, who: Who, wanted: tuple[str, str], now: int) -> tuple[Pin, ...]:
    """Take a pin away."""
    owned(who, "a pin")
    gone = pin_of(*wanted, now)

    def change(desk: Desk, state: State) -> Change:
        left = tuple(pin for pin in state.pins if (pin.kind, pin.pattern) != (gone.kind, gone.pattern))
        if len(left) == len(state.pins):
            said = ", ".join(f"{pin.kind} {pin.pattern}" for pin in state.pins) or "none"
            raise ConfigError(f"session {who.session!r} has no pin {gone.kind} {gone.pattern}; its pins: {said}")
        receipt = replace(noticed("pinned", now), trigger=f"unpinned {gone.kind} {gone.pattern}")
        return Change(at=now, pins=left, receipts=recorded((*desk.waiting, receipt), state, desk.unsaved))

    return keeping.note(who, change, keeping.store).pins
