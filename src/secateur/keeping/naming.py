"""Names of sessions that nobody named, and what a session needs a name or an owner for.

Rule: two sessions with the same history cannot be told apart by it. So what sessions share by lineage is epochs; pins,
the cache clock, calibrations and undo belong to a session that its caller named, or to a tenant, who owns all of his.
"""

import re

from secateur.errors import ConfigError
from secateur.lineage import digest
from secateur.stores.protocol import Who

UNNAMED = "unnamed-"  # what names begin with that are made of a history
_DIGITS = 16  # hex digits that follow
_MADE = re.compile(rf"{UNNAMED}[0-9a-f]{{{_DIGITS}}}")


def made_name(key: str, number: int) -> str:
    """The name of the session whose history ended in this key when it began; `number` tells several apart."""
    return UNNAMED + digest(f"{key} {number}" if number else key)[:_DIGITS]


def is_owned(who: Who) -> bool:
    """Whether a session is somebody's: it has a tenant, or a name that its caller gave."""
    return bool(who.tenant) or not _MADE.fullmatch(who.session)


def is_open(who: Who) -> bool:
    """Whether a request without a name may go on there: not where a caller's name stands and no tenant owns both."""
    return bool(who.tenant) or bool(_MADE.fullmatch(who.session))


def owned(who: Who, what: str) -> Who:
    """The same session. Raises ConfigError where it is nobody's."""
    if is_owned(who):
        return who
    raise ConfigError(
        f"session {who.session!r} is named after its history, which another session may share: {what} needs a name "
        "(session='...' in the library, --session on the command line) or an owner (tenant)"
    )
