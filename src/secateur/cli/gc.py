"""`secateur gc`: let go of the bytes of sessions that nobody touched for long; and of old receipts; plans stay.

Rule: what it takes is what the retention says, and nothing of a session that is in use. Whole sessions go only with
--forget-days, or by `purge`.
"""

import time

import click
from msgspec import Struct

from secateur.cli import options
from secateur.cli.figures import duration, many, size
from secateur.cli.kept import opened_store
from secateur.cli.progress import working
from secateur.cli.terminal import harmless, say_json, tell
from secateur.stores import receipts_s, retention_s
from secateur.stores.protocol import Freed

SCHEMA = "secateur.gc/1"
DAY_S = 86_400

_HELP = """\
\b
Examples:
  secateur gc                       by SECATEUR_RETENTION_DAYS, else 30 days
  secateur gc --days 7
  secateur gc --receipt-days 30     else SECATEUR_RECEIPT_DAYS, else 90 days
  secateur gc --days 30 --forget-days 365

\b
After it, `secateur why` still answers for those sessions; `secateur recall`
says that the bytes are gone. `secateur doctor` shows how large the store is.
"""


class Collected(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    store: str
    retention_s: float
    receipts_s: float
    forget_s: float | None
    freed: Freed
    file_bytes: int  # what the store takes now


@click.command("gc", epilog=_HELP)
@options.all_of(
    click.option("--days", type=click.FloatRange(min=0), metavar="N", help="Keep bytes for so many days."),
    click.option("--receipt-days", type=click.FloatRange(min=0), metavar="N", help="Keep receipts for so many days."),
    click.option("--forget-days", type=click.FloatRange(min=0), metavar="N", help="Forget sessions older than that."),
    options.store,
    options.as_json,
)
def command(
    days: float | None, receipt_days: float | None, forget_days: float | None, store: str, as_json: bool
) -> None:
    """Let go of the bytes of sessions that were not touched for longer than the retention, and of old receipts."""
    keep_s = retention_s() if days is None else days * DAY_S
    told_s = receipts_s() if receipt_days is None else receipt_days * DAY_S
    forget_s = None if forget_days is None else forget_days * DAY_S
    with working("letting go"), opened_store(store) as kept:
        freed = kept.store.gc(int(time.time() * 1000), keep_s, forget_s, receipts_s=told_s)
        takes = kept.store.sizes().file_bytes
    done = Collected(
        store=kept.url, retention_s=keep_s, receipts_s=told_s, forget_s=forget_s, freed=freed, file_bytes=takes
    )
    if as_json:
        say_json(done)
    else:
        tell(*_blocks(done))


def _blocks(done: Collected) -> list[str]:
    freed, older = done.freed, f"of sessions untouched for {duration(done.retention_s)}"
    if freed == Freed():
        spent = f"and no receipts older than {duration(done.receipts_s)}"
        return [f"Nothing to let go: {harmless(done.store)} holds no bytes {older}, {spent}."]
    gone = f"{many(freed.blobs, 'text')} {older} went, {size(freed.bytes)} compressed"
    went = (many(freed.sessions, "session") if freed.sessions else "", many(freed.receipts, "receipt"))
    whole = f", and {' and '.join(filter(None, went))}" if freed.sessions or freed.receipts else ""
    return [f"{gone}{whole}. {harmless(done.store)} takes {size(done.file_bytes)} now."]
