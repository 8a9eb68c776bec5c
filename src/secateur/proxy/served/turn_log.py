"""Which conversations have the tool, what was hidden in them, and what their models read back: kept in the store.

Rule: all of it belongs to the session, so it is deleted with the session. A conversation is identified by what the user
wrote before the model's first answer, within one tenant: a client that continues under another session id continues
with what was hidden. A model reads only what its own session removed.
"""

import json
import time
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec import Raw, Struct

from secateur.answers.recall import TextRange, normalize_handle, show_blob
from secateur.errors import SecateurError, StoreError
from secateur.lineage import HANDLE_DIGITS, hash_text
from secateur.proxy.retries import Recent
from secateur.proxy.served.turns import HiddenTurn, RecallAnswer, RecallCall, decode_turn
from secateur.sessions import SessionManager
from secateur.sessions.cache import CachedSession
from secateur.sessions.store_access import StoreAccess
from secateur.stores.protocol import Blob, SessionId, SessionUpdate, State

_ROOTS = 4_096  # conversations in memory
_TURNS = 4_096  # hidden turns in memory
_SESSIONS = 16  # with the same beginning and hidden turns, that are looked through
_KEY = "hidden turn "  # before the conversation, as the key of a blob
LIMIT_TEXT = "Nothing more can be read back in this turn. Go on with what you have."


class KnownConversation(Struct, frozen=True):
    """A known conversation."""

    sessions: frozenset[str] = frozenset()  # in which the tool is offered
    turns: tuple[HiddenTurn, ...] = ()
    unsaved: tuple[HiddenTurn, ...] = ()  # of these, what the store did not take


class TurnLog:
    """The hidden turns of all conversations; for several threads."""

    def __init__(self) -> None:
        self._known: Recent[tuple[str, str], KnownConversation] = Recent(_ROOTS)
        self._turns: Recent[str, HiddenTurn] = Recent(_TURNS)

    def find(self, sessions: SessionManager, tenant: str, root: str) -> KnownConversation:
        """Find a conversation. Raises StoreError if the store is unavailable and memory has nothing."""
        known = self._known.get((tenant, root))
        try:
            found = self._load(sessions, tenant, root)
        except StoreError:
            if known is None:
                raise
            return known
        unsaved = known.unsaved if known is not None else ()
        found = KnownConversation(found.sessions, (*found.turns, *unsaved), unsaved)
        if found.sessions or known is not None:
            self._known.put((tenant, root), found)
        return found

    def begin(self, sessions: SessionManager, who: SessionId, root: str) -> bool:
        """A conversation is offered the tool from its first request on; False if that could not be kept."""
        try:
            self._save(sessions, who, SessionUpdate(at=_get_now_ms(), views=(_mark(root),)))
        except SecateurError:
            return False
        self._note(who, root)
        return True

    def add(self, sessions: SessionManager, who: SessionId, root: str, turn: HiddenTurn) -> None:
        """Keep a hidden turn; in memory alone where the store fails."""
        blob = Blob(turn.encode(), "raw", _KEY + root)
        try:
            self._save(
                sessions, who, SessionUpdate(at=_get_now_ms(), blobs=(blob,), views=(_mark(root), _mark_turns(root)))
            )
        except SecateurError:
            self._note(who, root, (turn,), (turn,))
        else:
            self._note(who, root, (turn,))

    def answer(self, sessions: SessionManager, who: SessionId, call: RecallCall) -> RecallAnswer:
        """Answer a call of the model."""
        access = sessions.reach
        given: dict[str, Any] = call.arguments if isinstance(call.arguments, dict) else {}
        handle = normalize_handle(str(given.get("handle", "")))
        sessions.begin()
        try:
            if access is None or len(handle) < HANDLE_DIGITS:
                raise StoreError(f"handle {handle!r:.40} is not one: copy the {HANDLE_DIGITS} digits of a placeholder")
            held = [one for one in access.list_blobs(who) if one.id.startswith(handle) and one.kind != "raw"]
            blob = access.get_blob(who.tenant, held[0].id) if held else None
            if blob is None:
                raise StoreError(f"nothing is kept under {handle!r:.40}: it was not removed here, or it is too old")
            return RecallAnswer(call, show_blob(blob, _read_excerpt(given)))
        except SecateurError as error:
            return RecallAnswer(call, str(error), is_error=True)

    def _note(
        self, who: SessionId, root: str, turns: tuple[HiddenTurn, ...] = (), unsaved: tuple[HiddenTurn, ...] = ()
    ) -> None:
        before = self._known.get((who.tenant, root)) or KnownConversation()
        names = before.sessions | {who.session}
        known = KnownConversation(names, (*before.turns, *turns), (*before.unsaved, *unsaved))
        self._known.put((who.tenant, root), known)

    def _load(self, sessions: SessionManager, tenant: str, root: str) -> KnownConversation:
        access = sessions.reach
        if access is None:
            return KnownConversation()
        sessions.begin()
        names = [found.session for found in access.find(tenant, (_mark(root),))]
        turns: dict[str, HiddenTurn] = {}
        with_turns = access.find(tenant, (_mark_turns(root),)) if names else ()
        for name in [found.session for found in with_turns[:_SESSIONS]]:
            for ref in access.list_blobs(SessionId(name, tenant)):
                if ref.key == _KEY + root and ref.id and ref.id not in turns:
                    turn = self._turns.get(ref.id) or _load_turn(access, tenant, ref.id)
                    if turn is not None:
                        turns[ref.id] = turn
                        self._turns.put(ref.id, turn)
        return KnownConversation(frozenset(names), tuple(turns.values()))

    def _save(self, sessions: SessionManager, who: SessionId, change: SessionUpdate) -> None:
        def add(_: CachedSession, state: State) -> SessionUpdate:
            return change

        sessions.begin()
        sessions.note(who, add, sessions.reach)


def find_root(elements: Iterable[Raw]) -> str:
    """The name of a conversation, from the words of its first user messages, however they are cut into blocks."""
    found = []
    for element in elements:
        try:
            texts = [*_iterate_texts(msgspec.json.decode(element))]
        except (ValueError, RecursionError):
            texts = []
        found.append("".join(texts) or bytes(element).decode("utf-8", "replace"))
    return hash_text(json.dumps(found))


def _iterate_texts(value: Any) -> Iterator[str]:
    """The words of a message, in any of the formats."""
    if isinstance(value, str):
        yield value
    for one in value if isinstance(value, list) else ():
        yield from _iterate_texts(one)
    for name in ("content", "parts", "text") if isinstance(value, dict) else ():
        yield from _iterate_texts(value.get(name))


def _load_turn(access: StoreAccess, tenant: str, handle: str) -> HiddenTurn | None:
    blob = access.get_blob(tenant, handle)
    try:
        return None if blob is None else decode_turn(blob.data)
    except ValueError:
        return None


def _read_excerpt(given: dict[str, Any]) -> TextRange:
    try:
        number = int(given.get("page", 1))
    except (TypeError, ValueError, OverflowError):  # not a number, or none that a page can have
        number = 1
    return TextRange(number, str(given.get("lines") or ""), str(given.get("json_path") or ""))


def _mark(root: str) -> str:
    """By which sessions of a conversation are found among the keys of sent views."""
    return f"recall {root}"


def _mark_turns(root: str) -> str:
    """By which of them those are found in which something is hidden."""
    return f"recall turns {root}"


def _get_now_ms() -> int:
    return int(time.time() * 1000)
