"""The patches into which git wrote what was changed, and the files that it was asked about.

Rule: by the words of the command; a patch in a folder for temporary files is none of the work.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator

from secateur.compaction.ledger.files.lines import TEMPORARY
from secateur.toolcalls.actions import Action
from secateur.toolcalls.file_effects import list_command_lines
from secateur.toolcalls.shell import parse_command_line


def find_patched_names(done: Iterable[Action]) -> frozenset[str]:
    """Return the names of the files that the newest patch which git wrote was asked about; none where of all."""
    found = [
        names
        for action in done
        for line in (list_command_lines(action) if action.kind == "run" and action.result else ())
        for _, names in list_written_patches(line)
    ]
    return found[-1] if found else frozenset()


def list_written_patches(line: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the files into which `git diff` wrote, and the names of the files that it was asked about."""
    for simple in parse_command_line(line).commands:
        if simple.words[:1] == ("git",) and {"diff", "format-patch"} & {*simple.words[1:4]}:
            named = [word for word in simple.words[2:] if "." in posixpath.basename(word) and not word.startswith("-")]
            for path in (one for one in simple.writes if _PATCH.search(one) and not TEMPORARY.match(one)):
                yield path, frozenset(map(posixpath.basename, named))


_PATCH = re.compile(r"(?i)(?:^|[/_.-])(?:patch|diff)(?:es|s)?(?:[._-][^/]*)?$")
