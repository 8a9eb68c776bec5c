"""Which host wrote a line of a session file, by the line alone; and files that hold the lines of two hosts.

Rule: a file is one host's. A second one's lines would be passed over as if they were not there, so such a file is
refused, and the error says where the other begins. Lines that no host is known by are nobody's and stay.
"""

from collections.abc import Mapping
from typing import Any

from secateur.errors import FormatError
from secateur.formats import recognize

CODEX = ("session_meta", "response_item", "turn_context", "event_msg", "compacted")
_SPOKEN = ("user", "assistant", "toolResult", "bashExecution", "custom")
_FAMILY = {"openclaw": "pi"}  # one grammar, so no two hosts
_WHOLE = ("messages", "contents", "input", "history", "steps", "traj")  # where whole documents keep a conversation


def detect_host(entry: Mapping[str, Any]) -> str:
    """Return the format of the host that writes such lines; "" if the line does not show it."""
    kind, message = entry.get("type"), entry.get("message")
    told = {
        "claude_code": "uuid" in entry and "parentUuid" in entry,
        "codex": kind in CODEX and isinstance(entry.get("payload"), dict),
        "copilot_cli": isinstance(kind, str) and "." in kind and {"data", "parentId"} <= entry.keys(),
        "pi": (kind == "session" and isinstance(entry.get("id"), str))
        or (kind == "message" and isinstance(message, dict) and message.get("role") in _SPOKEN),
        "openhands_lines": str(entry.get("kind")).endswith("Event") and "source" in entry,
        "hermes_lines": entry.get("role") == "session_meta",
    }
    return next((name for name, is_so in told.items() if is_so), "")


def require_one_host(entries: Mapping[int, dict[str, Any]], name: str) -> None:
    """Raise FormatError if some of these lines are of a host other than that of the format `name`."""
    own = _FAMILY.get(name, name)
    for line, entry in entries.items():
        other = detect_host(entry)
        if (other and other != own) or (not other and own != "openhands_lines" and _is_whole(entry)):
            raise FormatError(
                f"this file holds the sessions of two hosts: it is read as {name}, and line {line + 1} is "
                f"{f'of {other}' if other else 'a whole document of its own'}: give each in a file of its own"
            )


def _is_whole(entry: Mapping[str, Any]) -> bool:
    """Whether a line is all of a request, or of a session that is one document."""
    named = [name for name in _WHOLE if isinstance(entry.get(name), list) and entry[name]]
    return bool(named) and "type" not in entry and recognize(dict(entry), log=False) is not None
