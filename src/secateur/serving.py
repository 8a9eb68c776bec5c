"""One request as a transaction on its session: found, decided by the pipeline, saved; every request leaves a receipt.

It is decided again if another process saved the session first, and once more without the store if the store fails.
"""

from concurrent.futures import CancelledError
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur import documents
from secateur.errors import StillTooLong, StoreError
from secateur.pipeline import RequestRun, Result, decide
from secateur.sessions import ATTEMPTS, SentView, SessionManager, SessionMatch
from secateur.sessions.receipt_log import make_failure_receipt
from secateur.sessions.store_access import flush
from secateur.sessions.unsent import UnsentView, make_unsent_receipt
from secateur.stages import EngineSettings, FitRequest, Incoming, Storage, repair_request
from secateur.stages.record import find_largest
from secateur.stages.setup import PreparedSummary
from secateur.stores.protocol import Conflict, SessionId
from secateur.view import View


class Served(Struct, frozen=True):
    """A view that was saved; or one that is too long to be sent, and what to save once the caller sends it."""

    view: View[Any]
    unsent: UnsentView | None = None
    too_long: str = ""


def run(settings: EngineSettings, sessions: SessionManager, who: SessionId, request: FitRequest) -> View[Any]:
    """Serve a request of a session and save its view. A session without a name is found by its history."""
    try:
        sessions.begin()
        incoming, match = _find(settings, sessions, who, request)
        who = replace(who, session=match.session)
        with sessions.check_out(who) as cached:
            served = _serve(RequestRun(settings, sessions, cached, who, match, request, incoming))
        flush(sessions)
        if served.unsent is None:
            return served.view
        sessions.keep_receipt(who, make_unsent_receipt(served.unsent.receipt, served.too_long))
        raise StillTooLong(served.too_long, served.view, find_largest(served.view.transcript), served.unsent)
    except (StillTooLong, CancelledError):  # its receipt is saved already; a cancelled request leaves no trace
        raise
    except Exception as error:
        sessions.keep_receipt(who, make_failure_receipt(settings.policy.name, settings.counter, error, request.now_ms))
        raise


def _find(
    settings: EngineSettings, sessions: SessionManager, who: SessionId, request: FitRequest
) -> tuple[Incoming, SessionMatch]:
    """Return the request, repaired if asked for, and the session that it belongs to."""
    incoming = repair_request(settings, request.native)
    if not sessions.needs_lookup(who):
        return incoming, SessionMatch(who.session)
    native = incoming.native
    known = sessions.memory.find_grown(who.tenant, native) if isinstance(native, bytes) else None
    read, _ = documents.read_on(known, native, settings.format, settings.model)
    if known is not None and read.transcript.model != known.transcript.model:
        read = documents.read(native, settings.format, settings.model)  # count its parts again
    return replace(incoming, document=read), sessions.find(who, read.transcript)


def _serve(call: RequestRun) -> Served:
    """Decide and save the view; again if another process saved the session first, and without a store that fails."""
    sessions, cached, error = call.sessions, call.cached, ""
    storage: Storage = "none" if sessions.store is None else "store"
    prepared: PreparedSummary | None = None
    try:
        for _ in range(ATTEMPTS):
            state, error = sessions.load_state(cached, call.who, sessions.reach)
            if error:
                break
            result = decide(call, state, storage, prepared)
            if storage == "none" or _is_withheld(call, result):
                return _finish(call, result)
            sent, prepared = SentView(result.view.request, result.view.receipt, result.blobs), result.prepared
            try:
                sessions.commit(cached, state, result.branch, sent)
            except Conflict as conflict:
                sessions.reload(cached)
                error = str(conflict)
            except StoreError as failure:
                error = str(failure)
                break
            else:
                _send(call, result)
                return Served(_with_warning(result.view, sessions.collect_garbage(call.request.now_ms)))
        result = decide(call, state, "away", prepared)
        warned = _with_warning(result.view, f"this request continued without the store: {error}")
        return _finish(call, replace(result, view=warned))
    except BaseException:
        cached.discard_work()
        raise


def _finish(call: RequestRun, result: Result) -> Served:
    """Keep in memory what is not in a store; nothing of a view that is not sent."""
    view, projection = result.view, call.cached.work
    assert projection is not None
    if not _is_withheld(call, result):
        call.sessions.remember(call.cached, result.branch, view.receipt)
        _send(call, result)
        return Served(view)
    kept = UnsentView(
        who=call.who,
        place=call.match,
        base=result.branch,
        document=projection.document,
        plan=view.plan,
        native=view.request,
        receipt=view.receipt,
        blobs=result.blobs,
        given=call.request.plan,
        sticky=call.settings.policy.sticky,
    )
    if view.plan != result.branch.plan:
        call.cached.skipped = None
    projection.ingest(projection.document, len(projection.document.transcript.messages), result.branch.plan)
    return Served(view, kept, result.too_long)


def _is_withheld(call: RequestRun, result: Result) -> bool:
    """Return whether the view must not be sent."""
    return bool(result.too_long) and not call.settings.sends


def _send(call: RequestRun, result: Result) -> None:
    """Record that the view is sent: remember its repairs, and drop a background summary that it used."""
    call.cached.repaired = result.repaired
    if (background := call.settings.compaction.background) is not None:
        background.drop_taken(call.who)


def _with_warning(view: View[Any], warning: str) -> View[Any]:
    """Return the view with this warning added, unless it is empty."""
    receipt = view.receipt
    return replace(view, receipt=replace(receipt, warnings=(*receipt.warnings, warning))) if warning else view
