"""`secateur ls`: the sessions that agents keep on this machine, the newest first, by the names that commands take.

Rule: beginnings of sessions are read to show what they are about; nothing is written, and credentials are redacted.
"""

import os
import time
from bisect import bisect_left
from collections.abc import Iterator
from typing import Annotated, Any

from msgspec import Struct

from secateur import documents
from secateur.cli import options
from secateur.cli.options import Options, make_argument, make_limit
from secateur.cli.output import tables
from secateur.cli.output.formatting import format_bytes, format_duration
from secateur.cli.output.progress import show_work
from secateur.cli.output.terminal import print_blocks, print_json, to_one_line
from secateur.errors import SecateurError
from secateur.hosts.session_files import (
    SessionFile,
    export_named,
    is_exported,
    list_searched_folders,
    list_session_files,
)
from secateur.redact import redact

SCHEMA = "secateur.ls/1"
_HEAD_BYTES = 512_000  # of a file, in which its first message is looked for
_SHOWN = 25  # characters of that message
_LEAST_ID = 8  # characters of an id that are shown
_EPILOG = """\
\b
Examples:
  secateur ls
  secateur ls claude codex --limit 50
  secateur inspect last
  secateur prune claude:last -o pruned.jsonl
  secateur ls --json | jq -r .sessions[].path

\b
`last` is the newest session of all, `claude:last` the newest of one agent, and
the beginning of an id stands for it in every command that takes an INPUT.
"""


class LsOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur ls`."""

    agents: Annotated[tuple[str, ...], make_argument(nargs=-1, metavar="[AGENT]...")]
    limit: Annotated[int, make_limit(20, "Show at most N sessions.")]
    as_json: options.AsJson


class ListedSession(Struct, frozen=True):
    """One session."""

    agent: str
    id: str
    short: str  # the least of the id that names it among the agent's sessions
    path: str
    bytes: int
    modified_ms: int  # since 1970
    begins: str  # the user's first message, in part; "" where it could not be read


class LsReport(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    sessions: tuple[ListedSession, ...]
    more: int  # that --limit leaves out


@options.make_command("ls", LsOptions, _EPILOG)
def command(args: LsOptions) -> None:
    """List the sessions of the agents on this machine, the newest first."""
    with show_work("looking for sessions"):
        found = list_session_files(args.agents)
        ids = {host: sorted(one.id for one in found if one.host == host) for host in {one.host for one in found}}
        listed = tuple(_describe(one, ids[one.host]) for one in found[: args.limit])
    report = LsReport(sessions=listed, more=len(found) - len(listed))
    if args.as_json:
        print_json(report)
    else:
        print_blocks(*_render(report))


def _describe(one: SessionFile, ids: list[str]) -> ListedSession:
    short = _shorten(one.id, ids)
    return ListedSession(one.host, one.id, short, one.path, one.bytes, one.modified_ms, _read_beginning(one))


def _shorten(id: str, ids: list[str]) -> str:
    """The shortest beginning of an id that no other of `ids`, which are sorted, has; all of it if there is none."""
    place = bisect_left(ids, id)
    near = [other for other in ids[max(0, place - 1) : place + 2] if other != id]
    shared = max((len(os.path.commonprefix((id, other))) for other in near), default=0)
    return id[: max(_LEAST_ID, shared + 1)]


def _read_beginning(one: SessionFile) -> str:
    """The first words of the user in a session."""
    try:
        data = export_named(one.path) if is_exported(one.path) else _read_head(one)
        messages = documents.read(data).transcript.messages
    except (SecateurError, OSError, RecursionError):
        return ""
    said = (
        part.text
        for message in messages
        if message.role == "user" and message.origin == "user"
        for part in message.parts
        if part.kind == "text"
    )
    return " ".join(redact(next(filter(str.strip, said), "")[:2_000]).split())[:200]


def _read_head(one: SessionFile) -> bytes:
    """The beginning of a log, up to the end of a line; a document of one value whole."""
    with open(one.path, "rb") as file:
        if not one.path.endswith(".jsonl"):
            return file.read()
        head = file.read(_HEAD_BYTES)
    return head if len(head) < _HEAD_BYTES else head[: head.rfind(b"\n") + 1]


def _render(report: LsReport) -> Iterator[Any]:
    if not report.sessions:
        yield f"No sessions: there are none in {', '.join(list_searched_folders())}, nor in opencode's database."
        return
    now = time.time()
    head = ("agent", "id begins", "last used", ">size", "begins with")
    yield tables.make_list([_make_row(one, now) for one in report.sessions], "", head)
    if report.more:
        yield f"and {report.more:,} more: --limit shows them"


def _make_row(one: ListedSession, now: float) -> tuple[str, ...]:
    return (
        one.agent,
        to_one_line(one.short, 40),
        f"{format_duration(max(0.0, now - one.modified_ms / 1000))} ago",
        format_bytes(one.bytes),
        to_one_line(one.begins, _SHOWN),
    )
