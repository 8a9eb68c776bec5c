"""Values that are names: of policies, of formats.

Rule: what names there are depends on what is installed, so they are looked up when a value is checked or a shell asks
for completions, never at import.
"""

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any

import click
from click.shell_completion import CompletionItem

from secateur.defaults import POLICY as DEFAULT

__all__ = ["COUNTER", "DEFAULT", "FORMAT", "POLICY", "PROFILE", "Named"]


class Named(click.ParamType[str]):
    """One of a set of names that is looked up late. `free`: other values (paths) pass too."""

    def __init__(self, name: str, names: Callable[[], Iterable[str]], free: bool = False) -> None:
        self.name = name
        self._names = names
        self._free = free

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if self._free or value in (names := list(self._names())):
            return value
        near = get_close_matches(value, names, 1)
        hint = f"did you mean {near[0]}" if near else f"choose one of {', '.join(names)}"
        raise click.BadParameter(f"there is no {self.name} {value!r}: {hint}", ctx, param)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        # a shell takes names or files, not both
        found = [CompletionItem(name) for name in self._names() if name.startswith(incomplete)]
        return found or ([CompletionItem(incomplete, type="file")] if self._free else [])


def _policies() -> Iterable[str]:
    from secateur import policy

    return policy.names()


def _formats() -> Iterable[str]:
    from secateur import formats

    return formats.names()


def _profiles() -> Iterable[str]:
    from secateur.api import PROFILES

    return PROFILES


def _counters() -> Iterable[str]:
    from secateur.tokens import for_reports

    return for_reports()


POLICY = Named("policy", _policies, free=True)
FORMAT = Named("format", _formats)
PROFILE = Named("profile", _profiles)
COUNTER = Named("counter", _counters)
