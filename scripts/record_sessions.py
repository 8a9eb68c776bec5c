"""Record the sample sessions in `sessions/`: run tools over this repository, write what they said in native formats.

    python scripts/record_sessions.py [FOLDER]

Run it again after the source has grown (`make sessions`) and commit what changes. It takes the last commit, works in a
throw-away copy, and refuses to write a session that is too short to prune, too large to ship, or that names the machine
it was recorded on. Words of user and agent are scripted (`recording/story.py`); no model is called.
"""

import platform
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from recording import bodies, claude_code, codex, pi
from recording.story import told
from recording.tools import Turn, Workspace

ROOT = Path(__file__).resolve().parent.parent
WRITERS: dict[str, Callable[[list[Turn]], str]] = {
    "pi.jsonl": pi.written,
    "claude_code.jsonl": claude_code.written,
    "codex.jsonl": codex.written,
    "anthropic_messages.json": bodies.anthropic,
    "openai_chat.json": bodies.openai,
}
_LEAST_TOKENS = 65_000  # of old tool output: 40,000 stay, more than 20,000 go, with room to spare
_MOST_BYTES = 1_000_000
_CHARS_PER_TOKEN = 4


def main(folder: Path) -> None:
    """Record all sessions into a folder."""
    with tempfile.TemporaryDirectory() as scratch:
        turns = told(Workspace(ROOT, Path(scratch)))
        if (tokens := old_tokens(turns)) < _LEAST_TOKENS:
            raise SystemExit(f"only about {tokens} tokens of old tool output: {_LEAST_TOKENS} are wanted")
        folder.mkdir(exist_ok=True)
        for name, writer in WRITERS.items():
            text = writer(turns)
            refuse(name, text, scratch)
            (folder / name).write_text(text, encoding="utf-8")
            print(f"{name}: {len(text.encode()):,} bytes, about {tokens:,} tokens of old tool output")


def old_tokens(turns: list[Turn]) -> int:
    """About how many tokens of tool output stand before the last two turns."""
    old = (call for turn in turns[:-2] for step in turn.steps for call in step.calls)
    return sum(len(call.text) for call in old) // _CHARS_PER_TOKEN


def refuse(name: str, text: str, scratch: str) -> None:
    """Stop before a session leaves that is too large or that names this machine."""
    if (size := len(text.encode())) > _MOST_BYTES:
        raise SystemExit(f"{name} has {size} bytes; {_MOST_BYTES} are allowed")
    traces = {str(ROOT), scratch, str(Path.home()), sys.prefix, platform.node()}
    found = re.search("|".join(rf"(?<!\w){re.escape(trace)}(?!\w)" for trace in traces - {"", "/usr"}), text)
    if found:
        around = text[max(0, found.start() - 60) : found.end() + 60]
        raise SystemExit(f"{name} names the recording machine: …{around!r}…")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "sessions")
