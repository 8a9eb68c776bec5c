"""Durations as text: parsed as hosts write them (`5m`, `1h`, `90s`), and formatted for sentences about pauses.

Rule: a formatted duration has one unit, the largest that gives at least two.
"""

import re

_NAMES = ((86_400, "days"), (3_600, "h"), (60, "min"))

_UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3_600, "d": 86_400}
_WRITTEN = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?", re.IGNORECASE)


def describe_duration(seconds: float) -> str:
    """Format seconds in days, hours, minutes or seconds: `311 days`, `5 min`, `90 s`."""
    for size, unit in _NAMES:
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{seconds:,.0f} s"


def parse_seconds(text: str, default_unit: str = "m") -> float | None:
    """Parse a duration into seconds; None if it is not one. A bare number has the default unit."""
    found = _WRITTEN.fullmatch(text.strip())
    return float(found[1]) * _UNITS[(found[2] or default_unit).lower()] if found else None
