"""When a host last sent a request, and its result: the evidence that an installed plugin works.

Rule: only for a host that secateur is installed in, next to the record of the installation. Writing it never raises.
"""

import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct

from secateur.decoding import prepare_type
from secateur.hosts.installation import RECORD
from secateur.stores.place import find_data_folder

FILE = "activity.json"


class Activity(Struct, frozen=True, kw_only=True):
    """The last process that served the host."""

    at_ms: int  # of its last request, since 1970
    requests: int = 0  # that it was asked about
    edited: int = 0  # of these, that were sent otherwise than they came
    error: str = ""  # the last one; "": none


def find_host_folder(name: str, project: Path | None = None) -> Path:
    """The folder of a host's record, its backups and its activity; for a host in a project, that of the project."""
    mark = f"-{sha256(os.fsencode(project)).hexdigest()[:16]}" if project else ""
    return find_data_folder() / "hosts" / f"{name}{mark}"


def find_project_folders(name: str) -> list[Path]:
    """The same for all projects that a host is installed in."""
    return sorted(record.parent for record in (find_data_folder() / "hosts").glob(f"{name}-*/{RECORD}"))


def record_activity(folder: Path, activity: Activity) -> None:
    """Keep it."""
    with suppress(OSError):
        if (folder / RECORD).exists():
            (folder / FILE).write_bytes(msgspec.json.encode(activity))


def read_activity(folder: Path) -> Activity | None:
    """Read the stored activity; None if the host never sent a request."""
    with suppress(OSError, msgspec.MsgspecError):
        return msgspec.json.decode((folder / FILE).read_bytes(), type=prepare_type(Activity))
    return None
