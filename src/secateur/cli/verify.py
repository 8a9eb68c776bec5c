"""`secateur verify`: whether a session's record is intact; the first broken receipt is named.

Rule: it reads and changes nothing. The chain has no key, so a chain that was rebuilt as a whole is detected only with a
head that was saved elsewhere: --expect-head compares with it.
"""

from typing import Annotated, Any

import click
from msgspec import Struct

from secateur.chain import encode_link
from secateur.cli import options
from secateur.cli.exit_codes import FINDINGS, SUCCESS, UsageError
from secateur.cli.options import Options, make_option
from secateur.cli.output import tables
from secateur.cli.output.formatting import pluralize
from secateur.cli.output.progress import show_work
from secateur.cli.output.terminal import clean, print_blocks, print_json, to_one_line
from secateur.cli.store_option import OpenedStore, find_session, open_existing_store
from secateur.cli.writer import write_file
from secateur.stores import proof
from secateur.stores.protocol import SessionId, State

SCHEMA = "secateur.verify/1"
_EPILOG = """\
\b
Examples:
  secateur verify                       every session of the store
  secateur verify s1
  secateur verify s1 --json | jq -r .sessions[0].head > s1.head
  secateur verify s1 --expect-head "$(cat s1.head)"   detect a rebuilt chain
  secateur verify s1 --export s1.receipts.jsonl   the receipts, as JSON Lines

\b
Exit codes: 0 the record is intact, 1 it is not, 2 usage.
"""


class VerifyOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur verify`."""

    session: options.MaybeSession
    expect_head: Annotated[
        str | None,
        make_option("--expect-head", metavar="HASH", help="A head saved elsewhere: it must be in the chain."),
    ]
    export: Annotated[
        str | None,
        make_option("--export", type=click.Path(), metavar="FILE", help="Write the receipts, one JSON object a line."),
    ]
    tenant: options.Tenant
    store: options.StoreUrl
    as_json: options.AsJson


class VerifiedSession(Struct, frozen=True):
    """One session's record."""

    session: str
    tenant: str
    receipts: int
    gone: int  # of these, the first ones, which retention took; the rest is proved from the last of them on
    head: str  # hash of its newest receipt
    problems: tuple[str, ...]  # the first broken receipt, then bytes that are not as they were; (): it holds


class VerifyReport(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    store: str
    sessions: tuple[VerifiedSession, ...]


@options.make_command("verify", VerifyOptions, _EPILOG)
def command(args: VerifyOptions) -> int:
    """Verify the chain of receipts of SESSION, or of every session, and the bytes that they refer to."""
    if args.session is None and (args.expect_head or args.export):
        raise UsageError("--expect-head and --export are for one session: give it")
    with show_work("verifying") as doing, open_existing_store(args.store) as kept:
        done = []
        with proof.take_snapshot(kept.store) as moment:
            kept = OpenedStore(kept.url, moment)
            for who in _list_sessions(kept, args):
                doing(f"verifying {who.session}")
                done.append(_verify_session(kept, who, args.expect_head))
            receipts = (
                b"".join(map(encode_link, moment.list_receipts(_list_sessions(kept, args)[0]))) if args.export else b""
            )
        if args.export:
            write_file(args.export, receipts)
    if args.as_json:
        print_json(VerifyReport(store=kept.url, sessions=tuple(done)))
    else:
        print_blocks(*_render(done, kept.url))
    return FINDINGS if any(session.problems for session in done) else SUCCESS


def _list_sessions(kept: OpenedStore, args: VerifyOptions) -> list[SessionId]:
    if args.session is not None:
        return [find_session(kept, args.tenant, args.session).who]
    return [row.who for row in kept.store.list_sessions(args.tenant or None)]


def _verify_session(kept: OpenedStore, who: SessionId, head: str | None) -> VerifiedSession:
    state = kept.store.load(who) or State(who)
    problems = proof.verify_record(kept.store, who)
    known = (state.head, state.anchor.hash, *(link.hash for link in kept.store.list_receipts(who))) if head else ()
    if head and not problems and head not in known:
        why = "the whole chain was rebuilt, or it belongs to another record"
        gone = ", or to a receipt that retention deleted" if state.anchor.number > 0 else ""
        problems = (f"the hash {head[:16]} is not in its chain: {why}{gone}",)
    return VerifiedSession(who.session, who.tenant, state.receipts, state.anchor.number + 1, state.head, problems)


def _render(done: list[VerifiedSession], url: str) -> list[Any]:
    broken = [session for session in done if session.problems]
    receipts, gone = sum(session.receipts - session.gone for session in done), sum(session.gone for session in done)
    if not broken:
        head = f" Head: {done[0].head}" if len(done) == 1 else ""
        what = f"{pluralize(len(done), 'session')} at {clean(url)}, {pluralize(receipts, 'receipt')}"
        since = (
            f" Retention deleted {pluralize(gone, 'receipt')}; the rest is verified from the last of them on."
            if gone
            else ""
        )
        return [f"{what}: every record is intact.{since}{head}"]
    rows = [(to_one_line(one.session, 32), clean(text)) for one in broken for text in one.problems]
    return [
        f"{len(broken):,} of {len(done):,} sessions at {clean(url)} are not intact.",
        tables.make_list(rows, "", ("session", "problem")),
    ]
