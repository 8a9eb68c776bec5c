"""One installation at a time: an operating system's lock on a file in secateur's data folder.

Rule: the lock ends with the process that holds it, however that ends. The file itself stays, and blocks nothing.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from filelock import FileLock, Timeout

from secateur.errors import ConfigError
from secateur.stores.place import find_data_folder

FILE = "install.lock"
WAIT_S = 3.0  # many times as long as an installation takes to write


@contextmanager
def lock_installations(wait_s: float = WAIT_S) -> Iterator[None]:
    """Hold the lock; another process gets this long to finish. Raises ConfigError."""
    path = find_data_folder() / FILE
    lock = FileLock(path, timeout=wait_s)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock.acquire()
    except Timeout as error:
        raise ConfigError(
            f"another `secateur install` or `uninstall` is running ({path} is locked): wait for it, then run this again"
        ) from error
    except OSError as error:
        raise ConfigError(f"{path} cannot be locked: {error.strerror}; correct that, then run this again") from error
    try:
        yield
    finally:
        lock.release()
