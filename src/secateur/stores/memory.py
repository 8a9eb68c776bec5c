"""A store that ends with its process: for tests, trials, and hosts that keep sessions themselves.

Rule: it keeps every promise of the protocol but durability. One lock; no copy of a value, since values are frozen.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from msgspec import Struct
from msgspec.structs import replace

from secateur import forking
from secateur.chain import Link, advance_anchor, count_expired
from secateur.lineage import hash_text
from secateur.stores.changes import check_admission, compress_blob, decompress_blob, make_ambiguous_error, parse_handle
from secateur.stores.protocol import (
    Blob,
    BlobKind,
    BlobRef,
    FoundSession,
    Freed,
    Manifest,
    Rejected,
    SessionId,
    SessionRow,
    SessionUpdate,
    Sizes,
    State,
    apply_update,
    make_state,
)


class _Filed(Struct, frozen=True):
    kind: BlobKind
    size: int
    codec: int
    body: bytes


class _Kept(Struct, eq=False):
    """The stored data of one session, apart from its state."""

    links: list[Link] = []  # those that are left
    times: list[int] = []  # when each of them was saved
    refs: dict[tuple[str, str], int] = {}  # (id, key) → when it was saved
    views: set[str] = set()
    manifests: list[Manifest] = []

    def copy(self) -> "_Kept":
        """The same, apart from what is added later."""
        return _Kept([*self.links], [*self.times], dict(self.refs), set(self.views), [*self.manifests])


class MemoryStore:
    """Everything in dictionaries. See `Store` for what the methods promise."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._states: dict[SessionId, State] = {}
        self._kept: dict[SessionId, _Kept] = {}
        self._blobs: dict[tuple[str, str], _Filed] = {}  # by tenant and id
        self._cleared: int | None = None  # when `gc` last ran, in ms since 1970
        forking.register_forks(self)

    def prepare_fork(self) -> None:
        """Hold the lock, so that no change is in progress."""
        self._lock.acquire()

    def resume_after_fork(self, child: bool) -> None:
        """Release the lock; the child has its own copy from now on."""
        self._lock.release()

    def load(self, who: SessionId) -> State | None:
        with self._lock:
            return self._states.get(who)

    def save(self, state: State, change: SessionUpdate) -> State:
        filed = [(blob.id, blob, compress_blob(blob.data)) for blob in change.blobs]
        who = state.who
        with self._lock:
            stored = self._states.get(who) or make_state(who)
            check_admission(stored.revision, state, change, stored.head)
            kept = self._kept.setdefault(who, _Kept())
            kept.links += change.receipts
            kept.times += [change.at] * len(change.receipts)
            kept.views |= set(change.views)
            kept.manifests += [change.manifest] if change.manifest else []
            parent = self._kept.get(SessionId(change.parent, who.tenant)) if change.parent else None
            for ref, at in parent.refs.items() if parent else ():
                kept.refs.setdefault(ref, at)
            for name, blob, (codec, body) in filed:
                self._blobs.setdefault((who.tenant, name), _Filed(blob.kind, len(blob.data), codec, body))
                kept.refs.setdefault((name, blob.key), change.at)
            self._states[who] = apply_update(replace(state, anchor=stored.anchor), change)
            return self._states[who]

    def find(self, tenant: str, keys: tuple[str, ...]) -> tuple[FoundSession, ...]:
        places = {key: number for number, key in enumerate(keys) if key}
        found = []
        with self._lock:
            for who, state in self._states.items():
                if who.tenant == tenant:
                    tips = {epoch.head_key for epoch in state.plan.epochs} & places.keys()
                    found += [FoundSession(who.session, key, "tip", state.touched) for key in tips]
                    seen = self._kept[who].views & places.keys()
                    found += [FoundSession(who.session, key, "view", state.touched) for key in seen]
        return tuple(sorted(found, key=lambda one: (-places[one.key], -one.touched, one.session, one.by)))

    def list_receipts(self, who: SessionId, first: int = 0, last: int | None = None) -> Iterator[Link]:
        with self._lock:
            links = list(self._kept[who].links) if who in self._kept else []
        yield from (one for one in links if first <= one.sequence and (last is None or one.sequence <= last))

    def get_blob(self, tenant: str, handle: str) -> Blob | None:
        begin = parse_handle(handle)
        with self._lock:
            names = sorted(name for owner, name in self._blobs if owner == tenant and name.startswith(begin))
            if len(names) > 1:
                raise make_ambiguous_error(handle, names[:5])
            if not names:
                return None
            filed = self._blobs[tenant, names[0]]
            keys = [
                ref[1]
                for who, kept in self._kept.items()
                if who.tenant == tenant
                for ref in kept.refs
                if ref[0] == names[0]
            ]
        data = decompress_blob(filed.codec, filed.body)
        if hash_text(data) != names[0]:
            raise Rejected(f"the bytes filed under {handle} are not the bytes that were saved")
        return Blob(data, filed.kind, min(keys, default=""))

    def list_blobs(self, who: SessionId) -> tuple[BlobRef, ...]:
        with self._lock:
            refs = self._kept[who].refs if who in self._kept else {}
            held = [(name, key, at, self._blobs[who.tenant, name]) for (name, key), at in refs.items()]
        return tuple(BlobRef(name, one.kind, key, one.size, len(one.body), at) for name, key, at, one in held)

    def get_manifest(self, who: SessionId, sequence: int) -> tuple[str, ...] | None:
        with self._lock:
            manifests = list(self._kept[who].manifests) if who in self._kept else []
        pieces: tuple[str, ...] = ()
        for one in manifests:
            pieces = (*pieces[: one.shared], *one.pieces)
            if one.sequence == sequence:
                return pieces
        return None

    def list_manifests(self, who: SessionId) -> tuple[Manifest, ...]:
        with self._lock:
            return tuple(self._kept[who].manifests) if who in self._kept else ()

    def list_sessions(self, tenant: str | None = None) -> tuple[SessionRow, ...]:
        with self._lock:
            rows = [self._make_row(state) for who, state in self._states.items() if tenant in (None, who.tenant)]
        return tuple(sorted(rows, key=lambda row: (-row.touched, row.who.tenant, row.who.session)))

    def purge(self, tenant: str, session: str | None = None) -> Freed:
        with self._lock:
            gone = [who for who in self._states if who.tenant == tenant and session in (None, who.session)]
            return self._sweep(len(gone), self._forget(gone))

    def collect_garbage(
        self,
        now: int,
        retention_s: float,
        forget_s: float | None = None,
        every_s: float = 0.0,
        receipts_s: float | None = None,
    ) -> Freed:
        with self._lock:
            if every_s and self._cleared is not None and 0 <= now - self._cleared < every_s * 1000:
                return Freed()
            self._cleared = now
            for who, state in self._states.items():
                if state.touched < now - retention_s * 1000:
                    kept = self._kept[who]
                    kept.refs, kept.views, kept.manifests = {}, set(), []
            forget = [] if forget_s is None else self._list_untouched(now - forget_s * 1000)
            receipts = self._forget(forget) if forget else 0
            receipts += 0 if receipts_s is None else self._remove_receipts(now - receipts_s * 1000)
            return self._sweep(len(forget), receipts)

    def measure_sizes(self) -> Sizes:
        with self._lock:
            links = [link for kept in self._kept.values() for link in kept.links]
            return Sizes(
                sessions=len(self._states),
                epochs=sum(len(state.plan.epochs) for state in self._states.values()),
                receipts=len(links),
                blobs=len(self._blobs),
                blob_bytes=sum(one.size for one in self._blobs.values()),
                stored_bytes=sum(len(one.body) for one in self._blobs.values()),
                receipt_bytes=sum(len(link.body) for link in links),
                file_bytes=0,
                free_bytes=0,
                oldest=min((state.created for state in self._states.values()), default=0),
                place="memory",
                schema=0,
            )

    @contextmanager
    def snapshot(self) -> Iterator["MemoryStore"]:
        """A copy, made of values that do not change."""
        still = MemoryStore()
        with self._lock:
            still._states, still._blobs = dict(self._states), dict(self._blobs)
            still._kept = {who: kept.copy() for who, kept in self._kept.items()}
        yield still

    def with_wait_limit(self, wait_s: float) -> "MemoryStore":
        """The same store, which never waits for others."""
        return self

    def close(self) -> None:
        """Nothing is held open; what is kept stays until the store itself goes."""

    def _make_row(self, state: State) -> SessionRow:
        names = {name for name, _ in self._kept[state.who].refs}
        size = sum(self._blobs[state.who.tenant, name].size for name in names)
        told = (state.format, state.model, state.parent, state.created, state.touched)
        return SessionRow(
            state.who, *told, len(state.plan.epochs), state.receipts, len(names), size, state.anchor.number + 1
        )

    def _remove_receipts(self, before: float) -> int:
        """Remove receipts saved before that time; return how many."""
        went = 0
        for who, state in self._states.items():
            kept = self._kept[who]
            count = count_expired(kept.times, state.receipts, state.anchor.number + 1, before)
            if count:
                self._states[who] = replace(state, anchor=advance_anchor(state.anchor, kept.links[:count]))
                kept.links, kept.times = kept.links[count:], kept.times[count:]
                went += count
        return went

    def _list_untouched(self, since: float) -> list[SessionId]:
        return [who for who, state in self._states.items() if state.touched < since]

    def _forget(self, gone: list[SessionId]) -> int:
        """Remove sessions; return how many receipts they had."""
        for who in gone:
            del self._states[who]
        return sum(len(self._kept.pop(who).links) for who in gone)

    def _sweep(self, sessions: int, receipts: int) -> Freed:
        """Remove blobs that no session refers to."""
        wanted = {(who.tenant, name) for who, kept in self._kept.items() for name, _ in kept.refs}
        freed = [self._blobs.pop(name) for name in self._blobs.keys() - wanted]
        return Freed(sessions, receipts, len(freed), sum(len(one.body) for one in freed))
