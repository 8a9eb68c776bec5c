"""Names that a shell completes from the store: sessions, and handles of what left them.

Rule: completion never fails and never makes a store; it asks the one that the line so far names.
"""

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

import click
from click.shell_completion import CompletionItem

from secateur.errors import SecateurError

_LONGEST = 1_000  # characters of a name, as in the library
_MOST = 200  # names that are offered
_SESSIONS = 20  # whose handles are offered, the last touched


class _Kept(click.ParamType[str]):
    """A text; what a store knows is only offered, not demanded: the command says what is wrong better."""

    def __init__(self, name: str, names: Callable[[str, str], Iterable[str]]) -> None:
        self.name = name
        self._names = names

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if len(value) > _LONGEST:
            self.fail(f"a {self.name} has {_LONGEST:,} characters at most; this one has {len(value):,}", param, ctx)
        return str(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        said = ctx.params.get("store") or "", ctx.params.get("tenant") or ""
        try:
            found = [name for name in self._names(*said) if name.startswith(incomplete)]
        except (SecateurError, OSError):
            return []
        return [CompletionItem(name) for name in islice(found, _MOST)]


def _sessions(url: str, tenant: str) -> Iterable[str]:
    from secateur.cli.kept import rows_of

    return [row.who.session for row in rows_of(url, tenant)]


def _handles(url: str, tenant: str) -> Iterable[str]:
    from secateur.cli.exits import Refused
    from secateur.cli.kept import opened_store
    from secateur.lineage import HANDLE_DIGITS

    try:
        with opened_store(url) as kept:
            rows = kept.store.sessions(tenant)[:_SESSIONS]
            held = [one for row in rows for one in kept.store.blobs(row.who) if one.id and one.kind != "raw"]
    except Refused:
        return []
    return dict.fromkeys(one.id[:HANDLE_DIGITS] for one in held)


SESSION = _Kept("session", _sessions)
HANDLE = _Kept("handle", _handles)
