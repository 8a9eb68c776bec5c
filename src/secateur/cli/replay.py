"""`secateur replay`: the exact bytes that a past request was sent on as.

Rule: bytes that are not those that were sent, by their hash, are never passed off as them: nothing is written then.
A view is not dumped on a person's terminal.
"""

import sys
from typing import Any

import click
import msgspec
from msgspec import Struct

from secateur import policy
from secateur.cli import options, write
from secateur.cli.exits import FINDINGS, FINE, Refused
from secateur.cli.kept import Kept, opened_store, session_of, tenant
from secateur.cli.kept_names import SESSION
from secateur.cli.progress import working
from secateur.cli.source import read
from secateur.cli.terminal import harmless, say_json, tell
from secateur.engine import Engine, Replayed
from secateur.jsontext import dumps
from secateur.keeping.record import last_receipt
from secateur.keeping.replay import receipt_of
from secateur.stores.protocol import State

SCHEMA = "secateur.replay/1"

_HELP = """\
\b
Examples:
  secateur replay s1 --request 7 > view.json        where raw is kept
  secateur replay s1 --request 7 --from s.jsonl -o view.jsonl
  secateur replay s1 --request 7 --from s.jsonl --json | jq .exact

\b
Requests are numbered as in `secateur why s1`. FILE is the history as the
client had it, then or later: the session file before it was pruned, or a
later request. Without --from, the store must keep raw history
(Engine(keep="raw")).

\b
Exit codes: 0 fine, 1 the bytes are not those that were sent, 2 usage.
"""


class Asked(Struct, frozen=True):
    """What the command line said."""

    session: str
    request: int | None
    source: str | None
    out: str | None
    tenant: str
    store: str
    as_json: bool


class Made(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    session: str
    request: int
    policy: str
    at: int  # ms since 1970
    tokens: int
    bytes: int
    exact: bool | None  # they are those that were sent; null: there is no hash to tell
    output: str | None


@click.command("replay", epilog=_HELP)
@click.argument("session", type=SESSION)
@options.all_of(
    click.option("--request", type=click.IntRange(min=0), metavar="N", help="The request's number; else the last."),
    click.option("--from", "source", type=click.Path(), metavar="FILE", help="The raw history; else the store's."),
    click.option(
        "-o", "--output", "out", type=click.Path(), metavar="OUT", help="Where to write; - is standard output."
    ),
    tenant,
    options.store,
    options.as_json,
)
def command(**given: Any) -> int:
    """Write the view that request N of SESSION was sent on as, byte for byte."""
    asked = msgspec.convert(given, Asked)
    target = asked.out or (None if asked.as_json or sys.stdout.isatty() else "-")
    with working("making the view again"), opened_store(asked.store) as kept:
        state = session_of(kept, asked.tenant, asked.session)
        number, found = _replayed(kept, state, asked)
    data = found.native if isinstance(found.native, bytes) else dumps(found.native)
    if found.exact is False:
        tell(f"secateur: {_not_these(number, asked)}", err=True)
        target = None
    if target == "-":
        write.to_stdout(data)
    elif target is not None:
        write.to_file(target, data)
    made = _made(asked, number, found, len(data), target)
    if asked.as_json:
        say_json(made)
    elif target != "-":
        tell(*_blocks(made))
    return FINDINGS if found.exact is False else FINE


def _replayed(kept: Kept, state: State, asked: Asked) -> tuple[int, Replayed]:
    """The number of the request and its view, made with the settings of the policy it was made with."""
    last = last_receipt(kept.store, state) if asked.request is None else None
    if asked.request is None and (last is None or last.number is None):
        raise Refused(f"session {state.who.session!r} has sent no request yet")
    number = asked.request if asked.request is not None else last.number if last and last.number is not None else 0
    receipt = receipt_of(kept.store, state, number)
    named = receipt.policy if receipt.policy in policy.names() else "observe"
    raw = None if asked.source is None else read(asked.source).data
    engine = Engine(named, store=kept.store, tenant=asked.tenant)
    return number, engine.replay(state.who.session, number, raw)


def _made(asked: Asked, number: int, found: Replayed, size: int, target: str | None) -> Made:
    receipt = found.receipt
    return Made(
        session=receipt.session or asked.session,
        request=number,
        policy=receipt.policy,
        at=receipt.at,
        tokens=receipt.tokens_view,
        bytes=size,
        exact=found.exact,
        output=target,
    )


def _not_these(number: int, asked: Asked) -> str:
    where = harmless(asked.source) if asked.source else "the raw history in the store"
    return (
        f"what {where} gives is not what request {number} was sent as, so nothing was written: give the history of then"
    )


def _blocks(made: Made) -> list[str]:
    sure = {True: "the very bytes that were sent", False: "not what was sent", None: "no hash was kept to compare with"}
    told = f"Request {made.request} of session {harmless(made.session)}: {made.bytes:,} bytes, {made.tokens:,} tokens, "
    where = f"Written to {made.output}." if made.output else "Nothing was written: -o FILE writes it."
    return [told + sure[made.exact] + ".", where]
