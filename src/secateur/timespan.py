"""A time as a person says it, for sentences that tell of pauses.

Rule: one unit, the largest of which there are two at least.
"""

_UNITS = ((86_400, "days"), (3_600, "h"), (60, "min"))


def describe_duration(seconds: float) -> str:
    """Format seconds in days, hours, minutes or seconds: `311 days`, `5 min`, `90 s`."""
    for size, unit in _UNITS:
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{seconds:,.0f} s"
