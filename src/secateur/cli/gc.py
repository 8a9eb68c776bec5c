"""`secateur gc`: delete the bytes of sessions idle longer than the retention period, and old receipts; keep plans.

Rule: the retention period decides, and nothing of a session in use is deleted. Whole sessions are deleted only with
--delete-sessions-after, or by `purge`.
"""

import time
from typing import Annotated

from msgspec import Struct

from secateur.cli import options
from secateur.cli.number_types import DecimalType
from secateur.cli.options import Options, make_option
from secateur.cli.output.formatting import format_bytes, format_duration, pluralize
from secateur.cli.output.progress import show_work
from secateur.cli.output.terminal import clean, print_blocks, print_json
from secateur.cli.store_option import open_existing_store
from secateur.stores import get_receipt_retention_s, get_retention_s
from secateur.stores.protocol import Freed

SCHEMA = "secateur.gc/1"
DAY_S = 86_400
_EPILOG = """\
\b
Examples:
  secateur gc                       by SECATEUR_RETENTION_DAYS, else 30 days
  secateur gc --days 7
  secateur gc --receipt-days 30     else SECATEUR_RECEIPT_DAYS, else 90 days
  secateur gc --days 30 --delete-sessions-after 365

\b
`secateur why` still works for those sessions; `secateur recall` says that the
bytes are gone. `secateur doctor` shows how large the store is. Garbage
collection is also automatic: at most once a day, after a save.
"""


class GcReport(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    store: str
    retention_s: float
    receipts_s: float
    forget_s: float | None
    freed: Freed
    file_bytes: int  # what the store takes now


class GcOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur gc`."""

    days: Annotated[
        float | None,
        make_option("--days", type=DecimalType(min=0), metavar="N", help="Keep removed bytes for N days."),
    ]
    receipt_days: Annotated[
        float | None,
        make_option("--receipt-days", type=DecimalType(min=0), metavar="N", help="Keep receipts for N days."),
    ]
    delete_sessions_after: Annotated[
        float | None,
        make_option(
            "--delete-sessions-after",
            type=DecimalType(min=0),
            metavar="N",
            help="Delete whole sessions idle for more than N days.",
        ),
    ]
    store: options.StoreUrl
    as_json: options.AsJson


@options.make_command("gc", GcOptions, _EPILOG)
def command(args: GcOptions) -> None:
    """Delete stored bytes of sessions idle longer than the retention period, and old receipts."""
    keep_s = get_retention_s() if args.days is None else args.days * DAY_S
    told_s = get_receipt_retention_s() if args.receipt_days is None else args.receipt_days * DAY_S
    forget_s = None if args.delete_sessions_after is None else args.delete_sessions_after * DAY_S
    with show_work("collecting garbage"), open_existing_store(args.store) as kept:
        freed = kept.store.collect_garbage(int(time.time() * 1000), keep_s, forget_s, receipts_s=told_s)
        takes = kept.store.measure_sizes().file_bytes
    done = GcReport(
        store=kept.url, retention_s=keep_s, receipts_s=told_s, forget_s=forget_s, freed=freed, file_bytes=takes
    )
    if args.as_json:
        print_json(done)
    else:
        print_blocks(*_render(done))


def _render(done: GcReport) -> list[str]:
    freed, older = done.freed, f"of sessions idle for {format_duration(done.retention_s)}"
    if freed == Freed():
        spent = f"and no receipts older than {format_duration(done.receipts_s)}"
        return [f"Nothing to delete: {clean(done.store)} has no bytes {older}, {spent}."]
    gone = f"{pluralize(freed.blobs, 'text')} {older} deleted, {format_bytes(freed.bytes)} compressed"
    went = (pluralize(freed.sessions, "session") if freed.sessions else "", pluralize(freed.receipts, "receipt"))
    whole = f", and {' and '.join(filter(None, went))}" if freed.sessions or freed.receipts else ""
    return [f"{gone}{whole}. {clean(done.store)} is {format_bytes(done.file_bytes)} now."]
