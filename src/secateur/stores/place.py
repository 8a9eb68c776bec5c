"""The default location of the store, and its retention: from the environment, else by rule.

Rule: it names a place and creates nothing there.
"""

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from secateur.errors import ConfigError

VARIABLE = "SECATEUR_STORE"
KEEPING = "SECATEUR_RETENTION_DAYS"
RETENTION_DAYS = 30.0  # long enough to come back to a session after a month away
KEEPING_RECEIPTS = "SECATEUR_RECEIPT_DAYS"
RECEIPT_DAYS = 90.0  # a quarter: longer than bytes, since they hold none and answer questions about a bill
FILE = "secateur.db"
_PUBLIC = re.compile(r"(schema|timeout_s|connections|synchronous|host|port|dbname|user|sslmode|tenant_mb)=|[^=]*$")


def get_default_url(environ: Mapping[str, str] | None = None) -> str:
    """The address of the store for commands and engines that name none."""
    said = (os.environ if environ is None else environ).get(VARIABLE, "")
    path = (find_data_folder() / FILE).as_posix()
    return said or f"sqlite:///{path.lstrip('/')}"


def hide_password(url: str) -> str:
    """The address as it may be shown: without the password, and without values of options that may be secret."""
    start, mark, asked = url.partition("?")
    name, colon, rest = start.partition("://")
    if "@" in asked:  # a password that is not percent-encoded
        return f"{name}://***"
    user, at, host = rest.rpartition("@")
    if at and ":" in user:
        user = f"{user.partition(':')[0]}:***"
    shown = (each if _PUBLIC.match(each) else f"{each.partition('=')[0]}=***" for each in asked.split("&"))
    return f"{name}{colon}{user}{at}{host}{mark}{'&'.join(shown) if mark else ''}" if colon else url


def get_retention_s(environ: Mapping[str, str] | None = None) -> float:
    """The retention of an idle session's bytes, in seconds: `SECATEUR_RETENTION_DAYS`, else 30 days."""
    return _read_seconds(KEEPING, RETENTION_DAYS, os.environ if environ is None else environ)


def get_receipt_retention_s(environ: Mapping[str, str] | None = None) -> float:
    """The retention of receipts, in seconds: `SECATEUR_RECEIPT_DAYS`, else 90 days."""
    return _read_seconds(KEEPING_RECEIPTS, RECEIPT_DAYS, os.environ if environ is None else environ)


def _read_seconds(name: str, default: float, environ: Mapping[str, str]) -> float:
    said = environ.get(name, "")
    try:
        days = float(said) if said else default
    except ValueError:
        days = -1.0
    if not days >= 0:
        raise ConfigError(f"{name}={said} is not a number of days: write one from 0, as in {name}={default:g}")
    return days * 86_400


def find_data_folder() -> Path:
    """The user's data folder for this program, by platformdirs; without it, by the same rules."""
    try:
        from platformdirs import user_data_path
    except ImportError:
        return _find_data_home() / "secateur"
    return user_data_path("secateur", appauthor=False)


def _find_data_home() -> Path:
    home = Path.home()
    if sys.platform == "darwin":
        return home / "Library" / "Application Support"
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    said = os.environ.get("XDG_DATA_HOME", "")
    return Path(said) if said.strip() else home / ".local" / "share"
