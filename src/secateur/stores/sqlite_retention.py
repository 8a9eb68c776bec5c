"""What leaves a SQLite store, and how large it is.

Rule: a blob goes when no session refers to it. What is deleted is overwritten (`secure_delete`), and the write-ahead
log that still holds it is folded in and emptied; who asks for a purge hears of it if that could not be done.
"""

import sqlite3
from pathlib import Path

from secateur.errors import StoreError
from secateur.stores.migrate import newest
from secateur.stores.protocol import Freed, Sizes

_OLD = "SELECT id FROM sessions WHERE touched < ?"
_LOOSE = "NOT EXISTS (SELECT 1 FROM refs WHERE refs.blob = blobs.id)"
_COUNTS = """SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM epochs), (SELECT count(*) FROM receipts),
  (SELECT count(*) FROM blobs), (SELECT coalesce(sum(size), 0) FROM blobs),
  (SELECT coalesce(sum(length(body)), 0) FROM blobs), (SELECT coalesce(sum(length(body)), 0) FROM receipts),
  (SELECT coalesce(min(created), 0) FROM sessions)"""


def purged(connection: sqlite3.Connection, tenant: str, session: str | None) -> Freed:
    """Delete a session, or all of a tenant's."""
    where, values = "tenant = ? AND session = coalesce(?, session)", (tenant, session)
    sessions, receipts = connection.execute(
        f"SELECT count(*), coalesce(sum(receipts), 0) FROM sessions WHERE {where}", values
    ).fetchone()
    connection.execute(f"DELETE FROM sessions WHERE {where}", values)
    return _swept(connection, sessions, receipts)


def collected(connection: sqlite3.Connection, old: int, forgotten: int | None) -> Freed:
    """Let go of the blobs, views and manifests of sessions untouched since `old`, and of sessions since `forgotten`.

    Both are in ms since 1970; None forgets no session.
    """
    for table in ("refs", "views", "manifests"):
        connection.execute(f"DELETE FROM {table} WHERE session IN ({_OLD})", (old,))
    sessions = receipts = 0
    if forgotten is not None:
        counted = "SELECT count(*), coalesce(sum(receipts), 0) FROM sessions WHERE touched < ?"
        sessions, receipts = connection.execute(counted, (forgotten,)).fetchone()
        connection.execute("DELETE FROM sessions WHERE touched < ?", (forgotten,))
    return _swept(connection, sessions, receipts)


def shrunk(connection: sqlite3.Connection) -> bool:
    """Give free pages back and empty the write-ahead log; False if another process still reads from the log."""
    connection.executescript("PRAGMA incremental_vacuum")  # `execute` would stop after its first page
    busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def sizes(connection: sqlite3.Connection, path: Path) -> Sizes:
    """Counts and bytes."""
    sessions, epochs, receipts, blobs, size, stored, receipt_bytes, oldest = connection.execute(_COUNTS).fetchone()
    free = connection.execute("PRAGMA freelist_count").fetchone()[0]
    page = connection.execute("PRAGMA page_size").fetchone()[0]
    parts = [Path(f"{path}{end}") for end in ("", "-wal", "-shm")]
    return Sizes(
        sessions=sessions,
        epochs=epochs,
        receipts=receipts,
        blobs=blobs,
        blob_bytes=size,
        stored_bytes=stored,
        receipt_bytes=receipt_bytes,
        file_bytes=sum(part.stat().st_size for part in parts if part.exists()),
        free_bytes=free * page,
        oldest=oldest,
        place=str(path),
        schema=newest(),
    )


def still_there(path: Path) -> StoreError:
    """What a purge says whose bytes may still stand in the log."""
    return StoreError(
        f"the rows are gone from {path}, but another process still reads its log, where their bytes may stand: "
        "end that process and purge again"
    )


def _swept(connection: sqlite3.Connection, sessions: int, receipts: int) -> Freed:
    blobs, size = connection.execute(
        f"SELECT count(*), coalesce(sum(length(body)), 0) FROM blobs WHERE {_LOOSE}"
    ).fetchone()
    connection.execute(f"DELETE FROM blobs WHERE {_LOOSE}")
    return Freed(sessions, receipts, blobs, size)
