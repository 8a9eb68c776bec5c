"""Install secateur into a host and uninstall it: the files written, their backups, and the record of both.

Rule: the backup and the record are complete before the first file of the user is touched. A file that was not changed
since is restored byte for byte; from any other only secateur's part is removed. Links keep their targets. A file that
cannot be restored is kept, with its backup, and the others are restored. Backups are readable by their owner only.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from secateur.decoding import prepare_type
from secateur.errors import ConfigError
from secateur.hosts.changes import FileChange, OwnFile
from secateur.hosts.host import InstallableHost, InstallOptions

RECORD = "installed.json"
What = Literal["create", "change", "replace", "keep"]


class PlannedFile(Struct, frozen=True):
    """One file as it will be."""

    path: str
    what: What
    text: str


class InstalledFile(Struct, frozen=True):
    """One file as it was written, and what was there before."""

    change: FileChange
    written: str  # SHA-256 of its bytes
    backup: str = ""  # name in the record's folder; "": there was no file
    folders: tuple[str, ...] = ()  # that were made for it, the innermost first


class Installed(Struct, frozen=True, kw_only=True):
    """The record of an installation."""

    version: int = 1
    host: str
    secateur: str  # its version
    policy: str
    command: tuple[str, ...]
    summarizers: tuple[str, ...] = ()
    shorten_results: bool = False
    variables: dict[str, str] = {}
    files: tuple[InstalledFile, ...]
    notes: tuple[str, ...] = ()  # what a person has to know of an earlier installation's files


class RestoredFile(Struct, frozen=True):
    """The result for one file when the host was uninstalled."""

    path: str
    result: Literal["restored", "removed", "edited", "kept"]  # edited: only our part was taken out
    text: str = ""  # in words, where a person has to know more
    kept_as: str = ""  # where an edited file of ours is now


def preview(host: InstallableHost, options: InstallOptions, folder: Path) -> list[PlannedFile]:
    """The files that installing would write. Raises ConfigError."""
    found = []
    installed = read_record(folder)
    for change in host.plan(options):
        path = Path(change.path)
        before, now = _read_before(change, installed, folder), _read(path)
        after = change.render(before)
        replaces: What = "replace" if isinstance(change, OwnFile) else "change"
        what: What = "create" if now is None else "keep" if now == after else replaces
        found.append(PlannedFile(change.path, what, after.decode("utf-8", "replace")))
    return found


def install(host: InstallableHost, options: InstallOptions, folder: Path, version: str) -> Installed:
    """Write what the host's plan says, or nothing. An earlier installation is taken out first. Raises ConfigError."""
    changes = host.plan(options)
    earlier = uninstall(folder) if read_record(folder) is not None else []
    for file in earlier:
        if file.result == "kept":
            raise ConfigError(file.text)
    before = {change.path: _read_before(change, None, folder) for change in changes}
    after = {change.path: change.render(before[change.path]) for change in changes}  # all can be made, or none is
    with _explain(folder, "made"):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    files = tuple(
        _keep_before(change, f"{number}.backup", before[change.path], after[change.path], folder)
        for number, change in enumerate(changes)
    )
    record = Installed(
        host=host.name,
        secateur=version,
        policy=options.resolve_policy(host.default_policy),
        command=options.command,
        summarizers=options.summarizers,
        shorten_results=options.shorten_results,
        variables={name: options.environment[name] for name in host.variables if options.environment.get(name)},
        files=files,
        notes=tuple(f"{file.path}: {file.text}" for file in earlier if file.kept_as),
    )
    _write(folder / RECORD, msgspec.json.encode(record), 0o600)
    try:
        for change in changes:
            is_program = isinstance(change, OwnFile) and change.is_program
            _write(Path(change.path), after[change.path], 0o755 if is_program else 0o644)
    except ConfigError:
        uninstall(folder)
        raise
    return record


def uninstall(folder: Path) -> list[RestoredFile]:
    """Take out what the record says was written. Raises ConfigError if nothing was."""
    record = read_record(folder)
    if record is None:
        raise ConfigError(f"nothing is installed: there is no {folder / RECORD}")
    done = [_restore(file, folder) for file in reversed(record.files)]
    if all(each.result != "kept" for each in done):
        with _explain(folder, "removed"):
            shutil.rmtree(folder)
        with suppress(OSError):
            folder.parent.rmdir()
    return done[::-1]


def read_record(folder: Path) -> Installed | None:
    """The record of an installation; None if there is none. Raises ConfigError if it cannot be read."""
    data = _read(folder / RECORD)
    if data is None:
        return None
    try:
        return msgspec.json.decode(data, type=prepare_type(Installed))
    except msgspec.MsgspecError as error:
        remedy = "restore the files from the backups beside it, then remove the folder"
        raise ConfigError(f"{folder / RECORD} cannot be read ({error}): {remedy}") from error


def find_changed_files(record: Installed) -> list[str]:
    """List files that are missing or differ from what was written."""
    return [file.change.path for file in record.files if _hash(_read(Path(file.change.path))) != file.written]


def _keep_before(change: FileChange, name: str, before: bytes | None, after: bytes, folder: Path) -> InstalledFile:
    if before is not None:
        _write(folder / name, before, Path(change.path).stat().st_mode & 0o700)
    missing = tuple(str(parent) for parent in Path(change.path).parents if not parent.exists())
    return InstalledFile(change, _hash(after), name if before is not None else "", missing)


def _restore(file: InstalledFile, folder: Path) -> RestoredFile:
    """Restore one file. What is in the way of it is the reason why it is kept."""
    try:
        return _take_out(file, folder)
    except ConfigError as error:
        return RestoredFile(file.change.path, "kept", str(error))


def _take_out(file: InstalledFile, folder: Path) -> RestoredFile:
    path, before, now = Path(file.change.path), _read_backup(file, folder), _read(Path(file.change.path))
    if now == before:  # it was never written, or someone restored it
        _remove_folders(file.folders)
        if now is None:
            return RestoredFile(str(path), "removed", "it was already deleted")
        return RestoredFile(str(path), "restored", "it was already in its earlier state")
    untouched = _hash(now) == file.written
    left, note, aside = before, "", ""
    if not untouched and now is not None:
        left = file.change.strip(now, before)
        if isinstance(file.change, OwnFile):
            aside = str(_keep_aside(now, folder))
            note = f"it was changed after the installation: that version is {aside}"
    if left is None:
        with _explain(path, "removed"):
            (path.resolve() if untouched else path).unlink(missing_ok=True)
        _remove_folders(file.folders)
        return RestoredFile(str(path), "removed", note, aside)
    _write(path, left, (folder / file.backup).stat().st_mode if file.backup else 0o644)
    return RestoredFile(str(path), "restored" if untouched or left == before else "edited", note, aside)


def _keep_aside(data: bytes, folder: Path) -> Path:
    """Keep an edited file of ours outside the record's folder, which goes."""
    handle, name = tempfile.mkstemp(prefix=f"{folder.name}-", suffix=".edited", dir=folder.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    return Path(name)


def _read_before(change: FileChange, installed: Installed | None, folder: Path) -> bytes | None:
    """The content of a file without an earlier installation, recorded or not."""
    now = _read(Path(change.path))
    if now is None:
        return None
    for file in installed.files if installed else ():
        if file.change.path == change.path:
            before = _read_backup(file, folder)
            return before if _hash(now) == file.written else file.change.strip(now, before)
    return change.strip_unrecorded(now)


def _read_backup(file: InstalledFile, folder: Path) -> bytes | None:
    """The earlier content; None if there was no file. Raises ConfigError if the backup is missing."""
    before = _read(folder / file.backup) if file.backup else None
    if file.backup and before is None:
        raise ConfigError(
            f"the backup {folder / file.backup} is gone: remove secateur's lines from {file.change.path} by hand, "
            f"then remove {folder}"
        )
    return before


def _remove_folders(folders: tuple[str, ...]) -> None:
    with suppress(OSError):  # a folder that is not empty stays, and so do its parents
        for folder in folders:
            Path(folder).rmdir()


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}; correct that, then run this again") from error


def _write(path: Path, data: bytes, mode: int) -> None:
    """Write next to the file and rename over it. Links and the mode bits of an existing file are kept."""
    real = path.resolve()
    with _explain(path, "written"):
        real.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".secateur-", dir=real.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.chmod(name, (real.stat().st_mode if real.exists() else mode) & 0o7777)
            os.replace(name, real)
        except BaseException:
            os.unlink(name)
            raise


@contextmanager
def _explain(path: Path, done: str) -> Iterator[None]:
    """Say what cannot be done with a file, in place of the system's error. Raises ConfigError."""
    try:
        yield
    except OSError as error:
        raise ConfigError(f"{path} cannot be {done}: {error.strerror}; correct that, then run this again") from error


def _hash(data: bytes | None) -> str:
    return "" if data is None else sha256(data).hexdigest()
