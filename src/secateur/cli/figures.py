"""How figures are written for people.

Rule: digits in groups of three, shares in whole per cent, times in the unit a person would use.
"""


def tokens(count: int) -> str:
    """Digits in groups of three."""
    return f"{count:,}"


def percent(part: int, whole: int) -> str:
    """A share of a whole; what is almost nothing or almost all is not rounded to it; a dash where there is no whole."""
    if not whole:
        return "-"
    if 0 < abs(part) < whole / 100:
        return "<1 %" if part > 0 else "0 %"
    if whole * 0.99 < part < whole:
        return ">99 %"
    return f"{100 * part / whole:.0f} %"


def duration(seconds: float) -> str:
    """A time as a person says it."""
    for size, unit in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{seconds:,.0f} s"
