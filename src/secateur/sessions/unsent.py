"""A view that was reported as too long, and sent anyway: from then on its epochs apply.

Rule: a `fit` that raises saves its receipt and nothing else, so the same request fails in the same way again. Its
epochs are saved once, when the caller reports that the view was sent. Nothing is decided here.
"""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur.documents import Document
from secateur.errors import ConfigError, StillTooLong, StoreError
from secateur.model import Epoch
from secateur.plan import Plan
from secateur.projection import Projection
from secateur.receipt import Receipt
from secateur.sessions import ATTEMPTS, Branch, CachedSession, SentView, SessionManager, SessionMatch, shift_reverts
from secateur.stores.protocol import Blob, Conflict, SessionId, State


class UnsentView(Struct, frozen=True):
    """What a request would have saved."""

    who: SessionId
    place: SessionMatch
    base: Branch
    document: Document
    plan: Plan
    native: Any
    receipt: Receipt
    blobs: tuple[Blob, ...]
    given: Plan | None  # the plan that the caller passed in
    sticky: bool  # the policy's edits hold

    @property
    def epochs(self) -> tuple[Epoch, ...]:
        """The epochs that it opened."""
        return self.plan.epochs[len(self.base.plan.epochs) :]

    def rebase_onto(self, base: Branch) -> "UnsentView":
        """Rebase it onto the session's current plan."""
        if base.plan.epochs == self.base.plan.epochs:
            return replace(self, base=replace(base, plan=self.base.plan))
        known, more = len(self.base.plan.epochs), len(base.plan.epochs) - len(self.base.plan.epochs)
        moved = [one if (one.reverts or 0) < known else shift_reverts((one,), more)[0] for one in self.epochs]
        return replace(self, base=base, plan=Plan((*base.plan.epochs, *moved)))


def make_unsent_receipt(receipt: Receipt, why: str) -> Receipt:
    """The receipt of a failed request: what its view would have been, with nothing of it kept."""
    said = receipt.compaction
    if said is not None and said.done:
        said = replace(said, done=False, reason="too_long", text=why, summary="", handles=())
    return replace(
        receipt,
        opened=False,
        edits=(),
        active_edits=0,
        skipped_reason="",
        cost=None,
        status="failed",
        reason="",
        forced_reason="",
        error=why,
        compaction=said,
        breakpoints=0,
        view_hash="",
        epochs=(0, 0),
    )


def keep_unsent(sessions: SessionManager, work: Projection, error: StillTooLong) -> Receipt:
    """Keep what a view was made with, since it was sent; the receipt of it. Twice is once.

    Raises ConfigError for an error that no engine's `fit` raised.
    """
    attempt = error.attempt
    if not isinstance(attempt, UnsentView):
        raise ConfigError("this error carries no view of an engine: pass the StillTooLong that fit raised")
    error.attempt = replace(attempt, receipt=replace(attempt.receipt, sequence=-1))
    if attempt.receipt.sequence == -1:
        receipt: Receipt = error.view.receipt
        return receipt
    with sessions.check_out(attempt.who) as cached:
        return _save_view(sessions, cached, cached.work or work, attempt)


def _save_view(sessions: SessionManager, cached: CachedSession, work: Projection, attempt: UnsentView) -> Receipt:
    """Save it in the store, rebased onto the session's current state, or in memory if that fails."""
    wrong, receipt = "", attempt.receipt
    sessions.begin()
    for _ in range(ATTEMPTS):
        state, wrong = sessions.load_state(cached, attempt.who, sessions.reach)
        attempt = attempt.rebase_onto(_find_base(sessions, cached, state, attempt))
        same = len(attempt.document.transcript.messages) if work.last_document is attempt.document else 0
        work.ingest(attempt.document, same, attempt.plan)
        cached.work = work
        if sessions.store is None or wrong:
            break
        receipt = _number_receipt(attempt, cached, state)
        try:
            sessions.commit(cached, state, attempt.base, SentView(attempt.native, receipt, attempt.blobs))
            return receipt
        except Conflict as conflict:
            wrong = str(conflict)
            sessions.reload(cached)
        except StoreError as error:
            wrong = str(error)
            break
    sessions.remember(cached, attempt.base, receipt)
    told = (f"the view was sent, but is kept only in memory: {wrong}",) if wrong else ()
    return replace(receipt, warnings=(*receipt.warnings, *told))


def _find_base(sessions: SessionManager, cached: CachedSession, state: State, attempt: UnsentView) -> Branch:
    """The plan it now continues; for a policy without sticky edits, its own."""
    if attempt.sticky:
        return sessions.branch_from(cached, state, attempt.place, attempt.given)
    return attempt.base if attempt.base.plan.epochs else replace(attempt.base, offset=len(state.plan.epochs))


def _number_receipt(attempt: UnsentView, cached: CachedSession, state: State) -> Receipt:
    base = attempt.base
    return replace(
        attempt.receipt,
        session=state.who.session,
        sequence=state.receipts + len(cached.waiting),
        epochs=(base.offset, base.offset + len(attempt.plan.epochs)),
    )
