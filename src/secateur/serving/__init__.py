"""One request, from reading to saving: the view to send, and the record of it.

Rule: whatever happens leaves a receipt. What is decided follows from the request, the policy and the session's state.
Nothing here knows a store's way of keeping things, or a strategy's of choosing.
"""

from concurrent.futures import CancelledError
from typing import Any

from msgspec.structs import replace

from secateur.errors import StillTooLong
from secateur.fitting.telling import largest
from secateur.keeping import Keeping, Place
from secateur.keeping.record import failed
from secateur.keeping.waiting import flush
from secateur.serving.asked import Request, Settings, Taken, as_taken, at_work
from secateur.serving.attempt import stands, unsent
from secateur.serving.turn import Turn
from secateur.session import document
from secateur.stores.protocol import Who
from secateur.view import View

__all__ = ["Request", "Settings", "as_taken", "at_work", "served", "stands"]


def served(settings: Settings, keeping: Keeping, who: Who, request: Request) -> View[Any]:
    """The view of a request of a session (without a name: as the history says), kept."""
    try:
        keeping.begin()
        place = Place(who.session)
        taken = Taken(*as_taken(settings, request.native), None)
        if keeping.unplaced(who):
            read = document.read(taken.native, settings.format, settings.model)
            taken, place = replace(taken, read=read), keeping.place(who, read.transcript)
        who = replace(who, session=place.session)
        with keeping.desk(who) as desk:
            turn = Turn(settings, keeping, desk, who, place, request, taken, ready=request.ready)
            view = turn.view()
        flush(keeping)
        if turn.attempt is None:
            return view
        keeping.note_failure(who, unsent(turn.attempt.receipt, turn.too_long))
        raise StillTooLong(turn.too_long, view, largest(view.after), turn.attempt)
    except (StillTooLong, CancelledError):  # its receipt is kept already; a cancelled one leaves no trace
        raise
    except Exception as error:
        keeping.note_failure(who, failed(settings.policy.name, settings.counter, error, request.now))
        raise
