"""Overwrite what SQLite leaves of deleted rows, while others read and write the file.

SQLite zeroes rows that go and pages that are freed (`secure_delete`), but where it moves rows between pages it leaves
copies of them in the part of a page that holds nothing. Rule: those parts are overwritten with zeros in the file
itself, a bounded run of pages at a time, while no other process can write and the write-ahead log is empty; then one
row is written, at which every process drops the pages that it remembers. Bytes that hold something are never touched.
Where someone still reads the file as it was before, it waits, and says so: the file owes that until it is done.

The file is opened once more for this and stays open: closing it would release the locks that SQLite holds on it for
this process.
"""

import os
import sqlite3
import time
from contextlib import suppress
from pathlib import Path
from threading import Lock

PAGES = 4_096  # overwritten while others wait: a few dozen milliseconds
BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
OWED, DONE = "scrub", "scrubbed"  # names of chores: that it is owed, and up to which page it is done
_ROOT, _TREE = 1, 5  # kinds of pages, as the file's own map of them says
_HEADER = {0x02: 12, 0x05: 12, 0x0A: 8, 0x0D: 8}  # bytes of the header of a page, by its first byte
_open: dict[tuple[int, int], int] = {}  # by device and inode
_lock = Lock()


def owe(connection: sqlite3.Connection) -> None:
    """Note, with the rows that go, that the file is to be overwritten."""
    sql = "INSERT INTO chores (name, at) VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET at = at + 1"
    connection.execute(sql, (OWED,))
    connection.execute("DELETE FROM chores WHERE name = ?", (DONE,))


def needs_scrub(connection: sqlite3.Connection) -> bool:
    """Whether rows were deleted whose copies may remain in the file."""
    return _read_chore(connection, OWED) != 0


def scrub(connection: sqlite3.Connection, path: Path, wait_s: float) -> bool:
    """Overwrite deleted data. False if others prevented it from finishing within this many seconds.

    The connection is a new one, so that it has no pages in memory.
    """
    until = time.monotonic() + wait_s
    try:
        _enable_page_map(connection)
        while needs_scrub(connection):
            if not _begin_alone(connection, path, until):
                return False
            _scrub_part(connection, path)
            connection.execute("COMMIT")
            if time.monotonic() >= until:
                break
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF not in BUSY:
            raise
        return False
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    return not needs_scrub(connection)


def shrink(connection: sqlite3.Connection, most: int | None) -> None:
    """Free unused pages, at most `most` hundred of them, and empty the write-ahead log if nothing reads from it."""
    pages = "" if most is None else f"({most * 100})"
    connection.executescript(f"PRAGMA incremental_vacuum{pages}")  # `execute` would stop after its first page
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()


def _begin_alone(connection: sqlite3.Connection, path: Path, until: float) -> bool:
    """Begin a transaction while the log is empty; False if that was not possible in time."""
    while True:
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if not busy:
            connection.execute("BEGIN IMMEDIATE")
            if _size(Path(f"{path}-wal")) == 0:
                return True
            connection.execute("ROLLBACK")  # another process wrote in between
        if time.monotonic() >= until:
            return False


def _enable_page_map(connection: sqlite3.Connection) -> None:
    """Add the page map to a file made by another program; without it the pages' use is unknown."""
    if needs_scrub(connection) and not connection.execute("PRAGMA auto_vacuum").fetchone()[0]:
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("VACUUM")


def _scrub_part(connection: sqlite3.Connection, path: Path) -> None:
    """Overwrite the next pages and record the progress."""
    first = _read_chore(connection, DONE)
    with _lock:
        last = _overwrite_pages(_open_file(path), first, first + PAGES)
    sql = "INSERT OR REPLACE INTO chores (name, at) VALUES (?, ?)"
    connection.execute(sql, (DONE, first + PAGES))
    if last:
        connection.execute("DELETE FROM chores WHERE name IN (?, ?)", (OWED, DONE))


def _overwrite_pages(file: int, first: int, end: int) -> bool:
    """Zero unused bytes in the pages from index `first` to `end`; whether these were the last ones."""
    head = _read(file, 0, 100)
    size = int.from_bytes(head[16:18], "big")
    size = 65_536 if size == 1 else size
    usable, pages = size - head[20], os.fstat(file).st_size // size
    kinds = _Kinds(file, size, usable)
    for number in range(first, min(end, pages)):
        if not kinds.is_tree(number):
            continue
        page = _read(file, number * size, size)
        begin, stop = _find_unused(page, 100 if number == 0 else 0, usable)
        if page.count(0, begin, stop) != stop - begin:
            os.lseek(file, number * size + begin, os.SEEK_SET)
            os.write(file, bytes(stop - begin))
    os.fsync(file)
    return end >= pages


def _find_unused(page: bytes, at: int, usable: int) -> tuple[int, int]:
    """The unused range of a tree page: between its row pointers and the first of its rows."""
    length = _HEADER.get(page[at])
    if length is None:
        return 0, 0
    rows = int.from_bytes(page[at + 3 : at + 5], "big")
    content = int.from_bytes(page[at + 5 : at + 7], "big") or 65_536
    begin, stop = at + length + 2 * rows, min(content, usable)
    return (begin, stop) if begin <= stop else (0, 0)


class _Kinds:
    """The kind of each page, from the file's map of pages, which exists because it can free pages (`auto_vacuum`)."""

    def __init__(self, file: int, size: int, usable: int) -> None:
        self._file, self._size, self._each = file, size, usable // 5
        self._at, self._map = -1, b""

    def is_tree(self, index: int) -> bool:
        """Whether the page holds rows of a table or an index."""
        if index == 0:
            return True
        group, place = divmod(index - 1, self._each + 1)
        if place == 0:
            return False  # the map itself
        if group != self._at:
            self._at, self._map = group, _read(self._file, (group * (self._each + 1) + 1) * self._size, self._size)
        return self._map[(place - 1) * 5] in (_ROOT, _TREE)


def _open_file(path: Path) -> int:
    stat = os.stat(path)
    name = (stat.st_dev, stat.st_ino)
    if name not in _open:
        _open[name] = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0))
    return _open[name]


def _read(file: int, at: int, size: int) -> bytes:
    os.lseek(file, at, os.SEEK_SET)
    return os.read(file, size)


def _read_chore(connection: sqlite3.Connection, name: str) -> int:
    row = connection.execute("SELECT at FROM chores WHERE name = ?", (name,)).fetchone()
    return row[0] if row else 0


def _size(path: Path) -> int:
    with suppress(FileNotFoundError):
        return path.stat().st_size
    return 0
