"""The store for one machine: a SQLite file that many processes and threads share.

Rule: `save` returns when its transaction is durable; a process that dies at any point leaves the last saved state. A
change is checked against what is stored before its first row is written. `protocol` has the promises, `sqlite_file`
opens the file.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from pathlib import Path

from msgspec.structs import asdict, replace

from secateur.chain import Link
from secateur.errors import ConfigError, StoreError
from secateur.stores import laid_files, sql_read, sql_retention, sqlite_scrub
from secateur.stores.changes import Ready, check_admission, pack, prepare_change
from secateur.stores.group import Group, PendingWrite
from secateur.stores.migrate import get_newest_schema
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
    apply_update,
)
from secateur.stores.sql_retention import Old
from secateur.stores.sqlite_file import SYNCHRONOUS, SqliteFile

_SESSION = "SELECT id, revision, head FROM sessions WHERE tenant = ? AND session = ?"
_NEW = """INSERT INTO sessions (tenant, session, revision, head, receipts, head_key, format, model, parent, created,
  touched, clock, calibrations, pins) VALUES (?, ?, 0, '', 0, '', '', '', '', ?, ?, '', '', '')"""
_UPDATE = """UPDATE sessions SET revision = ?, head = ?, receipts = ?, head_key = ?, format = ?, model = ?, parent = ?,
  touched = ?, clock = ?, calibrations = ?, pins = ? WHERE id = ?"""
_REFER = "INSERT OR IGNORE INTO refs (session, blob, key, at) VALUES (?, ?, ?, ?)"
_INHERIT = "INSERT OR IGNORE INTO refs (session, blob, key, at) SELECT ?, blob, key, at FROM refs WHERE session = ?"

PATIENCE_S = 5.0  # how long a purge waits for those who still read what it deleted
_ITS_OWN = (StoreError, sqlite3.DataError, sqlite3.IntegrityError, OverflowError, UnicodeEncodeError)  # not the file's


def write(connection: sqlite3.Connection, made: Ready) -> State:
    """The state after the change, written. Raises StoreError before the first row if it cannot follow."""
    state, change = made.state, made.change
    row = connection.execute(_SESSION, (state.who.tenant, state.who.session)).fetchone()
    check_admission(row[1] if row else 0, state, change, row[2] if row else None)
    after = apply_update(state, change)
    number = row[0] if row else _create_session(connection, after)
    _append(connection, number, state, change)
    for name, blob, codec, body in made.blobs:
        kept = _store_blob(connection, (state.who.tenant, name), (blob.kind, len(blob.data), codec, body))
        connection.execute(_REFER, (number, kept, blob.key, change.at))
    if change.parent:
        parent = connection.execute(_SESSION, (state.who.tenant, change.parent)).fetchone()
        connection.execute(_INHERIT, (number, parent[0] if parent else None))
    said = (pack(after.clock), pack(after.calibrations), pack(after.pins))
    facts = (after.tip, after.format, after.model, after.parent, after.touched)
    connection.execute(_UPDATE, (after.revision, after.head, after.receipts, *facts, *said, number))
    return after


def _create_session(connection: sqlite3.Connection, after: State) -> int:
    who = after.who
    made = connection.execute(_NEW, (who.tenant, who.session, after.created, after.touched))
    assert made.lastrowid is not None
    return made.lastrowid


def _append(connection: sqlite3.Connection, number: int, state: State, change: SessionUpdate) -> None:
    """Append the rows that every request adds."""
    first = len(state.plan.epochs)
    epochs = [(number, place, epoch.head_key, pack(epoch)) for place, epoch in enumerate(change.epochs, first)]
    connection.executemany("INSERT INTO epochs (session, number, head_key, body) VALUES (?, ?, ?, ?)", epochs)
    links = [(number, link.sequence, link.hash, link.body, change.at) for link in change.receipts]
    connection.executemany("INSERT INTO receipts (session, sequence, hash, body, at) VALUES (?, ?, ?, ?, ?)", links)
    views = [(number, key) for key in change.views]
    connection.executemany("INSERT OR IGNORE INTO views (session, key) VALUES (?, ?)", views)
    if change.manifest:
        one = change.manifest
        values = (number, one.sequence, one.shared, pack(one.pieces))
        connection.execute("INSERT INTO manifests (session, sequence, shared, pieces) VALUES (?, ?, ?, ?)", values)


def _store_blob(connection: sqlite3.Connection, name: tuple[str, str], filed: tuple[str, int, int, bytes]) -> int:
    """The row of a blob, inserted if there was none."""
    row = connection.execute("SELECT id FROM blobs WHERE tenant = ? AND digest = ?", name).fetchone()
    if row:
        known: int = row[0]
        return known
    sql = "INSERT INTO blobs (tenant, digest, kind, size, codec, body) VALUES (?, ?, ?, ?, ?, ?)"
    made = connection.execute(sql, (*name, *filed)).lastrowid
    assert made is not None
    return made


class SqliteStore:
    """See `Store` for what the methods promise. The file is opened when it is first needed."""

    def __init__(self, path: str | Path, *, synchronous: str = "full", timeout_s: float = 30.0) -> None:
        """`synchronous` "full" survives a loss of power, "normal" only the end of the process, and is several times
        as fast where one commit follows another. `timeout_s` is how long to wait for other processes, in seconds.
        """
        if synchronous not in SYNCHRONOUS:
            raise ConfigError(f"synchronous cannot be {synchronous!r}: give one of {', '.join(SYNCHRONOUS)}")
        self._file = SqliteFile(Path(path).expanduser().absolute(), synchronous)
        self._group: tuple[int, Group[Ready, State]] = (os.getpid(), Group(self._carry))
        self._wait_s = timeout_s
        self._hasty: SqliteStore | None = None  # connections of those who cannot wait, nor for those who can

    @property
    def path(self) -> Path:
        """The file; it need not be there yet."""
        return self._file.path

    @property
    def files_folder(self) -> str:
        """Where removed text is also written as files, for engines that request it."""
        return laid_files.get_folder(self._file.path).as_posix()

    def load(self, who: SessionId) -> State | None:
        with self._file.open_read(self._wait_s) as connection:
            return sql_read.state_of(connection, who)

    def save(self, state: State, change: SessionUpdate) -> State:
        pid, group = self._group
        if pid != os.getpid():  # after a fork, the parent's waiting changes are the parent's
            group = Group(self._carry)
            self._group = (os.getpid(), group)
        return group.submit(prepare_change(state, change), self._wait_s)

    def find(self, tenant: str, keys: tuple[str, ...]) -> tuple[FoundSession, ...]:
        places = {key: number for number, key in enumerate(keys)}
        with self._file.open_read(self._wait_s) as connection:
            found = list(sql_read.find_sessions(connection, tenant, keys))
        return tuple(sorted(found, key=lambda one: (-places[one.key], -one.touched, one.session, one.by)))

    def list_receipts(self, who: SessionId, first: int = 0, last: int | None = None) -> Iterator[Link]:
        while last is None or first <= last:
            with self._file.open_read(self._wait_s) as connection:
                links = sql_read.page(connection, who, first, last)
            yield from links
            if not links:
                return
            first = links[-1].sequence + 1

    def get_blob(self, tenant: str, handle: str) -> Blob | None:
        with self._file.open_read(self._wait_s) as connection:
            filed = sql_read.find_blob(connection, tenant, handle)
        return sql_read.decode_blob(filed) if filed else None

    def list_blobs(self, who: SessionId) -> tuple[BlobRef, ...]:
        with self._file.open_read(self._wait_s) as connection:
            return sql_read.list_blobs(connection, who)

    def get_manifest(self, who: SessionId, sequence: int) -> tuple[str, ...] | None:
        with self._file.open_read(self._wait_s) as connection:
            return sql_read.load_pieces(connection, who, sequence)

    def list_manifests(self, who: SessionId) -> tuple[Manifest, ...]:
        with self._file.open_read(self._wait_s) as connection:
            return sql_read.load_manifests(connection, who)

    def list_sessions(self, tenant: str | None = None) -> tuple[SessionRow, ...]:
        with self._file.open_read(self._wait_s) as connection:
            return sql_read.list_sessions(connection, tenant)

    def purge(self, tenant: str, session: str | None = None) -> Freed:
        with self._file.begin_transaction(self._wait_s) as connection:
            freed = sql_retention.purge(connection, tenant, session)
            if freed.sessions:
                sqlite_scrub.owe(connection)
            laid_files.remove_loose_files(connection, Path(self.files_folder))
        return self._shrink(freed)

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
        with self._file.begin_transaction(self._wait_s) as connection:
            due = sql_retention.is_due(connection, now, every_s)
            freed = sql_retention.collect_garbage(connection, old, some) if due else Freed()
            if due:
                laid_files.remove_loose_files(connection, Path(self.files_folder))
            if not due and not sqlite_scrub.needs_scrub(connection):
                return freed
        return self._shrink(freed, some)

    def measure_sizes(self) -> Sizes:
        with self._file.open_read(self._wait_s) as connection:
            return _read_sizes(connection, self._file.path)

    @contextmanager
    def snapshot(self) -> Iterator["SqliteStore"]:
        """On a connection of its own, inside one transaction that reads."""
        same = copy(self)
        with self._file.take_snapshot(self._wait_s) as same._file:
            yield same

    def with_wait_limit(self, wait_s: float) -> "SqliteStore":
        if self._hasty is None:
            self._hasty = SqliteStore(self.path, synchronous=self._file.synchronous)
        same = copy(self._hasty)
        same._wait_s = wait_s
        return same

    def close(self) -> None:
        self._file.close()
        if self._hasty is not None:
            self._hasty.close()

    def _shrink(self, freed: Freed, most: int | None = None) -> Freed:
        """Overwrite deleted data that is due, then free pages: no page is moved before it is overwritten."""
        wait_s = min(self._wait_s, PATIENCE_S)
        with self._file.open_separate(wait_s) as connection:
            done = sqlite_scrub.scrub(connection, self._file.path, wait_s)
        if done:
            with self._file.open_write(self._wait_s) as connection:
                sqlite_scrub.shrink(connection, most)
        return freed if done else replace(freed, pending=True)

    def _carry(self, jobs: list[PendingWrite[Ready, State]], wait_s: float) -> None:
        """All jobs in one transaction; one that is refused takes back its own rows only."""
        with self._file.begin_transaction(wait_s) as connection:
            for job in jobs:
                connection.execute("SAVEPOINT one")
                try:
                    job.answer = write(connection, job.asked)
                    if job.asked.change.files:
                        who, blobs = job.asked.state.who, job.asked.change.blobs
                        laid_files.write_files(Path(self.files_folder), who.tenant, blobs)
                except _ITS_OWN as error:
                    connection.execute("ROLLBACK TO one")
                    job.error = error if isinstance(error, StoreError) else self._make_rejection(job.asked, error)
                connection.execute("RELEASE one")

    def _make_rejection(self, asked: Ready, error: Exception) -> Rejected:
        name = asked.state.who.session
        return Rejected(f"a change to session {name!r} cannot be stored in {self._file.path}: {error}")


def _read_sizes(connection: sqlite3.Connection, path: Path) -> Sizes:
    free = connection.execute("PRAGMA freelist_count").fetchone()[0]
    page = connection.execute("PRAGMA page_size").fetchone()[0]
    parts = [Path(f"{path}{end}") for end in ("", "-wal", "-shm")]
    return Sizes(
        **asdict(sql_retention.count_rows(connection)),
        file_bytes=sum(part.stat().st_size for part in parts if part.exists())
        + laid_files.measure_files(laid_files.get_folder(path)),
        free_bytes=free * page,
        place=str(path),
        schema=get_newest_schema(),
    )
