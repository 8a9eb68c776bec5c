"""Connections to one PostgreSQL database: a few that stay open, shared by the threads of this process.

Rule: no caller waits longer than it can, whatever the server or the network does. A connection belongs to the process
that opened it; after a fork the child opens its own. Every failure is a StoreError that says where and what to do, and
never shows a password. The content of the database is not known here, except for `postgres_schema`.
"""

import math
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import lru_cache
from threading import BoundedSemaphore, Condition, Lock, RLock, Thread
from time import monotonic
from typing import Any, TypeVar
from urllib.parse import unquote

import psycopg
from psycopg import errors
from psycopg.pq import TransactionStatus

from secateur import forking
from secateur.errors import StoreError
from secateur.stores.postgres_address import PostgresAddress
from secateur.stores.postgres_schema import prepare_schema

_OPEN_S = 30.0  # until a connection is open, for callers that can wait longer
_ROLLBACK_S = 1.0
_ANSWER_S = 0.2  # for the server and the network, for callers that cannot wait
_BUSY = (errors.LockNotAvailable, errors.QueryCanceled)

R = TypeVar("R")


class PostgresConnection(psycopg.Connection[Any]):
    """A connection whose every wait ends at a time that is set."""

    until = math.inf  # by the clock of `time.monotonic`
    locks_until = math.inf  # and every wait for other processes
    committing = False  # a transaction may be durable even if its confirmation is lost
    lost = False  # the server closed it

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        """Wait for the server until then at most."""
        left = max(0.001, self.until - monotonic())
        return super().wait(gen, interval, left if timeout is None else min(left, timeout))

    def __del__(self, *_: Any) -> None:
        """The process that opened it closes its socket; a child leaves the parent's alone."""


class PostgresSession:
    """A connection as a store uses it: `?` is the placeholder of a value, as in SQLite."""

    def __init__(self, connection: PostgresConnection) -> None:
        self._connection = connection

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Any:
        """Carry out a statement; its rows."""
        return self._connection.execute(_translate(sql), values, binary=True)

    def begin(self) -> None:
        """Begin a transaction that waits for locks of others no longer than its caller can."""
        wait_ms = max(1, int((self._connection.locks_until - monotonic()) * 1000))
        self._connection.execute(f"BEGIN; SET LOCAL lock_timeout = {wait_ms}".encode())

    def begin_snapshot(self) -> None:
        """Begin a transaction that sees the database as it is now until it ends."""
        self._connection.execute(b"BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        self._connection.execute(b"SELECT 1")  # the moment is now

    def commit(self) -> None:
        """Commit; what was answered is durable."""
        self._connection.committing = True
        self._connection.execute(b"COMMIT")

    def maintain(self, statement: str) -> bool:
        """Carry out a statement that no transaction may hold; False if it is not allowed, or takes too long."""
        try:
            self._connection.execute(statement.encode())
        except errors.Error:
            return False
        return True


@lru_cache(256)
def _translate(sql: str) -> bytes:
    return sql.replace("?", "%s").replace("AS BLOB)", "AS BYTEA)").encode()


class PostgresConnections:
    """The connections of this process to one database."""

    def __init__(self, address: PostgresAddress) -> None:
        self.address = address
        self._reset()
        forking.register_forks(self)

    def _reset(self) -> None:
        self._pid = os.getpid()
        self._lock = Condition(Lock())  # notified when a connection is idle, or could not be opened
        self._idle: list[PostgresConnection] = []
        self._slots = BoundedSemaphore(self.address.connections)

    def run(self, work: Callable[[PostgresSession], R], wait_s: float) -> R:
        """Do some work on a connection, in this many seconds. Raises StoreError.

        If the server closed the connection since it was last used, the work is done once more on a new one, unless
        it may have been kept.
        """
        begun = monotonic()
        with self.convert_errors(wait_s), self._take_slot(wait_s):
            patience = begun + max(wait_s, _ANSWER_S)
            connection = self._take(patience)
            try:
                return self._use(connection, work, begun + wait_s)
            except psycopg.OperationalError:
                if not connection.lost or connection.committing:
                    raise
            self._close_idle()
            return self._use(self._take(patience), work, begun + wait_s)

    @contextmanager
    def take_snapshot(self, wait_s: float) -> Iterator["PinnedConnection"]:
        """A connection of its own, inside a transaction that reads."""
        with self.convert_errors(_OPEN_S):
            connection = self._connect()  # only commands ask for it
        try:
            with self.convert_errors(_OPEN_S):
                PostgresSession(connection).begin_snapshot()
            yield PinnedConnection(connection, self)
        finally:
            connection.close()

    def close(self) -> None:
        """Close the idle connections of this process; they are opened again on the next use."""
        self._close_idle()

    def __del__(self) -> None:
        if self._pid == os.getpid():
            self._close_idle()

    @contextmanager
    def convert_errors(self, wait_s: float) -> Iterator[None]:
        """Convert errors of the driver to StoreError."""
        try:
            yield
        except TimeoutError as error:
            raise StoreError(self._explain(f"did not answer within {wait_s:.2g} s: try again")) from error
        except (UnicodeEncodeError, OverflowError) as error:
            raise StoreError(self._explain(f"cannot store this: {error}")) from error
        except _BUSY as error:
            raise StoreError(self._explain(f"was locked by others for {wait_s:.2g} s: try again")) from error
        except psycopg.Error as error:
            raise StoreError(self._explain(self._describe_error(error, wait_s))) from error

    def describe(self, error: Exception) -> str:
        """The first line of an error, without the password."""
        line = str(error).strip().partition("\n")[0] or type(error).__name__
        for secret in {self.address.password, unquote(self.address.password)} - {""}:
            line = line.replace(secret, "***")
        return line

    def prepare_fork(self) -> None:
        """Hold the lock, so that no connection is on its way."""
        self._lock.acquire()

    def resume_after_fork(self, child: bool) -> None:
        """Release the lock. In the child, drop the parent's connections without contacting the server."""
        self._lock.release()
        if child:
            for connection in self._idle:
                with suppress(OSError, psycopg.Error):
                    os.close(connection.fileno())
            self._reset()

    # --- one connection ------------------------------------------------------------------------------------------

    @contextmanager
    def _take_slot(self, wait_s: float) -> Iterator[None]:
        if self._pid != os.getpid():
            self._reset()
        slots = self._slots
        if not slots.acquire(timeout=wait_s):
            raise StoreError(self._explain(f"was locked by this process for {wait_s:.2g} s: try again"))
        try:
            yield
        finally:
            slots.release()

    def _take(self, until: float) -> PostgresConnection:
        """An idle connection, or a new one: whichever is there first. One that comes too late is kept for others."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
        opened: Future[None] = Future()
        Thread(target=self._open, args=(opened,), name="secateur-postgres", daemon=True).start()
        with self._lock:
            self._lock.wait_for(lambda: self._idle or _get_failure(opened), max(0.0, until - monotonic()))
            if self._idle:
                return self._idle.pop()
        raise _get_failure(opened) or TimeoutError

    def _keep_idle(self, connection: PostgresConnection) -> None:
        with self._lock:
            if len(self._idle) < self.address.connections:
                self._idle.append(connection)
                self._lock.notify()
                return
        connection.close()

    def _close_idle(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _use(self, connection: PostgresConnection, work: Callable[[PostgresSession], R], until: float) -> R:
        connection.locks_until, connection.committing = until, False
        connection.until = max(until, monotonic() + _ANSWER_S)
        try:
            answer = work(PostgresSession(connection))
        except BaseException:
            self._recover(connection)
            raise
        self._keep_idle(connection)
        return answer

    def _recover(self, connection: PostgresConnection) -> None:
        """Undo what was begun, and keep the connection if it can still be used."""
        connection.lost = connection.broken
        usable = connection.info.transaction_status in (TransactionStatus.INTRANS, TransactionStatus.INERROR)
        if usable:
            connection.until = monotonic() + _ROLLBACK_S
            try:
                connection.execute(b"ROLLBACK")
            except psycopg.Error:
                usable = False
        if usable or connection.info.transaction_status == TransactionStatus.IDLE:
            self._keep_idle(connection)
        else:
            connection.close()

    def _open(self, opened: "Future[None]") -> None:
        """Open a connection for a waiting caller."""
        try:
            self._keep_idle(self._connect())
            opened.set_result(None)
        except BaseException as error:
            opened.set_exception(error)
        with self._lock:
            self._lock.notify_all()

    def _connect(self) -> PostgresConnection:
        given: Any = {"application_name": "secateur", "connect_timeout": int(_OPEN_S), "autocommit": True}
        connection = PostgresConnection.connect(self.address.url, **given)
        try:
            connection.until = monotonic() + _OPEN_S
            prepare_schema(connection, self.address.schema, self.address.shown)
        except BaseException:
            connection.close()
            raise
        return connection

    def _explain(self, what: str) -> str:
        return f"the store {self.address.shown} {what}"

    def _describe_error(self, error: psycopg.Error, wait_s: float) -> str:
        said = self.describe(error)
        if isinstance(error, errors._WaitTimeout):
            return f"did not answer within {wait_s:.2g} s: try again"
        if isinstance(error, errors.InsufficientPrivilege):
            return f"denies this user access ({said}): grant it the schema {self.address.schema!r}"
        if isinstance(error, psycopg.OperationalError):
            return f"cannot be reached ({said}): check the server and its address, or name another store"
        return f"failed ({said}): see `secateur doctor`"


def _get_failure(opened: "Future[None]") -> BaseException | None:
    return opened.exception() if opened.done() else None


class PinnedConnection:
    """One connection in one transaction, in place of all."""

    def __init__(self, connection: PostgresConnection, connections: PostgresConnections) -> None:
        self.address = connections.address
        self._connection, self._connections = connection, connections
        self._lock = RLock()

    def run(self, work: Callable[[PostgresSession], R], wait_s: float) -> R:
        """Do some work on it."""
        with self._lock, self._connections.convert_errors(wait_s):
            self._connection.until = monotonic() + max(wait_s, _ANSWER_S)
            return work(PostgresSession(self._connection))

    def close(self) -> None:
        """The owner of the snapshot closes it."""
