"""Where sessions lie: the folders that agents keep them in, and the files of a folder that may hold some.

Rule: nothing is opened here. What is no session is found out when it is read; links are not followed out of a folder.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from secateur.cli.exits import Unreadable

ENDINGS = (".jsonl", ".json", ".traj")
_PACKED = ".gz"
_SKIPPED = frozenset(("node_modules", ".git", "__pycache__", ".venv"))
_FOLDERS = (  # agent, environment variable of its folder, that folder by default, where sessions lie in it
    ("Claude Code", "CLAUDE_CONFIG_DIR", "~/.claude", "projects"),
    ("Codex", "CODEX_HOME", "~/.codex", "sessions"),
    ("Pi", "PI_CODING_AGENT_DIR", "~/.pi/agent", "sessions"),
    ("OpenClaw", "OPENCLAW_STATE_DIR", "~/.openclaw", "agents"),
    ("Gemini CLI", "", "~/.gemini", "tmp"),
    ("Copilot CLI", "", "~/.copilot", "session-state"),
)


def known() -> list[tuple[str, Path]]:
    """The folders of known agents that exist here, by agent."""
    found = []
    for agent, variable, default, inside in _FOLDERS:
        top = os.environ.get(variable, "") if variable else ""
        folder = Path(top or default).expanduser() / inside
        if folder.is_dir():
            found.append((agent, folder))
    return found


def looked_for() -> list[str]:
    """Where `known` looks, for people."""
    return [f"{default}/{inside}" for _, _, default, inside in _FOLDERS]


def files(names: Iterable[str]) -> list[Path]:
    """All files that may be sessions, in a fixed order, each once; a file that is named counts whatever its ending.

    Raises Unreadable for a path that does not exist or cannot be looked at.
    """
    found: dict[Path, None] = {}
    for name in names:
        path = Path(name)
        try:
            path.stat()
        except FileNotFoundError as error:
            raise Unreadable(f"there is no file or folder {name}: check the path") from error
        except OSError as error:
            raise Unreadable(f"{name} cannot be read: {error.strerror}") from error
        found |= dict.fromkeys(_inside(path) if path.is_dir() else [path])
    return list(found)


def _inside(folder: Path) -> Iterator[Path]:
    for top, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        for name in sorted(names):
            if name.lower().removesuffix(_PACKED).endswith(ENDINGS):
                yield Path(top, name)
