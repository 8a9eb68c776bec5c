"""`secateur verify`: whether a session's record is the one that was written; the first receipt that is not is named.

Rule: it reads and changes nothing. A chain has no key, so a record that was chained anew as a whole is found only by a
head that was kept elsewhere: --head compares with it.
"""

from typing import Any

import click
import msgspec
from msgspec import Struct

from secateur.chain import line
from secateur.cli import options, tables, write
from secateur.cli.exits import FINDINGS, FINE, Refused
from secateur.cli.figures import many
from secateur.cli.kept import Kept, opened_store, session_of, tenant
from secateur.cli.kept_names import SESSION
from secateur.cli.progress import working
from secateur.cli.terminal import harmless, one_line, say_json, tell
from secateur.stores import proof
from secateur.stores.protocol import State, Who

SCHEMA = "secateur.verify/1"

_HELP = """\
\b
Examples:
  secateur verify                       every session of the store
  secateur verify s1
  secateur verify s1 --json | jq -r .sessions[0].head > s1.head
  secateur verify s1 --head "$(cat s1.head)"      nothing was chained anew
  secateur verify s1 --export s1.receipts.jsonl   the receipts, as JSON Lines

\b
Exit codes: 0 the record holds, 1 it does not, 2 usage.
"""


class Asked(Struct, frozen=True):
    """What the command line said."""

    session: str | None
    head: str | None
    export: str | None
    tenant: str
    store: str
    as_json: bool


class Verified(Struct, frozen=True):
    """One session's record."""

    session: str
    tenant: str
    receipts: int
    gone: int  # of these, the first ones, which retention took; the rest is proved from the last of them on
    head: str  # hash of its newest receipt
    problems: tuple[str, ...]  # the first broken receipt, then bytes that are not as they were; (): it holds


class Report(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    store: str
    sessions: tuple[Verified, ...]


@click.command("verify", epilog=_HELP)
@click.argument("session", required=False, type=SESSION)
@options.all_of(
    click.option("--head", metavar="HASH", help="A head that was kept elsewhere: it must stand in the chain."),
    click.option("--export", type=click.Path(), metavar="FILE", help="Write the receipts, one a line."),
    tenant,
    options.store,
    options.as_json,
)
def command(**given: Any) -> int:
    """Check the chain of receipts of SESSION, or of every session, and the bytes that they refer to."""
    asked = msgspec.convert(given, Asked)
    if asked.session is None and (asked.head or asked.export):
        raise Refused("--head and --export are about one session: name it")
    with working("verifying") as doing, opened_store(asked.store) as kept:
        done = []
        with proof.still(kept.store) as moment:
            kept = Kept(kept.url, moment)
            for who in _whose(kept, asked):
                doing(f"verifying {who.session}")
                done.append(_verified(kept, who, asked.head))
            receipts = b"".join(map(line, moment.receipts(_whose(kept, asked)[0]))) if asked.export else b""
        if asked.export:
            write.to_file(asked.export, receipts)
    if asked.as_json:
        say_json(Report(store=kept.url, sessions=tuple(done)))
    else:
        tell(*_blocks(done, kept.url))
    return FINDINGS if any(one.problems for one in done) else FINE


def _whose(kept: Kept, asked: Asked) -> list[Who]:
    if asked.session is not None:
        return [session_of(kept, asked.tenant, asked.session).who]
    return [row.who for row in kept.store.sessions(asked.tenant or None)]


def _verified(kept: Kept, who: Who, head: str | None) -> Verified:
    state = kept.store.load(who) or State(who)
    problems = proof.proved(kept.store, who)
    known = (state.head, state.anchor.hash, *(link.hash for link in kept.store.receipts(who))) if head else ()
    if head and not problems and head not in known:
        why = "the whole record was chained anew, or it is another's"
        gone = ", or it is of a receipt that retention took" if state.anchor.number > 0 else ""
        problems = (f"the hash {head[:16]} is not in its chain: {why}{gone}",)
    return Verified(who.session, who.tenant, state.receipts, state.anchor.number + 1, state.head, problems)


def _blocks(done: list[Verified], url: str) -> list[Any]:
    broken = [one for one in done if one.problems]
    receipts, gone = sum(one.receipts - one.gone for one in done), sum(one.gone for one in done)
    if not broken:
        head = f" Head: {done[0].head}" if len(done) == 1 else ""
        what = f"{many(len(done), 'session')} at {harmless(url)}, {many(receipts, 'receipt')}"
        since = (
            f" Retention took {many(gone, 'receipt')}; what remains is proved from the last of them on." if gone else ""
        )
        return [f"{what}: every record is as it was written.{since}{head}"]
    rows = [(one_line(one.session, 32), harmless(text)) for one in broken for text in one.problems]
    return [
        f"{len(broken):,} of {len(done):,} sessions at {harmless(url)} are not as they were written.",
        tables.listed(rows, "", ("session", "what is wrong")),
    ]
