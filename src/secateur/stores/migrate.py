"""Bring a store's file to the schema that this version knows: numbered SQL files, each applied once, in order.

Missing migrations are applied in one transaction that locks the file, so one of many processes does it and none sees
half of it. A file of a newer schema, of one older than the first migration, or of another program is left alone. A
released migration is never changed: the next one is a new file.
"""

import sqlite3
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path

from secateur.errors import StoreError

APPLICATION = 0x53435452  # "SCTR": distinguishes a store's file from other databases


@cache
def load_migrations() -> tuple[tuple[int, str], ...]:
    """Number and text of each migration, in order."""
    folder = files("secateur.stores").joinpath("migrations")
    named = sorted((one.name, one.read_text(encoding="utf-8")) for one in folder.iterdir() if one.name.endswith(".sql"))
    return tuple((int(name.partition("_")[0]), text) for name, text in named)


def get_newest_schema() -> int:
    """The schema that this version writes."""
    return load_migrations()[-1][0]


def read_schema(connection: sqlite3.Connection, path: Path) -> int:
    """The schema of a file, 0 for an empty one. Raises StoreError for one that cannot be read."""
    connection.execute("BEGIN")  # what is read is of one moment
    try:
        return _check_schema(connection, path)
    finally:
        connection.execute("ROLLBACK")


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Apply what is missing, if the file is one that `read_schema` lets pass."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        have = _check_schema(connection, path)  # another process may have been quicker
        for number, text in load_migrations():
            if number > have:
                for statement in _split_statements(text):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {number}")
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _check_schema(connection: sqlite3.Connection, path: Path) -> int:
    have, owner = _number(connection, "user_version"), _number(connection, "application_id")
    tables: int = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if owner != APPLICATION and (owner or have or tables):
        raise StoreError(f"{path} is a database of another program: name another store with --store")
    if 0 < have < load_migrations()[0][0]:
        raise StoreError(
            f"the store {path} was written by an older version of secateur (schema {have}) and is not read any more: "
            "move the file away and a new one is made, or name another store with --store"
        )
    if have > get_newest_schema():
        raise StoreError(
            f"the store {path} has schema {have}, and this version of secateur knows {get_newest_schema()}: "
            "update secateur, or name another store with --store"
        )
    return have


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    number: int = connection.execute(f"PRAGMA {pragma}").fetchone()[0]
    return number


def _split_statements(text: str) -> Iterator[str]:
    statement = ""
    for line in text.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
