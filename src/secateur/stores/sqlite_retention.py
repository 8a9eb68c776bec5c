"""What leaves a SQLite store, and how large it is.

Rule: a blob goes when no session refers to it. What is deleted is overwritten (`secure_delete`), and the write-ahead
log that still holds it is folded in and emptied. Copies that SQLite leaves when it moves rows are `sqlite_scrub`'s.
"""

import sqlite3
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from secateur.chain import Link
from secateur.stores.anchor import LEAST, Anchor, advance_anchor, count_expired
from secateur.stores.laid_files import get_folder, measure_files
from secateur.stores.migrate import get_newest_schema
from secateur.stores.packing import pack, unpack
from secateur.stores.protocol import Freed, Sizes

SOME = 50  # sessions whose bytes go at once, and hundreds of pages that are given back, where nobody may wait long

_HAS = "EXISTS (SELECT 1 FROM {0} WHERE {0}.session = sessions.id)"
_OLD = f"""SELECT id FROM sessions WHERE touched < ?
  AND ({" OR ".join(_HAS.format(table) for table in ("refs", "views", "manifests"))}) ORDER BY touched LIMIT ?"""
_AGED = """SELECT s.id, s.receipts, ? FROM sessions s LEFT JOIN anchors a ON a.session = s.id
  JOIN receipts r ON r.session = s.id AND r.sequence = coalesce(a.number, -1) + 1
  WHERE r.at < ? AND s.receipts - r.sequence > ? LIMIT ?"""
_FORGOTTEN = "SELECT id FROM sessions WHERE touched < ? ORDER BY touched LIMIT ?"
_LOOSE = "NOT EXISTS (SELECT 1 FROM refs WHERE refs.blob = blobs.id)"
_COUNTS = """SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM epochs), (SELECT count(*) FROM receipts),
  (SELECT count(*) FROM blobs), (SELECT coalesce(sum(size), 0) FROM blobs),
  (SELECT coalesce(sum(length(body)), 0) FROM blobs), (SELECT coalesce(sum(length(body)), 0) FROM receipts),
  (SELECT coalesce(min(created), 0) FROM sessions)"""


def purge(connection: sqlite3.Connection, tenant: str, session: str | None) -> Freed:
    """Delete a session, or all of a tenant's."""
    sql = "SELECT id FROM sessions WHERE tenant = ? AND session = coalesce(?, session)"
    gone = [row[0] for row in connection.execute(sql, (tenant, session)).fetchall()]
    return _delete_sessions(connection, gone, _remove_contents(connection, gone))


def is_due(connection: sqlite3.Connection, now: int, every_s: float) -> bool:
    """Whether `gc` has not run for `every_s` seconds; if so, record that it runs `now`, in ms since 1970."""
    row = connection.execute("SELECT at FROM chores WHERE name = 'gc'").fetchone()
    if row and 0 <= now - row[0] < every_s * 1000:
        return False
    connection.execute("INSERT OR REPLACE INTO chores (name, at) VALUES ('gc', ?)", (now,))
    return True


class Old(Struct, frozen=True):
    """What is old: in ms since 1970; None: nothing is."""

    bytes: int | None  # of sessions untouched since then: blobs, views and manifests
    sessions: int | None  # untouched since then
    receipts: int | None  # saved before


def collect_garbage(connection: sqlite3.Connection, old: Old, most: int | None = None) -> Freed:
    """Remove old data, of each kind from at most `most` sessions, the longest untouched first."""
    limit = -1 if most is None else most

    def untouched(sql: str, since: int | None) -> list[int]:
        return [] if since is None else [row[0] for row in connection.execute(sql, (since, limit)).fetchall()]

    blobs = _remove_contents(connection, untouched(_OLD, old.bytes))
    gone = untouched(_FORGOTTEN, old.sessions)
    freed = _delete_sessions(connection, gone, blobs | _remove_contents(connection, gone))
    went = sum(_remove_receipts(connection, *row, most) for row in _list_expired(connection, old.receipts, limit))
    return replace(freed, receipts=freed.receipts + went)


def shrink(connection: sqlite3.Connection, most: int | None = None) -> bool:
    """Free unused pages and empty the write-ahead log; False if another process still reads from the log.

    At most `most` hundred pages.
    """
    pages = "" if most is None else f"({most * 100})"
    connection.executescript(f"PRAGMA incremental_vacuum{pages}")  # `execute` would stop after its first page
    busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def read_sizes(connection: sqlite3.Connection, path: Path) -> Sizes:
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
        file_bytes=sum(part.stat().st_size for part in parts if part.exists()) + measure_files(get_folder(path)),
        free_bytes=free * page,
        oldest=oldest,
        place=str(path),
        schema=get_newest_schema(),
    )


def _remove_contents(connection: sqlite3.Connection, sessions: list[int]) -> set[int]:
    """Remove what these sessions hold besides plans and receipts; return the blobs they referred to."""
    blobs: set[int] = set()
    for one in sessions:
        blobs |= {row[0] for row in connection.execute("SELECT blob FROM refs WHERE session = ?", (one,))}
        for table in ("refs", "views", "manifests"):
            connection.execute(f"DELETE FROM {table} WHERE session = ?", (one,))
    return blobs


def _list_expired(connection: sqlite3.Connection, before: int | None, limit: int) -> list[tuple[int, int, int]]:
    """The sessions with excess receipts saved before that time: row, receipts, and that time."""
    return [] if before is None else connection.execute(_AGED, (before, before, LEAST, limit)).fetchall()


def _remove_receipts(connection: sqlite3.Connection, one: int, receipts: int, before: int, most: int | None) -> int:
    """Remove a session's receipts saved before that time and advance its anchor; return how many."""
    row = connection.execute("SELECT body FROM anchors WHERE session = ?", (one,)).fetchone()
    anchor = unpack(row[0], Anchor) if row else Anchor()
    first, limit = anchor.number + 1, -1 if most is None else most * 100
    times = connection.execute("SELECT at FROM receipts WHERE session = ? ORDER BY sequence LIMIT ?", (one, limit))
    count = count_expired((at for (at,) in times), receipts, first, before)
    sql = "SELECT sequence, hash, CAST(body AS BLOB) FROM receipts WHERE session = ? AND sequence < ? ORDER BY sequence"
    gone = connection.execute(sql, (one, first + count)).fetchall()
    anchor = advance_anchor(anchor, (Link(number, bytes(body), "", hash_) for number, hash_, body in gone))
    made = (one, pack(anchor), anchor.number)
    connection.execute("INSERT OR REPLACE INTO anchors (session, body, number) VALUES (?, ?, ?)", made)
    connection.execute("DELETE FROM receipts WHERE session = ? AND sequence < ?", (one, first + count))
    return count


def _delete_sessions(connection: sqlite3.Connection, gone: list[int], blobs: set[int]) -> Freed:
    """Delete these sessions, and those of these blobs that are no longer referred to."""
    count = "SELECT count(*) FROM receipts WHERE session = ?"
    receipts = sum(connection.execute(count, (one,)).fetchone()[0] for one in gone)
    connection.executemany("DELETE FROM sessions WHERE id = ?", [(one,) for one in gone])
    freed = size = 0
    for one in sorted(blobs):
        row = connection.execute(f"SELECT length(body) FROM blobs WHERE id = ? AND {_LOOSE}", (one,)).fetchone()
        if row:
            connection.execute("DELETE FROM blobs WHERE id = ?", (one,))
            freed, size = freed + 1, size + row[0]
    return Freed(len(gone), receipts, freed, size)
