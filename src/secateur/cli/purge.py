"""`secateur purge`: delete a session with its receipts and bytes; nothing of it remains in the store.

Rule: it cannot be undone, so it asks first; without a terminal it needs --yes.
"""

import sys
from typing import Annotated

import click
from msgspec import Struct

from secateur.cli import options
from secateur.cli.exit_codes import SUCCESS, UsageError
from secateur.cli.options import Options, make_option
from secateur.cli.output.formatting import format_bytes, pluralize
from secateur.cli.output.progress import show_work
from secateur.cli.output.terminal import clean, print_blocks, print_json
from secateur.cli.store_option import OpenedStore, find_session, open_existing_store
from secateur.stores.protocol import Freed, SessionId

SCHEMA = "secateur.purge/1"
PENDING = (
    "Another process is still reading the store, so copies of what was deleted remain in the file until it is done. "
    "The next purge or `secateur gc` removes them, or a running engine within an hour."
)
SERVER = (
    "Nothing of it remains in the store's tables. The server's write-ahead log, free pages, replicas and backups keep "
    "copies for as long as it is set up to keep them."
)
_EPILOG = """\
\b
Examples:
  secateur purge s1                            the whole name: nothing is guessed
  secateur purge s1 --yes
  secateur purge --all --tenant acme --yes

\b
What is deleted is overwritten, also while others read and write. Bytes that
another session uses stay until that session is deleted, too. Copies, snapshots
and session files are not touched.
"""


class PurgeOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur purge`."""

    session: options.MaybeSession
    every: Annotated[bool, make_option("--all", is_flag=True, help="Delete every session of the tenant.")]
    yes: Annotated[bool, make_option("--yes", is_flag=True, help="Do not ask.")]
    tenant: options.Tenant
    store: options.StoreUrl
    as_json: options.AsJson


class PurgeReport(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    store: str
    tenant: str
    session: str | None  # null: all of the tenant's
    freed: Freed


@options.make_command("purge", PurgeOptions, _EPILOG)
def command(args: PurgeOptions) -> int:
    """Delete SESSION from the store permanently: its plan, its receipts, and the bytes removed from its views."""
    if (args.session is None) != args.every:
        raise UsageError("give a session, or --all for every session of the tenant, not both")
    with open_existing_store(args.store) as kept:
        session = None if args.session is None else find_session(kept, args.tenant, args.session, exactly=True)
        name = None if session is None else session.who.session
        if not args.yes and not _is_confirmed(kept, args.tenant, name):
            print_blocks("Nothing was deleted.")
            return SUCCESS
        with show_work("purging"):
            freed = kept.store.purge(args.tenant, name)
    done = PurgeReport(store=kept.url, tenant=args.tenant, session=name, freed=freed)
    if args.as_json:
        print_json(done)
    else:
        print_blocks(_render(freed, kept.url))
    return SUCCESS


def _is_confirmed(kept: OpenedStore, tenant_: str, name: str | None) -> bool:
    """Whether the user confirms. Raises UsageError without a terminal."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError("a purge cannot be undone, and there is no terminal to confirm it on: give --yes")
    if name is None:
        count = len(kept.store.list_sessions(tenant_))
        what = f"all {count:,} sessions of tenant {tenant_ or '(none)'}"
    else:
        held = [blob for blob in kept.store.list_blobs(SessionId(name, tenant_)) if blob.id]
        what = f"session {name} with {len(held):,} removed texts, {format_bytes(sum(one.size for one in held))}"
    return click.confirm(f"Delete {clean(what)} from {clean(kept.url)} permanently?", err=True)


def _render(freed: Freed, url: str) -> str:
    counts = ((freed.sessions, "session"), (freed.receipts, "receipt"), (freed.blobs, "text"))
    what = ", ".join(pluralize(count, noun) for count, noun in counts)
    text = f"Deleted: {what} ({format_bytes(freed.bytes)} compressed)."
    if url.startswith("postgres"):
        return f"{text} {SERVER}"
    return f"{text} {PENDING if freed.pending else 'Nothing of it remains in the store.'}"
