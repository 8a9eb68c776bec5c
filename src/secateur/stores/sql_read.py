"""Rows as values: what a store in a database answers, SQLite or PostgreSQL.

Rule: reads only, on the connection it is given, in SQL that both databases understand. Bytes are checked against the
hash they are filed under.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from msgspec import Struct

from secateur.chain import Anchor, Link, start
from secateur.lineage import hash_text
from secateur.model import Epoch
from secateur.plan import Plan
from secateur.stores.changes import decompress_blob, make_ambiguous_error, parse_handle, unpack
from secateur.stores.protocol import (
    Blob,
    BlobKind,
    BlobRef,
    Calibration,
    Clock,
    FoundSession,
    Manifest,
    Pin,
    Rejected,
    SessionId,
    SessionRow,
    State,
)

PAGE = 256  # receipts read at once
_ASKED_AT_ONCE = 400  # keys in one question; old SQLites take 999 values

_SESSION = """SELECT s.revision, s.head, s.receipts, s.head_key, s.format, s.model, s.parent, s.created, s.touched,
  s.clock, s.calibrations, s.pins, a.body, e.body FROM sessions s LEFT JOIN anchors a ON a.session = s.id
  LEFT JOIN epochs e ON e.session = s.id WHERE s.tenant = ? AND s.session = ? ORDER BY e.number"""
_ROWS = """SELECT s.tenant, s.session, s.format, s.model, s.parent, s.created, s.touched,
  (SELECT count(*) FROM epochs e WHERE e.session = s.id), s.receipts, count(b.id), coalesce(sum(b.size), 0),
  coalesce((SELECT number + 1 FROM anchors a WHERE a.session = s.id), 0)
  FROM sessions s LEFT JOIN (SELECT DISTINCT session, blob FROM refs) r ON r.session = s.id
  LEFT JOIN blobs b ON b.id = r.blob
  WHERE s.tenant = coalesce(?, s.tenant) GROUP BY s.id ORDER BY s.touched DESC, s.tenant, s.session"""
_HEADS = """SELECT DISTINCT s.session, e.head_key, s.touched FROM epochs e JOIN sessions s ON s.id = e.session
WHERE s.tenant = ?"""
_VIEWS = "SELECT s.session, v.key, s.touched FROM views v JOIN sessions s ON s.id = v.session WHERE s.tenant = ?"
_ID = "(SELECT id FROM sessions WHERE tenant = ? AND session = ?)"
_RECEIPTS = f"""SELECT sequence, hash, CAST(body AS BLOB) FROM receipts
  WHERE session = {_ID} AND sequence BETWEEN ? AND ? ORDER BY sequence LIMIT ?"""
_HELD = """SELECT coalesce(b.digest, ''), coalesce(b.kind, 'text'), r.key, coalesce(b.size, 0),
  coalesce(length(b.body), 0), r.at FROM refs r LEFT JOIN blobs b ON b.id = r.blob
  WHERE r.session = (SELECT id FROM sessions WHERE tenant = ? AND session = ?) ORDER BY r.at, b.id, r.key"""
_BLOB = """SELECT digest, kind, codec, CAST(body AS BLOB),
  coalesce((SELECT min(key) FROM refs WHERE blob = blobs.id), '') FROM blobs
  WHERE tenant = ? AND digest >= ? AND digest < ? ORDER BY digest LIMIT 5"""


class SqlConnection(Protocol):
    """A connection of either database; `?` is the placeholder of a value."""

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Any:
        """Carry out a statement; its rows, to be fetched or iterated over."""


class StoredBlob(Struct, frozen=True):
    """A blob as it is in its row."""

    id: str
    kind: BlobKind
    codec: int
    body: bytes
    key: str


def state_of(connection: SqlConnection, who: SessionId) -> State | None:
    """The session as it was last saved. One statement: what it answers is of one moment."""
    rows = connection.execute(_SESSION, (who.tenant, who.session)).fetchall()
    if not rows:
        return None
    row = rows[0]
    return State(
        who,
        revision=row[0],
        plan=Plan(tuple(unpack(each[13], Epoch) for each in rows if each[13] is not None)),
        clock=unpack(row[9], Clock),
        calibrations=unpack(row[10], dict[str, Calibration]),
        pins=unpack(row[11], tuple[Pin, ...]),
        head=row[1],
        receipts=row[2],
        tip=row[3],
        format=row[4],
        model=row[5],
        parent=row[6],
        created=row[7],
        touched=row[8],
        anchor=unpack(row[12], Anchor) if row[12] else Anchor(),
    )


def find_sessions(connection: SqlConnection, tenant: str, keys: tuple[str, ...]) -> Iterator[FoundSession]:
    """Sessions by epochs' tips and sent views' keys, in no order."""
    named = [key for key in keys if key]
    for place in range(0, len(named), _ASKED_AT_ONCE):
        some = named[place : place + _ASKED_AT_ONCE]
        among = f" IN ({', '.join('?' * len(some))})"
        for session, key, touched in connection.execute(f"{_HEADS} AND e.head_key{among}", (tenant, *some)):
            yield FoundSession(session, key, "tip", touched)
        for session, key, touched in connection.execute(f"{_VIEWS} AND v.key{among}", (tenant, *some)):
            yield FoundSession(session, key, "view", touched)


def page(connection: SqlConnection, who: SessionId, first: int, last: int | None) -> list[Link]:
    """Up to `PAGE` receipts from number `first`, each with the hash that is before it."""
    name, upto = (who.tenant, who.session), 2**62 if last is None else last
    rows = connection.execute(_RECEIPTS, (*name, first - 1, upto, PAGE + 1)).fetchall()
    anchor = connection.execute(f"SELECT body FROM anchors WHERE session = {_ID}", name).fetchone()
    gone = unpack(anchor[0], Anchor) if anchor else Anchor(hash=start(*name))
    before = {gone.number: gone.hash} | {sequence: hash for sequence, hash, _ in rows}
    return [
        Link(sequence, bytes(body), before.get(sequence - 1, ""), hash)
        for sequence, hash, body in rows
        if sequence >= first
    ]


def find_blob(connection: SqlConnection, tenant: str, handle: str) -> StoredBlob | None:
    """The one blob whose id has this prefix, with its stored bytes. Raises Rejected if there are several."""
    begin = parse_handle(handle)
    rows = connection.execute(_BLOB, (tenant, begin, begin + "g")).fetchall()
    if len(rows) > 1:
        raise make_ambiguous_error(handle, [row[0] for row in rows])
    return StoredBlob(rows[0][0], rows[0][1], rows[0][2], bytes(rows[0][3]), rows[0][4]) if rows else None


def decode_blob(one: StoredBlob) -> Blob:
    """The blob with its original bytes. Raises Rejected if they are not the bytes that were saved."""
    data = decompress_blob(one.codec, one.body)
    if hash_text(data) != one.id:
        raise Rejected(
            f"the bytes filed under {one.id} are not those that were saved: the store was changed by another program"
        )
    return Blob(data, one.kind, one.key)


def list_blobs(connection: SqlConnection, who: SessionId) -> tuple[BlobRef, ...]:
    """The blobs a session refers to."""
    return tuple(BlobRef(*row) for row in connection.execute(_HELD, (who.tenant, who.session)))


def load_pieces(connection: SqlConnection, who: SessionId, sequence: int) -> tuple[str, ...] | None:
    """The pieces of one request's raw document, assembled from the manifests up to it."""
    sql = """SELECT sequence, shared, pieces FROM manifests
      WHERE session = (SELECT id FROM sessions WHERE tenant = ? AND session = ?) AND sequence <= ? ORDER BY sequence"""
    gathered: list[str] = []
    newest = -1
    for number, shared, body in connection.execute(sql, (who.tenant, who.session, sequence)):
        gathered[shared:] = unpack(body, list[str])
        newest = number
    return tuple(gathered) if newest == sequence else None


def load_manifests(connection: SqlConnection, who: SessionId) -> tuple[Manifest, ...]:
    """The manifests of a session as stored, in order."""
    sql = """SELECT sequence, shared, pieces FROM manifests
      WHERE session = (SELECT id FROM sessions WHERE tenant = ? AND session = ?) ORDER BY sequence"""
    found = connection.execute(sql, (who.tenant, who.session))
    return tuple(Manifest(number, shared, unpack(body, tuple[str, ...])) for number, shared, body in found)


def list_sessions(connection: SqlConnection, tenant: str | None) -> tuple[SessionRow, ...]:
    """The sessions, last touched first."""
    found = connection.execute(_ROWS, (tenant,))
    return tuple(SessionRow(SessionId(row[1], row[0]), *row[2:]) for row in found)
