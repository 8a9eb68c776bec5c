"""`secateur purge`: take a session away, its receipts and bytes with it; nothing of it stays in the store.

Rule: it cannot be taken back, so it asks first, and where nobody can answer it wants --yes.
"""

import sys
from typing import Any

import click
import msgspec
from msgspec import Struct

from secateur.cli import options
from secateur.cli.exits import FINE, Refused
from secateur.cli.figures import many, size
from secateur.cli.kept import Kept, opened_store, session_of, tenant
from secateur.cli.kept_names import SESSION
from secateur.cli.progress import working
from secateur.cli.terminal import harmless, say_json, tell
from secateur.stores.protocol import Freed, Who

SCHEMA = "secateur.purge/1"

PENDING = (
    "Another process still reads the store as it was, so copies of what was deleted stand in the file until it is "
    "done. They go with the next purge, `secateur gc`, or the look that a running engine takes at its store every hour."
)


_HELP = """\
\b
Examples:
  secateur purge s1
  secateur purge s1 --yes
  secateur purge --all --tenant acme --yes

\b
What is deleted is overwritten, also while others read and write. Bytes that another session refers to stay
until it goes too; copies, snapshots and session files are out of its reach.
"""


class Asked(Struct, frozen=True):
    """What the command line said."""

    session: str | None
    every: bool
    yes: bool
    tenant: str
    store: str
    as_json: bool


class Purged(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    store: str
    tenant: str
    session: str | None  # null: all of the tenant's
    freed: Freed


@click.command("purge", epilog=_HELP)
@click.argument("session", required=False, type=SESSION)
@options.all_of(
    click.option("--all", "every", is_flag=True, help="Every session of the tenant."),
    click.option("--yes", is_flag=True, help="Do not ask."),
    tenant,
    options.store,
    options.as_json,
)
def command(**given: Any) -> int:
    """Delete SESSION from the store for good: its plan, its receipts, and the bytes that left its views."""
    asked = msgspec.convert(given, Asked)
    if (asked.session is None) != asked.every:
        raise Refused("name a session, or say --all for every session of the tenant, not both")
    with opened_store(asked.store) as kept:
        name = session_of(kept, asked.tenant, asked.session).who.session if asked.session is not None else None
        if not asked.yes and not _sure(kept, asked.tenant, name):
            tell("Nothing was deleted.")
            return FINE
        with working("purging"):
            freed = kept.store.purge(asked.tenant, name)
    done = Purged(store=kept.url, tenant=asked.tenant, session=name, freed=freed)
    if asked.as_json:
        say_json(done)
    else:
        tell(_told(freed))
    return FINE


def _sure(kept: Kept, tenant_: str, name: str | None) -> bool:
    """Whether a person says yes. Raises Refused where nobody can be asked."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise Refused("a purge cannot be taken back and nobody can be asked here: say --yes")
    if name is None:
        count = len(kept.store.sessions(tenant_))
        what = f"all {count:,} sessions of tenant {tenant_ or '(none)'}"
    else:
        held = [one for one in kept.store.blobs(Who(name, tenant_)) if one.id]
        what = f"session {name} with {len(held):,} removed texts, {size(sum(one.size for one in held))}"
    return click.confirm(f"Delete {harmless(what)} from {harmless(kept.url)} for good?", err=True)


def _told(freed: Freed) -> str:
    what = f"{many(freed.sessions, 'session')}, {many(freed.receipts, 'receipt')}, {many(freed.blobs, 'text')}"
    told = f"Deleted: {what} ({size(freed.bytes)} compressed)."
    return f"{told} {PENDING if freed.pending else 'Nothing of it stays in the store.'}"
