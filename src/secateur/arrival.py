"""A tool's new result, shortened before its host stores it: for hosts that let a result be replaced once, on arrival.

Rule: such a host keeps only what it is given, so the store holds the original before a shorter text is returned; where
it cannot, the result stays unchanged. Nothing but the policy's rule for new results applies.
"""

from typing import Any

from msgspec import Struct, structs

from secateur.engine import Engine
from secateur.policy import DEFAULT, load
from secateur.sessions.recall_handles import Handles
from secateur.stores import open_store
from secateur.stores.protocol import SessionId, Store

MIN_CHARS = 4_000  # of a result; no shorter one frees enough
_FIXED_TOKENS = 20_000  # of what precedes a result: the host's system prompt, its tools, the conversation so far
_FORMAT = "anthropic_messages"


class ArrivedResult(Struct, frozen=True, kw_only=True):
    """A tool's result, and the call that it answers."""

    session: str  # under which the original is kept: a name of its own for each result
    tool: str
    arguments: dict[str, Any]
    text: str
    is_error: bool = False
    model: str = ""  # that will read it


class ResultShortener:
    """A policy's rule for new results, with the store of their originals: the store itself, its address, or "", the
    user's. `recall_handles` are those of `secateur.Engine`. Raises ConfigError, StoreError.
    """

    def __init__(
        self, store: Store | str = "", policy: Any = DEFAULT, *, tenant: str = "", recall_handles: Handles = "on"
    ) -> None:
        chosen = load(policy)
        self.store = open_store(store) if isinstance(store, str) else store
        self.tenant = tenant
        self.is_active = chosen.on_arrival is not None
        self._engine = Engine(
            structs.replace(chosen, prune=(), compaction=None),
            format=_FORMAT,
            store=self.store,
            tenant=tenant,
            recall_handles=recall_handles,
            compact=False,
        )

    def shorten(self, result: ArrivedResult) -> str | None:
        """The shorter text; None if the result stays unchanged. Raises SecateurError."""
        if not self.is_active or len(result.text) < MIN_CHARS:
            return None
        view = self._engine.fit(_make_request(result), session=result.session, fixed_tokens=_FIXED_TOKENS)
        shorter: str = view.request["messages"][-1]["content"][0]["content"]
        return shorter if len(shorter) < len(result.text) and self._is_kept(result) else None

    def explain_away(self) -> str:
        """Why the store is not used now, so that nothing is shortened; "" if it is."""
        reach = self._engine.sessions.reach
        return reach.breaker.shut() if reach is not None else ""

    def close(self) -> None:
        """Write what waits to be stored."""
        self._engine.close()

    def _is_kept(self, result: ArrivedResult) -> bool:
        refs = self.store.list_blobs(SessionId(result.session, self.tenant))
        blobs = (self.store.get_blob(self.tenant, ref.id) for ref in refs if ref.id and ref.kind != "raw")
        data = result.text.encode("utf-8", "surrogatepass")
        return any(blob is not None and blob.data == data for blob in blobs)


def _make_request(result: ArrivedResult) -> dict[str, Any]:
    """The call and its result, as a request of their own: nothing else is needed to shorten a new result."""
    call = {"type": "tool_use", "id": "call", "name": result.tool, "input": result.arguments}
    answer: dict[str, Any] = {"type": "tool_result", "tool_use_id": "call", "content": result.text}
    answer |= {"is_error": True} if result.is_error else {}
    said: list[tuple[str, Any]] = [("user", "-"), ("assistant", [call]), ("user", [answer])]
    messages = [{"role": role, "content": content} for role, content in said]
    return {"model": result.model, "messages": messages} if result.model else {"messages": messages}
