"""`secateur replay`: the exact bytes that were sent for a past request.

Rule: bytes whose hash differs from that of what was sent are never written. A view is not dumped on a terminal.
"""

import sys
from typing import Annotated

import click
from msgspec import Struct

from secateur import policy
from secateur.cli import options
from secateur.cli.exit_codes import FINDINGS, SUCCESS, UsageError
from secateur.cli.inputs import read_source
from secateur.cli.number_types import NumberType
from secateur.cli.options import Options, make_option
from secateur.cli.output.progress import show_work
from secateur.cli.output.terminal import clean, print_blocks, print_json
from secateur.cli.store_option import OpenedStore, find_session, open_existing_store
from secateur.cli.writer import write_file, write_stdout
from secateur.engine import Engine, ReplayResult
from secateur.jsontext import dumps
from secateur.sessions.receipt_log import find_last_receipt
from secateur.sessions.replay import load_receipt
from secateur.stores.protocol import State

SCHEMA = "secateur.replay/1"
_EPILOG = """\
\b
Examples:
  secateur replay s1 --request 7 > view.json        if history is stored
  secateur replay s1 --request 7 --from s.jsonl -o view.jsonl
  secateur replay s1 --request 7 --from s.jsonl --json | jq .is_exact

\b
Requests are numbered as in `secateur why s1`. FILE is the client's history,
of then or later: the session file before it was pruned, or a later request.
Without --from, the store must keep raw history (Engine(store_raw=True)).

\b
Exit codes: 0 success, 1 the bytes differ from those sent, 2 usage.
"""


class ReplayOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur replay`."""

    session: options.Session
    request: Annotated[
        int | None,
        make_option(
            "--request", type=NumberType(min=0), metavar="N", help="The number of the request; default: the last."
        ),
    ]
    source: Annotated[
        str | None,
        make_option("--from", type=click.Path(), metavar="FILE", help="The raw history; default: the store's."),
    ]
    output: options.PlainOutput
    tenant: options.Tenant
    store: options.StoreUrl
    as_json: options.AsJson


class ReplayReport(Struct, frozen=True, kw_only=True):
    """The JSON report."""

    schema: str = SCHEMA
    session: str
    request: int
    policy: str
    at_ms: int  # ms since 1970
    tokens: int
    bytes: int
    is_exact: bool | None  # whether they are the bytes that were sent; null if there is no hash to compare
    output: str | None


@options.make_command("replay", ReplayOptions, _EPILOG)
def command(args: ReplayOptions) -> int:
    """Write the view that was sent for request N of SESSION, byte for byte."""
    target = args.output or (None if args.as_json or sys.stdout.isatty() else "-")
    with show_work("rebuilding the view"), open_existing_store(args.store) as kept:
        state = find_session(kept, args.tenant, args.session)
        number, found = _replay(kept, state, args)
    data = found.request if isinstance(found.request, bytes) else dumps(found.request)
    if found.is_exact is False:
        print_blocks(f"secateur: {_describe_mismatch(number, args)}", err=True)
        target = None
    if target == "-":
        write_stdout(data)
    elif target is not None:
        write_file(target, data)
    made = _make_report(args, number, found, len(data), target)
    if args.as_json:
        print_json(made)
    elif target != "-":
        print_blocks(*_render(made))
    return FINDINGS if found.is_exact is False else SUCCESS


def _replay(kept: OpenedStore, state: State, args: ReplayOptions) -> tuple[int, ReplayResult]:
    """The number of the request and its view, built with the settings of the policy it was sent with."""
    last = find_last_receipt(kept.store, state) if args.request is None else None
    if args.request is None and (last is None or last.sequence is None):
        raise UsageError(f"session {state.who.session!r} has no request yet: send one first")
    number = args.request if args.request is not None else last.sequence if last and last.sequence is not None else 0
    receipt = load_receipt(kept.store, state, number)
    named = receipt.policy if receipt.policy in policy.list_preset_names() else "observe"
    if args.source is None and kept.store.get_manifest(state.who, number) is None:
        raise UsageError(
            f"the history of request {number} was not stored: give it with --from FILE; "
            "Engine(store_raw=True) stores it from then on"
        )
    raw = None if args.source is None else read_source(args.source).data
    engine = Engine(named, store=kept.store, tenant=args.tenant)
    return number, engine.replay(state.who.session, number, raw)


def _make_report(args: ReplayOptions, number: int, found: ReplayResult, size: int, target: str | None) -> ReplayReport:
    receipt = found.receipt
    return ReplayReport(
        session=receipt.session or args.session,
        request=number,
        policy=receipt.policy,
        at_ms=receipt.at_ms,
        tokens=receipt.tokens_view,
        bytes=size,
        is_exact=found.is_exact,
        output=target,
    )


def _describe_mismatch(number: int, args: ReplayOptions) -> str:
    where = clean(args.source) if args.source else "the raw history in the store"
    return (
        f"nothing was written: the view built from {where} differs from what was sent for request {number}: "
        "give the history of that time"
    )


def _render(made: ReplayReport) -> list[str]:
    sure = {True: "exactly as sent", False: "not as sent", None: "no hash is stored to compare with"}
    text = f"Request {made.request} of session {clean(made.session)}: {made.bytes:,} bytes, {made.tokens:,} tokens, "
    where = f"Written to {made.output}." if made.output else "Nothing was written: -o FILE writes it."
    return [text + sure[made.is_exact] + ".", where]
