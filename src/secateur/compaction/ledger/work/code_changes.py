"""Changes of code: which calls changed which files of the project, without prose, pictures and scratch files."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from secateur.compaction.ledger.entries import FileEntry
from secateur.compaction.ledger.files.lines import TEMPORARY
from secateur.compaction.ledger.files.paths import is_secret
from secateur.compaction.ledger.work.endings import list_lines
from secateur.redact import redact
from secateur.toolcalls.actions import Action
from secateur.toolcalls.file_effects import list_file_effects

CHANGE_WORDS: Mapping[str, str] = {
    "created": "written",
    "changed": "changed",
    "deleted": "deleted",
    "moved": "moved",
    "restored": "taken back",
}


class FileChange(Struct, frozen=True):
    """One change of a file of the project, by the number of its call."""

    number: int
    path: str
    use: str


def list_changes(done: Sequence[Action], files: Sequence[FileEntry]) -> Iterator[FileChange]:
    """Yield the changes of code, and what took them back."""
    left_out = {posixpath.basename(one.path) for one in files if one.scratch or one.use == "discarded"}
    left_out |= _list_trials(done)
    for number, action in enumerate(done):
        if action.kind not in ("run", "edit", "other") or not action.ok:
            continue
        for effect in list_file_effects(action):
            name = posixpath.basename(effect.path)
            if effect.use not in CHANGE_WORDS or name in left_out or is_secret(action, effect.path):
                continue
            if not effect.path or is_code(effect.path):
                yield FileChange(number, redact(effect.path), effect.use)


def _list_trials(done: Sequence[Action]) -> set[str]:
    """Return the names of the files that calls created and then ran: they are no part of the work."""
    created: set[str] = set()
    trials: set[str] = set()
    for action in done:
        created |= {
            posixpath.basename(one.path)
            for one in (list_file_effects(action) if action.kind in ("run", "edit", "other") else ())
            if one.use == "created"
        }
        for line in list_lines(action) if created else ():
            trials |= {name for word in _RUN_FILE.findall(line) if (name := posixpath.basename(word)) in created}
    return trials


def is_code(path: str) -> bool:
    """Whether a change of this file can break what checks look at: it is neither prose nor a picture nor temporary."""
    return _NO_CODE.search(path) is None and TEMPORARY.match(path) is None


def has_code_changed(files: Iterable[FileEntry], changes: Iterable[FileChange]) -> bool:
    """Whether any code is not as it was at the last commit, or was changed and committed."""
    names = {posixpath.basename(one.path) for one in changes}
    return any(
        one.use in ("created", "changed", "deleted", "moved") and posixpath.basename(one.path) in names for one in files
    )


_NO_CODE = re.compile(
    r"(?i)\.(?:md|mdx|markdown|rst|txt|adoc|org|log|patch|diff|rej|orig|bak|png|jpe?g|gif|svg|webp|ico|pdf|lock|csv|tsv"
    r"|jsonl?)$|(?:^|/)(?:license|notice|changelog|authors|copying|\.gitignore|package-lock\.json|go\.sum)$|/$"
    r"|(?:^|/)migrations/\d{4}_\w+\.py$"  # written by a command
    r"|(?:^|/)\.(?:claude|codex|beads|cursor|gemini|github|vscode|idea|opencode|pi)/"
)
_RUN_FILE = re.compile(
    r"(?:\b(?:python[\d.]*|node|ruby|bun|deno run|php|perl|bash|sh)(?: -\S+)* |(?<!\S)\./)([\w./+-]{1,300}\.\w{1,5})\b"
)
