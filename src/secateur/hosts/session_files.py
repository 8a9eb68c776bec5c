"""Where agents keep their sessions on this machine, and the names by which people ask for one.

    last                 the newest session of any agent
    claude:last          the newest of one agent
    0199a213, codex:01   the one whose id begins so

Rule: only names, sizes and times are read, never content. opencode keeps its sessions in a database, whose tables
`session`, `message` and `part` are those of versions 1.3 to 1.18: such a session is named `opencode:ID`, and
`export_named` exports it as `opencode export` does, read-only and beside a running opencode. A name that fits several
sessions is refused with all of them: the wrong session is worse than none.
"""

import json
import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct

from secateur.errors import ConfigError, FormatError

_SESSIONS = """
    SELECT s.id, s.title, s.directory, s.time_updated, coalesce(sum(length(p.data)), 0)
    FROM session s LEFT JOIN part p ON p.session_id = s.id
    WHERE s.parent_id IS NULL GROUP BY s.id
"""
_INFO = "SELECT id, parent_id, slug, project_id, directory, title, version, time_created, time_updated FROM session"
_WAIT_S = 2.0  # for a writer

LAST = "last"
_LEAST_ID = 4  # characters of an id that can identify it
_MOST_NAMED = 5  # sessions that an error lists
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")


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
    """List all sessions; none if there is no database, or one that cannot be read."""
    path = find_database()
    if path is None:
        return []
    try:
        with _connect(path) as connection:
            return [DatabaseSession(*row) for row in connection.execute(_SESSIONS)]
    except sqlite3.Error:  # of another version, or damaged: `export_session` reports that when a session is named
        return []


def export_session(id: str) -> bytes:
    """A session as JSON, in the shape of `opencode export`. Raises FormatError if it cannot be had."""
    path = find_database()
    if path is None:
        raise FormatError("no opencode database was found on this machine: export the session with `opencode export`")
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


class Host(Struct, frozen=True):
    """An agent, and where its sessions are."""

    name: str
    title: str
    variable: str  # the environment variable of its folder; "": it has none
    folder: str  # without it
    inside: str  # where in it sessions are
    files: tuple[str, ...]  # their names, as globs below that
    skipped: str = ""  # files whose names begin so are parts of other sessions


HOSTS = (
    Host("claude", "Claude Code", "CLAUDE_CONFIG_DIR", "~/.claude", "projects", ("*/*.jsonl",), "agent-"),
    Host("codex", "Codex", "CODEX_HOME", "~/.codex", "sessions", ("**/rollout-*.jsonl",)),
    Host("pi", "Pi", "PI_CODING_AGENT_DIR", "~/.pi/agent", "sessions", ("**/*.jsonl",)),
    Host("openclaw", "OpenClaw", "OPENCLAW_STATE_DIR", "~/.openclaw", "agents", ("*/sessions/*.jsonl",)),
    Host("gemini", "Gemini CLI", "", "~/.gemini", "tmp", ("*/chats/*.json", "*/chats/*.jsonl")),
    Host("copilot", "Copilot CLI", "", "~/.copilot", "session-state", ("*/events.jsonl", "*.jsonl")),
)


_OPENCODE = "opencode"
_NAMES = (*(host.name for host in HOSTS), _OPENCODE)


class SessionFile(Struct, frozen=True):
    """A session that an agent keeps."""

    host: str
    id: str
    path: str  # of its file; in a database `opencode:ID`
    bytes: int
    modified_ms: int  # since 1970


def find_folder(host: Host) -> Path | None:
    """The folder with an agent's sessions; None if there is none here."""
    top = os.environ.get(host.variable, "") if host.variable else ""
    folder = Path(top or host.folder).expanduser() / host.inside
    return folder if folder.is_dir() else None


def find_folders() -> list[tuple[str, Path]]:
    """The folders of all agents that have one here, by the agent's title."""
    return [(host.title, folder) for host in HOSTS if (folder := find_folder(host))]


def list_searched_folders() -> list[str]:
    """The folders that are searched if no variable names others."""
    return [f"{host.folder}/{host.inside}" for host in HOSTS]


def list_session_files(hosts: tuple[str, ...] = ()) -> list[SessionFile]:
    """The sessions of these agents, of all without names; the newest first. Raises ConfigError for an unknown name."""
    if unknown := next((name for name in hosts if name not in _NAMES), ""):
        raise ConfigError(f"unknown agent {unknown!r:.40}: choose from {', '.join(_NAMES)}")
    found = [one for host in HOSTS if not hosts or host.name in hosts for one in _iterate_files(host)]
    if not hosts or _OPENCODE in hosts:
        for one in list_database_sessions():
            found.append(SessionFile(_OPENCODE, one.id, f"{_OPENCODE}:{one.id}", one.bytes, one.updated_ms))
    return sorted(found, key=lambda one: (-one.modified_ms, one.path))


def find_session_file(name: str) -> SessionFile | None:
    """Find the session with a given name; None if there is none. Raises ConfigError if several match."""
    agent, _, rest = name.rpartition(":")
    if agent and agent not in _NAMES:
        return None
    if rest != LAST and (len(rest) < _LEAST_ID or not re.fullmatch(r"[\w.-]+", rest)):
        return None
    listed = list_session_files((agent,) if agent else ())
    if rest == LAST:
        return listed[0] if listed else None
    found = [one for one in listed if one.id.startswith(rest)]
    exact = [one for one in found if one.id == rest]
    found = exact or found
    if len(found) > 1:
        some = ", ".join(f"{one.host}:{one.id}" for one in found[:_MOST_NAMED])
        more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
        raise ConfigError(f"{name} is the beginning of {len(found)} sessions: {some}{more}: give more of the id")
    return found[0] if found else None


def is_exported(path: str) -> bool:
    """Whether a session has no file of its own: `export_named` reads it, and it cannot be written in place."""
    return path.startswith(f"{_OPENCODE}:") and not os.path.lexists(path) and find_database() is not None


def export_named(path: str) -> bytes:
    """A session that has no file of its own. Raises FormatError."""
    return export_session(path.removeprefix(f"{_OPENCODE}:"))


def _iterate_files(host: Host) -> Iterator[SessionFile]:
    folder = find_folder(host)
    paths = sorted({path for glob in host.files for path in folder.glob(glob)}) if folder else []
    for path in paths:
        if host.skipped and path.name.startswith(host.skipped):
            continue
        try:
            stat = path.stat()
        except OSError:  # gone meanwhile, or not for us
            continue
        if stat.st_size and path.is_file():
            yield SessionFile(host.name, _read_id(path), str(path), stat.st_size, stat.st_mtime_ns // 1_000_000)


def _read_id(path: Path) -> str:
    """The session's id in the name of its file, else in that of its folder."""
    if path.stem == "events":
        return path.parent.name
    found = _ID.search(path.stem)
    return found[0] if found else path.stem
