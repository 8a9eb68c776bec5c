"""Writes to a PostgreSQL store, and deletions from it, while any number of processes write to it.

Rule: a change locks its session's row, and so waits for a concurrent save of the same session, whose result it then
sees. Blobs are shared between sessions: a change locks those it refers to against deletion, and a locked blob is never
deleted. Rows are written in the order of their keys, so that no two changes wait for each other.
"""

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from secateur.stores.changes import Ready, check_admission, pack
from secateur.stores.postgres_connections import PostgresSession
from secateur.stores.protocol import Conflict, Freed, SessionUpdate, State, apply_update
from secateur.stores.sql_retention import FORGOTTEN, LOOSE, NO_LIMIT, OLD, Old, remove_receipts

_SESSION = "SELECT id, revision, head FROM sessions WHERE tenant = ? AND session = ? FOR UPDATE"
_NEW = """INSERT INTO sessions (tenant, session, revision, head, receipts, head_key, format, model, parent, created,
  touched, clock, calibrations, pins) VALUES (?, ?, 0, '', 0, '', '', '', '', ?, ?, '', '', '')
  ON CONFLICT DO NOTHING RETURNING id"""
_KNOWN = "SELECT digest, id FROM blobs WHERE tenant = ? AND digest = ANY(?) FOR KEY SHARE"
_ADD = """INSERT INTO blobs (tenant, digest, kind, size, codec, body)
  SELECT ?, * FROM unnest(?::text[], ?::text[], ?::bigint[], ?::int[], ?::bytea[])
  ON CONFLICT DO NOTHING RETURNING digest, id"""
_REFER = """INSERT INTO refs (session, blob, key, at) SELECT ?, *, ? FROM unnest(?::bigint[], ?::text[])
  ON CONFLICT DO NOTHING"""
_INHERIT = """INSERT INTO refs (session, blob, key, at) SELECT ?, r.blob, r.key, r.at FROM refs r
  JOIN sessions s ON s.id = r.session WHERE s.tenant = ? AND s.session = ? ORDER BY r.blob ON CONFLICT DO NOTHING"""
_WRITE = """WITH
  added_epochs AS (INSERT INTO epochs (session, number, head_key, body)
    SELECT ?, * FROM unnest(?::bigint[], ?::text[], ?::bytea[])),
  added_receipts AS (INSERT INTO receipts (session, sequence, hash, body, at)
    SELECT ?, *, ? FROM unnest(?::bigint[], ?::text[], ?::bytea[])),
  added_views AS (INSERT INTO views (session, key) SELECT ?, * FROM unnest(?::text[]) ON CONFLICT DO NOTHING),
  added_manifests AS (INSERT INTO manifests (session, sequence, shared, pieces)
    SELECT ?, * FROM unnest(?::bigint[], ?::bigint[], ?::bytea[]))
  UPDATE sessions SET revision = ?, head = ?, receipts = ?, head_key = ?, format = ?, model = ?, parent = ?,
    touched = ?, clock = ?, calibrations = ?, pins = ? WHERE id = ?"""
_CONTENTS = ("refs", "views", "manifests")


def write_change(connection: PostgresSession, made: Ready) -> State:
    """The state after a change, written and durable. Raises StoreError if it cannot follow."""
    state, change = made.state, made.change
    connection.begin()
    row = connection.execute(_SESSION, (state.who.tenant, state.who.session)).fetchone()
    check_admission(row[1] if row else 0, state, change, row[2] if row else None)
    after = apply_update(state, change)
    number = row[0] if row else _create_session(connection, after)
    if made.blobs:
        ids = _store_blobs(connection, state.who.tenant, made)
        held = sorted({(ids[name], blob.key) for name, blob, _, _ in made.blobs})
        connection.execute(_REFER, (number, change.at, *_split_columns(held, 2)))
    if change.parent:
        connection.execute(_INHERIT, (number, state.who.tenant, change.parent))
    connection.execute(_WRITE, (*_list_added(number, state, change), *_list_facts(after), number))
    connection.commit()
    return after


def purge(connection: PostgresSession, tenant: str, session: str | None) -> Freed:
    """Delete a session, or all of a tenant's."""
    connection.begin()
    sql = "SELECT id FROM sessions WHERE tenant = ? AND session = coalesce(?, session) ORDER BY id FOR UPDATE"
    gone = [row[0] for row in connection.execute(sql, (tenant, session))]
    freed = _delete_sessions(connection, gone, _remove_contents(connection, gone))
    connection.commit()
    return freed


def collect_garbage(connection: PostgresSession, old: Old, most: int | None) -> Freed:
    """Remove old data, of each kind from at most `most` sessions, the longest untouched first."""
    limit = NO_LIMIT if most is None else most

    def untouched(sql: str, since: int | None) -> list[int]:
        if since is None:
            return []
        return [row[0] for row in connection.execute(f"{sql} FOR UPDATE SKIP LOCKED", (since, limit))]

    blobs = _remove_contents(connection, untouched(OLD, old.bytes))
    gone = untouched(FORGOTTEN, old.sessions)
    blobs |= _remove_contents(connection, gone)
    blobs |= {row[0] for row in connection.execute(f"SELECT id FROM blobs WHERE {LOOSE} LIMIT ?", (limit,))}
    freed = _delete_sessions(connection, gone, blobs)
    return replace(freed, receipts=freed.receipts + remove_receipts(connection, old.receipts, most))


def _create_session(connection: PostgresSession, after: State) -> int:
    who = after.who
    made = connection.execute(_NEW, (who.tenant, who.session, after.created, after.touched)).fetchone()
    if made is None:
        raise Conflict(f"session {who.session!r} was saved by another process in the meantime: load it again")
    number: int = made[0]
    return number


def _store_blobs(connection: PostgresSession, tenant: str, made: Ready) -> dict[str, int]:
    """The rows of blobs by their ids, inserted where there were none, and locked against deletion."""
    wanted = {name: (blob.kind, len(blob.data), codec, body) for name, blob, codec, body in made.blobs}
    found: dict[str, int] = {}
    while missing := sorted(wanted.keys() - found.keys()):
        found |= dict(connection.execute(_KNOWN, (tenant, missing)).fetchall())
        new = [(name, *wanted[name]) for name in missing if name not in found]
        if new:
            found |= dict(connection.execute(_ADD, (tenant, *_split_columns(new, 5))).fetchall())
    return found


def _list_added(number: int, state: State, change: SessionUpdate) -> Iterable[Any]:
    """The rows that every request adds, as `_WRITE` takes them."""
    first = len(state.plan.epochs)
    epochs = [(place, epoch.head_key, pack(epoch)) for place, epoch in enumerate(change.epochs, first)]
    receipts = [(link.sequence, link.hash, link.body) for link in change.receipts]
    one = change.manifest
    manifests = [(one.sequence, one.shared, pack(one.pieces))] if one else []
    yield from (number, *_split_columns(epochs, 3))
    yield from (number, change.at, *_split_columns(receipts, 3))
    yield from (number, sorted(set(change.views)))
    yield from (number, *_split_columns(manifests, 3))


def _list_facts(after: State) -> Iterable[Any]:
    yield from (after.revision, after.head, after.receipts, after.tip, after.format, after.model, after.parent)
    yield from (after.touched, pack(after.clock), pack(after.calibrations), pack(after.pins))


def _split_columns(rows: list[Any], width: int) -> list[list[Any]]:
    """Rows as one array for each column."""
    return [[row[place] for row in rows] for place in range(width)]


def _remove_contents(connection: PostgresSession, sessions: list[int]) -> set[int]:
    """Remove what these sessions hold besides plans and receipts; return the blobs they referred to."""
    blobs = {row[0] for row in connection.execute("SELECT blob FROM refs WHERE session = ANY(?)", (sessions,))}
    for table in _CONTENTS:
        connection.execute(f"DELETE FROM {table} WHERE session = ANY(?)", (sessions,))
    return blobs


def _delete_sessions(connection: PostgresSession, gone: list[int], blobs: set[int]) -> Freed:
    """Delete these sessions, and those of these blobs that are no longer referred to.

    A blob that another change is about to refer to is locked, and stays. If that change fails, the next collection
    deletes it.
    """
    receipts = connection.execute("SELECT count(*) FROM receipts WHERE session = ANY(?)", (gone,)).fetchone()[0]
    connection.execute("DELETE FROM sessions WHERE id = ANY(?)", (gone,))
    among = sorted(blobs)
    free = f"SELECT id FROM blobs WHERE id = ANY(?) AND {LOOSE} ORDER BY id FOR UPDATE SKIP LOCKED"
    locked = [row[0] for row in connection.execute(free, (among,))]
    delete = f"DELETE FROM blobs WHERE id = ANY(?) AND {LOOSE} RETURNING length(body)"
    sizes = [row[0] for row in connection.execute(delete, (locked,))]
    loose = connection.execute(f"SELECT count(*) FROM blobs WHERE id = ANY(?) AND {LOOSE}", (among,)).fetchone()[0]
    return Freed(len(gone), receipts, len(sizes), sum(sizes), pending=bool(loose))
