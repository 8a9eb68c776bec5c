"""When a host last asked, and what came of it: what shows that an installed plugin really acts.

Rule: only for a host that secateur is installed in, beside the record of the installation. Writing it never fails loud.
"""

from contextlib import suppress
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


def find_host_folder(name: str) -> Path:
    """The folder of a host's record, its backups and its activity."""
    return find_data_folder() / "hosts" / name


def record_activity(folder: Path, activity: Activity) -> None:
    """Keep it."""
    with suppress(OSError):
        if (folder / RECORD).exists():
            (folder / FILE).write_bytes(msgspec.json.encode(activity))


def read_activity(folder: Path) -> Activity | None:
    """What was kept; None if the host never asked."""
    with suppress(OSError, msgspec.MsgspecError):
        return msgspec.json.decode((folder / FILE).read_bytes(), type=prepare_type(Activity))
    return None
