"""Figures for people.

Rule: digits in groups of three, shares in whole percent, times in the usual unit.
"""

from datetime import datetime

from secateur.text.durations import describe_duration
from secateur.usage import UsageBill


def format_count(count: int) -> str:
    """Digits in groups of three."""
    return f"{count:,}"


def abbreviate(count: int) -> str:
    """A large number in at most five characters: 842, 56.6k, 183k, 1.2M."""
    for unit, factor in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if count >= 0.9995 * factor:
            return f"{count / factor:.0f}{unit}" if count >= 99.95 * factor else f"{count / factor:.1f}{unit}"
    return f"{count}"


def abbreviate_short(count: int) -> str:
    """A large number in at most four characters: 842, 57k, 183k, 1.2M, 45M."""
    if count < 0:
        return f"−{abbreviate_short(-count)}"
    for unit, factor in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if count >= 0.9995 * factor:
            return f"{count / factor:.0f}{unit}" if count >= 9.95 * factor else f"{count / factor:.1f}{unit}"
    return f"{count}"


def format_percent(part: int, whole: int) -> str:
    """Format a share of a whole; never rounded to 0% or 100%; a dash if there is no whole."""
    if not whole:
        return "-"
    if 0 < abs(part) < whole / 100:
        return "<1 %" if part > 0 else "0 %"
    if whole * 0.99 < part < whole:
        return ">99 %"
    return f"{100 * part / whole:.0f} %"


def format_duration(seconds: float) -> str:
    """A duration in the unit a person would use."""
    return describe_duration(seconds)


def format_time(at: int) -> str:
    """A time in ms since 1970, in the local time zone."""
    return datetime.fromtimestamp(at / 1000).astimezone().strftime("%Y-%m-%d %H:%M:%S") if at else "unknown"


def format_bytes(count: float) -> str:
    """Bytes in the unit a person would use."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            return f"{count / factor:,.1f} {unit}"
    return f"{count:,.0f} B"


def format_dollars(dollars: float) -> str:
    """Dollars; small amounts with their significant digits."""
    if dollars < 0.0001:
        return "less than $0.0001"
    return f"${dollars:,.2f}" if dollars >= 0.1 else f"${dollars:.2g}"


def describe_recall_rounds(rounds: UsageBill) -> str:
    """The cost of read-backs in a proxy's own requests; "" if there were none."""
    if not rounds.answers:
        return ""
    tokens = format_count(rounds.usage.taken + rounds.usage.output)
    cost = f", {format_dollars(rounds.dollars)}: this is subtracted from the savings" if rounds.dollars else ""
    return f"Models read removed texts back in {pluralize(rounds.answers, 'further request')} of {tokens} tokens{cost}."


def format_dollar_cell(dollars: float) -> str:
    """Dollars in a column; next to nothing is zero."""
    return format_dollars(dollars) if abs(dollars) >= 0.0001 else "$0.00"


def pluralize(count: int, what: str) -> str:
    """A count with its noun."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def format_signed_dollars(dollars: float) -> str:
    """Dollars with a sign: spent, or saved."""
    if not dollars:
        return "$0"
    return f"+{format_dollars(dollars)}" if dollars > 0 else f"−{format_dollars(-dollars)}"


def format_dollar_share(part: float, whole: float) -> str:
    """A share of dollars."""
    return format_percent(round(part * 1e6), round(whole * 1e6))


def format_net_dollars(dollars: float) -> str:
    """Dollars that may be zero or negative."""
    if abs(dollars) < 5e-5:
        return "$0"
    return format_dollars(dollars) if dollars > 0 else f"−{format_dollars(-dollars)}"


def format_change(share_: float) -> str:
    """The difference of a cost from the unpruned one; small differences with one more digit."""
    more = 100 * (share_ - 1)
    return "" if abs(more) < 0.05 else f"{more:+.{1 if abs(more) < 9.95 else 0}f}%".replace("-", "−")


def format_share(value: float) -> str:
    """A share as a percentage; with one digit unless it is 0 or 1."""
    return f"{100 * value:.0f}%" if value in (0, 1) else f"{min(100 * value, 99.9):.1f}%"
