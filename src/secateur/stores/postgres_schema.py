"""Bring a schema of a PostgreSQL database to the tables that this version knows: numbered SQL files, as in `migrate`.

Rule: missing migrations are applied in one transaction under a lock, so one of many processes does it and none sees
half of it. A schema that is newer, or that holds tables of another program, is left alone. A released migration is
never changed: the next one is a new file.
"""

from functools import cache
from importlib.resources import files
from typing import Any

import psycopg

from secateur.errors import StoreError

_LOCK = 0x53435452  # held while tables are created; any otherwise unused number
_TABLES = """SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = %s AND c.relkind IN ('r', 'v', 'm', 'p', 'f')"""


@cache
def load_postgres_migrations() -> tuple[tuple[int, str], ...]:
    """Number and text of each migration, in order."""
    folder = files("secateur.stores").joinpath("migrations", "postgres")
    named = sorted((one.name, one.read_text(encoding="utf-8")) for one in folder.iterdir() if one.name.endswith(".sql"))
    return tuple((int(name.partition("_")[0]), text) for name, text in named)


def get_newest_postgres_schema() -> int:
    """The schema that this version writes."""
    return load_postgres_migrations()[-1][0]


def prepare_schema(connection: psycopg.Connection[Any], schema: str, shown: str) -> None:
    """Make a new connection use this schema, whose tables are made or migrated first. Raises StoreError."""
    connection.execute(f"SET search_path TO {schema}; SET client_encoding TO 'UTF8'".encode())
    if _read_version(connection, schema, shown) < get_newest_postgres_schema():
        _migrate(connection, schema, shown)


def _read_version(connection: psycopg.Connection[Any], schema: str, shown: str) -> int:
    """The schema's newest migration; 0 for an empty one, and for one that is not there."""
    if "schema_version" not in _list_tables(connection, schema):
        return 0
    row = connection.execute(b"SELECT number FROM schema_version").fetchone()
    have: int = row[0] if row else 0
    if have > get_newest_postgres_schema():
        raise StoreError(
            f"the store {shown} has schema {have}, and this version of secateur knows {get_newest_postgres_schema()}: "
            "update secateur, or name another store with --store"
        )
    return have


def _migrate(connection: psycopg.Connection[Any], schema: str, shown: str) -> None:
    with connection.transaction():
        connection.execute(f"SELECT pg_advisory_xact_lock({_LOCK})".encode())
        have = _read_version(connection, schema, shown)  # another process may have been quicker
        if not have:
            _make_schema(connection, schema, shown)
        for number, text in load_postgres_migrations():
            if number > have:
                connection.execute(text.encode())
                connection.execute("UPDATE schema_version SET number = %s", (number,))


def _make_schema(connection: psycopg.Connection[Any], schema: str, shown: str) -> None:
    """An empty schema with its version."""
    there = connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", (schema,)).fetchone()
    if not there:  # creating an existing one requires rights that a user may lack
        connection.execute(f"CREATE SCHEMA {schema}".encode())
    if _list_tables(connection, schema):
        raise StoreError(
            f"the schema {schema!r} of {shown} holds tables of another program: name another one with ?schema=NAME"
        )
    connection.execute(b"CREATE TABLE schema_version (number INTEGER NOT NULL)")
    connection.execute(b"INSERT INTO schema_version VALUES (0)")


def _list_tables(connection: psycopg.Connection[Any], schema: str) -> list[str]:
    return [name for (name,) in connection.execute(_TABLES, (schema,))]
