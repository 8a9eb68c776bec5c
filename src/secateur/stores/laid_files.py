"""Removed text as files next to a SQLite store: agents on the same machine read it with their own tools.

Rule: a file has the bytes of one blob and is readable by its owner only. It is written in the transaction that saves
the blob and removed in the one that deletes it, overwritten first. Folders and files are named by hashes, so no tenant,
session or text can name a path outside the store's own folder.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from secateur.errors import StoreError
from secateur.lineage import handle_of, hash_text
from secateur.stores.protocol import Blob

END, SUFFIX = ".files", ".txt"  # of the folder next to a store, and of its files
LAID = frozenset({"text", "json", "summary"})  # kinds of blobs that texts name; not media, nor pieces of raw requests
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_FOUND = "SELECT 1 FROM blobs WHERE tenant = ? AND digest >= ? AND digest < ?"


def get_folder(path: Path) -> Path:
    """The folder of a store's files; it need not be there."""
    return Path(f"{path}{END}")


def get_tenant_folder(folder: str, tenant: str) -> str:
    """A tenant's folder in it, as texts name it; "" without a folder."""
    return f"{folder}/{hash_text(tenant)[:12]}" if folder else ""


def write_files(folder: Path, tenant: str, blobs: Iterable[Blob]) -> None:
    """Write the blobs that texts name. Raises StoreError."""
    place = Path(get_tenant_folder(str(folder), tenant))
    try:
        for each in (folder, place):
            with suppress(FileExistsError):
                each.mkdir(mode=0o700)
            if each.is_symlink() or not each.is_dir():
                raise StoreError(
                    f"{each} is not a folder of the store's own: move it away, or use recall_handles='auto'"
                )
        for blob in blobs:
            if blob.kind in LAID:
                _write(place / f"{handle_of(blob.data)}{SUFFIX}", blob.data)
    except OSError as error:
        raise StoreError(f"removed text cannot be written to {place}: {error.strerror or error}") from error


def remove_loose_files(connection: sqlite3.Connection, folder: Path) -> None:
    """Remove the files whose blobs are gone. Raises StoreError."""
    if not folder.is_dir() or folder.is_symlink():
        return
    tenants = {hash_text(name)[:12]: name for (name,) in connection.execute("SELECT DISTINCT tenant FROM sessions")}
    try:
        for place in [one for one in folder.iterdir() if one.is_dir() and not one.is_symlink()]:
            tenant = tenants.get(place.name)
            for file in _list_files(place):
                found = (tenant, file.stem, f"{file.stem}g")  # "g" follows all hexadecimal digits
                if tenant is None or not connection.execute(_FOUND, found).fetchone():
                    _remove(file)
            with suppress(OSError):
                place.rmdir()  # if it is empty
    except OSError as error:
        raise StoreError(f"removed text cannot be deleted from {folder}: {error.strerror or error}") from error


def measure_files(folder: Path) -> int:
    """Bytes of all files."""
    places = list(folder.iterdir()) if folder.is_dir() else []
    return sum(file.stat().st_size for place in places if place.is_dir() for file in _list_files(place))


def _list_files(place: Path) -> Iterator[Path]:
    return (file for file in place.iterdir() if file.suffix == SUFFIX and file.is_file() and not file.is_symlink())


def _write(file: Path, data: bytes) -> None:
    if file.is_symlink() or (file.exists() and file.stat().st_size != len(data)):
        file.unlink()
    with suppress(FileExistsError):
        descriptor = os.open(file, _FLAGS, 0o600)
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(data)


def _remove(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.write(b"\0" * file.stat().st_size)
    file.unlink()
