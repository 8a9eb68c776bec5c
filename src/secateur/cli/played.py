"""Recorded sessions from files, each under every policy that was asked for.

Rule: a file that cannot be read ends the command; so does a model without a price, by name. Of a file that holds
several conversations each is a session of its own.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from secateur.cli.exits import Refused
from secateur.cli.source import read
from secateur.cli.terms import Priced, Terms, terms_of
from secateur.cli.unread import unread
from secateur.errors import FormatError
from secateur.policy import Policy, load
from secateur.simulate.requests import Recording, recorded
from secateur.simulate.several import conversations

if TYPE_CHECKING:
    from secateur.simulate.compare import Comparison


class Settings(Struct, frozen=True, kw_only=True):
    """How files are read and priced, and which policies are played."""

    priced: Priced
    policies: tuple[str, ...]
    window: int | None = None
    format_name: str | None = None
    fixed_tokens: int = 0
    compactions: bool = True  # the host's own; False: as if it had made none
    compact: bool = True  # where a policy does; False: it only prunes

    def policy(self, name: str) -> Policy:
        """A policy as it is played."""
        made = load(name)
        return made if self.compact else replace(made, compaction=None)


class Played(Struct, frozen=True):
    """One session and what became of it."""

    asked: str  # the model that was asked for; "" is the session's own
    label: str
    terms: Terms
    comparison: "Comparison"


def played(file: str, settings: Settings, rename: Callable[[str], None]) -> Iterator[Played]:
    """Each conversation of a file. Raises Unreadable, or Refused for one that nobody answered or no price is for."""
    from secateur.simulate.compare import Play, compared
    from secateur.simulate.foresight import Terms as Yardstick

    for label, recording in _recordings(file, settings):
        terms = terms_of(recording, settings.priced, label)
        yardstick = Yardstick(terms.price, terms.caching)
        play = Play(window=settings.window, begun=partial(_begun, rename, label))
        found = compared(recording, map(settings.policy, settings.policies), yardstick, play)
        yield Played(settings.priced.model, label, terms, found)


def _begun(rename: Callable[[str], None], label: str, policy: str) -> None:
    rename(f"replaying {Path(label).name} under {policy}")


def _recordings(file: str, settings: Settings) -> list[tuple[str, Recording]]:
    source = read(file)
    try:
        found = [_recorded(one, settings) for one in _documents(source.data, settings)]
    except FormatError as error:
        raise unread(source, error) from error
    held = [one for one in found if one.requests]
    if not held:
        raise Refused(f"{source.label}: no model was ever asked in it, so there is no bill")
    several = len(held) > 1
    return [(f"{source.label} ({at})" if several else source.label, one) for at, one in enumerate(held, 1)]


def _documents(data: bytes, settings: Settings) -> list[Any]:
    return [data] if settings.format_name else list(conversations(data))


def _recorded(document: Any, settings: Settings) -> Recording:
    return recorded(
        document,
        format=settings.format_name,
        model=settings.priced.model,
        fixed_tokens=settings.fixed_tokens or None,
        compactions=settings.compactions,
    )
