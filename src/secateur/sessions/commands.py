"""Commands on a session between its requests: recorded usage, undo, pins.

Rule: each is saved before it returns, with a receipt of its own, and applies from the next request on. Commands raise
their errors; recorded usage never stops anything. Only an error can state the size of the window, never a model's text.
"""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from msgspec.structs import replace

from secateur.errors import ConfigError, EditError, StoreError
from secateur.model import Epoch
from secateur.plan import Plan
from secateur.pricing import bill_answer
from secateur.receipt import Receipt
from secateur.sessions import CachedSession, SessionManager
from secateur.sessions.calibration import add_sample, advance_clock, get_calibration
from secateur.sessions.lookup import is_owned, require_owned
from secateur.sessions.pins import pin_of
from secateur.sessions.receipt_log import link_receipts, make_notice
from secateur.sessions.void_edits import UndoResult, compute_cost, find_newest
from secateur.stores.protocol import Pin, SessionId, SessionUpdate, State
from secateur.usage import Usage, read_usage

__all__ = ["UndoResult", "record_session_usage", "bill_other_answer", "add_pin", "undo_epoch", "remove_pin"]


def record_session_usage(
    sessions: SessionManager, who: SessionId, receipt: Receipt | None, usage: Any, now: int
) -> None:
    """Calibrate by a provider's usage report, by default for the last request, and advance the clock.

    An implausible sample is dropped; the session's next receipt says so. An error only states the size of the window.
    """
    told, window = read_usage(usage) or Usage(), parse_window(usage)

    def change(cached: CachedSession, state: State) -> SessionUpdate:
        last = receipt or sessions.get_last_receipt(cached, state)
        if last is None:
            return SessionUpdate(at=now)
        before = get_calibration(state, last.model)
        if window:
            return SessionUpdate(at=now, calibrations={last.model: replace(before, window=window)})
        after = add_sample(before, last.tokens_view, told)
        if told.taken:
            after = replace(after, bill=after.bill + bill_answer(last.model, told, now))
        clock = advance_clock(state.clock, told, last, now)
        return SessionUpdate(at=now, clock=clock, calibrations={last.model: after} if after != before else None)

    if not who.session or not is_owned(who):
        return
    sessions.begin()
    try:
        sessions.note(who, change, sessions.reach)
    except StoreError:
        sessions.note_unkept(who, change)


def bill_other_answer(sessions: SessionManager, who: SessionId, model: str, usage: Usage, now: int) -> None:
    """Add the cost of a request outside the conversation to a session's bill: no request is calibrated."""

    def change(_: CachedSession, state: State) -> SessionUpdate:
        before = get_calibration(state, model)
        bill = before.bill + bill_answer(model, usage, now)
        return SessionUpdate(at=now, calibrations={model: replace(before, bill=bill)})

    if who.session and is_owned(who):
        sessions.begin()
        with suppress(StoreError):
            sessions.note(who, change, sessions.reach)


def undo_epoch(sessions: SessionManager, who: SessionId, epoch: int | None, now: int) -> UndoResult:
    """Undo an epoch by opening a new one."""
    require_owned(who, "an undo")
    made: list[UndoResult] = []

    def change(cached: CachedSession, state: State) -> SessionUpdate:
        plan = Plan((*state.plan.epochs, *cached.unsaved))
        number = find_newest(plan) if epoch is None else epoch
        if not 0 <= number < len(plan.epochs):
            raise EditError(f"no epoch {number}: the plan of session {who.session!r} has {len(plan.epochs)}, from 0")
        tip = state.tip or (cached.last.head_key if cached.last else "")
        new = Epoch(now, tip, f"undo of epoch {number}", (), reverts=number)
        tokens = compute_cost(sessions.store, cached.work, state, plan, number)
        made[:] = [UndoResult(number, len(plan.epochs), tokens, plan.with_epoch(new))]
        receipt = replace(make_notice("undone", now), reason=new.reason, tokens_view=tokens)
        clock = replace(state.clock, by_hand=now)  # no model was called
        receipts = link_receipts((*cached.waiting, receipt), state, (*cached.unsaved, new))
        return SessionUpdate(at=now, epochs=(new,), receipts=receipts, clock=clock)

    sessions.note(who, change, sessions.store)
    return made[0]


def add_pin(sessions: SessionManager, who: SessionId, kind: str, pattern: str, now: int) -> tuple[Pin, ...]:
    """Add a pin, unless it exists."""
    require_owned(who, "a pin")
    new = pin_of(kind, pattern, now)

    def change(cached: CachedSession, state: State) -> SessionUpdate:
        known = any((pin.kind, pin.pattern) == (new.kind, new.pattern) for pin in state.pins)
        receipt = replace(make_notice("pinned", now), reason=f"pinned {new.kind} {new.pattern}")
        links = link_receipts((*cached.waiting, receipt), state, cached.unsaved)
        return SessionUpdate(at=now, pins=state.pins if known else (*state.pins, new), receipts=links)

    return sessions.note(who, change, sessions.store).pins


def remove_pin(sessions: SessionManager, who: SessionId, kind: str, pattern: str, now: int) -> tuple[Pin, ...]:
    """Remove a pin."""
    require_owned(who, "a pin")
    gone = pin_of(kind, pattern, now)

    def change(cached: CachedSession, state: State) -> SessionUpdate:
        left = tuple(pin for pin in state.pins if (pin.kind, pin.pattern) != (gone.kind, gone.pattern))
        if len(left) == len(state.pins):
            said = ", ".join(f"{pin.kind} {pin.pattern}" for pin in state.pins) or "none"
            raise ConfigError(f"session {who.session!r} has no pin {gone.kind} {gone.pattern}; its pins: {said}")
        receipt = replace(make_notice("pinned", now), reason=f"unpinned {gone.kind} {gone.pattern}")
        return SessionUpdate(
            at=now, pins=left, receipts=link_receipts((*cached.waiting, receipt), state, cached.unsaved)
        )

    return sessions.note(who, change, sessions.store).pins


LEAST = 1_000  # tokens
_GROUPED = re.compile(r"(?<=\d),(?=\d{3})")
_SAYS = re.compile(
    r"> (\d+) maximum"  # Anthropic
    r"|exceed context limit: \d+ \+ \d+ > (\d+)"
    r"|maximum context length (?:is|of) (\d+)"  # OpenAI, Azure, vLLM, DeepSeek, OpenRouter
    r"|maximum number of tokens allowed \((\d+)\)"  # Gemini
    r"|exceed model maximum \((\d+)\)"  # Bedrock
    r"|maximum prompt length is (\d+)"  # xAI
    r"|model's context length \((\d+) tokens\)"  # Together
    r"|token count of \d+ exceeds the limit of (\d+)"  # Copilot
    r"|exceeded model token limit: (\d+)"  # Moonshot
    r"|with (\d+) maximum context length"  # Mistral
    r"|input length should be \[1, (\d+)\]"  # Qwen
    r"|n_ctx\W+(\d+)",  # llama.cpp
    re.I,
)


def parse_window(error: Any) -> int:
    """The window in tokens named by an error: a client's exception or a refusal's body; 0 for none."""
    found = _SAYS.search(_GROUPED.sub("", _get_error_text(error)))
    tokens = int(next(filter(None, found.groups()))) if found else 0
    return tokens if tokens >= LEAST else 0


def _get_error_text(error: Any) -> str:
    if isinstance(error, BaseException):
        return f"{error} {_get_error_text(getattr(error, 'body', None))}"
    if isinstance(error, str | bytes):
        try:
            error = json.loads(error)
        except (ValueError, RecursionError):
            return ""
    if isinstance(error, list) and len(error) == 1:
        error = error[0]  # Gemini's, sometimes
    refused = isinstance(error, Mapping) and ("error" in error or error.get("object") == "error")
    return json.dumps(error, default=str) if refused else ""
