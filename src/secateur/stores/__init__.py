"""Where sessions are kept beyond one request, and beyond one process: stores, by address.

    store = open_store("sqlite:///~/agents.db")

Rule: one store, one file, one line in `STORES`; those of plugins are opened by the scheme of their addresses. The
guarantees of a store are in `protocol`, and `secateur.testing` tests them.
"""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qsl, unquote

from secateur.errors import ConfigError
from secateur.registry import Registry, make_callable_check
from secateur.stores.place import get_default_url, get_receipt_retention_s, get_retention_s, hide_password
from secateur.stores.protocol import Store

__all__ = ["STORES", "get_default_url", "get_receipt_retention_s", "get_retention_s", "hide_password", "open_store"]

Opens = Callable[[str], Store]


def open_store(url: str = "") -> Store:
    """The store at an address: `memory://`, `sqlite:///absolute/path`, `sqlite:///~/path`, `postgresql://...`.

    Without one, the default's. `postgres://` means the same as `postgresql://`. Options follow a `?`: of sqlite
    `synchronous=normal` and `timeout_s=10`; of postgresql `schema=NAME`, `timeout_s=10`, `connections=8`, and the
    driver's own. Nothing is opened before it is needed. Raises ConfigError for an address that cannot be.
    """
    url = url or get_default_url()
    name, colon, rest = url.partition("://")
    if colon and name == "postgres":  # as many services write it
        name, url = "postgresql", f"postgresql{colon}{rest}"
    if not colon:
        raise ConfigError(
            f"{hide_password(url)!r} is not an address of a store: write sqlite:///{url.lstrip('/')} for a file"
        )
    opens = STORES.get(name)
    if opens is None:
        raise ConfigError(f"unknown store {name!r}: choose from {', '.join(sorted(STORES.list_names()))}")
    return opens(url)


def _open_memory(url: str) -> Store:
    from secateur.stores.memory import MemoryStore

    return MemoryStore()


def _open_sqlite(url: str) -> Store:
    from secateur.stores.sqlite import SqliteStore

    rest, _, asked = url.removeprefix("sqlite://").partition("?")
    options = dict(parse_qsl(asked, keep_blank_values=True))
    synchronous, timeout = options.pop("synchronous", "full"), options.pop("timeout_s", "30")
    if options:
        raise ConfigError(f"a sqlite store has no option {next(iter(options))!r}: there are synchronous and timeout_s")
    try:
        timeout_s = float(timeout)
    except ValueError as error:
        raise ConfigError(f"timeout_s={timeout} is not a number of seconds: write it as in timeout_s=5") from error
    return SqliteStore(_parse_path(unquote(rest), url), synchronous=synchronous, timeout_s=timeout_s)


def _open_postgres(url: str) -> Store:
    try:
        from secateur.stores.postgres import PostgresStore
    except ImportError as error:
        raise ConfigError(f"a PostgreSQL store needs a driver ({error}): pip install 'secateur[postgres]'") from error
    return PostgresStore(url)


def _parse_path(rest: str, url: str) -> Path:
    """Parse a path: `/~/x` is in the home folder, `/C:/x` on a drive, `/x` and `//x` from the root."""
    if not rest.startswith("/") or not rest.strip("/"):
        raise ConfigError(f"{url!r} has no file name: write sqlite:///absolute/path or sqlite:///~/path")
    plain = rest.lstrip("/")
    at_home, on_drive = plain.startswith("~"), plain[1:2] == ":"
    return Path(plain).expanduser() if at_home or on_drive else Path(f"/{plain}")


STORES: Registry[Opens] = Registry(
    "stores",
    {
        "memory": "secateur.stores:_open_memory",
        "sqlite": "secateur.stores:_open_sqlite",
        "postgresql": "secateur.stores:_open_postgres",
    },
    make_callable_check("the address of a store"),
)
