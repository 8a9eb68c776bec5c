"""Output files: where a command writes its document, and how.

Rule: writes are atomic: a file is written next to its target, flushed to disk, and renamed over it. In place there is
always a backup (`FILE.bak`, then `.bak1`, ...), and none is ever overwritten. Mode bits are kept.
"""

import contextlib
import errno
import gzip
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path

from msgspec import Struct

from secateur.cli.exit_codes import OutputClosed, UsageError
from secateur.cli.inputs import InputSource, get_file_identity
from secateur.hosts.session_files import is_exported

_STALE = "{name} changed while it was read: let the agent that writes it finish, then run this again"


class Target(Struct, frozen=True):
    """The target of a command's document, from its options."""

    input: str
    output: str | None
    in_place: bool
    as_json: bool
    dry_run: bool = False

    @property
    def name(self) -> str | None:
        """A file's name, "-" for standard output, None for nowhere. A document is not dumped on a terminal."""
        if self.dry_run:
            return None
        if self.in_place:
            return self.input
        if self.output is not None or self.as_json:
            return self.output
        return None if sys.stdout.isatty() else "-"

    @property
    def is_stdout(self) -> bool:
        """Whether the document takes standard output; reports then go to standard error."""
        return self.name == "-"

    def check(self) -> None:
        """Raise UsageError where the options contradict each other, or the input."""
        if self.in_place and self.output is not None:
            raise UsageError("--in-place and -o both say where to write: give one of them")
        if self.dry_run and (self.in_place or self.output is not None):
            raise UsageError("--dry-run writes no document: drop it, or drop -o and --in-place")
        if self.in_place and self.input == "-":
            raise UsageError("standard input cannot be written in place: give -o FILE")
        if self.in_place and os.path.exists(self.input) and not os.path.isfile(self.input):
            raise UsageError(f"{self.input} is not a regular file and cannot be written in place: give -o FILE")
        if self.in_place and is_exported(self.input):
            raise UsageError(
                f"{self.input} is in a database that is not written: give -o FILE, then `opencode import FILE`"
            )
        if self.as_json and self.output == "-":
            raise UsageError("--json uses standard output: give -o FILE for the document")
        if self.output not in (None, "-") and is_same_file(self.input, str(self.output)):
            raise UsageError(f"{self.output} is the input: give --in-place, which keeps a backup, or another name")

    def needs_gzip(self, source: InputSource) -> bool:
        """Whether the document is stored as gzip: as the name of its file says, else as the input is."""
        return str(self.output).endswith(".gz") if self.output not in (None, "-") else source.is_gzip

    def pack(self, source: InputSource, data: bytes) -> InputSource:
        """The document as it is to be stored, as if it had been read from where it goes."""
        is_gzip = self.needs_gzip(source)
        return InputSource(self.name or "", pack_like(source, data, is_gzip), data, is_gzip)

    def write(self, source: InputSource, stored: bytes) -> Path | None:
        """Write the document that was made of `source`; the backup if one was made."""
        if self.dry_run:
            return None
        if self.in_place:
            return write_in_place(source, stored)
        if self.is_stdout:
            write_stdout(stored)
        elif self.name is not None:
            write_file(self.name, stored, source.name)
        return None


def pack_like(source: InputSource, data: bytes, is_gzip: bool) -> bytes:
    """`data` as it is to be stored: an unchanged document keeps its compressed bytes."""
    if not is_gzip:
        return data
    if data == source.data and source.is_gzip:
        return source.stored
    return gzip.compress(data, mtime=0)


def is_same_file(one: str, other: str) -> bool:
    """Whether two names lead to one file."""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def write_stdout(data: bytes) -> None:
    """Write to standard output. Raises OutputClosed if the reader closed it."""
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[sys.stdout.buffer.write(rest) :]  # unbuffered, a write may take a part only
        sys.stdout.buffer.flush()
    except BrokenPipeError as error:
        raise OutputClosed("") from error


def write_file(target: str, data: bytes, like: str = "") -> None:
    """Write a file, atomically if it is a regular one; a device or a pipe is written directly. Raises UsageError.

    A new file has the mode of the file that it is made from, `like`.
    """
    path = Path(target)
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
        else:
            _replace_file(path.resolve(), data, Path(like) if like else None)
    except BrokenPipeError as error:
        raise OutputClosed("") from error
    except OSError as error:
        raise UsageError(f"{target or repr(target)} cannot be written: {_explain(error)}") from error


def write_in_place(source: InputSource, data: bytes) -> Path | None:
    """Put `data` where the document came from; returns the backup, None if nothing changed.

    Raises UsageError when the file was written to since it was read, or cannot be written.
    """
    if data == source.stored:
        return None
    path = Path(source.name).resolve()  # through a link: the link stays one

    def check() -> None:
        if get_file_identity(path) != source.seen:
            raise UsageError(_STALE.format(name=source.name))

    try:
        check()
        backup = _make_backup(path)
        try:
            _replace_file(path, data, check=check)
        except BaseException:
            backup.unlink(missing_ok=True)  # the file is as it was, and is its own backup
            raise
    except OSError as error:
        raise UsageError(f"{source.name} cannot be written in place: {_explain(error)}") from error
    return backup


def _explain(error: OSError) -> str:
    """What happened to a file, and what to do."""
    return f"{error.strerror or error}: {_REMEDIES.get(error.errno or 0, 'give another name with -o')}"


_REMEDIES = {
    errno.ENOENT: "create its folder, or give another name",
    errno.EISDIR: "give the name of a file in it",
    errno.ENOTDIR: "a part of its path is a file: give another name",
    errno.ENOSPC: "make room, or give a name on another disk with -o",
}


def _replace_file(path: Path, data: bytes, like: Path | None = None, check: Callable[[], object] = bool) -> None:
    """Replace a file; `check` may refuse once the new one is complete, since writing it can take a while."""
    handle, name = tempfile.mkstemp(prefix=".secateur-", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _copy_access(path, name, like)
        check()
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    _sync_folder(path.parent)


def _copy_access(path: Path, name: str, like: Path | None) -> None:
    """Keep the mode bits and, if permitted, the owner of the replaced file.

    A new file gets what the umask leaves of the mode of the file that it is `like`.
    """
    try:
        stat = path.stat()
    except FileNotFoundError:
        mode = like.stat().st_mode if like is not None and like.is_file() else 0o666
        os.chmod(name, mode & 0o666 & ~_get_umask())
        return
    with contextlib.suppress(OSError, AttributeError):
        os.chown(name, stat.st_uid, stat.st_gid)
    os.chmod(name, stat.st_mode & 0o7777)


def _make_backup(path: Path) -> Path:
    """Link (or copy, if the file system has no links) the file under a backup name."""
    for number in count():
        backup = path.with_name(f"{path.name}.bak{number or ''}")
        try:
            os.link(path, backup)
        except FileExistsError:
            continue
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK):
                raise
            if not _copy(path, backup):
                continue
        return backup
    raise AssertionError("numbers do not end")


def _copy(path: Path, backup: Path) -> bool:
    try:
        with backup.open("xb") as copy:
            copy.write(path.read_bytes())
            copy.flush()
            os.fsync(copy.fileno())
    except FileExistsError:
        return False
    shutil.copystat(path, backup)
    return True


def _sync_folder(folder: Path) -> None:
    """Flush the new name to disk, if the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _get_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
