"""Shared by readers of session logs: dated lines, warnings, the path from leaf to root, results of several blocks, and
which host wrote a line.

Rule: a log is a tree of lines that only grows at its end. Each line is parsed once; an unreadable line is named in a
warning and stays unchanged. A file belongs to one host: lines of a second host would be skipped silently, so such a
file is rejected, and the error says where the other host begins. Lines of unknown hosts stay. Each format decides which
lines its host sends.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NoReturn

from msgspec import Struct

from secateur.errors import EditError, FormatError
from secateur.formats.native import hash_value
from secateur.jsontext import Lines, Text, loads
from secateur.lineage import assign_keys
from secateur.model import Message, NewMessage, Part, Path, Transcript

_UNREAD = {  # what a line that holds no entry is not, and what to do about it
    "a JSON object": "",
    "JSON": ": `secateur repair` moves what is torn out of the file",
    "UTF-8": ": `secateur repair` puts U+FFFD for its bytes; a file in another encoding is better converted (iconv)",
}
_NAMED = 3  # lines that one warning names; it counts the others
_LOOKED_AT = 50  # lines that show a format; hosts write some bookkeeping before the first message

CODEX = ("session_meta", "response_item", "turn_context", "event_msg", "compacted")
_SPOKEN = ("user", "assistant", "toolResult", "bashExecution", "custom")
_FAMILY = {"openclaw": "pi"}  # one grammar, so no two hosts
_WHOLE = ("messages", "contents", "input", "history", "steps", "traj")  # where whole documents keep a conversation
_OF_MESSAGES = frozenset({"role", "parts", "type", "source"})  # what the first message there has, by host


class Log(Struct):
    """The lines that hold JSON objects, by 0-based line number in file order, and what was met on the way."""

    entries: dict[int, dict[str, Any]]
    warnings: list[str]

    def make_transcript(self, messages: Sequence[Message], **known: Any) -> Transcript:
        """Build the transcript of these new messages; `called` is the time of the newest assistant message."""
        called = next((message.recorded_ms for message in reversed(messages) if message.role == "assistant"), 0)
        stamps = (parse_timestamp(entry.get("timestamp")) for entry in reversed(self.entries.values()))
        stamped = next((at for at in stamps if at), 0)
        warnings = tuple(self.warnings)
        folder, branch = _find_place(self.entries)
        return Transcript(
            (),
            assign_keys(messages),
            last_call_ms=called,
            last_timestamp_ms=stamped,
            folder=folder,
            branch=branch,
            warnings=warnings,
            **known,
        )


def _find_place(entries: dict[int, dict[str, Any]]) -> tuple[str, str]:
    """Return the folder that the newest line with one names, and the branch that the newest line of that folder names.

    Codex has them in payloads, and the branch as it was when the session began; in a fork the session that it was made
    from comes behind it.
    """
    folder = ""
    begun: dict[str, str] = {}  # branches by the times at which sessions began on them
    for entry in reversed(entries.values()):
        payload = entry.get("payload")
        named = entry if isinstance(entry.get("cwd"), str) or not isinstance(payload, dict) else payload
        place = named.get("cwd")
        if not isinstance(place, str) or not place or (folder and place != folder):
            continue
        folder = place
        git = named.get("git")
        branch = git.get("branch") if isinstance(git, dict) else named.get("gitBranch")
        if isinstance(branch, str) and branch not in ("", "HEAD"):
            if not isinstance(git, dict):
                return folder, branch
            begun.setdefault(str(named.get("timestamp") or ""), branch)
    return folder, begun[max(begun)] if begun else ""


def open_log(native: Any, name: str) -> Log:
    """All lines of a log, parsed. Warnings count lines from 1, as editors do. Raises FormatError for no log, or for
    the lines of two hosts.
    """
    if not isinstance(native, Lines):
        raise FormatError(f"{name} requires the lines of a session file, and this document is not one")
    log = Log({}, [])
    unread: dict[str, list[int]] = {what: [] for what in _UNREAD}
    for at, value in native.iterate():
        if isinstance(value, dict):
            log.entries[at] = value
        else:
            unread["a JSON object" if value is not None else "UTF-8" if native.is_miscoded(at) else "JSON"].append(at)
    log.warnings += [_warn_unread(lines, what) for what, lines in unread.items() if lines]
    require_one_host(log.entries, name)
    return log


def _warn_unread(lines: Sequence[int], what: str) -> str:
    """The warning of lines, by their places from 0, that hold no entry."""
    one = len(lines) == 1
    named = f"{'line' if one else 'lines'} {', '.join(str(at + 1) for at in lines[:_NAMED])}"
    more = f" and {len(lines) - _NAMED} more" if len(lines) > _NAMED else ""
    stays = "is not {} and stays unchanged and unread" if one else "are not {} and stay unchanged and unread"
    return f"{named}{more} {stays.format(what)}{_UNREAD[what]}"


def read_first_lines(native: Any) -> list[dict[str, Any]]:
    """Return the objects on the first lines of a log; none for any other document."""
    if not isinstance(native, Lines):
        return []
    values = (native.line(at) for at in range(min(len(native), _LOOKED_AT)))
    return [value for value in values if isinstance(value, dict)]


def parse_timestamp(stamp: Any) -> int:
    """Return ms since 1970 for an ISO 8601 time or a number of ms; 0 for anything else."""
    if isinstance(stamp, int) and not isinstance(stamp, bool):
        return stamp
    if not isinstance(stamp, str):
        return 0
    try:
        when = datetime.fromisoformat(stamp)
    except ValueError:
        return 0
    return round((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() * 1000)


def trace_ancestry(leaf: int, parents: Mapping[int, Any], places: Mapping[Any, int], warnings: list[str]) -> list[int]:
    """Return the lines from the root down to `leaf`.

    `parents` maps each line of the tree, in file order, to its parent's id (None: a root), `places` ids to lines. A
    parent that is not in the file is a lost line: the messages before it were still sent, so the walk continues with
    the previous line.
    """
    order = list(parents)
    path: list[int] = []
    seen: set[int] = set()
    bridged: list[str] = []
    here: int | None = leaf
    while here is not None and here not in seen:
        seen.add(here)
        path.append(here)
        here = _find_parent(here, parents[here], places, order, bridged)
    warnings += bridged[:_NAMED]
    if len(bridged) > _NAMED:
        warnings.append(f"{len(bridged) - _NAMED} more lines name a parent that is not in the file")
    lost = [
        line for line, parent in parents.items() if parent is not None and parent not in places and line not in seen
    ]
    if lost:
        more = f", as do {len(lost) - 1} more" if len(lost) > 1 else ""
        warnings.append(f"line {lost[0] + 1}, on another branch, names a parent that is not in the file{more}")
    return path[::-1]


def _find_parent(line: int, parent: Any, places: Mapping[Any, int], order: list[int], bridged: list[str]) -> int | None:
    if parent is None:
        return None
    if parent in places:
        return places[parent]
    before = bisect_left(order, line) - 1
    where = f"reading continues at line {order[before] + 1}" if before >= 0 else "the history starts there"
    bridged.append(f"line {line + 1} names a parent that is not in the file: {where}")
    return order[before] if before >= 0 else None


def make_result(head: Part, content: Any, media: Callable[[dict[str, Any], Path], Part | None]) -> tuple[Part, ...]:
    """Make one part of a result, whatever blocks it has; its media follow and refer to it.

    `head` is the part without text, its path that of the content; `media` reads a block that is a medium. A single
    block of text is written at the place of its text, so that a list stays a list. Unknown content pins it.
    """
    if content is None or isinstance(content, str):
        return (_make_part(head, head.path, content or ""),)
    if not isinstance(content, list):
        return (_make_part(head, head.path, "", hash_value(content), True),)
    texts, rest, inside = [], [], []
    for number, block in enumerate(content):
        said = get_block_text(block)
        if said is not None:
            texts.append(said)
            continue
        rest.append(hash_value(block))
        medium = media(block, (*head.path, number)) if isinstance(block, dict) else None
        inside += [medium] if medium else []
    path = (*head.path, 0, "text") if len(texts) == 1 == len(content) else head.path
    return (_make_part(head, path, "\n".join(texts), "".join(rest), len(rest) > len(inside)), *inside)


def _make_part(head: Part, path: Path, text: str, digest: str = "", pinned: bool = False) -> Part:
    return Part("tool_result", path, text, head.tool, head.call_id, head.is_error, digest, pinned=pinned or head.pinned)


def get_block_text(block: Any) -> str | None:
    """Return the text of a text block of any host, or None for any other block."""
    if not isinstance(block, dict) or block.get("type") not in ("text", "input_text", "output_text"):
        return None
    text = block.get("text")
    return text if isinstance(text, str) else None


def make_opaque(value: Any, path: Path, text: str = "") -> Part:
    """Return a pinned part for an unknown value."""
    return Part("other", path, text, fingerprint=hash_value(value), pinned=True)


def encode_arguments(text: str) -> Text:
    """Encode arguments for the file. Raises EditError if they are no longer JSON."""
    data = text.encode("utf-8", "backslashreplace")  # of a lone surrogate this makes its JSON escape
    try:
        loads(data)
    except FormatError as error:
        raise EditError(f"the arguments of a call must remain valid JSON: {error}") from error
    return Text.of(data)


def refuse_new_message(new: NewMessage, host: str) -> NoReturn:
    """Raise EditError: a host's log takes new messages only as the host's own compaction entry."""
    raise EditError(f"a session file of {host} accepts a new {new.role} message only as {host}'s own compaction entry")


def detect_host(entry: Mapping[str, Any]) -> str:
    """Return the format of the host that writes such lines; "" if the line does not show it."""
    if "uuid" in entry and "parentUuid" in entry:
        return "claude_code"
    kind, message = entry.get("type"), entry.get("message")
    if kind in CODEX and isinstance(entry.get("payload"), dict):
        return "codex"
    if isinstance(kind, str) and "." in kind and {"data", "parentId"} <= entry.keys():
        return "copilot_cli"
    spoken = kind == "message" and isinstance(message, dict) and message.get("role") in _SPOKEN
    if spoken or (kind == "session" and isinstance(entry.get("id"), str)):
        return "pi"
    if str(entry.get("kind")).endswith("Event") and "source" in entry:
        return "openhands_lines"
    return "hermes_lines" if entry.get("role") == "session_meta" else ""


def require_one_host(entries: Mapping[int, dict[str, Any]], name: str) -> None:
    """Raise FormatError if some of these lines are of a host other than that of the format `name`."""
    own = _FAMILY.get(name, name)
    for line, entry in entries.items():
        other = detect_host(entry)
        if (other and other != own) or (not other and own != "openhands_lines" and _is_whole(entry)):
            raise FormatError(
                f"this file contains sessions of two hosts: it is read as {name}, and line {line + 1} is "
                f"{f'of {other}' if other else 'a whole document of its own'}: put each in a file of its own"
            )


def _is_whole(entry: Mapping[str, Any]) -> bool:
    """Whether a line is all of a request, or of a session that is one document: it holds a list of messages."""
    lists = [entry[name] for name in _WHOLE if isinstance(entry.get(name), list) and entry[name]]
    return "type" not in entry and any(
        isinstance(one, dict) and not _OF_MESSAGES.isdisjoint(one) for items in lists for one in items[:1]
    )
