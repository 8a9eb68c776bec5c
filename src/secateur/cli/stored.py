"""What `doctor` says of the store: where it is, how large, how it grows, and what is let go when.

Rule: a store that is not there yet is not made, and one that cannot be used is said, not raised.
"""

import os
from collections.abc import Iterator

from msgspec import Struct

from secateur.cli.figures import duration
from secateur.errors import StoreError
from secateur.stores import default_url, open_store, receipts_s, retention_s
from secateur.stores.place import KEEPING, KEEPING_RECEIPTS, VARIABLE
from secateur.stores.protocol import Sizes, Store
from secateur.stores.sqlite import SqliteStore

DAY_MS = 86_400_000


class Stored(Struct, frozen=True):
    """The store as it is."""

    url: str
    source: str  # who named it
    retention_s: float
    retention_source: str
    receipts_s: float
    sizes: Sizes | None = None  # null: not there yet, or it cannot be used
    bytes_a_day: float | None = None  # since the oldest session; null: less than a day old
    trouble: str = ""


def stored(said: str, now: int) -> Stored:
    """Look at the store that `--store` names, else at the default one. `now` is in ms since 1970."""
    source = "--store" if said else VARIABLE if os.environ.get(VARIABLE) else "the user's data folder"
    keeps = KEEPING if os.environ.get(KEEPING) else "default"
    known = (said or default_url(), source, retention_s(), keeps, receipts_s())
    store = open_store(known[0])
    try:
        sizes = _sizes(store)
    except StoreError as error:
        return Stored(*known, trouble=str(error))
    finally:
        store.close()
    days = (now - sizes.oldest) / DAY_MS if sizes and sizes.oldest else 0.0
    grown = (sizes.file_bytes or sizes.stored_bytes) / days if sizes and days >= 1 else None
    return Stored(*known, sizes=sizes, bytes_a_day=grown)


def rows(one: Stored) -> Iterator[tuple[str, str, str]]:
    """As a table: what, how much, from where."""
    yield ("at", one.url, one.source)
    yield ("bytes of untouched sessions", f"kept {duration(one.retention_s)}", one.retention_source)
    yield (
        "receipts",
        f"kept {duration(one.receipts_s)}",
        KEEPING_RECEIPTS if os.environ.get(KEEPING_RECEIPTS) else "default",
    )
    sizes = one.sizes
    if one.trouble:
        yield ("holds", "unknown: see the advice", "")
    elif sizes is None:
        yield ("holds", "nothing yet", "")
    else:
        yield ("holds", f"{sizes.sessions:,} sessions, {sizes.receipts:,} receipts, {sizes.epochs:,} epochs", "")
        kept = f"{sizes.blobs:,} removed texts, {_mb(sizes.blob_bytes)} as they were"
        yield ("bytes", f"{kept}, {_mb(sizes.stored_bytes)} compressed", "")
        yield ("file", f"{_mb(sizes.file_bytes)}, {_mb(sizes.free_bytes)} of it free, schema {sizes.schema}", "")
        growth = "less than a day old" if one.bytes_a_day is None else f"{_mb(one.bytes_a_day)} a day"
        yield ("growth", growth, "")


def _sizes(store: Store) -> Sizes | None:
    if isinstance(store, SqliteStore) and not store.path.exists():
        return None
    return store.sizes()


def _mb(size: float) -> str:
    return f"{size / 1e6:,.1f} MB"
