"""The store for many machines: a schema of a PostgreSQL database that any number of processes share.

Rule: `save` returns when the server has made its transaction durable. A session is saved by one process at a time; the
second one finds that it has changed. The guarantees are in `protocol`; connections are handled in
`postgres_connections`, writes in `postgres_write`. Backups and replicas are up to the server.
"""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from functools import partial
from typing import TypeVar

from msgspec.structs import asdict, replace
from psycopg import errors

from secateur.chain import Link
from secateur.errors import StoreError
from secateur.stores import postgres_write, sql_read, sql_retention
from secateur.stores.changes import prepare_change
from secateur.stores.postgres_address import parse_address
from secateur.stores.postgres_connections import PinnedConnection, PostgresConnections, PostgresSession
from secateur.stores.postgres_schema import get_newest_postgres_schema
from secateur.stores.protocol import (
    Blob,
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
)
from secateur.stores.sql_retention import Old

_ATTEMPTS = 4  # at a change that met another one half-way
_AGAIN = (errors.DeadlockDetected, errors.SerializationFailure, errors.ForeignKeyViolation)
_ITS_OWN = (errors.DataError, errors.IntegrityError, errors.ProgramLimitExceeded, ValueError, OverflowError)
_DISK = (
    "SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class WHERE relnamespace = ?::regnamespace"
)
_VACUUM = "VACUUM sessions, epochs, receipts, views, blobs, refs, manifests, anchors"

R = TypeVar("R")


class PostgresStore:
    """See `Store` for what the methods promise. Nothing is connected to before it is needed."""

    def __init__(self, url: str) -> None:
        """`url` is `postgresql://USER:PASSWORD@HOST/DATABASE`; libpq's options and `schema`, `timeout_s` (how long to
        wait for other processes) and `connections` (at once, of this process) follow a `?`. Raises ConfigError.
        """
        address = parse_address(url)
        self._connections: PostgresConnections | PinnedConnection = PostgresConnections(address)
        self._wait_s = address.timeout_s

    def __repr__(self) -> str:
        return f"<PostgresStore {self.place}>"

    @property
    def place(self) -> str:
        """The address, without its password."""
        return self._connections.address.shown

    def load(self, who: SessionId) -> State | None:
        return self._run(lambda connection: sql_read.state_of(connection, who))

    def save(self, state: State, change: SessionUpdate) -> State:
        ready = prepare_change(state, change)

        def attempt(connection: PostgresSession) -> State:
            return postgres_write.write_change(connection, ready)

        for left in reversed(range(_ATTEMPTS)):
            try:
                return self._run(attempt)
            except StoreError as error:
                cause = error.__cause__
                if isinstance(cause, _AGAIN) and left:
                    continue
                if isinstance(cause, _ITS_OWN):
                    raise self._make_rejection(state, cause) from error
                raise
        raise AssertionError("the last attempt answers or raises")

    def find(self, tenant: str, keys: tuple[str, ...]) -> tuple[FoundSession, ...]:
        places = {key: number for number, key in enumerate(keys)}
        found = self._run(lambda connection: list(sql_read.find_sessions(connection, tenant, keys)))
        return tuple(sorted(found, key=lambda one: (-places[one.key], -one.touched, one.session, one.by)))

    def list_receipts(self, who: SessionId, first: int = 0, last: int | None = None) -> Iterator[Link]:
        while last is None or first <= last:
            links = self._run(partial(sql_read.page, who=who, first=first, last=last))
            yield from links
            if not links:
                return
            first = links[-1].sequence + 1

    def get_blob(self, tenant: str, handle: str) -> Blob | None:
        filed = self._run(lambda connection: sql_read.find_blob(connection, tenant, handle))
        return sql_read.decode_blob(filed) if filed else None

    def list_blobs(self, who: SessionId) -> tuple[BlobRef, ...]:
        return self._run(lambda connection: sql_read.list_blobs(connection, who))

    def get_manifest(self, who: SessionId, sequence: int) -> tuple[str, ...] | None:
        return self._run(lambda connection: sql_read.load_pieces(connection, who, sequence))

    def list_manifests(self, who: SessionId) -> tuple[Manifest, ...]:
        return self._run(lambda connection: sql_read.load_manifests(connection, who))

    def list_sessions(self, tenant: str | None = None) -> tuple[SessionRow, ...]:
        return self._run(lambda connection: sql_read.list_sessions(connection, tenant))

    def purge(self, tenant: str, session: str | None = None) -> Freed:
        """As promised, in the tables. The server's log and free pages keep copies until it reuses them."""
        freed = self._run(lambda connection: postgres_write.purge(connection, tenant, session))
        return self._vacuum(freed) if freed.sessions else freed

    def collect_garbage(
        self,
        now: int,
        retention_s: float,
        forget_s: float | None = None,
        every_s: float = 0.0,
        receipts_s: float | None = None,
    ) -> Freed:
        old = Old(*(None if age is None else now - int(age * 1000) for age in (retention_s, forget_s, receipts_s)))
        some = sql_retention.SOME if every_s else None

        def collect(connection: PostgresSession) -> Freed:
            connection.begin()
            due = sql_retention.is_due(connection, now, every_s)
            freed = postgres_write.collect_garbage(connection, old, some) if due else Freed()
            connection.commit()
            return freed

        freed = self._run(collect)
        return freed if some or freed == Freed() else self._vacuum(freed)

    def measure_sizes(self) -> Sizes:
        def measure(connection: PostgresSession) -> Sizes:
            disk = connection.execute(_DISK, (self._connections.address.schema,)).fetchone()[0]
            return Sizes(
                **asdict(sql_retention.count_rows(connection)),
                file_bytes=disk,
                free_bytes=0,
                place=self.place,
                schema=get_newest_postgres_schema(),
            )

        return self._run(measure)

    @contextmanager
    def snapshot(self) -> Iterator["PostgresStore"]:
        """On a connection of its own, inside one transaction that reads."""
        if isinstance(self._connections, PinnedConnection):
            yield self
            return
        same = copy(self)
        with self._connections.take_snapshot(self._wait_s) as same._connections:
            yield same

    def with_wait_limit(self, wait_s: float) -> "PostgresStore":
        same = copy(self)
        same._wait_s = wait_s
        return same

    def get_secret(self, name: str) -> bytes:
        """A random value that all processes with this store share; made when it is first asked for."""

        def read(connection: PostgresSession) -> bytes:
            sql = "INSERT INTO secrets (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING"
            connection.execute(sql, (name, secrets.token_bytes(32)))
            found = connection.execute("SELECT value FROM secrets WHERE name = ?", (name,)).fetchone()
            return bytes(found[0])

        return self._run(read)

    def close(self) -> None:
        self._connections.close()

    def _run(self, work: Callable[[PostgresSession], R]) -> R:
        return self._connections.run(work, self._wait_s)

    def _vacuum(self, freed: Freed) -> Freed:
        """Let the server reuse the room of deleted rows now."""
        done = self._run(lambda connection: connection.maintain(_VACUUM))
        return freed if done else replace(freed, pending=True)

    def _make_rejection(self, state: State, error: BaseException) -> Rejected:
        said = str(error).partition("\n")[0]
        return Rejected(f"a change to session {state.who.session!r} cannot be stored in {self.place}: {said}")
