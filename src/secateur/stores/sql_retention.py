"""Deletions from a store in a database, and its size.

Rule: a blob is deleted when no session refers to it. The caller has the transaction, and overwrites the bytes of
deleted rows; if others write at the same time (PostgreSQL), `postgres_write` deletes sessions and blobs.
"""

from msgspec import Struct
from msgspec.structs import replace

from secateur.chain import LEAST, Anchor, Link, advance_anchor, count_expired
from secateur.stores.changes import pack, unpack
from secateur.stores.protocol import Freed
from secateur.stores.sql_read import SqlConnection

NO_LIMIT = 2**62  # rows; a number that both databases take
SOME = 50  # sessions cleaned up at once, and hundreds of pages that are freed, if nothing may wait long

_HAS = "EXISTS (SELECT 1 FROM {0} WHERE {0}.session = sessions.id)"
OLD = f"""SELECT id FROM sessions WHERE touched < ?
  AND ({" OR ".join(_HAS.format(table) for table in ("refs", "views", "manifests"))}) ORDER BY touched LIMIT ?"""
_AGED = """SELECT s.id, s.receipts, ? FROM sessions s LEFT JOIN anchors a ON a.session = s.id
  JOIN receipts r ON r.session = s.id AND r.sequence = coalesce(a.number, -1) + 1
  WHERE r.at < ? AND s.receipts - r.sequence > ? LIMIT ?"""
_ANCHOR = """INSERT INTO anchors (session, body, number) VALUES (?, ?, ?)
  ON CONFLICT (session) DO UPDATE SET body = excluded.body, number = excluded.number"""
FORGOTTEN = "SELECT id FROM sessions WHERE touched < ? ORDER BY touched LIMIT ?"
LOOSE = "NOT EXISTS (SELECT 1 FROM refs WHERE refs.blob = blobs.id)"
_COUNTS = """SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM epochs), (SELECT count(*) FROM receipts),
  (SELECT count(*) FROM blobs), (SELECT coalesce(sum(size), 0) FROM blobs),
  (SELECT coalesce(sum(length(body)), 0) FROM blobs), (SELECT coalesce(sum(length(body)), 0) FROM receipts),
  (SELECT coalesce(min(created), 0) FROM sessions)"""


def purge(connection: SqlConnection, tenant: str, session: str | None) -> Freed:
    """Delete a session, or all of a tenant's."""
    sql = "SELECT id FROM sessions WHERE tenant = ? AND session = coalesce(?, session)"
    gone = [row[0] for row in connection.execute(sql, (tenant, session)).fetchall()]
    return _delete_sessions(connection, gone, _remove_contents(connection, gone))


def is_due(connection: SqlConnection, now: int, every_s: float) -> bool:
    """Whether `gc` has not run for `every_s` seconds; if so, record that it runs `now`, in ms since 1970."""
    row = connection.execute("SELECT at FROM chores WHERE name = 'gc'").fetchone()
    if row and 0 <= now - row[0] < every_s * 1000:
        return False
    sql = "INSERT INTO chores (name, at) VALUES ('gc', ?) ON CONFLICT (name) DO UPDATE SET at = excluded.at"
    connection.execute(sql, (now,))
    return True


class Counted(Struct, frozen=True):
    """Rows and their bytes; see `Sizes`."""

    sessions: int
    epochs: int
    receipts: int
    blobs: int
    blob_bytes: int
    stored_bytes: int
    receipt_bytes: int
    oldest: int


class Old(Struct, frozen=True):
    """The limits of old data: in ms since 1970; None: nothing is old."""

    bytes: int | None  # of sessions untouched since then: blobs, views and manifests
    sessions: int | None  # untouched since then
    receipts: int | None  # saved before


def collect_garbage(connection: SqlConnection, old: Old, most: int | None = None) -> Freed:
    """Remove old data, of each kind from at most `most` sessions, the longest untouched first."""
    limit = NO_LIMIT if most is None else most

    def untouched(sql: str, since: int | None) -> list[int]:
        return [] if since is None else [row[0] for row in connection.execute(sql, (since, limit)).fetchall()]

    blobs = _remove_contents(connection, untouched(OLD, old.bytes))
    gone = untouched(FORGOTTEN, old.sessions)
    freed = _delete_sessions(connection, gone, blobs | _remove_contents(connection, gone))
    return replace(freed, receipts=freed.receipts + remove_receipts(connection, old.receipts, most))


def remove_receipts(connection: SqlConnection, before: int | None, most: int | None = None) -> int:
    """Remove receipts saved before that time, of at most `most` sessions; return how many went."""
    limit = NO_LIMIT if most is None else most
    expired: list[tuple[int, int, int]] = []
    if before is not None:
        expired = connection.execute(_AGED, (before, before, LEAST, limit)).fetchall()
    return sum(_advance(connection, *row, most) for row in expired)


def count_rows(connection: SqlConnection) -> Counted:
    """Count what the store holds."""
    return Counted(*connection.execute(_COUNTS).fetchone())


def _remove_contents(connection: SqlConnection, sessions: list[int]) -> set[int]:
    """Remove what these sessions hold besides plans and receipts; return the blobs they referred to."""
    blobs: set[int] = set()
    for one in sessions:
        blobs |= {row[0] for row in connection.execute("SELECT blob FROM refs WHERE session = ?", (one,))}
        for table in ("refs", "views", "manifests"):
            connection.execute(f"DELETE FROM {table} WHERE session = ?", (one,))
    return blobs


def _advance(connection: SqlConnection, one: int, receipts: int, before: int, most: int | None) -> int:
    """Remove a session's receipts saved before that time and advance its anchor; return how many went."""
    row = connection.execute("SELECT body FROM anchors WHERE session = ?", (one,)).fetchone()
    anchor = unpack(row[0], Anchor) if row else Anchor()
    first, limit = anchor.number + 1, NO_LIMIT if most is None else most * 100
    times = connection.execute("SELECT at FROM receipts WHERE session = ? ORDER BY sequence LIMIT ?", (one, limit))
    count = count_expired((at for (at,) in times), receipts, first, before)
    sql = "SELECT sequence, hash, CAST(body AS BLOB) FROM receipts WHERE session = ? AND sequence < ? ORDER BY sequence"
    gone = connection.execute(sql, (one, first + count)).fetchall()
    anchor = advance_anchor(anchor, (Link(number, bytes(body), "", hash_) for number, hash_, body in gone))
    connection.execute(_ANCHOR, (one, pack(anchor), anchor.number))
    connection.execute("DELETE FROM receipts WHERE session = ? AND sequence < ?", (one, first + count))
    return count


def _delete_sessions(connection: SqlConnection, gone: list[int], blobs: set[int]) -> Freed:
    """Delete these sessions, and those of these blobs that are no longer referred to."""
    count = "SELECT count(*) FROM receipts WHERE session = ?"
    receipts = sum(connection.execute(count, (one,)).fetchone()[0] for one in gone)
    for one in gone:
        connection.execute("DELETE FROM sessions WHERE id = ?", (one,))
    freed = size = 0
    for one in sorted(blobs):
        row = connection.execute(f"SELECT length(body) FROM blobs WHERE id = ? AND {LOOSE}", (one,)).fetchone()
        if row:
            connection.execute("DELETE FROM blobs WHERE id = ?", (one,))
            freed, size = freed + 1, size + row[0]
    return Freed(len(gone), receipts, freed, size)
