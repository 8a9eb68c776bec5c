"""Values that are names: of policies, formats, profiles and counters; of stored sessions and handles.

Rule: the names depend on what is installed and stored, so they are looked up when a value is checked or a shell asks
for completions, never at import. Completion never fails and never creates a store.
"""

import os
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

import click
from click.shell_completion import CompletionItem

from secateur.errors import SecateurError
from secateur.text.suggestions import suggest_names

_MAX_CHARS = 1_000  # characters of a name, as in the library
_MAX_OFFERED = 200  # names that are offered
_MAX_SESSIONS = 20  # whose handles are offered, the last touched


class NameType(click.ParamType[str]):
    """One of a set of names that is looked up late. `free`: other values (paths) are accepted too."""

    def __init__(self, name: str, names: Callable[[], Iterable[str]], free: bool = False) -> None:
        self.name = name
        self._names = names
        self._free = free

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if self._free or value in iter(self._names()):  # what is built in comes first and loads nothing
            return value
        names = list(self._names())
        close = suggest_names(value, names)
        hint = f"did you mean {close}" if close else f"choose one of {', '.join(names)}"
        raise click.BadParameter(f"there is no {self.name} {value!r}: {hint}", ctx, param)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        # a shell takes names or files, not both
        offered = [CompletionItem(name) for name in self._names() if name.startswith(incomplete)]
        return offered or ([CompletionItem(incomplete, type="file")] if self._free else [])


def _list_policies() -> Iterable[str]:
    from secateur import policy

    return policy.list_preset_names()


def _list_formats() -> Iterable[str]:
    from secateur import formats

    return formats.list_format_names()


def _list_profiles() -> Iterable[str]:
    from secateur.api import PROFILES

    return PROFILES


def _list_counters() -> Iterable[str]:
    from secateur.tokens import OWN, list_report_counters

    yield from OWN
    yield from list_report_counters()[len(OWN) :]


class _StoredName(click.ParamType[str]):
    """A name that a store knows. Names are offered, not required: the command has the better error message."""

    def __init__(self, name: str, names: Callable[[str, str], Iterable[str]]) -> None:
        self.name = name
        self._names = names

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if len(value) > _MAX_CHARS:
            self.fail(
                f"a {self.name} may have {_MAX_CHARS:,} characters, this one has {len(value):,}: shorten it", param, ctx
            )
        return str(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        scope = ctx.params.get("store") or "", ctx.params.get("tenant") or ""
        try:
            offered = [name for name in self._names(*scope) if name.startswith(incomplete)]
        except (SecateurError, OSError):
            return []
        return [CompletionItem(name) for name in islice(offered, _MAX_OFFERED)]


def _list_sessions(url: str, tenant: str) -> Iterable[str]:
    from secateur.cli.store_option import list_session_rows

    return [row.who.session for row in list_session_rows(url, tenant)]


def _list_handles(url: str, tenant: str) -> Iterable[str]:
    from secateur.cli.exit_codes import UsageError
    from secateur.cli.store_option import open_existing_store
    from secateur.lineage import HANDLE_DIGITS

    try:
        with open_existing_store(url) as kept:
            rows = kept.store.list_sessions(tenant)[:_MAX_SESSIONS]
            stored = [blob for row in rows for blob in kept.store.list_blobs(row.who) if blob.id and blob.kind != "raw"]
    except UsageError:
        return []
    return dict.fromkeys(one.id[:HANDLE_DIGITS] for one in stored)


class _DocumentPath(click.Path):
    """The path of a document, or the name of an agent's session (`last`, `claude:last`, the beginning of an id)."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = super().convert(value, param, ctx)
        if not isinstance(path, str) or path == "-" or os.path.dirname(path) or os.path.lexists(path):
            return path
        from secateur.hosts.session_files import find_session_file

        found = find_session_file(path)
        return found.path if found else path


DOCUMENT = _DocumentPath()
POLICY = NameType("policy", _list_policies, free=True)
FORMAT = NameType("format", _list_formats)
PROFILE = NameType("profile", _list_profiles)
COUNTER = NameType("counter", _list_counters)
SESSION = _StoredName("session", _list_sessions)
HANDLE = _StoredName("handle", _list_handles)
