"""The files of a folder that may be sessions: what a scan reads.

Rule: a folder that tools fill for themselves (packages, caches, version control, virtual environments) is passed over;
one that is given by name is not. Of other files, ending, size and first bytes are looked at before any is read whole.
What is left out here could not be read as a session later. Links are not followed out of a folder.
"""

import codecs
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from secateur.cli.exit_codes import UnreadableInput
from secateur.formats import list_format_plugins
from secateur.formats.detection import recognize
from secateur.jsontext import Lines
from secateur.simulate.several import has_conversations

SESSION_ENDINGS = (".jsonl", ".json", ".traj")
_PACKED = ".gz"
_TOOL_FOLDERS = """
    .git .hg .svn node_modules bower_components site-packages __pycache__ .venv .tox .nox .mypy_cache .ruff_cache
    .pytest_cache .hypothesis .ipynb_checkpoints .gradle .terraform .next .nuxt .svelte-kit .turbo .parcel-cache
    .pnpm-store .yarn .cargo .rustup .eggs
"""
_SKIPPED = frozenset(_TOOL_FOLDERS.split())
_ENVIRONMENT = frozenset(("pyvenv.cfg", "conda-meta"))  # in the folder of a virtual environment, whatever its name
_HEAD_BYTES = 65_536  # that are looked at
_FIRST_LINES = 50  # that show the format of a session file
_MEMBERS = "role type messages contents input history trajectory traj steps simulations kind source request"
_WORDS = tuple(f'"{word}"'.encode() for word in _MEMBERS.split())


def find_session_files(names: Iterable[str]) -> list[Path]:
    """All files that may be sessions, in a fixed order, each once; a file given by name counts whatever its ending.

    Raises UnreadableInput for a path that does not exist or cannot be looked at.
    """
    paths: dict[Path, None] = {}
    for name in names:
        path = Path(name)
        try:
            path.stat()
        except FileNotFoundError as error:
            raise UnreadableInput(f"no such file or folder: {name}; check the path") from error
        except OSError as error:
            raise UnreadableInput(f"{name} cannot be read: {error.strerror}") from error
        paths |= dict.fromkeys(_walk_folder(path) if path.is_dir() else [path])
    return list(paths)


def _walk_folder(folder: Path) -> Iterator[Path]:
    for top, folders, names in os.walk(folder):
        if top != str(folder) and not _ENVIRONMENT.isdisjoint([*names, *folders]):
            folders.clear()
            continue
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        for name in sorted(names):
            if name.lower().removesuffix(_PACKED).endswith(SESSION_ENDINGS):
                yield Path(top, name)


def explain_no_session(path: str) -> str:
    """Why a file cannot be a session, by its size and its first bytes; "" if it may be one, or cannot be looked at."""
    try:
        size = os.stat(path).st_size
        with open(path, "rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError:
        return ""
    if size <= len(head) or not _is_utf8(head):
        return ""
    if not head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"{", b"[")):
        return f"{path}: it does not begin like JSON"
    return f"{path}: its lines are of no known session" if _has_other_lines(head) else ""


def has_no_message(data: bytes) -> bool:
    """Whether a text lacks every name of which a conversation of a built-in format has at least one."""
    return _is_utf8(data[:_HEAD_BYTES]) and not any(word in data for word in _WORDS) and not list_format_plugins()


def _is_utf8(head: bytes) -> bool:
    """Whether the beginning of a text is UTF-8, though it may end inside a character."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return b"\0" not in head[:4]  # UTF-16 without a mark


def _has_other_lines(head: bytes) -> bool:
    """Whether the beginning of a file shows enough lines to know that they are not of a session."""
    lines = Lines.of(head[: head.rfind(b"\n") + 1])
    if len(lines) < _FIRST_LINES or not isinstance(lines.line(0), dict) or list_format_plugins():
        return False
    return recognize(lines, log=True) is None and not has_conversations(lines.line(0))
