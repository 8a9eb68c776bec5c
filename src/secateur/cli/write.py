"""Where a document goes: standard output, a file, or the place it came from.

Rule: a file is whole before and after: it is written beside its target, forced to disk, and renamed over it. In place
there is always a backup (`FILE.bak`, then `.bak1`, ...), and none is ever written over. Mode bits stay.
"""

import contextlib
import errno
import gzip
import os
import shutil
import sys
import tempfile
from itertools import count
from pathlib import Path

from secateur.cli.exits import Closed, Refused
from secateur.cli.source import Source, identity

_STALE = "{name} was changed while it was read: let the agent that writes it finish, then run this again"


def target(input: str, out: str | None, in_place: bool, as_json: bool) -> str | None:
    """Where a command's document goes: a file's name, "-" for standard output, None for nowhere."""
    if in_place:
        return input
    if out is not None or as_json:
        return out
    return None if sys.stdout.isatty() else "-"


def refuse_contradictions(input: str, out: str | None, in_place: bool, as_json: bool) -> None:
    """Raise Refused where the options that say where to write contradict each other, or the input."""
    if in_place and out is not None:
        raise Refused("--in-place and -o each say where to write: give one of them")
    if in_place and input == "-":
        raise Refused("standard input cannot be written in place: give -o FILE")
    if as_json and out == "-":
        raise Refused("--json takes standard output: give -o FILE for the document")
    if out not in (None, "-") and same_file(input, str(out)):
        raise Refused(f"{out} is the input: give --in-place, which keeps a backup, or another name")


def packed_like(source: Source, data: bytes, packed: bool) -> bytes:
    """`data` as it is to be stored: what nobody changed goes out with the very bytes it came in."""
    if not packed:
        return data
    if data == source.data and source.packed:
        return source.stored
    return gzip.compress(data, mtime=0)


def same_file(one: str, other: str) -> bool:
    """Whether two names lead to one file."""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def to_stdout(data: bytes) -> None:
    """Write to standard output. Raises Closed when its reader went away."""
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[sys.stdout.buffer.write(rest) :]  # unbuffered, a write may take a part only
        sys.stdout.buffer.flush()
    except BrokenPipeError as error:
        raise Closed("") from error


def to_file(target: str, data: bytes, like: str = "") -> None:
    """Write a file, atomically where it is a regular one; a device or a pipe is written as it is. Raises Refused.

    A new file may be read by those who may read the file that it is made of, `like`, and by nobody else.
    """
    path = Path(target)
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
        else:
            _renamed_over(path.resolve(), data, Path(like) if like else None)
    except BrokenPipeError as error:
        raise Closed("") from error
    except OSError as error:
        raise Refused(f"{target} cannot be written: {error.strerror}") from error


def in_place(source: Source, data: bytes) -> Path | None:
    """Put `data` where the document came from; returns the backup, None if nothing changed.

    Raises Refused when the file was written to since it was read, or cannot be written.
    """
    if data == source.stored:
        return None
    path = Path(source.name).resolve()  # through a link: the link stays one
    try:
        if identity(path) != source.seen:
            raise Refused(_STALE.format(name=source.name))
        backup = _backed_up(path)
        try:
            _renamed_over(path, data)
        except BaseException:
            backup.unlink(missing_ok=True)  # the file is as it was, and is its own backup
            raise
    except OSError as error:
        raise Refused(f"{source.name} cannot be written in place: {error.strerror}") from error
    return backup


def _renamed_over(path: Path, data: bytes, like: Path | None = None) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _same_access(path, name, like)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    _sync_folder(path.parent)


def _same_access(path: Path, name: str, like: Path | None) -> None:
    """Mode bits and, where we may, the owner of the file that is replaced.

    A new file gets what the umask leaves of the mode of the file that it is `like`.
    """
    try:
        stat = path.stat()
    except FileNotFoundError:
        mode = like.stat().st_mode if like is not None and like.is_file() else 0o666
        os.chmod(name, mode & 0o666 & ~_umask())
        return
    with contextlib.suppress(OSError, AttributeError):
        os.chown(name, stat.st_uid, stat.st_gid)
    os.chmod(name, stat.st_mode & 0o7777)


def _backed_up(path: Path) -> Path:
    """A second name for the file as it is (a copy where the file system has no links)."""
    for number in count():
        backup = path.with_name(f"{path.name}.bak{number or ''}")
        try:
            os.link(path, backup)
        except FileExistsError:
            continue
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK):
                raise
            if not _copied(path, backup):
                continue
        return backup
    raise AssertionError("numbers do not end")


def _copied(path: Path, backup: Path) -> bool:
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
    """Make the new name last through a power cut, where the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
