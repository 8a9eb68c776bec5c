"""The requests of a session as a tree: which one a history continues, what else continued it, and how each was sent.

Rule: a request is known by the last key of its history, with the hash of its view. A history continues the deepest
request that it contains. An epoch holds for the branch that it was opened on, and for what continues it. What is not
in memory is read from the receipts, so that every process knows the same.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from hashlib import blake2b
from itertools import compress, takewhile
from operator import is_not
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from secateur.errors import StoreError
from secateur.formats.native import hash_members
from secateur.lineage import HASH_BYTES, hash_contents, hash_text
from secateur.model import Message
from secateur.plan import FoldedPlan
from secateur.projection import Projection
from secateur.projection.messages import locate_in_view
from secateur.receipt import Receipt
from secateur.sessions.receipt_log import VIEWS, read
from secateur.sessions.void_edits import describe_undone
from secateur.stores.protocol import State, Store

_TOOLS = ("tools", "functions", "toolConfig")  # where request bodies have them
_SYSTEM = ("system", "instructions", "systemInstruction", "system_instruction")
_MOST_HASHES = 4  # of one history; a client that goes back to earlier tools may find their prefix in the cache
_MOST_COLD = 32  # requests of one line that found no cache
MOST = 2_000  # receipts that are looked through for branches; older requests are not gone back to


class SentRequest(Struct, frozen=True):
    """One request: the one that it continued from, and the hash of its view."""

    parent: str
    view: str
    tools: tuple[str, ...] = ()  # hashes of the tools that its history was sent with, the newest first
    system: tuple[str, ...] = ()
    content_ends: tuple[str, ...] = ()  # of its first message behind the system prompt and of its last, by content
    cold_keys: tuple[str, ...] = ()  # of it and the requests that it continues from, those that found no cache


class Branches(Struct, eq=False):
    """The requests of a session by the last keys of their histories."""

    whole: bool = True  # False: of a session with one branch, its end alone
    last: str = ""
    sent: dict[str, SentRequest] = {}
    children: dict[str, list[str]] = {}  # the requests that continue each

    def add(self, receipt: Receipt) -> None:
        """A request was sent."""
        tip = receipt.head_key
        known = self.sent.get(tip)
        if known is None and tip:
            self.children.setdefault(receipt.parent, []).append(tip)
        if tip:
            parent = known.parent if known else receipt.parent
            self.sent[tip] = SentRequest(
                parent,
                receipt.view,
                receipt.tools_hashes,
                receipt.system_hashes,
                receipt.content_ends,
                receipt.cold_keys,
            )
        self.last = tip

    @property
    def lines(self) -> int:
        """How many ends there are."""
        return max(1, len(self.sent) - sum(parent in self.sent for parent in self.children))

    def find_parent(self, messages: Sequence[Message]) -> str:
        """The deepest request in this history; "" if none. A last message may have grown since."""
        for message in reversed(messages):
            for key in (message.key, *(part.key for part in reversed(message.parts))):
                if key in self.sent:
                    return key
        return ""

    def find_reworded(self, messages: Sequence[Message]) -> SentRequest | None:
        """The last request, if this history is the same with another system prompt, and longer; else None.

        A system prompt that is a message changes the keys of all that follow, so only the content can show it.
        """
        sent = self.sent.get(self.last)
        if sent is None or not sent.content_ends or _find_content_ends(messages)[:1] != sent.content_ends[:1]:
            return None
        return sent if any(_hash_content(one) == sent.content_ends[1] for one in reversed(messages[:-1])) else None


class PrefixHash:
    """The hash of a view as the model reads it: of the messages and the edits in force, without reasoning.

    Clients strip reasoning. Of a view that grew, only what is new is hashed.
    """

    def __init__(self) -> None:
        self._messages: tuple[Message, ...] = ()
        self._pieces: list[str] = []  # what is hashed of each message
        self._hash = blake2b(digest_size=HASH_BYTES)

    def hash_view(self, messages: tuple[Message, ...], fold: FoldedPlan) -> str:
        """The hash of this view with these edits."""
        known, pieces = self._messages, self._pieces
        if messages is known:
            return self._hash.hexdigest()
        size = min(len(known), len(messages))
        changed = [*compress(range(size), map(is_not, known, messages))]
        new = [_describe_content(message, fold) for message in messages[size:]]
        if changed or size < len(known):
            for number in changed:
                pieces[number] = _describe_content(messages[number], fold)
            del pieces[size:]
            self._hash = blake2b("".join(pieces).encode("utf-8", "surrogatepass"), digest_size=HASH_BYTES)
        pieces += new
        self._hash.update("".join(new).encode("utf-8", "surrogatepass"))
        self._messages = messages
        return self._hash.hexdigest()


def _describe_content(message: Message, fold: FoldedPlan) -> str:
    """Each part by its key, and its text if edited; removed parts are left out."""
    edited = fold.parts
    found = [
        f"{part.key} {hash_text(part.text)}" if part.key in edited else part.key
        for part in message.parts
        if part.kind != "reasoning"
    ]
    return "\0".join(("\1" + message.role, *found, ""))


def load_branch_tree(
    store: Store | None, state: State, known: Branches | None, last: Receipt | None, here: Container[str]
) -> Branches:
    """The branches needed for a history with the keys `here`. `last` is the receipt of the last view."""
    if known is not None and (known.whole or known.last in here):
        return known
    if store is None or last is None:
        return known or Branches()
    if known is None and last.lines <= 1 and last.head_key in here:
        return _build_branches((last,), whole=False)
    try:
        found = store.list_receipts(state.who, max(0, state.receipts - MOST), state.receipts - 1)
        return _build_branches((one for one in (read(link.body) for link in found) if one.status in VIEWS), whole=True)
    except StoreError:
        return known or Branches(whole=False)


def find_shown_range(store: Store, state: State, last: Receipt) -> tuple[int, int]:
    """The epochs [first, end) of the last view, as a process that made all views knows them.

    A side call without edits does not change the main line: it counts only if its history continues from an epoch.
    """
    if last.epochs[0] < last.epochs[1] or not state.plan.epochs:
        return last.epochs
    shown, parents = (0, 0), dict[str, str]()
    for link in store.list_receipts(state.who, max(0, state.receipts - MOST), state.receipts - 1):
        receipt = read(link.body)
        if receipt.status not in VIEWS:
            continue
        parents.setdefault(receipt.head_key, receipt.parent)
        heads = {epoch.head_key for epoch in state.plan.epochs[slice(*shown)]}
        if not heads or receipt.epochs[0] < receipt.epochs[1] or not heads.isdisjoint(_list_chain(receipt, parents)):
            shown = receipt.epochs
    return shown


def _list_chain(receipt: Receipt, parents: Mapping[str, str]) -> set[str]:
    """The last keys of the requests that this one continues from, and its own."""
    keys, parent = {receipt.head_key}, receipt.parent
    while parent and parent not in keys:
        keys.add(parent)
        parent = parents.get(parent, "")
    return keys


def _build_branches(receipts: Iterable[Receipt], whole: bool) -> Branches:
    made = Branches(whole)
    for one in receipts:
        made.add(one)
    return made


MOVED = "the sent history has changed: the session's plan is another one"


class Placement(Struct, frozen=True):
    """The place of one request in the tree of its session's requests."""

    parent: str = ""  # last key of the request that it continues from
    lines: int = 0  # branches of the session, this one included
    moved: str = ""  # why the sent history has changed; "" where it does not
    beside: tuple[str, ...] = ()  # other branches that continued from the same request: its epochs are not theirs
    tools: tuple[str, ...] = ()  # hashes of the tools that this history was sent with, this request's first
    system: tuple[str, ...] = ()
    content_ends: tuple[str, ...] = ()
    cold_keys: tuple[str, ...] = ()  # of the requests that it continues from, those that found no cache
    cold_reason: str = ""  # why the provider does not find the cached prefix of that request; "" where it may


def place_request(
    known: Branches, prefix: PrefixHash, tip: str, work: Projection, given: Mapping[str, Any]
) -> Placement:
    """Place the request that the projection has read among the session's requests.

    `tip` is the last key of the most recently sent history; `given` is what the caller passed in addition to the
    messages. Tools or a system prompt that this history was never sent with invalidate the cached messages. Unknown
    ones, now or before, count as unchanged; so do those of a request without a new message, because an edit for it
    would reach the main line.
    """
    messages = work.document.transcript.messages
    parent = known.find_parent(messages)
    beside = tuple(one for one in known.children.get(parent, ()) if one not in work.message_index)
    parts = bool(beside or (known.sent and not parent))
    moved = _is_changed(prefix, work, parent, known.sent[parent].view) if parent else False
    native, leading = work.document.native, _find_leading(messages) if messages[0].role == "system" else ""
    tools = hash_members(native, *_TOOLS) or hash_members(given, "tools")
    system = hash_members(native, *_SYSTEM) or hash_members(given, "system") or leading
    before = known.sent.get(parent) or (known.find_reworded(messages) if leading else None) or SentRequest("", "")
    has_more = parent != messages[-1].key
    new_tools = has_more and bool(tools and before.tools and tools not in before.tools)
    new_system = has_more and bool(system and before.system and system not in before.system)
    return Placement(
        parent,
        known.lines + parts,
        _explain_move(work, tip) if moved else "",
        beside,
        tuple(dict.fromkeys(filter(None, (tools, *before.tools))))[:_MOST_HASHES],
        tuple(dict.fromkeys(filter(None, (system, *before.system))))[:_MOST_HASHES],
        _find_content_ends(messages) if leading else (),
        before.cold_keys,
        _explain_lost_prefix(new_tools, new_system) if new_tools or new_system else "",
    )


def _find_leading(messages: Sequence[Message]) -> str:
    """A name for a system prompt that is a message or several."""
    leading = takewhile(lambda message: message.role == "system", messages)
    return hash_text("".join([_hash_content(message) for message in leading]))


def _find_content_ends(messages: Sequence[Message]) -> tuple[str, ...]:
    """The first message behind the system prompt and the last one, by content; () where there is none."""
    first = next((message for message in messages if message.role != "system"), None)
    return (_hash_content(first), _hash_content(messages[-1])) if first is not None else ()


def _hash_content(message: Message) -> str:
    return hash_text(f"{message.role} {' '.join(hash_contents(message))}")


def _explain_lost_prefix(new_tools: bool, new_system: bool) -> str:
    """Explain in a sentence why the cached prefix of the last request is not found."""
    what = " and ".join(filter(None, ("the tools" * new_tools, "the system prompt" * new_system)))
    return f"{what} changed since the last request, so its prompt cache is lost"


def with_lineage(receipt: Receipt, place: Placement, prefix: PrefixHash, work: Projection, is_cold: bool) -> Receipt:
    """The receipt with what the next request needs. `is_cold`: the cache was lost for another reason than a pause."""
    if not place.lines:
        return receipt
    seen = prefix.hash_view(work.get_view().messages, work.fold)
    return replace(
        receipt,
        parent=place.parent,
        lines=place.lines,
        view=seen,
        tools_hashes=place.tools,
        system_hashes=place.system,
        content_ends=place.content_ends,
        cold_keys=(*place.cold_keys, *((receipt.head_key,) if is_cold else ()))[-_MOST_COLD:],
    )


def _explain_move(work: Projection, tip: str) -> str:
    """Explain why the view changed: an undo since the last request, or an epoch passed in for this history."""
    mine = work.branch_plan.epochs
    handed = mine[-1].reason if mine and mine[-1].head_key == work.document.transcript.messages[-1].key else ""
    return describe_undone(work, tip) or handed or MOVED


def _is_changed(prefix: PrefixHash, work: Projection, parent: str, view: str) -> bool:
    """Whether the view of what was sent has changed; not checked for a last message that has grown."""
    end = work.message_index.numbers.get(parent)
    if end is None or not view:
        return False
    shown = work.get_view().messages[: locate_in_view(work.ranges, end)]
    return prefix.hash_view(shown, work.fold) != view
