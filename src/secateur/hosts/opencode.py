"""Sessions in opencode's database: listed, and exported as `opencode export` writes them.

Rule: read-only, beside a running opencode; nothing of it is ever written (`opencode import` takes a file back). The
tables `session`, `message` and `part` are those of opencode 1.3 to 1.18.
"""

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct

from secateur.errors import FormatError

_SESSIONS = """
    SELECT s.id, s.title, s.directory, s.time_updated, coalesce(sum(length(p.data)), 0)
    FROM session s LEFT JOIN part p ON p.session_id = s.id
    WHERE s.parent_id IS NULL GROUP BY s.id
"""
_INFO = "SELECT id, parent_id, slug, project_id, directory, title, version, time_created, time_updated FROM session"
_WAIT_S = 2.0  # for a writer


class DatabaseSession(Struct, frozen=True):
    """A session, without those of its sub-agents."""

    id: str
    title: str
    directory: str
    updated_ms: int  # since 1970
    bytes: int  # of its parts


def find_database() -> Path | None:
    """The database of this user's opencode; None without one."""
    data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    path = Path(data).expanduser() / "opencode" / "opencode.db"
    return path if path.is_file() else None


def list_database_sessions() -> list[DatabaseSession]:
    """All sessions; none where there is no database, or one that cannot be read."""
    path = find_database()
    if path is None:
        return []
    try:
        with _connect(path) as connection:
            return [DatabaseSession(*row) for row in connection.execute(_SESSIONS)]
    except sqlite3.Error:  # of another version, or damaged: `export_session` says so to whoever names one
        return []


def export_session(id: str) -> bytes:
    """A session as JSON, in the shape of `opencode export`. Raises FormatError if it cannot be had."""
    path = find_database()
    if path is None:
        raise FormatError("there is no database of opencode on this machine: write the session with `opencode export`")
    try:
        with _connect(path) as connection:
            found = connection.execute(f"{_INFO} WHERE id = ?", (id,)).fetchone()
            if found is None:
                raise FormatError(f"opencode has no session {id!r:.80}: see `secateur ls opencode`")
            document = {"info": _make_info(found), "messages": list(_read_messages(connection, id))}
    except (sqlite3.Error, ValueError) as error:
        raise FormatError(f"{path} cannot be read ({error}): write the session with `opencode export {id}`") from error
    return json.dumps(document, ensure_ascii=False, indent=2).encode("utf-8", "surrogatepass")


@contextmanager
def _connect(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=_WAIT_S)) as connection:
        connection.execute("BEGIN")  # one snapshot for all that is read
        yield connection


def _make_info(row: tuple[Any, ...]) -> dict[str, Any]:
    id, parent, slug, project, directory, title, version, created, updated = row
    info = {"id": id, "slug": slug, "projectID": project, "directory": directory, "title": title, "version": version}
    return info | ({"parentID": parent} if parent else {}) | {"time": {"created": created, "updated": updated}}


def _read_messages(connection: sqlite3.Connection, session: str) -> Iterator[dict[str, Any]]:
    parts: dict[str, list[dict[str, Any]]] = {}
    for id, message, data in connection.execute(
        "SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY id", (session,)
    ):
        parts.setdefault(message, []).append({**json.loads(data), "id": id, "sessionID": session, "messageID": message})
    for id, data in connection.execute(
        "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id", (session,)
    ):
        yield {"info": {**json.loads(data), "id": id, "sessionID": session}, "parts": parts.get(id, [])}
