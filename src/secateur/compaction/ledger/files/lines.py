"""The lines about files in a summary, and the files that such lines say.

Rule: the folder that most files are in is stated once, and `./` stands for it, also before a relative path that leads
into one of its known folders. A file with a note has a line to itself; files of one use and one note share a line, and
those of one folder stand behind its name, with their notes in lines below it where several have one. Lines read back
give the same files under their whole paths. What is said of a file is not decided here (`notes`).
"""

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import cast

from msgspec.structs import replace

from secateur.compaction.ledger.entries import FileEntry, Ledger
from secateur.compaction.ledger.files.rewrites import IMPORTS_ONLY
from secateur.toolcalls.effects import Use

ROOT, FOLDER, COMMON = "root", "working directory", "common folder"
SCRATCH_FILES = "scratch files"
USES = ("read", "created", "changed", "moved", "deleted", "restored")
_RANKS = {"created": 1, "restored": 2}
_PER_LINE = 12
_FEWEST_TOGETHER = 3  # files that stand behind the name of their folder
_LONG_FOLDER = 24  # characters of a folder that is named once for two files
_FEWEST_NOTED = 2  # of them with notes, for lines of their own below it
_HERE = "./"
_SHARE = 0.6  # of the absolute paths that are in the root
_MOST_IMPORTING = 3  # files with nothing but other imports that are named
_MORE = re.compile(r"\d+ more")
_BETWEEN, _ABOUT, _TO = " · ", " — ", " → "
_INSIDE, _NEXT = ": ", ", "  # behind a folder, and between the names of its files
TEMPORARY = re.compile(r"(?:/private)?/(?:tmp|var/tmp|var/folders)/|[A-Za-z]:\\.*\\Temp\\")
_KEPT_ELSEWHERE = re.compile(
    r"/(?:Users|home)/[^/]+/\.|/root/\.|.*/(?:node_modules|site-packages)/|/(?:usr|opt|etc|Library|Applications)/"
)
_IN = " in "
_BLOCK = re.compile(rf"({'|'.join(USES)}) in ([^\n]+)/:\n(.*)", re.S)
_LINE = re.compile(rf"({'|'.join(USES)}): (.*)")
_SCRATCH = re.compile(rf"{SCRATCH_FILES}(?:, \d{{1,4}} of \d{{1,4}})?: (.*)")
_NO_BLOCK = re.compile(r" · | — | → |/: |/:\Z")
_NO_LIST = re.compile(r", |: |/: ")


def find_base(ledger: Ledger) -> str:
    """Return the folder that `./` stands for: that of the work, else the one that most files are in."""
    return ledger.root or ledger.folder or find_common_folder(ledger.files)


def find_common_folder(files: Iterable[FileEntry]) -> str:
    """Return the deepest folder with most absolute paths of the project's files; "" where two are not in one.

    Those that were only read count where nothing was changed.
    """
    told = [one for one in files if not one.scratch and one.use != "discarded"]
    told = [one for one in told if one.use != "read"] or told
    paths = [one.path for one in told if one.path.startswith("/") and not is_foreign(one.path)]
    counts: Counter[str] = Counter()
    for path in paths:
        folder = posixpath.dirname(path)
        while folder.count("/") >= 2:
            counts[folder] += 1
            folder = posixpath.dirname(folder)
    many = [folder for folder, count in counts.items() if count >= max(2, _SHARE * len(paths))]
    return max(many, key=lambda folder: (counts[folder], len(folder)), default="")


def is_foreign(path: str) -> bool:
    """Whether a path is in a temporary folder, or in one that programs keep for a user or a machine."""
    return TEMPORARY.match(path) is not None or _KEPT_ELSEWHERE.match(path) is not None


def find_place(moved: FileEntry) -> str:
    """Return the path of a moved file behind its move."""
    is_folder = moved.to.endswith("/")
    return posixpath.normpath(posixpath.join(moved.to, posixpath.basename(moved.path)) if is_folder else moved.to)


def find_tops(files: Iterable[FileEntry], root: str) -> frozenset[str]:
    """Return the folders right below the root that absolute paths name: relative paths that begin so are below it."""
    inside = (one.path.removeprefix(f"{root}/") for one in files if root and one.path.startswith(f"{root}/"))
    return frozenset(top for top, rest, _ in (path.partition("/") for path in inside) if rest)


def list_file_lines(files: Sequence[FileEntry], root: str, scratch_count: int = 0) -> Iterator[str]:
    """Yield the lines about these files: what was changed, by folder, then trials, then what was read.

    `scratch_count`: how many scratch files there are beside those that are listed.
    """
    tops = find_tops(files, root)
    listed = list(_join_moves([one for one in files if one.is_changed and not one.scratch]))
    blocks = _find_blocks(listed, root, tops)
    rows = [(row, "") for row in _group([one for one in listed if not any(one in block for block in blocks.values())])]
    rows += [(block, folder) for folder, block in blocks.items()]
    for row, folder in sorted(rows, key=lambda item: _RANKS.get(item[0][0].use, 0)):
        yield _render_block(row, folder.partition(" ")[2]) if folder else _render_row(row, root, tops)
    trials = [one for one in files if one.scratch and one.use != "discarded"]
    counted = SCRATCH_FILES + (f", {len(trials)} of {len(trials) + scratch_count}" if scratch_count else "")
    for label, some in ((counted, trials), ("read", [one for one in files if one.use == "read"])):
        size = _PER_LINE if label == "read" else max(1, len(some))
        for at in range(0, len(some), size):
            names = join_folders([shorten_path(one.path, root, tops) for one in some[at : at + size]])
            yield f"- {label}: {names}"


def _join_moves(files: Sequence[FileEntry]) -> Iterator[FileEntry]:
    """Yield the files; one that was moved and then changed as one, and a new one under its last name alone."""
    moved = {find_place(one): one for one in files if one.use == "moved" and one.to}
    behind = {one.path: one for one in files if one.path in moved and one.use in ("created", "changed")}
    for one in files:
        is_moved = one.use == "moved" and bool(one.to)
        other = behind.get(find_place(one)) if is_moved else moved[one.path] if one.path in behind else None
        if other is None:
            yield one
        elif "created" not in (one.use, other.use) if is_moved else one.use == "created":
            notes = dict.fromkeys(about for about in (one.about, other.about) if about not in ("", IMPORTS_ONLY))
            yield replace(one, about="; ".join(notes))


def _render_row(row: Sequence[FileEntry], root: str, tops: frozenset[str]) -> str:
    names = _list_names(row, root, tops)
    to = f"{_TO}{shorten_path(row[0].to, root, tops)}" if row[0].to else ""
    about = f"{_ABOUT}{row[0].about}" if row[0].about else ""
    return f"- {row[0].use}: {names}{to}{about}"


def _render_block(block: Sequence[FileEntry], folder: str) -> str:
    """Render files of one folder as a bullet of several lines, one for each note."""
    rows: dict[str, list[str]] = {}
    for one in block:
        to = f"{_TO}{posixpath.basename(one.to)}" if one.to else ""
        rows.setdefault(one.about, []).append(f"{posixpath.basename(one.path)}{to}")
    lines = (f"{_BETWEEN.join(names)}{_ABOUT if about else ''}{about}" for about, names in rows.items())
    return f"- {block[0].use}{_IN}{folder}/:\n    " + "\n    ".join(lines)


def _find_blocks(files: Sequence[FileEntry], root: str, tops: frozenset[str]) -> dict[str, list[FileEntry]]:
    """Return the files that stand under the name of their folder, by their use and the folder's name."""
    found: dict[str, list[FileEntry]] = {}
    for one in files:
        folder, name = posixpath.split(shorten_path(one.path, root, tops))
        is_inside = not one.to or posixpath.dirname(one.to) == posixpath.dirname(one.path)
        if folder not in ("", ".", "/") and name and is_inside and not _NO_BLOCK.search(f"{folder}/{name} {one.to}"):
            found.setdefault(f"{one.use} {folder}", []).append(one)
    return {
        folder: some
        for folder, some in found.items()
        if len(some) >= _FEWEST_TOGETHER
        and sum(one.about not in ("", IMPORTS_ONLY) or bool(one.to) for one in some) >= _FEWEST_NOTED
    }


def _list_names(row: Sequence[FileEntry], root: str, tops: frozenset[str]) -> str:
    """List the names of one line; of many files with nothing but other imports, the last ones and how many more."""
    most = _MOST_IMPORTING if row[0].about == IMPORTS_ONLY else len(row)
    names = join_folders([shorten_path(one.path, root, tops) for one in row[-most:]])
    return f"{names}{_BETWEEN}{len(row) - most} more" if len(row) > most else names


def join_folders(paths: Sequence[str]) -> str:
    """List the paths; files of one folder that follow each other as one, with the folder named once."""
    listed: list[str] = []
    for folder, some in groupby(paths, posixpath.dirname):
        row = list(some)
        names = [posixpath.basename(path) for path in row]
        fewest = _FEWEST_TOGETHER if len(folder) < _LONG_FOLDER else 2
        if len(row) >= fewest and folder not in ("", ".") and not any(_NO_LIST.search(path) for path in row):
            listed.append(f"{folder}/{_INSIDE}{_NEXT.join(names)}")
        else:
            listed += row
    return _BETWEEN.join(listed)


def split_names(rest: str, root: str = "") -> Iterator[str]:
    """Yield the whole paths that a list of files names."""
    for one in rest.split(_BETWEEN):
        folder, inside, names = one.partition(f"/{_INSIDE}")
        for name in names.split(_NEXT) if inside else ():
            yield complete_path(f"{folder}/{name}", root)
        if not inside:
            yield complete_path(one, root)


def shorten_path(path: str, root: str, tops: frozenset[str] = frozenset()) -> str:
    """Return a path with `./` in place of the root."""
    if root and path.startswith(f"{root}/"):
        return _HERE + path.removeprefix(f"{root}/")
    return _HERE + path if path.partition("/")[0] in tops else path


def complete_path(path: str, root: str) -> str:
    """Return the whole path that was shortened."""
    return f"{root}/{path.removeprefix(_HERE)}" if root and path.startswith(_HERE) else path


def parse_files(text: str, root: str) -> Iterator[FileEntry]:
    """Yield the files of one bullet without its mark, of one line or of a folder; none of a bullet on anything else."""
    if hit := _BLOCK.fullmatch(text):
        yield from _parse_block(cast(Use, hit[1]), hit[2], hit[3], root)
    elif hit := _LINE.fullmatch(text):
        yield from _parse_line(cast(Use, hit[1]), hit[2], root)
    elif hit := _SCRATCH.fullmatch(text):
        yield from (FileEntry(path, "created", scratch=True) for path in split_names(hit[1], root))


def _parse_block(use: Use, folder: str, rest: str, root: str) -> Iterator[FileEntry]:
    whole = complete_path(f"{folder}/", root).rstrip("/")
    for line in rest.split("\n"):
        names, _, about = line.partition(_ABOUT)
        for name, _, to in (one.partition(_TO) for one in names.split(_BETWEEN)):
            yield FileEntry(f"{whole}/{name}", use, to=f"{whole}/{to}" if to else "", about=about)


def _parse_line(use: Use, rest: str, root: str) -> Iterator[FileEntry]:
    if use == "read":
        yield from (FileEntry(path, use, named=True) for path in split_names(rest, root))
        return
    named, _, about = rest.partition(_ABOUT)
    named, _, to = named.partition(_TO)
    for path in split_names(named, root) if not to or to.endswith("/") else (complete_path(named, root),):
        if about == IMPORTS_ONLY and _MORE.fullmatch(path):
            continue
        yield FileEntry(path, use, to=complete_path(to, root), about=about)


def _group(files: Sequence[FileEntry]) -> Iterator[list[FileEntry]]:
    """Yield the files of each line: what was changed, then what is new, by folder, those touched last at the end."""
    places = {posixpath.dirname(one.path): number for number, one in enumerate(files)}
    rows: dict[tuple[str, ...], list[FileEntry]] = {}
    for one in sorted(files, key=lambda one: (_RANKS.get(one.use, 0), places[posixpath.dirname(one.path)])):
        name = (one.use, one.to, one.about if not one.to or one.to.endswith("/") else one.path)
        rows.setdefault(name, []).append(one)
    for row in rows.values():
        size = len(row) if row[0].about == IMPORTS_ONLY else _PER_LINE
        yield from (row[at : at + size] for at in range(0, len(row), size))
