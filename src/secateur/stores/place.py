"""Where the store is when nobody says: `SECATEUR_STORE`, else a file in the user's data folder.

Rule: it names a place and makes nothing there.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

VARIABLE = "SECATEUR_STORE"
FILE = "secateur.db"


def default_url(environ: Mapping[str, str] | None = None) -> str:
    """The address of the store for commands and engines that name none."""
    said = (os.environ if environ is None else environ).get(VARIABLE, "")
    return (
        said or f"sqlite://{(_folder() / FILE).as_posix() if os.name != 'nt' else '/' + (_folder() / FILE).as_posix()}"
    )


def _folder() -> Path:
    """The user's data folder for this program, by platformdirs; without it, by the rules that it follows."""
    try:
        from platformdirs import user_data_path
    except ImportError:
        return _by_rule() / "secateur"
    return user_data_path("secateur", appauthor=False)


def _by_rule() -> Path:
    home = Path.home()
    if sys.platform == "darwin":
        return home / "Library" / "Application Support"
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    said = os.environ.get("XDG_DATA_HOME", "")
    return Path(said) if said.strip() else home / ".local" / "share"
