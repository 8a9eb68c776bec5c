"""The lines about files in a summary, and the files that such lines say.

Rule: the folder that most files are in is stated once, and `./` stands for it. A file with a note has a line to itself;
files of one use and one note share a line, and files of a folder follow each other. Lines read back give the same files
under their whole paths. What is said of a file is not decided here (`notes`).
"""

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from secateur.compaction.ledger.entries import FileEntry
from secateur.compaction.ledger.rewrites import IMPORTS_ONLY
from secateur.toolcalls.effects import Use

ROOT = "root"
SCRATCH_FILES = "scratch files"
USES = ("read", "created", "changed", "moved", "deleted", "restored")
_PER_LINE = 12
_HERE = "./"
_SHARE = 0.6  # of the absolute paths that are in the root
_MOST_IMPORTING = 5  # files with nothing but other imports that are named
_MORE = re.compile(r"\d+ more")
_BETWEEN, _ABOUT, _TO = " · ", " — ", " → "


def find_root(files: Iterable[FileEntry]) -> str:
    """Return the deepest folder with most absolute paths of the project's files; "" where two are not in one."""
    paths = [one.path for one in files if one.path.startswith("/") and not one.scratch and one.use != "discarded"]
    counts: Counter[str] = Counter()
    for path in paths:
        folder = posixpath.dirname(path)
        while folder.count("/") >= 2:
            counts[folder] += 1
            folder = posixpath.dirname(folder)
    many = [folder for folder, count in counts.items() if count >= max(2, _SHARE * len(paths))]
    return max(many, key=lambda folder: (counts[folder], len(folder)), default="")


def list_file_lines(files: Sequence[FileEntry]) -> Iterator[str]:
    """Yield the lines about these files: what was changed, by folder, then trials, then what was read."""
    root = find_root(files)
    if root:
        yield f"- {ROOT}: {root}"
    listed = [one for one in files if one.use not in ("read", "discarded") and not one.scratch]
    for row in _group(listed):
        names = _BETWEEN.join(_list_names(row, root))
        to = f"{_TO}{shorten_path(row[0].to, root)}" if row[0].to else ""
        about = f"{_ABOUT}{row[0].about}" if row[0].about else ""
        yield f"- {row[0].use}: {names}{to}{about}"
    for label, some in (
        (SCRATCH_FILES, [one for one in files if one.scratch and one.use != "discarded"]),
        ("read", [one for one in files if one.use == "read"]),
    ):
        size = _PER_LINE if label == "read" else max(1, len(some))
        for at in range(0, len(some), size):
            row = some[at : at + size]
            names = _BETWEEN.join(shorten_path(one.path, root) for one in row)
            yield f"- {label}: {names}"


def _list_names(row: Sequence[FileEntry], root: str) -> Iterator[str]:
    """Yield the names of one line; of many files with nothing but other imports, the last ones and how many more."""
    most = _MOST_IMPORTING if row[0].about == IMPORTS_ONLY else len(row)
    yield from (shorten_path(one.path, root) for one in row[-most:])
    if len(row) > most:
        yield f"{len(row) - most} more"


def shorten_path(path: str, root: str) -> str:
    """Return a path with `./` in place of the root."""
    return _HERE + path.removeprefix(f"{root}/") if root and path.startswith(f"{root}/") else path


def complete_path(path: str, root: str) -> str:
    """Return the whole path that was shortened."""
    return f"{root}/{path.removeprefix(_HERE)}" if root and path.startswith(_HERE) else path


def parse_file_line(use: Use, rest: str, root: str) -> Iterator[FileEntry]:
    """Yield the files of one line, without the word before its colon."""
    if use == "read":
        yield from (FileEntry(complete_path(path, root), use) for path in rest.split(_BETWEEN))
        return
    named, _, about = rest.partition(_ABOUT)
    named, _, to = named.partition(_TO)
    for path in named.split(_BETWEEN) if not to or to.endswith("/") else (named,):
        if about == IMPORTS_ONLY and _MORE.fullmatch(path):
            continue
        yield FileEntry(complete_path(path, root), use, to=complete_path(to, root), about=about)


def parse_scratch_line(rest: str, root: str) -> Iterator[FileEntry]:
    """Yield the scratch files of one line."""
    yield from (FileEntry(complete_path(path, root), "created", scratch=True) for path in rest.split(_BETWEEN))


def _group(files: Sequence[FileEntry]) -> Iterator[list[FileEntry]]:
    """Yield the files of each line: folder by folder, those touched last at the end."""
    places = {posixpath.dirname(one.path): number for number, one in enumerate(files)}
    rows: dict[tuple[str, ...], list[FileEntry]] = {}
    for one in sorted(files, key=lambda one: places[posixpath.dirname(one.path)]):
        name = (one.use, one.to, one.about if not one.to or one.to.endswith("/") else one.path)
        row = rows.setdefault(name, [])
        if len(row) == _PER_LINE and one.about != IMPORTS_ONLY:
            rows[*name, str(len(rows))] = row.copy()
            row.clear()
        row.append(one)
    yield from rows.values()
