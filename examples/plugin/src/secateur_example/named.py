"""A store: `named://work` is a SQLite file of that name in the user's folder for secateur-example."""

from pathlib import Path

from secateur.plugins import ConfigError, Store, open_store


def open_named(url: str, folder: Path | None = None) -> Store:
    """The store of a name. Raises ConfigError for an address without one."""
    name = url.removeprefix("named://")
    if not name.isidentifier():
        raise ConfigError(f"{url!r} names no store: write named://NAME with letters, digits and _")
    folder = folder or Path.home() / ".secateur-example"
    folder.mkdir(parents=True, exist_ok=True)
    return open_store(f"sqlite://{folder}/{name}.db")
