"""Requests of objects: seen as JSON while they are served, and given back as the objects they are.

Rule: what is edited is decided on the JSON shape alone, so that a request of objects and the same one as JSON get the
same view. A session's objects are remembered from request to request, so that old ones are not read again.
"""

from collections import OrderedDict
from threading import Lock
from typing import Any

from msgspec.structs import replace

from secateur.errors import FormatError, StillTooLong, UnknownFormat
from secateur.formats.native import count_fixed_tokens
from secateur.objects import Eyes, Looked, inspect_objects
from secateur.objects.request import read
from secateur.serving import run
from secateur.sessions import SessionManager
from secateur.sessions.recall_handles import has_listed_recall_tool
from secateur.sessions.receipt_log import make_failure_receipt
from secateur.stages import EngineSettings, FitRequest
from secateur.stores.protocol import SessionId
from secateur.tokens import get_factor, scale_tokens
from secateur.view import View


class ObjectRequests:
    """What was read from the object requests of an engine's sessions."""

    def __init__(self, settings: EngineSettings, sessions: SessionManager, most: int) -> None:
        self._settings, self._sessions, self._most = settings, sessions, most
        self._eyes: OrderedDict[SessionId, Eyes] = OrderedDict()
        self._lock = Lock()

    def serve(self, who: SessionId, request: FitRequest) -> View[Any]:
        """Return the view of a request in the shape it arrived in. Raises like `serving.run`."""
        settings = self._settings
        if request.format is not None or request.system is not None or request.tools is not None:
            settings, request = _resolve(settings, request)
        seen = self._inspect(who, request)
        if seen is None:
            return run(settings, self._sessions, who, request)
        try:
            view = run(settings, self._sessions, who, replace(request, native=seen.native))
        except UnknownFormat as error:
            raise UnknownFormat(f"{error}{seen.describe_unknown()}") from error
        except StillTooLong as error:
            if error.view is not None:
                error.view = replace(error.view, request=seen.restore(error.view.request))
            raise
        return replace(view, request=seen.restore(view.request))

    def _inspect(self, who: SessionId, request: FitRequest) -> Looked | None:
        """Inspect a request; one that cannot be read leaves a receipt too."""
        if isinstance(request.native, bytes | bytearray | memoryview | str):
            return None
        try:
            return inspect_objects(request.native, self._get_eyes(who))
        except FormatError as error:
            of = self._settings
            self._sessions.keep_receipt(who, make_failure_receipt(of.policy.name, of.counter, error, request.now_ms))
            raise

    def _get_eyes(self, who: SessionId) -> Eyes:
        """Return the reader of a session's requests."""
        with self._lock:
            eyes = self._eyes.pop(who) if who in self._eyes else Eyes()
            self._eyes[who] = eyes
            while len(self._eyes) > self._most:
                self._eyes.popitem(last=False)
        return eyes

    def forget(self) -> None:
        """Drop what was seen; it is read again."""
        with self._lock:
            self._eyes.clear()


def _resolve(settings: EngineSettings, request: FitRequest) -> tuple[EngineSettings, FitRequest]:
    """The settings and the request, with what the caller stated for this request alone.

    System prompt and tools passed with a list of messages are counted, and a tool among them that reads back is
    recognized.
    """
    if request.format is not None:
        settings = replace(settings, format=request.format)
    if request.system is None and request.tools is None:
        return settings, request
    beside = dict(read({"messages": [], "system": request.system, "tools": request.tools}, Eyes()))
    if request.tools is not None and settings.handles == "auto":
        settings = replace(settings, handles="on" if has_listed_recall_tool(beside.get("tools")) else "off")
    counted = scale_tokens(count_fixed_tokens(beside, "system", "tools"), get_factor(settings.model))
    return settings, replace(
        request,
        fixed_tokens=request.fixed_tokens or counted,
        system=beside.get("system"),
        tools=beside.get("tools"),
    )
