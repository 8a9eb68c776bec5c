"""Records that are known and not read: what they are, and what to give instead.

A record is refused where it is no conversation as a model had it: many chats in one, or only what a screen showed.
Nothing here parses more than it must to tell.
"""

from typing import Any

from secateur.formats.logs import read_first_lines
from secateur.formats.session_files import has
from secateur.jsontext import Lines

_AIDER = b"# aider chat started at "
_LOOKED_AT = 65_536  # bytes of a text that are searched for Aider's headline

INSPECT = (
    "this is an Inspect eval log, which holds a conversation for each sample: take the messages of one out with "
    "`jq '.samples[0].messages' log.json` and bring their calls into the shape of Chat Completions, or prune at the "
    "provider"
)
AIDER = (
    "this is an Aider chat history, which holds many chats as text without calls and results: there is nothing in it "
    "to prune; give the request body of one call instead"
)
COPILOT = (
    "this is what Copilot CLI prints while it runs, in pieces for the screen: give its session file instead, "
    "events.jsonl under ~/.copilot/session-state"
)


def explain_refusal(native: Any) -> str:
    """Return a sentence on a known, refused record; "" for any other. Takes bytes, lines or objects."""
    if isinstance(native, bytes):
        head = native[:_LOOKED_AT]
        return AIDER if head.lstrip().startswith(_AIDER) or b"\n" + _AIDER in head else ""
    if isinstance(native, Lines):
        entries = read_first_lines(native)
        return COPILOT if any(entry.get("ephemeral") is True and "data" in entry for entry in entries) else ""
    return INSPECT if has(native, "eval", "plan", "samples") else ""
