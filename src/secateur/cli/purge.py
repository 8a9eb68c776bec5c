"""`secateur purge`: take a session away, its receipts and bytes with it; nothing of it stays in the store.

Rule: it cannot be taken back, so it asks first, and where nobody can answer it wants --yes.
"""

import sys
from typing import Annotated

import click
from msgspec import Struct

from secateur.cli import options
from secateur.cli.exit_codes import SUCCESS, UsageError
from secateur.cli.options import Options, option
from secateur.cli.output.formatting import format_bytes, pluralize
from secateur.cli.output.progress import show_work
from secateur.cli.output.terminal import clean, print_blocks, print_json
from secateur.cli.store_option import OpenedStore, find_session, open_existing_store
from secateur.stores.protocol import Freed, SessionId

SCHEMA = "secateur.purge/1"
PENDING = (
    "Another process still reads the store as it was, so copies of what was deleted stand in the file until it is "
    "done. They go with the next purge, `secateur gc`, or the look that a running engine takes at its store every hour."
)
_EPILOG = """\
\b
Examples:
  secateur purge s1
  secateur purge s1 --yes
  secateur purge --all --tenant acme --yes

\b
What is deleted is overwritten, also while others read and write. Bytes that another session refers to stay
until it goes too; copies, snapshots and session files are out of its reach.
"""


class PurgeOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur purge`."""

    session: options.MaybeSession
    every: Annotated[bool, option("--all", is_flag=True, help="Every session of the tenant.")]
    yes: Annotated[bool, option("--yes", is_flag=True, help="Do not ask.")]
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


@options.command("purge", PurgeOptions, _EPILOG)
def command(args: PurgeOptions) -> int:
    """Delete SESSION from the store for good: its plan, its receipts, and the bytes that left its views."""
    if (args.session is None) != args.every:
        raise UsageError("name a session, or say --all for every session of the tenant, not both")
    with open_existing_store(args.store) as kept:
        name = find_session(kept, args.tenant, args.session).who.session if args.session is not None else None
        if not args.yes and not _is_confirmed(kept, args.tenant, name):
            print_blocks("Nothing was deleted.")
            return SUCCESS
        with show_work("purging"):
            freed = kept.store.purge(args.tenant, name)
    done = PurgeReport(store=kept.url, tenant=args.tenant, session=name, freed=freed)
    if args.as_json:
        print_json(done)
    else:
        print_blocks(_render(freed))
    return SUCCESS


def _is_confirmed(kept: OpenedStore, tenant_: str, name: str | None) -> bool:
    """Whether a person says yes. Raises Refused where nobody can be args."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError("a purge cannot be taken back and nobody can be asked here: say --yes")
    if name is None:
        count = len(kept.store.sessions(tenant_))
        what = f"all {count:,} sessions of tenant {tenant_ or '(none)'}"
    else:
        held = [one for one in kept.store.blobs(SessionId(name, tenant_)) if one.id]
        what = f"session {name} with {len(held):,} removed texts, {format_bytes(sum(one.size for one in held))}"
    return click.confirm(f"Delete {clean(what)} from {clean(kept.url)} for good?", err=True)


def _render(freed: Freed) -> str:
    counts = ((freed.sessions, "session"), (freed.receipts, "receipt"), (freed.blobs, "text"))
    what = ", ".join(pluralize(count, noun) for count, noun in counts)
    told = f"Deleted: {what} ({format_bytes(freed.bytes)} compressed)."
    return f"{told} {PENDING if freed.pending else 'Nothing of it stays in the store.'}"
