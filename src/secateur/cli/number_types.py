"""Numbers on the command line: whole ones, decimals and times, between bounds.

Rule: what is no such number is refused with what to write, never in the words of a parser.
"""

import math
from typing import Any

import click


class DurationType(click.ParamType[float]):
    """A time in seconds, or with a unit: `90`, `90s`, `5m`, `2h`, `1d`."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        from secateur.text.durations import parse_seconds

        found = parse_seconds(str(value), "s")
        return found if found is not None else self.fail(f"{value!r} is not a time: write 90, 5m or 2h", param, ctx)


class NumberType(click.IntRange):
    """A whole number between two bounds."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            return int(super().convert(value, param, ctx))
        except click.BadParameter:
            bounds = f"from {self.min} up" if self.max is None else f"from {self.min} to {self.max}"
            self.fail(f"{value!r} is not a whole number {bounds}: write digits alone, as in 2000", param, ctx)


class DecimalType(click.FloatRange):
    """A number from a bound up, with or without decimals."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            found = float(super().convert(value, param, ctx))
        except click.BadParameter:
            found = math.nan
        if math.isnan(found):
            bounds = f"above {self.min:g}" if self.min_open else f"from {self.min:g} up"
            self.fail(f"{value!r} is not a number {bounds}: write it as in 7 or 0.5", param, ctx)
        return found
