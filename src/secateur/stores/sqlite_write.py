"""A change as rows: what `save` writes, inside a transaction that someone else opened.

Rule: it is checked against what is stored before the first row is written.
"""

import sqlite3

from secateur.stores.admission import check_admission
from secateur.stores.packing import Ready, pack
from secateur.stores.protocol import SessionUpdate, State, apply_update

_SESSION = "SELECT id, revision FROM sessions WHERE tenant = ? AND session = ?"
_NEW = """INSERT INTO sessions (tenant, session, revision, head, receipts, head_key, format, model, parent, created,
  touched, clock, calibrations, pins) VALUES (?, ?, 0, '', 0, '', '', '', '', ?, ?, '', '', '')"""
_UPDATE = """UPDATE sessions SET revision = ?, head = ?, receipts = ?, head_key = ?, format = ?, model = ?, parent = ?,
  touched = ?, clock = ?, calibrations = ?, pins = ? WHERE id = ?"""
_REFER = "INSERT OR IGNORE INTO refs (session, blob, key, at) VALUES (?, ?, ?, ?)"
_INHERIT = "INSERT OR IGNORE INTO refs (session, blob, key, at) SELECT ?, blob, key, at FROM refs WHERE session = ?"


def write(connection: sqlite3.Connection, made: Ready) -> State:
    """The state after the change, written. Raises StoreError before the first row if it cannot follow."""
    state, change = made.state, made.change
    row = connection.execute(_SESSION, (state.who.tenant, state.who.session)).fetchone()
    check_admission(row[1] if row else 0, state, change)
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
    """What grows with every request."""
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
