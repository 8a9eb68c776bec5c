"""One SQLite file, opened so that many processes can use it: private, write-ahead log, waiting for each other.

Rule: a connection belongs to the process that opened it; after a fork the child opens the file again and leaves the
parent's connections alone, unclosed, since closing them would release the parent's locks. Every failure is a StoreError
that names the file and what to do. The content of the file is not known here, except for `migrate`.
"""

import ctypes
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock

from secateur import forking
from secateur.errors import StoreError
from secateur.stores.migrate import get_newest_schema, migrate, read_schema

SYNCHRONOUS = ("full", "normal")  # full: what was answered survives a loss of power; normal: the end of the process
CHECKPOINT_PAGES = 1000  # SQLite's own default: the log is folded into the file after about 4 MB

_REMEDIES = {
    sqlite3.SQLITE_FULL: "the disk is full: make room, then `secateur gc` frees what has expired",
    sqlite3.SQLITE_READONLY: "it cannot be written to: make the file and its folder writable, or name another store",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened: make its folder writable, or name another store",
    sqlite3.SQLITE_PERM: "it cannot be opened: make the file writable, or name another store",
    sqlite3.SQLITE_CORRUPT: "it is damaged: move it away to start a new one; `sqlite3 FILE .recover` saves most of it",
    sqlite3.SQLITE_NOTADB: "it is damaged or not a store: move it away to start a new one, or name another store",
    sqlite3.SQLITE_IOERR: "the disk cannot read or write it: check the disk, or name another store",
}
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


class SqliteFile:
    """The connections of this process to one file: one for writing, one for reading, each behind its lock."""

    def __init__(self, path: Path, synchronous: str = "full") -> None:
        self.path = path
        self.synchronous = synchronous
        self._pid = os.getpid()
        self._locks = {"write": RLock(), "read": RLock()}
        self._open: dict[str, sqlite3.Connection] = {}
        self._waits: dict[str, int] = {}  # how many ms each of them waits for others now
        self._seen: dict[str, tuple[int, int]] = {}  # which files they are, by the ends of their names
        self._at_rest: list[str] = []  # connections whose locks this process holds while it forks
        forking.register_forks(self)

    @contextmanager
    def open_read(self, wait_s: float) -> Iterator[sqlite3.Connection]:
        """A read-only connection that waits at most this long for others; errors are raised as StoreError."""
        with self.convert_errors(wait_s), self._lock_connection("read", wait_s) as left:
            yield self._get_connection("read", left)

    @contextmanager
    def open_write(self, wait_s: float) -> Iterator[sqlite3.Connection]:
        """The write connection, in autocommit; errors are raised as StoreError."""
        with self.convert_errors(wait_s), self._lock_connection("write", wait_s) as left:
            yield self._get_connection("write", left)

    @contextmanager
    def begin_transaction(self, wait_s: float) -> Iterator[sqlite3.Connection]:
        """An exclusive transaction from its start: committed at the end, or rolled back."""
        with self.convert_errors(wait_s), self._lock_connection("write", wait_s) as left:
            connection = self._get_connection("write", left, checks=False)
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            self._check_files()  # else it was committed into nothing

    @contextmanager
    def take_snapshot(self, wait_s: float) -> Iterator["SqliteFile"]:
        """The same file as it is now, read through one transaction."""
        same = SqliteFile(self.path, self.synchronous)
        try:
            with same.open_read(wait_s) as connection:
                connection.execute("BEGIN")
                connection.execute("SELECT count(*) FROM sqlite_master").fetchone()  # the moment is now
            yield same
        finally:
            same.close()

    @contextmanager
    def open_separate(self, wait_s: float) -> Iterator[sqlite3.Connection]:
        """A separate write connection that is neither reused nor shared."""
        same = SqliteFile(self.path, self.synchronous)
        try:
            with same.open_write(wait_s) as connection:
                yield connection
        finally:
            same.close()

    def prepare_fork(self) -> None:
        """Close idle connections: a copied connection holds locks that are never released."""
        for name, lock in self._locks.items():
            if lock.acquire(timeout=forking.WAIT_S):
                self._at_rest.append(name)
                connection = self._open.get(name)
                if connection is not None and not connection.in_transaction:
                    del self._open[name]
                    connection.close()

    def resume_after_fork(self, child: bool) -> None:
        """Release the locks, renewed in the child; the next user reopens the file."""
        rested, self._at_rest = self._at_rest, []
        if child:
            self._lock("read")
        else:
            for name in rested:
                self._locks[name].release()

    def close(self) -> None:
        """Close what this process opened; it opens again when it is next asked."""
        for name in ("write", "read"):
            with self.convert_errors(), self._lock(name):
                connection = self._open.pop(name, None)
                if connection:
                    connection.close()

    @contextmanager
    def convert_errors(self, wait_s: float = 0.0) -> Iterator[None]:
        """Convert errors of SQLite and the system to StoreError."""
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(self._explain_error(error, wait_s)) from error
        except (OSError, OverflowError, UnicodeEncodeError) as error:
            raise StoreError(f"the store {self.path} cannot be used: {error}; name another one") from error

    def __del__(self) -> None:
        if self._pid != os.getpid():
            _abandon(self._open)
        for connection in self._open.values():
            connection.close()

    @contextmanager
    def _lock_connection(self, name: str, wait_s: float) -> Iterator[float]:
        """Lock one of the connections for this thread; yields the remaining wait."""
        lock, until = self._lock(name), time.monotonic() + wait_s
        if not lock.acquire(timeout=wait_s):
            raise StoreError(f"the store {self.path} was locked by this process for {wait_s:.2g} s: try again")
        try:
            yield max(0.0, until - time.monotonic())
        finally:
            lock.release()

    def _lock(self, name: str) -> RLock:
        if self._pid != os.getpid():
            self._pid = os.getpid()
            _abandon(self._open)
            self._locks = {"write": RLock(), "read": RLock()}  # the parent's may be held by threads that are not here
        return self._locks[name]

    def _get_connection(self, name: str, wait_s: float, checks: bool = True) -> sqlite3.Connection:
        """A connection that waits so long. Without `checks`, the caller sees to it that the files are still there."""
        if name not in self._open:
            self._open[name] = self._open_connection(name, wait_s)
            self._seen |= _read_identities(self.path)
            self._waits.pop(name, None)
        elif checks:
            self._check_files()
        connection, wait_ms = self._open[name], int(wait_s * 1000)
        if self._waits.get(name) != wait_ms:
            _wait(connection, wait_s)
            self._waits[name] = wait_ms
        return connection

    def _check_files(self) -> None:
        """Check that the files are still the opened ones. Raises StoreError once, then they are reopened."""
        now = _read_identities(self.path)
        self._seen = {**now, **self._seen}
        if now == self._seen:
            return
        self._seen = {}
        for connection in [self._open.pop(name) for name in list(self._open)]:
            connection.close()
        raise StoreError(
            f"the store {self.path} was deleted or replaced while it was in use, and what was kept in it is not there: "
            "put it back, or go on with a new one, which the next request begins"
        )

    def _open_connection(self, name: str, wait_s: float) -> sqlite3.Connection:
        _make_private(self.path)
        until = time.monotonic() + wait_s
        if name == "read" and not _is_writable(self.path):
            return self._open_unwritable(wait_s)
        connection = _connect(str(self.path), wait_s)
        try:
            have = read_schema(connection, self.path)
            self._settle(connection, until, empty=have == 0)
            if have < get_newest_schema():
                _wait(connection, until - time.monotonic())
                migrate(connection, self.path)
            if name == "read":
                connection.execute("PRAGMA query_only = ON")
        except BaseException:
            connection.close()
            raise
        return connection

    def _open_unwritable(self, wait_s: float) -> sqlite3.Connection:
        """Open a file for reading that cannot be written, such as one on a read-only medium.

        Without a log beside it nobody has it open, and it is read as it is: SQLite could not create its files there.
        """
        is_alone = not Path(f"{self.path}-wal").exists()
        where = f"{self.path.absolute().as_uri()}?mode=ro{'&immutable=1' if is_alone else ''}"
        connection = _connect(where, wait_s, uri=True)
        try:
            if read_schema(connection, self.path) < get_newest_schema():
                raise StoreError(
                    f"the store {self.path} is empty or not up to date, and cannot be written: copy it to where this "
                    "user can write, and name the copy with --store"
                )
        except BaseException:
            connection.close()
            raise
        return connection

    def _settle(self, connection: sqlite3.Connection, until: float, empty: bool) -> None:
        _wait(connection, until - time.monotonic())
        if empty:
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # only a file without tables takes it
        connection.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten
        connection.execute("PRAGMA foreign_keys = ON")
        _enable_wal(connection, until)
        connection.execute(f"PRAGMA synchronous = {self.synchronous}")
        connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")

    def _explain_error(self, error: sqlite3.Error, wait_s: float) -> str:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the rest says more than anyone can act on
        if code in _BUSY:
            return f"the store {self.path} was locked by another process for {wait_s:.2g} s: try again"
        remedy = _REMEDIES.get(code, "see `secateur doctor`")
        return f"the store {self.path} failed ({error}): {remedy}"


def _connect(where: str, wait_s: float, uri: bool = False) -> sqlite3.Connection:
    return sqlite3.connect(where, wait_s, isolation_level=None, check_same_thread=False, cached_statements=256, uri=uri)


def _is_writable(path: Path) -> bool:
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def _read_identities(path: Path) -> dict[str, tuple[int, int]]:
    """The identities of a store's file and its log, as far as they exist."""
    found = {}
    for end in ("", "-wal"):
        with suppress(FileNotFoundError):
            stat = os.stat(f"{path}{end}")
            found[end] = (stat.st_dev, stat.st_ino)
    return found


def _wait(connection: sqlite3.Connection, wait_s: float) -> None:
    """Let SQLite wait for others so long, and no longer."""
    connection.execute(f"PRAGMA busy_timeout = {max(0, int(wait_s * 1000))}")


def _enable_wal(connection: sqlite3.Connection, until: float) -> None:
    """Enable the write-ahead log. SQLite does not wait by itself if several processes do this at once."""
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in _BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)


def _abandon(inherited: dict[str, sqlite3.Connection]) -> None:
    """Forget connections that came over a fork, and see to it that they are not closed when this process ends.

    Closing one could fold in and delete the log that the parent still writes to.
    """
    for connection in inherited.values():
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))  # one reference that is never released
    inherited.clear()


def _make_private(path: Path) -> None:
    """Create the file and missing folders for the owner only; restrict a file that others may read."""
    missing = [folder for folder in path.parents if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        mode = path.stat().st_mode
        if mode & 0o077 and path.is_file() and os.access(path, os.W_OK):
            path.chmod(0o600)
