"""The location and options of a PostgreSQL store, read from its address.

Rule: an invalid address is an error that shows no part of a password, raised before anything is opened.
"""

import math
import re
from urllib.parse import parse_qsl, urlencode, urlsplit

import psycopg
from msgspec import Struct

from secateur.errors import ConfigError
from secateur.stores.place import hide_password

_SCHEMA = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_OPTIONS = {"schema": "secateur", "timeout_s": "30", "connections": "8"}


class PostgresAddress(Struct, frozen=True):
    """The location and options of a store."""

    url: str  # as the driver takes it
    shown: str  # without its password
    password: str
    schema: str
    timeout_s: float  # how long those who can wait do
    connections: int  # at most, of one process


def parse_address(url: str) -> PostgresAddress:
    """Parse `postgresql://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME`. Raises ConfigError."""
    shown, (start, _, asked) = hide_password(url), url.partition("?")
    options = dict(parse_qsl(asked, keep_blank_values=True))
    own = {name: options.pop(name, default) for name, default in _OPTIONS.items()}
    if not _SCHEMA.fullmatch(own["schema"]):
        raise ConfigError(
            f"{own['schema']!r} is not a valid schema name: use lower-case letters, digits and underscores"
        )
    try:
        timeout_s, connections = float(own["timeout_s"]), int(own["connections"])
        userinfo = urlsplit(start).netloc.rpartition("@")[0]
        if not (0 <= timeout_s < math.inf and connections > 0) or "@" in userinfo:
            raise ValueError
        rest = f"{start}?{urlencode(options)}" if options else start
        password = psycopg.conninfo.conninfo_to_dict(rest).get("password") or ""
    except (ValueError, psycopg.Error):  # its text may show parts of a password
        raise ConfigError(
            f"{shown} is not an address of a database: write postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with "
            "characters such as @ : / of the password percent-encoded; secateur's own options are "
            f"{', '.join(_OPTIONS)}"
        ) from None
    return PostgresAddress(rest, shown, str(password), own["schema"], timeout_s, connections)
