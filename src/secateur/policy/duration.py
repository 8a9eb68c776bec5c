"""Times as hosts write them: `5m`, `1h`, `90s`.

Rule: one reading for configurations and for advice about them. Not a calendar.
"""

import re

_UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3_600, "d": 86_400}
_WRITTEN = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?", re.IGNORECASE)


def parse_seconds(text: str, default_unit: str = "m") -> float | None:
    """Parse a duration into seconds; None if it is not one. A bare number has the default unit."""
    found = _WRITTEN.fullmatch(text.strip())
    return float(found[1]) * _UNITS[(found[2] or default_unit).lower()] if found else None
